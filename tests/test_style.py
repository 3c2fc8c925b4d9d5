"""ruff and mypy --strict have nothing to say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def _said(*command: str) -> str:
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_ruff() -> None:
    assert _said("ruff", "check", "--no-cache", ".") == ""


def test_mypy(tmp_path: Path) -> None:
    assert _said("mypy", "--cache-dir", str(tmp_path)) == ""
