"""The README is true: its kernels convert to what it shows, its commands are what CI runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tl2hip import api
from tl2hip.source.span import Source

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
KERNELS = [text for language, text in BLOCKS if language == "python"]


TOLD = [text.strip() for language, text in BLOCKS if language == "text"]


@pytest.mark.parametrize("text", KERNELS)
def test_each_kernel_converts_or_is_refused_as_shown(text: str) -> None:
    if "def filtered" in text:
        assert api.convert(Source("filtered.py", text)).told == TOLD[0]
    else:
        done = api.convert(Source("row_max.py", text))
        assert not done.errors, done.told
        assert done.kernels


def test_the_excerpt_is_what_is_printed() -> None:
    excerpt, flash = (text for language, text in BLOCKS if language == "cpp")
    (kernel,) = api.convert(Source("row_max.py", KERNELS[0])).kernels
    assert kernel.printed is not None
    assert excerpt in kernel.printed.text
    assert flash in (ROOT / "golden" / "attention_naive" / "kernel.hip").read_text(encoding="utf-8")


def test_ci_runs_the_two_commands() -> None:
    commands = [text.strip() for language, text in BLOCKS if language == "sh"]
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert len(commands) == 2
    assert all(c in script for c in commands)


@pytest.mark.parametrize("name", ["gemm", "attention_naive"])
def test_a_kernel_is_the_golden_one(name: str) -> None:
    golden = (ROOT / "golden" / name / "kernel.py").read_text(encoding="utf-8")
    body = golden.partition("@kernel")[2]
    assert any(text.partition("@kernel")[2] == body for text in KERNELS)
