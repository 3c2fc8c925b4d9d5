"""The frames: templates of mostly fixed text, filled with values that are already printed."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def _environment() -> Environment:
    """jinja2 is imported on the first print only; an undefined name in a template is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "frames"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        auto_reload=False,
    )


def fill(frame: str, **values: object) -> str:
    """The text of `frames/<frame>.j2` with its values filled in; one newline at the end is dropped."""
    return _environment().get_template(f"{frame}.j2").render(values).removesuffix("\n")
