"""Goldens as machine code give what their Python and the emulated unit give; planted faults are found."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.proofs import convert, prove
from tl2hip.prove import verify
from tl2hip.prove.compiler import compile_device
from tl2hip.prove.emulate import Emulator, Library, Run
from tl2hip.prove.machine import assembly
from tl2hip.prove.machine.library import MachineLibrary
from tl2hip.prove.report import Report

GOLDEN = Path(__file__).parents[3] / "golden"
NAMES = sorted(path.parent.name for path in GOLDEN.glob("*/kernel.hip"))
NOT_EXACT = (
    *("attention_naive", "attention_running", "attention_tiles", "decode"),
    *("gemm_article", "gemm_bias_gelu", "layernorm", "softmax"),
)
"""Their exponentials and square roots are the target's own; the article's shapes are fixed and large."""


class Both:
    """A library that runs on the emulated unit as well, and compares every byte but those of NaNs."""

    def __init__(self, text: str) -> None:
        self.source, self.machine = Emulator.load(text, detect=False), MachineLibrary(text)
        self.runs = 0

    def __enter__(self) -> Both:
        return self

    def __exit__(self, *_: object) -> None:
        self.source.close()
        self.machine.close()

    def value(self, function: str, args: Any) -> int:
        return self.machine.value(function, args)

    def call(self, launcher: str, args: Any, **how: Any) -> Run:
        arrays = [one for one in args if isinstance(one, np.ndarray)]
        before = [one.copy() for one in arrays]
        self.source.call(launcher, args, **how)
        expected = [one.copy() for one in arrays]
        for one, old in zip(arrays, before, strict=True):
            if one.flags.writeable:
                one[...] = old
        ran = self.machine.call(launcher, args, **how)
        for one, other in zip(arrays, expected, strict=True):
            assert number_bytes(one) == number_bytes(other)
        self.runs += 1
        return ran


def number_bytes(array: np.ndarray[Any, Any]) -> bytes:
    """The bytes of an array; a NaN is a NaN, whatever its sign, in a workspace of f32 sums as well."""
    if array.dtype == np.uint8 and array.ndim == 1:
        array = array[: len(array) // 4 * 4].view(np.float32)
    return array.tobytes() if array.dtype.kind != "f" else np.where(np.isnan(array), np.nan, array).tobytes()


def proven(name: str, load: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch) -> Report:
    """What verify finds with libraries made by `load`."""

    class Loading:
        @staticmethod
        def load(text: str, *, detect: bool = True, origins: object = None) -> Library:
            assert detect
            made: Library = load(text)
            return made

    monkeypatch.setattr(verify, "Emulator", Loading)
    path = GOLDEN / name / "kernel.py"
    (kernel,) = convert(path).values()
    return prove(path, kernel.name, shapes=6, work=30_000, python_work=2_000)


@pytest.mark.parametrize("name", [one for one in NAMES if one not in NOT_EXACT])
def test_the_same_bytes_as_on_the_emulated_unit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Both] = []

    def load(text: str) -> Both:
        made.append(Both(text))
        return made[-1]

    assert proven(name, load, monkeypatch).good
    assert made[0].runs >= 15


def faulty(change: Callable[[list[str]], None]) -> Callable[[str], MachineLibrary]:
    """Libraries whose assembly was changed, line by line."""

    def load(text: str) -> MachineLibrary:
        lines = compile_device(text, lines=True).text.split("\n")
        change(lines)
        return MachineLibrary(text, program=assembly.read("\n".join(lines)))

    return load


def without(pattern: str, number: int) -> Callable[[list[str]], None]:
    """The given one of the lines that match does nothing."""

    def change(lines: list[str]) -> None:
        found = [at for at, line in enumerate(lines) if re.match(rf"\t{pattern}\b", line)]
        assert len(found) > number, f"{len(found)} lines are {pattern}: plant the fault elsewhere"
        lines[found[number]] = "\ts_nop 0"

    return change


def instead(pattern: str, number: int, old: str, new: str) -> Callable[[list[str]], None]:
    """The given one of the lines that match says `new` in place of `old`."""

    def change(lines: list[str]) -> None:
        found = [at for at, line in enumerate(lines) if re.match(rf"\t{pattern}\b", line) and re.search(old, line)]
        assert len(found) > number, f"{len(found)} lines are {pattern}: plant the fault elsewhere"
        lines[found[number]] = re.sub(old, new, lines[found[number]], count=1)

    return change


def without_wait_at_barrier(lines: list[str]) -> None:
    """The wait before the first barrier does nothing."""
    barrier = next(at for at, line in enumerate(lines) if line == "\ts_barrier")
    wait = max(at for at, line in enumerate(lines[:barrier]) if line.startswith("\ts_waitcnt lgkmcnt(0)"))
    lines[wait] = "\ts_nop 0"


FAULTS = {
    "arguments are not waited for": ("add", without("s_waitcnt lgkmcnt", 0), "pending_register"),
    "a load is not waited for": ("transpose", without("s_waitcnt vmcnt", 0), "pending_register"),
    "one load too few is waited for": (
        "add", instead("s_waitcnt vmcnt", 0, r"vmcnt\(2\)", "vmcnt(3)"), "pending_register",
    ),
    "LDS is not waited for before a barrier": ("total", without_wait_at_barrier, "race"),
    "no barrier between waves": ("transpose", without("s_barrier", 1), "race"),
    "no barrier in a product's loop": ("gemm", without("s_barrier", 2), "race"),
    "a store one word on": (
        "add", instead("global_store_dwordx4", 0, " nt", " offset:4 nt"), "out_of_bounds|guard|WrongValue|race",
    ),
    "an LDS row off by one": (
        "transpose", instead("ds_write_b128", 0, "offset:256", "offset:260"), "WrongValue",
    ),
    "a load far behind": (
        "transpose", instead("global_load_dword", 0, "off$", "off offset:4092"), "out_of_bounds|WrongValue",
    ),
    "a register that nobody wrote": (
        "histogram", instead("global_atomic_add", 0, r", v\d+, ", ", v255, "), "unwritten_register",
    ),
    "another product": (
        "gemm", instead("v_mfma_f32_16x16x16_f16", 3, r"(v\S+), (v\S+), v\S+", r"\1, \2, \2,"),
        "WrongValue|race",
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, change, kind = FAULTS[fault]
    report = proven(name, faulty(change), monkeypatch)
    assert not report.good
    found = [f"{type(one).__name__} {getattr(one, 'finding', '')}" for one in report.problems]
    assert any(re.search(kind, one) for one in found), found


def test_findings_name_the_line_of_the_text_and_the_instruction(monkeypatch: pytest.MonkeyPatch) -> None:
    report = proven("transpose", faulty(without("s_barrier", 1)), monkeypatch)
    said = next(one.finding for one in report.problems if "race" in getattr(one, "finding", ""))
    assert re.match(r"line \d+: race \(error\): thread \d+ of block \(\d+, 0, 0\) reads byte \d+ of LDS", said)
    assert "A_tile[" in said and re.search(r"\n    assembly line \d+: ds_read_b128 v\[", said)
