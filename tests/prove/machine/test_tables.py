"""The tables: what a line says, constants of its types, and mnemonics that the assembler knows."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tl2hip.prove.compiler import TARGET, compiler
from tl2hip.prove.machine.meanings import MEANINGS
from tl2hip.prove.machine.meanings.table import TYPES, Meaning, Type, constant, read


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("v_add_f32 f32 = f32 f32", "not a line of a table"),
        ("v_add_f32 f32 f32 f32 : d = a + b", "not a line of a table"),
        ("v_add_f32 f32 = f32 g32 : d = a + b", "v_add_f32: g32 is no type"),
        ("v_a u32 = u32 : d = a\nv_a u32 = u32 : d = a", "v_a is twice in a table"),
    ],
)
def test_a_line_that_says_nothing_is_refused(line: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read(line)


@pytest.mark.parametrize(
    ("kind", "value", "literal", "bits"),
    [
        ("u32", -1, False, 0xFFFFFFFF),
        ("u32", 1.0, False, 0x3F800000),
        ("f32", 0.15915494309189532, False, 0x3E22F983),
        ("f32", 64, False, 64),
        ("f16", -4.0, False, 0xC400),
        ("i64", -16, False, 0xFFFFFFFFFFFFFFF0),
        ("u64", 0x80000000, True, 0x80000000),
        ("u64", 0xFFFFFFFF80000000, True, 0xFFFFFFFF80000000),
        ("f64", 0.5, False, 0x3FE0000000000000),
        ("f64", 0x40590000, True, 0x4059000000000000),
        ("u64", 2.0, False, 0x4000000000000000),
        ("u16x2", -1, False, 0xFFFFFFFF),
        ("u16x2", 1.0, False, 0x3F800000),
        ("f16x2", 1.0, False, 0x3C00),
        ("f32x2", 1.0, False, 0x3F800000),
        ("mix", 1.0, False, 0x3F800000),
        ("pair_f16", 1.0, False, 0x3C00),
    ],
)
def test_a_constant_is_what_its_operand_reads(kind: str, value: float, literal: bool, bits: int) -> None:
    assert constant(TYPES[kind], value, literal) == bits


@pytest.mark.parametrize(("kind", "value"), [("u16", 1.0), ("i64", 0x80000000)])
def test_a_constant_that_says_two_things_is_refused(kind: str, value: float) -> None:
    with pytest.raises(ValueError):
        constant(TYPES[kind], value, literal=True)


def _operand(meaning: Meaning, kind: Type, number: int, source: bool) -> str:
    """An operand that the assembler takes in this place."""
    at = 8 + 4 * number
    if kind.name == "mask":
        return f"s[{at}:{at + 1}]"
    if meaning.scalar or kind.name == "scalar":
        if kind.bits == 16:
            return "0x64"
        return f"s[{at}:{at + 1}]" if kind.bits == 64 else f"s{at}" if meaning.scalar or not source else "5"
    accumulates = {"v_accvgpr_read_b32": source, "v_accvgpr_write_b32": not source, "v_accvgpr_mov_b32": True}
    file = "a" if accumulates.get(meaning.name) else "v"
    return f"{file}[{at}:{at + 1}]" if kind.registers == 2 else f"{file}{at}"


def _line(meaning: Meaning) -> str:
    operands = [_operand(meaning, kind, i, False) for i, kind in enumerate(meaning.results)]
    operands += [_operand(meaning, kind, i + 2, True) for i, kind in enumerate(meaning.sources)]
    if meaning.name in ("v_fmaak_f32", "v_fmamk_f32"):
        operands[-1 if meaning.name == "v_fmaak_f32" else -2] = "0x1234567"
    return f"{meaning.name} {', '.join(operands)}"


def _assemble(lines: list[str], folder: Path) -> str:
    """What the assembler has against some lines."""
    (folder / "all.s").write_text("\n".join(lines) + "\n")
    target = ("-target", "amdgcn-amd-amdhsa", f"-mcpu={TARGET}")
    command = [*compiler().clang, *target, "-x", "assembler", "-c", "all.s"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stderr


def test_the_assembler_knows_every_instruction_with_the_operands_of_its_line(tmp_path: Path) -> None:
    assert not _assemble([_line(one) for one in MEANINGS.values()], tmp_path)
    assert "invalid instruction" in _assemble(["v_add_f31 v0, v1, v2"], tmp_path)
