"""`import tl2hip` is quick: it loads nothing, and notation loads no NumPy before a kernel runs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tl2hip

HEAVY = ("numpy", "ml_dtypes", "islpy", "jinja2", "libcst")


def loaded(code: str) -> set[str]:
    """The modules that a fresh Python has loaded after running `code`."""
    command = [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_alone_loads_nothing_of_tl2hip() -> None:
    assert {name for name in loaded("import tl2hip") if name.startswith("tl2hip.")} == set()


def test_defining_a_kernel_loads_nothing_heavy() -> None:
    code = "from tl2hip import *\nM, = dims('M')\n@kernel\ndef f(x: Tensor[f32, M]) -> None: ..."
    after = loaded(code)
    assert not after & set(HEAVY)
    assert {name.split(".")[1] for name in after if name.startswith("tl2hip.")} == {"notation", "dtypes"}


def test_every_export_is_there() -> None:
    for name in [*tl2hip.__all__, "dot", "exp", "max", "sum"]:
        assert getattr(tl2hip, name) is not None and name in dir(tl2hip)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = tl2hip.nonsense


def test_star_import_hides_no_builtin() -> None:
    import builtins

    assert not set(tl2hip.__all__) & set(vars(builtins))
