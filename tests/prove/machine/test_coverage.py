"""Every instruction of the executor is run beside a reference, and README says how many there are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tl2hip.prove.machine.executor import names

ROOT = Path(__file__).parents[3]


def test_every_instruction_is_run_beside_a_reference() -> None:
    command = [sys.executable, "-m", "tests.prove.machine.coverage", "--programs", "0"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(names())} mnemonics; {len(names())} are run beside a reference" in done.stdout


def test_readme_says_how_many_there_are() -> None:
    assert f"{len(names())} instructions" in (ROOT / "README.md").read_text(encoding="utf-8")
