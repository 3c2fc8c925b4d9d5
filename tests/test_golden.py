"""The goldens: what each stage makes of the kernels in golden/, word for word, and the proof of each.

`pytest tests/test_golden.py --tl2hip-update` writes what differs or is missing; read it before you commit it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.proofs import convert
from tl2hip import api
from tl2hip.nest.show import show as show_nest
from tl2hip.plan.show import show as show_plan
from tl2hip.prove.compiler import compile_device
from tl2hip.prove.counters import read_counters

GOLDEN = Path(__file__).parent.parent / "golden"
FOLDERS = sorted(p.parent.name for p in GOLDEN.glob("*/kernel.py"))


def _only_kernel(folder: str) -> api.Converted:
    (kernel,) = convert(GOLDEN / folder / "kernel.py").values()
    return kernel


def _texts(kernel: api.Converted) -> dict[str, str]:
    assert kernel.nest is not None and kernel.plan is not None and kernel.printed is not None
    return {
        "nest.py": show_nest(kernel.nest),
        "plan.txt": show_plan(kernel.plan),
        "kernel.hip": kernel.printed.text,
    }


def _write(path: Path, text: str) -> None:
    """Writes a whole file or nothing."""
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    scratch.write_text(text, encoding="utf-8", newline="\n")
    scratch.replace(path)


@pytest.mark.parametrize("folder", FOLDERS)
def test_golden(folder: str, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in _texts(_only_kernel(folder)).items():
        path = GOLDEN / folder / name
        kept = path.read_text(encoding="utf-8").replace("\r\n", "\n") if path.exists() else None
        if kept == text:
            continue
        if request.config.getoption("--tl2hip-update"):
            _write(path, text)
            with capsys.disabled():
                print(f"\n{'written' if kept is None else 'changed'}: golden/{folder}/{name}")
            continue
        assert kept is not None, f"golden/{folder}/{name} is missing: run pytest with --tl2hip-update"
        assert text == kept, f"golden/{folder}/{name} differs: read the difference, then --tl2hip-update"


@pytest.mark.parametrize("folder", FOLDERS)
def test_golden_is_proven(folder: str) -> None:
    how = {"shapes": 6, "work": 30_000, "python_work": 10_000, "machine": True}
    report = api.verify(GOLDEN / folder / "kernel.py", **how)
    assert report.good and all(c.machine for c in report.cases), report.text


@pytest.mark.parametrize("folder", FOLDERS)
def test_golden_compiles_for_gfx942(folder: str) -> None:
    kernel = _only_kernel(folder)
    assert kernel.printed is not None and kernel.plan is not None
    assembly = compile_device(kernel.printed.text)
    assert assembly.warnings == ""
    counters = read_counters(assembly.text)
    assert len(counters) == len(kernel.plan.kernels)
    for k in counters:
        assert (k.vgpr_spills, k.sgpr_spills, k.scratch_bytes, k.calls, k.undefined) == (0, 0, 0, 0, ()), k


def test_attention_has_one_plan_whatever_its_source() -> None:
    plans = {}
    for source in ("naive", "running", "tiles"):
        text = (GOLDEN / f"attention_{source}" / "plan.txt").read_text(encoding="utf-8")
        text = re.sub(rf"attention_{source}|line \d+", "", text)
        plans[source] = [re.sub(r"  +", "  ", line) for line in text.splitlines()]
    assert plans["naive"] == plans["running"] == plans["tiles"] != []
