"""A folder with kernels, and a way to run the command line in it."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tl2hip.cli import main

GOOD = """\
from tl2hip import Tensor, dims, f32, kernel

N = dims("N")


@kernel
def {name}(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i] * {factor}
"""

BAD = """\
from tl2hip import Tensor, dims, f32, kernel

N = dims("N")


@kernel
def weigh(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    weight = {0: 0.5}
    for i in range(N):
        y[i] = x[i] * weight[0]
"""


def good(name: str = "scale", factor: float = 2.0) -> str:
    """A file with one kernel."""
    return GOOD.format(name=name, factor=factor)


@dataclass(frozen=True)
class Ran:
    """What one run gave."""

    code: int
    out: str
    err: str


Cli = Callable[..., Ran]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Cli]:
    """Runs one command in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*argv: str) -> Ran:
        capsys.readouterr()
        code = main(argv)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    yield run
    gc.enable()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three files with kernels, one of them refused, and others that are not to be read."""
    (tmp_path / "one.py").write_text(good("one"))
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "two.py").write_text(good("two"))
    (tmp_path / "sub" / "bad.py").write_text(BAD)
    (tmp_path / "plain.py").write_text("print('never run')\nraise SystemExit(9)\n")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "three.py").write_text(good("three"))
    (tmp_path / ".gitignore").write_text("build/\n")
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "four.py").write_text(good("four"))
    return tmp_path
