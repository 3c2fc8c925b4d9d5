"""Matrix instructions of the machine-level executor against NumPy, through AMD's lane maps written out."""

from __future__ import annotations

import ctypes
import re
import subprocess
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tl2hip.prove.machine
from tests.prove.emulate.kernels import HEAD
from tests.prove.emulate.test_mfma import INSTRUCTIONS, text_of
from tl2hip.prove.compiler import compile_device, compile_host, compiler
from tl2hip.prove.emulate import Emulator, Library
from tl2hip.prove.emulate.library import RUNTIME, RUNTIME_FLAGS
from tl2hip.prove.machine import assembly, operands
from tl2hip.prove.machine.meanings.matrix import FORMS, Form, check
from tl2hip.prove.machine.program import NotUnderstood

OWN = Path(tl2hip.prove.machine.__file__).parent / "runtime"

CALL = """
static Wave wave;
static void* back[5];
void not_done(const Wave&, const Code&, NotDone) { __builtin_longjmp(back, 1); }

// False when the instruction was refused. C is in rows, or a constant when `c` is negative.
EXPORT bool multiply(u32 which, u32* rows, u64 exec, u32 d, u32 a, u32 b, int c, u64 bits, u32 times) {
    Code code{};
    code.d.kind = code.a.kind = code.b.kind = ROW;
    code.c.kind = c < 0 ? CONSTANT : ROW;
    code.d.first = (u16)d, code.a.first = (u16)a, code.b.first = (u16)b, code.c.first = (u16)c, code.c.bits = bits;
    memcpy(wave.v, rows, sizeof(wave.v));
    wave.set_pair(EXEC, exec);
    if (__builtin_setjmp(back)) return false;
    for (u32 i = 0; i < times; ++i) table_of_matrix[which](wave, code);
    memcpy(rows, wave.v, sizeof(wave.v));
    return true;
}
"""

ALL = (1 << 64) - 1
Rows = np.ndarray[Any, np.dtype[np.uint32]]
Array = np.ndarray[Any, Any]

DTYPES: dict[str, Any] = {
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "xf32": np.float32, "f64": np.float64,
    "i8": np.int8, "i32": np.int32, "fp8": ml_dtypes.float8_e4m3fnuz, "bf8": ml_dtypes.float8_e5m2fnuz,
}  # fmt: skip

