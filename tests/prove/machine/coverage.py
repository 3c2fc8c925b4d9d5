"""What the executor is held against a reference for: `python -m tests.prove.machine.coverage` counts the mnemonics
and forms that are run beside one, and looks for others in what the compiler makes of this repository's programs.

A form is a mnemonic and a way to write it: plain, with signs, clamp and scale, with halves of registers, with parts
of them (SDWA), with permuted lanes (DPP); a buffer's with offsets a lane, an update that gives the old value.
`--programs N` compiles so many random programs. The exit code is 1 where a mnemonic is not run beside a reference;
an instruction of a program that is not known ends it.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.check import unit_text
from tests.fuzz.generate import program
from tests.prove.machine import assembled
from tests.prove.machine.drawn import modes
from tl2hip import api
from tl2hip.prove.compiler import compile_device
from tl2hip.prove.machine import assembly, executor, operands
from tl2hip.prove.machine.encode import encode
from tl2hip.prove.machine.meanings import MEANINGS, control, matrix, memory
from tl2hip.prove.machine.meanings.table import Meaning
from tl2hip.prove.machine.program import Instruction, Program
from tl2hip.source.span import Source

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
WRITTEN = [str(HERE / f"test_{name}.py") for name in ("atomics", "control", "lds", "memory", "scratch")]
"""Tests of hand-written instructions, whose results are compared with Python's."""
UNIT = 40

Form = tuple[str, str]
"""A mnemonic, and the way that it is written."""

SIGNS = {"clamp", "mul", "div"}
HALVES = {"op_sel", "op_sel_hi", "neg_lo", "neg_hi"}


def form(instruction: Instruction) -> Form:
    """The form of an instruction."""
    given = set(instruction.modifiers)
    name = f"{instruction.name}_lds" if "lds" in given else instruction.name
    if name in memory.FORMS:
        returns = "_atomic_" in name and "sc0" in given
        return name, "offen" if "offen" in given else "returns" if returns else "plain"
    if instruction.encoding in ("sdwa", "dpp"):
        return name, instruction.encoding
    if given & HALVES:
        return name, "halves"
    changed = any(one.negate or one.absolute for one in instruction.operands)
    return name, "modifiers" if changed or given & SIGNS else "plain"


def stated(meaning: Meaning) -> set[Form]:
    """The forms of an instruction of arithmetic that are run beside its statement."""
    drawn = {mode for mode, _ in modes(meaning)} & {"modifiers", "halves", "sdwa", "dpp"}
    return {(meaning.name, way) for way in ("plain", *drawn)}


def written() -> set[Form]:
    """The forms in hand-written programs of which a test compares what they give."""
    found: set[Form] = set()
    clean = assembled.clean

    def recording(lines: str, *args: Any, **how: Any) -> Any:
        out = clean(lines, *args, **how)
        for line in f"{assembled.START}\n{lines}\ns_endpgm".splitlines():
            if line.strip() and not line.strip().endswith(":"):
                found.add(form(operands.read(line.strip(), 1)))
        return out

    assembled.clean = recording
    try:
        with contextlib.redirect_stdout(io.StringIO()) as told:
            code = pytest.main([*WRITTEN, "-p", "no:cacheprovider"])
    finally:
        assembled.clean = clean
    assert code == 0, told.getvalue()
    return found


def covered() -> set[Form]:
    """All forms that are run beside a reference."""
    arithmetic = {one for meaning in MEANINGS.values() for one in stated(meaning)}
    named = {(name, "plain") for name in matrix.FORMS}  # each in tests of test_matrix.py
    own = {one for one in written() if one[0] not in MEANINGS and one[0] not in matrix.FORMS}
    if any(name == control.INDEX_ON for name, _ in own):
        named |= {(name, "plain") for name in control.INDEXED.values()}
    return arithmetic | named | own


# ---- what there is in programs


def _goldens() -> Iterator[str]:
    for path in sorted(ROOT.glob("golden/*/kernel.hip")):
        yield path.read_text()


def _kernels() -> Iterator[str]:
    for path in sorted(ROOT.glob("tests/kernels/*.py")):
        done = api.convert(api.source_of(path))
        if any(k.printed for k in done.kernels):
            yield done.text


def _random(count: int) -> Iterator[str]:
    for first in range(0, count, UNIT):
        text = unit_text([program(seed) for seed in range(first, first + UNIT)])
        yield api.convert(Source("fuzz.py", text)).text


def contained(texts: Iterator[str]) -> dict[Form, int]:
    """How often each form is in what the compiler makes of texts. Raises NotUnderstood for what is not known."""
    found: dict[Form, int] = defaultdict(int)
    for text in texts:
        code: Program = assembly.read(compile_device(text).text)
        encode(code, executor.executor().functions, MEANINGS)
        for one in (one for kernel in code.kernels for one in kernel.code):
            found[form(one)] += 1
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; 1 where something is missing."""
    parser = argparse.ArgumentParser(description="what the executor is held against a reference for")
    parser.add_argument("--programs", type=int, default=2 * UNIT, help="how many random programs to compile")
    wanted = parser.parse_args(argv)
    known = covered()
    missing = set(executor.names()) - {name for name, _ in known}
    names = executor.names()
    print(f"{len(names)} mnemonics; {len(names) - len(missing)} are run beside a reference, in {len(known)} forms")
    print(f"  arithmetic {len(MEANINGS)}, matrix {len(matrix.FORMS)}, memory {len(memory.FORMS)}, control "
          f"{len(control.NAMES)}; without a reference: {', '.join(sorted(missing)) or 'none'}")  # fmt: skip
    corpora = {"goldens": _goldens(), "tests/kernels": _kernels()}
    corpora[f"{wanted.programs} random programs"] = _random(wanted.programs)
    print(f"{'':<24}{'instructions':>14}{'mnemonics':>12}{'forms':>8}  in forms without a reference")
    for name, texts in corpora.items():
        there = contained(texts)
        others = {one: n for one, n in there.items() if one not in known}
        told = ", ".join(f"{mnemonic} {way} ({n})" for (mnemonic, way), n in sorted(others.items())) or "none"
        mnemonics = {mnemonic for mnemonic, _ in there}
        print(f"{name:<24}{sum(there.values()):>14,}{len(mnemonics):>12}{len(there):>8}  {told}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
