"""Scratch memory, and arrays in registers that are counted from M0: written by hand and compiled."""

from __future__ import annotations

import re

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.prove.machine.assembled import clean, kinds, library, program, run
from tests.prove.machine.test_memory import DTYPES, bits, loaded
from tl2hip.prove.compiler import compile_device
from tl2hip.prove.machine.library import MachineLibrary
from tl2hip.prove.machine.meanings.memory import SMALL_LOADS, SMALL_STORES, WORDS
from tl2hip.prove.machine.program import NotUnderstood

BYTES, LANES = 64, 128
"""Of each lane; more than a wave, so that lanes of two must not meet."""

FILL = f"""
v_mul_u32_u24_e32 v1, {BYTES}, v0
global_load_dwordx4 v[8:11], v1, s[4:5]
global_load_dwordx4 v[12:15], v1, s[4:5] offset:16
s_waitcnt vmcnt(0)
scratch_store_dwordx4 off, v[8:11], off
scratch_store_dwordx4 off, v[12:15], off offset:16
"""
"""The first 32 bytes of a lane's own memory are those of `in`."""
WAIT = "s_waitcnt vmcnt(0)\nv_lshlrev_b32_e32 v5, 4, v0\n"


def words(rows: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Rows as they are given back: four words a lane."""
    out = np.zeros((LANES, 4), np.uint32)
    out[:, : rows.shape[1]] = rows
    return out


def given(data: NDArray[np.uint8], lines: str, scratch: int = BYTES) -> NDArray[np.uint32]:
    """What lines leave in v[16:19] of each lane."""
    empty = "\n".join(f"v_mov_b32_e32 v{row}, 0" for row in range(16, 20))
    store = f"{WAIT}global_store_dwordx4 v5, v[16:19], s[6:7]"
    text = f"{FILL}{empty}\n{lines}\n{store}"
    return clean(text, data, np.zeros((LANES, 4), np.uint32), threads=(LANES,), scratch=scratch)


PLACES = {
    "off, off offset:5": 5,
    "v2, off offset:5": 8,
    "off, s20 offset:1": 4,
    "v2, s20 offset:-2": 4,
}
"""v2 has 3, s20 has 3."""
START = "v_mov_b32_e32 v2, 3\ns_mov_b32 s20, 3\n"


@pytest.mark.parametrize("what", [*WORDS, *SMALL_LOADS])
@pytest.mark.parametrize("place", PLACES)
def test_loads_of_every_width(what: str, place: str) -> None:
    data = bits(1, LANES * BYTES)
    count = WORDS.get(what, 1)
    to = "v16" if count == 1 else f"v[16:{15 + count}]"
    out = given(data, f"{START}scratch_load_{what} {to}, {place}")
    expected = loaded(what, data, np.arange(LANES) * BYTES + PLACES[place])
    assert np.array_equal(out, words(expected))


@pytest.mark.parametrize("what", [*WORDS, *SMALL_STORES])
@pytest.mark.parametrize("place", PLACES)
def test_stores_of_every_width(what: str, place: str) -> None:
    data = bits(2, LANES * BYTES)
    count = WORDS.get(what, 1)
    row = "v12" if count == 1 else f"v[12:{11 + count}]"
    address, _, rest = place.partition(", ")
    store = f"{START}scratch_store_{what} {address}, {row}, {rest}"
    out = given(data, f"{store}\nscratch_load_dwordx4 v[16:19], off, off offset:4")
    expected = data.reshape(LANES, BYTES).copy()
    size = 4 * count if what in WORDS else np.dtype(DTYPES.get(what.partition("_")[0], "u1")).itemsize
    shift = 2 if what.endswith("hi") else 0
    expected[:, PLACES[place] : PLACES[place] + size] = expected[:, 16 + shift : 16 + shift + size]
    assert np.array_equal(out, expected[:, 4:20].copy().view(np.uint32))


def test_lanes_that_are_off_store_nothing() -> None:
    data = bits(3, LANES * BYTES)
    lines = "s_mov_b64 s[20:21], exec\ns_mov_b64 exec, 5\nscratch_store_dword off, v0, off\n"
    out = given(data, f"{lines}s_mov_b64 exec, s[20:21]\nscratch_load_dword v16, off, off")
    expected = data.reshape(LANES, BYTES)[:, :4].copy().view(np.uint32)[:, 0]
    expected[[0, 2, 64, 66]] = [0, 2, 64, 66]
    assert np.array_equal(out[:, 0], expected)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("scratch_load_dword v16, off, off offset:64", "reads 4 bytes at byte 64"),
        ("scratch_load_dwordx4 v[16:19], off, off offset:52", "reads 16 bytes at byte 52"),
        ("scratch_store_byte off, v0, off offset:-1", "writes 1 bytes at byte 4294967295"),
    ],
)
def test_an_access_outside_ends_the_run(line: str, said: str) -> None:
    for detect in (False, True):
        ran = run(FILL + line, bits(1, 64 * BYTES), np.zeros(1, np.uint32), scratch=BYTES, detect=detect)
        assert ran.status and kinds(ran) == ["out_of_bounds"] and ran.findings[0].code == line
        place = "of its scratch memory, which has 64"
        assert ran.findings[0].message == f"thread 0 of block (0, 0, 0) {said} {place}"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("scratch_store_dword off, v0, off\nscratch_load_dword v1, off, off", []),
        ("scratch_load_dword v1, off, off", ["unwritten_register"]),
        ("scratch_store_dword off, v9, off\nscratch_load_dword v1, off, off", ["unwritten_register"]),
        ("scratch_store_short off, v0, off\nscratch_load_dword v1, off, off", ["unwritten_register"]),
        ("scratch_store_short off, v0, off\nscratch_load_ushort v1, off, off", []),
        ("scratch_store_dword off, v9, off\nv_mov_b32_e32 v1, v0", []),
        ("scratch_store_dword v9, v0, off\nv_mov_b32_e32 v1, v0", ["unwritten_register", "out_of_bounds"]),
    ],
)
def test_what_nothing_has_written_comes_back_as_that(lines: str, expected: list[str]) -> None:
    text = f"v_lshlrev_b32_e32 v4, 2, v0\n{lines}\ns_waitcnt vmcnt(0)\nglobal_store_dword v4, v1, s[6:7]"
    ran = run(text, np.zeros(1, np.uint32), np.zeros(64, np.uint32), scratch=16)
    assert kinds(ran) == expected


def test_loads_are_waited_for() -> None:
    lines = "scratch_store_dword off, v0, off\nscratch_load_dword v1, off, off\nv_mov_b32_e32 v2, v1"
    ran = run(lines, np.zeros(1, np.uint32), np.zeros(1, np.uint32), scratch=16)
    assert kinds(ran) == ["pending_register"]


def test_every_block_begins_with_nothing_written() -> None:
    lines = """
    s_cmp_eq_u32 s2, 0
    s_cbranch_scc0 .Lread
    scratch_store_dword off, v0, off
    .Lread:
    scratch_load_dword v1, off, off
    v_lshlrev_b32_e32 v4, 2, v0
    s_waitcnt vmcnt(0)
    global_store_dword v4, v1, s[6:7]
    """
    assert kinds(run(lines, np.zeros(1, np.uint32), np.zeros(64, np.uint32), scratch=16)) == []
    ran = run(lines, np.zeros(1, np.uint32), np.zeros(64, np.uint32), scratch=16, blocks=(2,))
    assert "unwritten_register" in kinds(ran)


def test_flat_accesses_reach_it_too() -> None:
    data = bits(4, LANES * BYTES)
    lines = """
    s_mov_b64 s[20:21], src_private_base
    v_mov_b32_e32 v3, s21
    v_mov_b32_e32 v2, 8
    flat_store_dword v[2:3], v0
    flat_load_dwordx2 v[16:17], v[2:3] offset:4
    scratch_load_dword v18, off, off offset:8
    s_waitcnt vmcnt(0) lgkmcnt(0)
    """
    out = given(data, lines)
    own = data.reshape(LANES, BYTES)[:, 12:20].copy().view(np.uint32)
    assert np.array_equal(out[:, :2], own) and np.array_equal(out[:, 2], np.arange(LANES))
    ran = run(lines.replace("v2, 8", "v2, 60"), data, np.zeros(1, np.uint32), scratch=BYTES)
    assert ran.status and "out_of_bounds" in kinds(ran)


# ---- registers that are counted from M0


def test_moves_of_registers_that_are_counted() -> None:
    lines = """
    v_mov_b32_e32 v10, 10
    v_mov_b32_e32 v11, 11
    v_mov_b32_e32 v12, 12
    s_mov_b32 s20, 0x102
    s_set_gpr_idx_on s20, gpr_idx(SRC0)
    v_mov_b32_e32 v16, v10
    s_set_gpr_idx_off
    s_set_gpr_idx_on s20, gpr_idx(DST)
    v_mov_b32_e32 v10, v0
    v_mov_b32_e32 v15, 7
    s_set_gpr_idx_off
    v_mov_b32_e32 v18, v12
    s_set_gpr_idx_on s20, gpr_idx(SRC0,DST)
    v_mov_b32_e32 v17, v9
    s_set_gpr_idx_off
    v_lshlrev_b32_e32 v5, 4, v0
    global_store_dwordx4 v5, v[16:19], s[6:7]
    """
    out = clean(lines, np.zeros(1, np.uint32), np.zeros((64, 4), np.uint32))
    lane = np.arange(64)
    assert np.array_equal(out, np.stack([lane * 0 + 12, lane * 0 + 7, lane, lane * 0 + 11], axis=1))


def test_registers_that_are_counted_are_looked_at() -> None:
    lines = "s_mov_b32 s20, 2\n{}\ns_set_gpr_idx_on s20, gpr_idx(SRC0)\nv_mov_b32_e32 v1, v10\ns_set_gpr_idx_off\n"
    store = "v_lshlrev_b32_e32 v4, 2, v0\nglobal_store_dword v4, v1, s[6:7]"
    load = "v_lshlrev_b32_e32 v4, 2, v0\nglobal_load_dword v{}, v4, s[4:5]"

    def found(first: str) -> list[str]:
        return kinds(run(lines.format(first) + store, np.zeros(64, np.uint32), np.zeros(64, np.uint32)))

    assert found("v_mov_b32_e32 v12, 0") == []
    assert found("v_mov_b32_e32 v10, 0") == ["unwritten_register"]
    assert found(load.format(12)) == ["pending_register"]
    assert found(f"v_mov_b32_e32 v12, 0\n{load.format(10)}") == []
    ran = run(lines.format("s_movk_i32 s20, 0xff") + store, np.zeros(1, np.uint32), np.zeros(64, np.uint32))
    assert kinds(ran)[-1] == "not_done" and "past the kernel's registers" in ran.findings[-1].message


@pytest.mark.parametrize(
    "lines",
    [
        "s_set_gpr_idx_on s20, gpr_idx(SRC0)\nv_add_u32_e32 v1, v2, v3\ns_set_gpr_idx_off",
        "s_set_gpr_idx_on s20, gpr_idx(SRC0)\nv_mov_b32_e64 v1, v2\ns_set_gpr_idx_off",
        "s_set_gpr_idx_on s20, gpr_idx(SRC0)\n.L1:\nv_mov_b32_e32 v1, v2\ns_set_gpr_idx_off",
        "s_set_gpr_idx_on s20, gpr_idx(SRC0)\ns_branch .L1\n.L1:\ns_set_gpr_idx_off",
        "s_set_gpr_idx_on s20, gpr_idx(SRC0)\ns_set_gpr_idx_on s20, gpr_idx(SRC0)\ns_set_gpr_idx_off",
        "s_set_gpr_idx_on 3, gpr_idx(SRC0)\ns_set_gpr_idx_off",
        "s_set_gpr_idx_on s20, 1\ns_set_gpr_idx_off",
        "s_set_gpr_idx_off",
    ],
)
def test_what_is_not_understood_of_them_is_refused(lines: str) -> None:
    with pytest.raises(NotUnderstood):
        library(lines)


# ---- compiled kernels

TEXT = """
#include <hip/hip_runtime.h>
#pragma clang fp contract(off)
extern "C" __global__ ATTRIBUTES void k(const TYPE *a, TYPE *b, int n)
{
    int i = threadIdx.x;
    BODY
}
extern "C" hipError_t launch(const TYPE *a, TYPE *b, int n, hipStream_t stream)
{
    hipLaunchKernelGGL(k, dim3(1), dim3(64), 0, stream, a, b, n);
    return hipGetLastError();
}
"""
BOUNDS = "__launch_bounds__(64)"
INDEXED = """
    TYPE local[SIZE], s = 0;
    for (int j = 0; j < SIZE; ++j) local[j] = a[i * SIZE + j];
    for (int j = 0; j < n; ++j) {
        local[(int)a[j] & (SIZE - 1)] += j;
        s += local[(j * 7 + i) & (SIZE - 1)];
    }
    b[i] = s;
"""
MANY = """
    float v[48];
    for (int j = 0; j < 48; ++j) v[j] = a[i + j * 64];
    for (int j = 0; j < 48; ++j) v[j] = v[j] * v[(j * 5 + 7) % 48] + 1.0f;
    for (int j = 0; j < 48; ++j) b[i + j * 64] = v[j] * v[(j * 11 + 3) % 48];
"""
EITHER = """
    int local[8];
    for (int j = 0; j < 8; ++j) local[j] = a[i * 16 + j];
    local[i & 7] += 1000;
    const int *from = (i & 1) ? local : a;
    b[i] = from[(i + n) & 7];
"""


def text(body: str, dtype: str = "int", attributes: str = BOUNDS) -> str:
    return TEXT.replace("BODY", body).replace("TYPE", dtype).replace("ATTRIBUTES", attributes)


def ran(source: str, a: NDArray[np.generic], b: NDArray[np.generic], n: int = 20) -> None:
    """Run with detection and without: nothing is found, and both give the same."""
    plain = b.copy()
    for detect, out in ((True, b), (False, plain)):
        with MachineLibrary(source, detect=detect) as made:
            done = made.call("launch", [a, out, np.int32(n)])
        assert done.status == 0 and not done.findings, [str(one) for one in done.findings]
    assert b.tobytes() == plain.tobytes()


@pytest.mark.parametrize(
    ("dtype", "size", "uses"),
    [("int", 16, "s_set_gpr_idx_on"), ("double", 16, "s_set_gpr_idx_on"), ("short", 256, "scratch_load_ushort")],
)
def test_an_array_that_is_indexed(dtype: str, size: int, uses: str) -> None:
    kind = {"int": np.int32, "double": np.float64, "short": np.int16}[dtype]
    source = text(INDEXED.replace("SIZE", str(size)), dtype)
    assert uses in compile_device(source).text
    a = np.random.default_rng(0).integers(0, 50, 64 * size).astype(kind)
    b = np.zeros(64, kind)
    ran(source, a, b)
    local, total = a.reshape(64, size).copy(), np.zeros(64, kind)
    lane = np.arange(64)
    for j in range(20):
        local[:, int(a[j]) % size] += kind(j)
        total += local[lane, (j * 7 + lane) % size]
    assert np.array_equal(b, total)


def test_registers_that_are_spilled() -> None:
    few = "__attribute__((amdgpu_flat_work_group_size(64, 64), amdgpu_num_vgpr(24)))"
    source = text(MANY.replace("for", "\n#pragma unroll\nfor"), "float", few)
    assert re.search(r"scratch_load_dword v\d+, off, off.*Reload", compile_device(source).text)
    a = np.random.default_rng(0).standard_normal(64 * 48).astype(np.float32)
    b = np.zeros(64 * 48, np.float32)
    ran(source, a, b)
    v = a.reshape(48, 64).copy()
    for j in range(48):
        v[j] = v[j] * v[(j * 5 + 7) % 48] + np.float32(1)
    assert np.array_equal(b.reshape(48, 64), v * v[[(j * 11 + 3) % 48 for j in range(48)]])


def test_a_pointer_to_either() -> None:
    source = text(EITHER)
    assert re.search(r"src_private_base(.|\n)*flat_load_dword", compile_device(source).text)
    a = np.random.default_rng(0).integers(0, 50, 1024).astype(np.int32)
    b = np.zeros(64, np.int32)
    ran(source, a, b)
    lane = np.arange(64)
    local = a.reshape(64, 16)[:, :8].copy()
    local[lane, lane & 7] += 1000
    assert np.array_equal(b, np.where(lane & 1, local[lane, (lane + 20) & 7], a[(lane + 20) & 7]))


def test_a_kernel_may_have_more_or_less_of_it_than_the_one_before() -> None:
    for size in (16, 4096, 64):
        line = f"scratch_store_dword off, v0, off offset:{size - 4 if size < 4096 else 4092}"
        assert not run(line, np.zeros(1, np.uint32), np.zeros(1, np.uint32), scratch=size).findings
    assert program("s_endpgm", scratch=4).kernels[0].scratch == 4