Place = Callable[[int, int], tuple[int, int, int]]
SUMS: dict[tuple[str, int, int], Place] = {
    ("32", 32, 1): lambda t, r: (0, 8 * (r // 4) + 4 * (t // 32) + r % 4, t % 32),
    ("32", 32, 2): lambda t, r: (r // 16, 8 * (r // 4) % 32 + 4 * (t // 32) + r % 4, t % 32),
    ("32", 16, 1): lambda t, r: (0, 4 * (t // 16) + r, t % 16),
    ("32", 16, 4): lambda t, r: (r // 4, 4 * (t // 16) + r % 4, t % 16),
    ("32", 4, 16): lambda t, r: (t // 4, r, t % 4),
    ("64", 16, 1): lambda t, r: (0, 4 * r + t // 16, t % 16),
    ("64", 4, 4): lambda t, r: (t // 4 % 4, t // 16, t % 4),
}
"""(block, row, column) of lane t, number r, by the width of the sum, m and blocks."""


def factor_place(form: Form) -> Place:
    """(block, row of A or column of B, k) of lane t, element j."""
    each = form.m * form.k * form.blocks // 64
    return lambda t, j: (t // form.m % form.blocks, t % form.m, each * (t // (form.m * form.blocks)) + j)


def sum_place(form: Form) -> Place:
    return SUMS[form.sum[1:], form.m, form.blocks]


@lru_cache
def library() -> ctypes.CDLL:
    parts = [RUNTIME / "runtime.h", OWN / "machine.h", OWN / "matrix.cpp"]
    lines = "\n".join(path.read_text(encoding="utf-8") for path in parts).splitlines()
    text = "\n".join(line for line in lines if not line.startswith(('#include "', "#pragma once")))
    table = f"static const Run table_of_matrix[] = {{{', '.join(FORMS)}}};\n"
    made = ctypes.CDLL(str(compile_host(text + "\n" + table + CALL, RUNTIME_FLAGS)))
    made.multiply.restype = ctypes.c_bool
    return made


def multiply(
    name: str, rows: Rows, d: int, a: int, b: int, c: int = -1, bits: int = 0, exec_: int = ALL, times: int = 1
) -> bool:
    numbers = (ctypes.c_uint64(exec_), d, a, b, c, ctypes.c_uint64(bits), times)
    assert rows.shape == (512, 64) and rows.dtype == np.uint32 and rows.flags.c_contiguous
    return bool(library().multiply(list(FORMS).index(name), ctypes.c_void_p(rows.ctypes.data), *numbers))


def packed(lanes: Array) -> Rows:
    """Numbers by lane as registers."""
    return np.ascontiguousarray(np.ascontiguousarray(lanes).view(np.uint32).reshape(64, -1).T)


def numbers(rows: Rows, dtype: Any) -> Array:
    lanes: Array = np.ascontiguousarray(rows.T).view(dtype)
    return lanes


def draw(form: Form) -> tuple[Array, Array, Array]:
    """A by block, row, k; B by block, k, column; C by block, row, column."""
    rng = np.random.default_rng(7)
    shapes = (form.blocks, form.m, form.k), (form.blocks, form.k, form.m), (form.blocks, form.m, form.m)
    if form.sum == "i32":
        limits = ((-128, 128), (-128, 128), (-(2**31), 2**31))
        whole = [rng.integers(*limit, shape) for limit, shape in zip(limits, shapes, strict=True)]
        a, b, c = (one.astype(np.float64) for one in whole)  # exactly
    else:
        a, b, c = (rng.standard_normal(shape) for shape in shapes)
        a.flat[0], b.flat[1] = 3e-7, -3e-7  # denormals of f16; nothing of fp8
        a.flat[5], c.flat[7] = 1e-40, 1e-41  # denormals of f32
    return a.astype(DTYPES[form.a]), b.astype(DTYPES[form.b]), c.astype(DTYPES[form.sum])


def by_lanes(values: Array, place: Place, count: int) -> Array:
    lanes = np.zeros((64, count), values.dtype)
    for t in range(64):
        for j in range(count):
            lanes[t, j] = values[place(t, j)]
    return lanes


def expected(form: Form, a: Array, b: Array, c: Array) -> Array:
    """C and the products, one k after the other, rounded after every step."""
    if "xf32" in (form.a, form.b):
        a, b = ((one.view(np.uint32) & 0xFFFFE000).view(np.float32) for one in (a, b))
    wide = DTYPES[form.sum]
    d: Array = c.copy()
    with np.errstate(over="ignore"):
        for k in range(form.k):
            d = d + a[:, :, k, None].astype(wide) * b[:, k, None, :].astype(wide)
    assert d.dtype == wide
    return d


def loaded(form: Form, a: Array, b: Array, c: Array, first: tuple[int, int, int]) -> Rows:
    """Registers that hold A, B and C from these rows on, and noise elsewhere."""
    rows = np.random.default_rng(3).integers(0, 1 << 32, (512, 64), np.uint32)
    each, place = form.m * form.k * form.blocks // 64, factor_place(form)
    sums = form.m * form.m * form.blocks // 64
    parts = (
        packed(by_lanes(a, place, each)),
        packed(by_lanes(b.transpose(0, 2, 1), place, each)),
        packed(by_lanes(c, sum_place(form), sums)),
    )
    assert tuple(len(part) for part in parts) == form.registers[1:]
    for at, part in zip(first, parts, strict=True):
        rows[at : at + len(part)] = part
    return rows


def sums_at(form: Form, rows: Rows, first: int) -> Array:
    """D by block, row, column."""
    lanes = numbers(rows[first : first + form.registers[0]], DTYPES[form.sum])
    d, place = np.zeros((form.blocks, form.m, form.m), lanes.dtype), sum_place(form)
    for t in range(64):
        for r in range(lanes.shape[1]):
            d[place(t, r)] = lanes[t, r]
    return d


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("rows_at", [(64, 0, 8, 64), (16, 270, 40, 100), (300, 256, 264, 400), (66, 2, 10, 64)])
def test_every_instruction_through_its_lane_map(name: str, rows_at: tuple[int, int, int, int]) -> None:
    """D where C is, elsewhere, in AGPRs, and two rows behind C."""
    form = FORMS[name]
    d, *first = rows_at
    a, b, c = draw(form)
    rows = loaded(form, a, b, c, (first[0], first[1], first[2]))
    before = rows.copy()
    assert multiply(name, rows, d, *first)
    assert np.array_equal(sums_at(form, rows, d), expected(form, a, b, c))
    before[d : d + form.registers[0]] = rows[d : d + form.registers[0]]
    assert np.array_equal(before, rows)  # and nothing else is written


@pytest.mark.parametrize("name", FORMS)
def test_swapped_factors_are_seen(name: str) -> None:
    form = FORMS[name]
    a, b, c = draw(form)
    rows = loaded(form, a, b, c, (0, 8, 64))
    assert multiply(name, rows, 64, 8, 0, 64)
    assert not np.array_equal(sums_at(form, rows, 64), expected(form, a, b, c))


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("constant", [0, -2, 0.5])
def test_a_constant_is_every_sum(name: str, constant: int | float) -> None:
    form = FORMS[name]
    a, b, c = draw(form)
    bits = form.bits(constant)
    width = np.dtype(DTYPES[form.sum]).itemsize
    c[:] = np.frombuffer(bits.to_bytes(width, "little"), DTYPES[form.sum])[0]
    if form.sum != "i32" and isinstance(constant, float):
        assert c.flat[0] == constant
    rows = loaded(form, a, b, c, (0, 8, 64))
    rows[64:] = 0
    assert multiply(name, rows, 100, 0, 8, -1, bits)
    assert np.array_equal(sums_at(form, rows, 100), expected(form, a, b, c), equal_nan=True)


@pytest.mark.parametrize("kind", ["fp8", "bf8", "i8", "f16", "bf16"])
def test_every_number_of_a_small_dtype(kind: str) -> None:
    """Each alone in its row of A, times one."""
    dtype = DTYPES[kind]
    (name,) = (one.name for one in FORMS.values() if (one.a, one.b, one.m, one.blocks) == (kind, kind, 32, 1))
    form = FORMS[name]
    bits = np.dtype(dtype).itemsize * 8
    codes = np.arange(1 << bits, dtype=np.uint16).astype(f"u{bits // 8}").view(dtype).reshape(-1, 32)
    b = np.zeros((1, form.k, 32), dtype)
    b[0, 3] = dtype(1)
    c = np.zeros((1, 32, 32), DTYPES[form.sum])
    step = 1 if bits == 8 else 37  # some of the 2048 rows of 16-bit numbers
    for row in codes[::step]:
        a = np.zeros((1, 32, form.k), dtype)
        a[0, :, 3] = row
        rows = loaded(form, a, b, c, (0, 8, 64))
        assert multiply(name, rows, 64, 0, 8, 64)
        found = sums_at(form, rows, 64)[0]
        want = np.repeat(row.astype(DTYPES[form.sum])[:, None], 32, axis=1)
        assert np.array_equal(found, want, equal_nan=form.sum == "f32")


@lru_cache
def emulated() -> Library:
    return Emulator.load(HEAD + "".join(map(text_of, INSTRUCTIONS)), detect=False)


@lru_cache
def mnemonics() -> dict[str, str]:
    """The instruction of each builtin, out of the compiler's assembly."""
    program = assembly.read(compile_device(HEAD + "".join(map(text_of, INSTRUCTIONS))).text)
    found = {}
    for builtin, kernel in zip(INSTRUCTIONS, program.kernels, strict=True):
        (instruction,) = (one for one in kernel.code if one.name.startswith("v_mfma"))
        check(instruction)
        found[builtin] = instruction.name
    return found


@pytest.mark.parametrize("builtin", INSTRUCTIONS)
def test_the_emulated_unit_gives_the_same_bits(builtin: str) -> None:
    form = FORMS[mnemonics()[builtin]]
    each, sums = form.m * form.k * form.blocks // 64, form.m * form.m * form.blocks // 64
    a, b, c = draw(form)
    a_lanes, b_lanes = (by_lanes(one, factor_place(form), each) for one in (a, b.transpose(0, 2, 1)))
    lanes = [a_lanes, b_lanes, by_lanes(c, sum_place(form), sums)]
    rows = loaded(form, a, b, c, (0, 8, 64))
    assert multiply(form.name, rows, 64, 0, 8, 64)
    run = emulated().call(f"run_{builtin}", lanes)
    assert run.status == 0 and run.findings == ()
    assert np.array_equal(packed(lanes[2]), rows[64 : 64 + form.registers[0]])


def test_a_product_is_quick() -> None:
    rows = np.zeros((512, 64), np.uint32)
    best = min(_seconds(rows, 1000) for _ in range(5))
    assert best < 1.5e-6 * 1000


def _seconds(rows: Rows, times: int) -> float:
    start = time.perf_counter()
    assert multiply("v_mfma_f32_16x16x16_f16", rows, 64, 0, 8, 64, times=times)
    return time.perf_counter() - start


def test_lanes_that_are_off_are_refused() -> None:
    for name in FORMS:
        rows = np.zeros((512, 64), np.uint32)
        assert not multiply(name, rows, 64, 0, 8, 64, exec_=ALL >> 1) and not rows.any()


def test_the_table_and_the_functions_are_the_same() -> None:
    text = (OWN / "matrix.cpp").read_text(encoding="utf-8")
    single = re.findall(r"^FACTORS\((\w+),", text, re.MULTILINE)
    eights = re.findall(r"^EIGHTS\((\w+),", text, re.MULTILINE)
    pairs = [f"{x}_{y}" for x in ("fp8", "bf8") for y in ("fp8", "bf8")]
    written = [f"v_mfma_{one}" for one in (*single, *(f"f32_{shape}_{pair}" for shape in eights for pair in pairs))]
    assert sorted(written) == sorted(FORMS) and len(FORMS) == 32


def assembles(lines: list[str], folder: Path) -> str:
    """The assembler's complaints."""
    (folder / "all.s").write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [*compiler().clang, "--target=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-c", "-x", "assembler", "all.s"]
    return subprocess.run([*command, "-o", "all.o"], cwd=folder, capture_output=True, text=True, check=False).stderr


def line_of(form: Form, file: str = "v", more: tuple[int, int, int, int] = (0, 0, 0, 0)) -> str:
    counts = [count + extra for count, extra in zip(form.registers, more, strict=True)]
    first = (64, 0, 8, 64)
    texts = [f"{file}[{at}:{at + n - 1}]" if n > 1 else f"{file}{at}" for at, n in zip(first, counts, strict=True)]
    return f"{form.name} {', '.join(texts)}"


def test_gfx942_has_every_instruction_with_these_registers(tmp_path: Path) -> None:
    lines = [line_of(form, file) for form in FORMS.values() for file in "va"]
    assert assembles(lines, tmp_path) == ""
    for line in lines:
        check(operands.read(line, 1))
    wrong = [line_of(form, "v", (0, form.registers[1], 0, 0)) for form in FORMS.values()]
    assert assembles(wrong, tmp_path).count("error: invalid operand") == len(FORMS)
    for line in wrong:
        with pytest.raises(NotUnderstood, match=r"A of v_mfma\w+ in \d+ registers, not \d+"):
            check(operands.read(line, 1))


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ("v[0:3], v4, v5, v[0:3] cbsz:1", "the modifier cbsz:1"),
        ("v[0:3], v4, v5, v[0:3] cbsz:0 abid:2", "the modifier abid:2"),
        ("v[0:3], v4, v5, v[0:3] blgp:7", "the modifier blgp:7"),
        ("v[0:3], v4, v5, v[0:3] clamp", "the modifier clamp:1"),
        ("v[0:3], v4, v5", "a matrix instruction with so many operands"),
        ("v[0:3], v4, s5, v[0:3]", "B of v_mfma_f32_16x16x4_f32 in 1 registers"),
        ("v[0:3], v4, 1.0, v[0:3]", "B of v_mfma_f32_16x16x4_f32 in no register"),
        ("v[0:3], v4, v5, v[0:1]", "C of v_mfma_f32_16x16x4_f32 in 2 registers, not 4"),
        ("v[0:3], -v4, v5, v[0:3]", "a changed operand"),
        ("v[0:3], v4, v5, a[0:3]", "C and D in different files"),
    ],
)
def test_what_is_not_done_is_refused_by_name(more: str, what: str) -> None:
    check(operands.read("v_mfma_f32_16x16x4_f32 v[0:3], v4, a5, 1.0 cbsz:0 abid:0 blgp:0", 1))
    with pytest.raises(NotUnderstood, match=f"assembly line 5: {re.escape(what)}"):
        check(operands.read(f"v_mfma_f32_16x16x4_f32 {more}", 5))
