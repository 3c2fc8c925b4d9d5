"""Loads and stores of global memory, each form of every width, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.prove.machine.assembled import clean, kinds, lanes, run
from tl2hip.prove.machine.meanings.memory import SMALL_LOADS, SMALL_STORES, WORDS

DTYPES = {"ubyte": "u1", "sbyte": "i1", "ushort": "u2", "sshort": "i2", "short": "u2"}
POISON = 0xFFFF
STRIDE = 20
"""Bytes from lane to lane, so that wide accesses are not aligned to their width."""


def bits(seed: int, count: int) -> NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(0, 256, count, np.uint8)


def loaded(what: str, data: NDArray[np.uint8], places: NDArray[Any]) -> NDArray[np.uint32]:
    """What a load gives each lane, a row of registers each."""
    if what in WORDS:
        return np.stack([data[p : p + 4 * WORDS[what]].view("<u4") for p in places.tolist()])
    dtype = np.dtype(DTYPES[what.partition("_")[0]])
    one = np.array([data[p : p + dtype.itemsize].view(dtype)[0] for p in places.tolist()])
    value = one.astype(np.int64).astype(np.uint32)
    if what.endswith("d16_hi"):
        value = value << 16 | np.uint32(POISON)
    elif what.endswith("d16"):
        value = (value & 0xFFFF) | np.uint32(POISON << 16)
    return value[:, None]


def place(family: str, offset: int) -> tuple[str, str, str]:
    """Instructions that make each lane's address of v1, bytes from `in`; what stands for it; and the modifiers."""
    if family == "global":
        return "", "v1, {}s[4:5]", f"offset:{offset}"
    if family == "buffer":
        start = "s_mov_b32 s22, -1\ns_mov_b32 s23, 0x27000\ns_mov_b64 s[20:21], s[4:5]\ns_movk_i32 s24, 0x3"
        return start, "v1, s[20:23], s24", f"offen offset:{offset - 3}"
    wide = "v_mov_b32_e32 v2, s4\nv_mov_b32_e32 v3, s5\nv_add_co_u32_e32 v2, vcc, v2, v1\n"
    wide += "v_addc_co_u32_e32 v3, vcc, 0, v3, vcc"
    return wide, "v[2:3], {}off" if family == "wide" else "v[2:3]{}", f"offset:{offset}"


def table(places: NDArray[Any], data: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """`in`: each lane's offset, then the data."""
    return np.concatenate([(places + 256).astype("<u4").view(np.uint8), data])


TAKE = "v_lshlrev_b32_e32 v4, 2, v0\nglobal_load_dword v1, v4, s[4:5]\ns_waitcnt vmcnt(0)"


def give(first: int, count: int) -> str:
    """Store registers, a row of four words a lane."""
    lines = ["s_waitcnt vmcnt(0) lgkmcnt(0)", "v_lshlrev_b32_e32 v5, 4, v0"]
    lines += [f"global_store_dword v5, v{first + k}, s[6:7] offset:{4 * k}" for k in range(count)]
    return "\n".join(lines)


def registers(first: int, count: int, file: str = "v") -> str:
    return f"{file}{first}" if count == 1 else f"{file}[{first}:{first + count - 1}]"


@pytest.mark.parametrize("what", [*SMALL_LOADS, *WORDS])
@pytest.mark.parametrize("family", ["global", "wide", "flat", "buffer"])
def test_loads(family: str, what: str) -> None:
    places = lanes() * STRIDE
    data = bits(1, 64 * STRIDE + 40)
    count = WORDS.get(what, 1)
    start, where, modifiers = place(family, 8)
    name = f"{'global' if family == 'wide' else family}_load_{what}"
    load = f"{name} {registers(10, count)}, {where.format('')} {modifiers} nt sc0 sc1"
    out = clean(f"{TAKE}\n{start}\n{load}\n{give(10, count)}", table(places, data), np.zeros((64, 4), np.uint32))
    assert np.array_equal(out[:, :count], loaded(what, data[8:], places))


@pytest.mark.parametrize("what", [*SMALL_STORES, *WORDS])
@pytest.mark.parametrize("family", ["global", "wide", "flat", "buffer"])
def test_stores(family: str, what: str) -> None:
    places = lanes() * STRIDE
    count = WORDS.get(what, 1)
    start, where, modifiers = place(family, 8)
    name = f"{'global' if family == 'wide' else family}_store_{what}"
    data = f"{registers(10, count)}"
    operands = f"{data}, {where}"
    if family != "buffer":
        operands = where.format(f", {data}" if family == "flat" else f"{data}, ")
    values = "\n".join(f"global_load_dword v{10 + k}, v4, s[4:5] offset:{256 * (k + 1)}" for k in range(count))
    before = f"{TAKE}\n{values}\ns_waitcnt vmcnt(0)\ns_mov_b64 s[4:5], s[6:7]\n{start}"
    lines = f"{before}\n{name} {operands} {modifiers}"
    words = bits(2, 64 * 16).view("<u4").reshape(4, 64)
    given = np.concatenate([places.astype("<u4"), words.reshape(-1)])
    out = clean(lines, given, np.full(64 * STRIDE + 40, 7, np.uint8))
    expected = np.full_like(out, 7)
    for lane, p in enumerate(places.tolist()):
        raw = words[:count, lane].tobytes()
        raw = raw[2:] if what.endswith("_hi") else raw
        size = 4 * count if what in WORDS else 1 if what.startswith("byte") else 2
        expected[p + 8 : p + 8 + size] = np.frombuffer(raw[:size], np.uint8)
    assert np.array_equal(out, expected)


def test_only_lanes_of_exec_take_part() -> None:
    lines = """
    v_lshlrev_b32_e32 v4, 2, v0
    v_mov_b32_e32 v10, 5
    s_mov_b64 s[10:11], exec
    s_mov_b32 exec_lo, 0xf0f0f0f0
    s_mov_b32 exec_hi, 0x0000ffff
    global_load_dword v10, v4, s[4:5]
    s_waitcnt vmcnt(0)
    s_mov_b64 exec, s[10:11]
    global_store_dword v4, v10, s[6:7]
    """
    given = np.arange(100, 148, dtype=np.uint32)  # 48 of them: the last 16 lanes may not read
    out = clean(lines, given, np.zeros(64, np.uint32))
    on = np.array([0x0000FFFFF0F0F0F0 >> lane & 1 for lane in range(64)], bool)
    assert np.array_equal(out, np.where(on, np.arange(100, 164), 5))


def test_registers_of_the_accumulators_are_loaded_and_stored() -> None:
    lines = """
    v_lshlrev_b32_e32 v4, 4, v0
    global_load_dwordx4 a[0:3], v4, s[4:5]
    s_waitcnt vmcnt(0)
    global_store_dwordx4 v4, a[0:3], s[6:7]
    """
    given = bits(3, 1024).view(np.uint32)
    assert np.array_equal(clean(lines, given, np.zeros(256, np.uint32)), given)


@pytest.mark.parametrize("count", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("offset", ["0x10", "s9", "s9 offset:0x4", "-0x4"])
def test_scalar_loads(count: int, offset: str) -> None:
    name = "s_load_dword" if count == 1 else f"s_load_dwordx{count}"
    stores = "\n".join(
        f"v_mov_b32_e32 v2, s{16 + k}\nglobal_store_dword v1, v2, s[6:7] offset:{4 * k}" for k in range(count)
    )
    lines = f"""
    s_mov_b32 s9, 8
    s_add_u32 s4, s4, 6
    s_addc_u32 s5, s5, 0
    {name} {registers(16, count, "s")}, s[4:5], {offset}
    v_mov_b32_e32 v1, 0
    s_waitcnt lgkmcnt(0)
    {stores}
    """
    given = bits(4, 128).view(np.uint32)
    out = clean(lines, given, np.zeros(count, np.uint32), threads=(1,))
    first = 1 + {"0x10": 4, "s9": 2, "s9 offset:0x4": 3, "-0x4": -1}[offset]  # the last two bits of s4 do not count
    assert np.array_equal(out, given[first : first + count])


BUFFER = """
s_mov_b64 s[20:21], s[4:5]
s_mov_b32 s22, s8
s_mov_b32 s23, 0x27000
v_lshlrev_b32_e32 v4, 4, v0
"""


def test_a_buffer_load_past_the_records_gives_zeros_in_whole_words() -> None:
    given = bits(5, 1024).view(np.uint32)
    lines = f"{BUFFER}\ns_mov_b32 s24, 16\nbuffer_load_dwordx4 v[10:13], v4, s[20:23], s24 offen\n{give(10, 4)}"
    out = clean(lines, given, np.zeros((64, 4), np.uint32), n=1000)
    expected = np.zeros(256, np.uint32)
    expected[:246] = given[4:250]
    assert np.array_equal(out.reshape(-1), expected)


def test_a_buffer_load_without_an_offset_of_lanes() -> None:
    given = bits(6, 64).view(np.uint32)
    lines = f"{BUFFER}\nbuffer_load_dword v10, off, s[20:23], 0 offset:12\n{give(10, 1)}"
    out = clean(lines, given, np.zeros((64, 4), np.uint32), n=64)
    assert np.all(out[:, 0] == given[3])


def test_a_buffer_store_past_the_records_vanishes() -> None:
    lines = f"""
    {BUFFER}
    s_mov_b64 s[20:21], s[6:7]
    v_mov_b32_e32 v10, v0
    v_mov_b32_e32 v11, v0
    buffer_store_dwordx2 v[10:11], v4, s[20:23], 0 offen offset:4
    """
    out = clean(lines, np.zeros(1, np.uint32), np.full(256, 9, np.uint32), n=72)
    expected = np.full(256, 9, np.uint32)
    for lane in range(4):
        expected[4 * lane + 1 : 4 * lane + 3] = lane
    expected[17] = 4  # its second word would lie behind the records
    assert np.array_equal(out, expected)


@pytest.mark.parametrize(
    "change", ["s_or_b32 s21, s21, 0x100000", "s_mov_b32 s23, 0", "s_mov_b32 s23, 0x827000"]
)
def test_a_buffer_of_more_than_plain_bytes_is_refused(change: str) -> None:
    lines = f"{BUFFER}\n{change}\nbuffer_load_dword v10, v4, s[20:23], 0 offen\n{give(10, 1)}"
    ran = run(lines, np.zeros(256, np.uint32), np.zeros((64, 4), np.uint32), n=1024)
    assert ran.status == 719 and kinds(ran) == ["not_done"]
    assert "a buffer that is more than plain bytes" in ran.findings[0].message


@pytest.mark.parametrize("detect", [True, False])
def test_a_load_to_lds_does_not_reach_below_it(detect: bool) -> None:
    lines = "s_mov_b32 m0, 0\ns_mov_b64 exec, 1\nv_mov_b32 v2, s4\nv_mov_b32 v3, s5"
    lines += "\nglobal_load_lds_dword v[2:3], off offset:-4\ns_waitcnt vmcnt(0)"
    ran = run(lines, np.zeros(4, np.uint32)[1:], np.zeros(1, np.uint32), detect=detect)
    assert ran.status == 719 and "out_of_bounds" in kinds(ran)


def test_a_load_to_lds_marks_what_its_lanes_write() -> None:
    lines = f"""
    v_lshlrev_b32 v9, 2, v0
    ds_write_b32 v9, v0
    s_waitcnt lgkmcnt(0)
    s_mov_b32 m0, 0
    s_mov_b64 s[12:13], exec
    s_mov_b64 exec, 0xffff
    v_mov_b32 v2, s4
    v_mov_b32 v3, s5
    global_load_lds_dword v[2:3], off
    s_mov_b64 exec, 0xffff0000
    ds_read_b32 v10, v9
    s_mov_b64 exec, s[12:13]
    s_waitcnt vmcnt(0) lgkmcnt(0)
    s_mov_b64 exec, 0xffff0000
    {give(10, 1)}
    """
    out = np.zeros((64, 4), np.uint32)
    clean(lines, np.zeros(64, np.uint32), out)
    assert out[16:32, 0].tolist() == list(range(16, 32))


@pytest.mark.parametrize("what", ["ubyte", "sbyte", "ushort", "sshort", "dword"])
@pytest.mark.parametrize("family", ["global", "buffer"])
def test_loads_that_go_to_lds(family: str, what: str) -> None:
    load = f"global_load_lds_{what} v4, s[4:5] offset:4"
    if family == "buffer":
        load = f"buffer_load_{what} v4, s[20:23], 0 offen offset:4 lds"
    lines = f"""
    {BUFFER}
    s_movk_i32 m0, 0x40
    {load}
    v_lshlrev_b32_e32 v5, 2, v0
    s_waitcnt vmcnt(0)
    ds_read_b32 v10, v5 offset:68
    s_waitcnt lgkmcnt(0)
    {give(10, 1)}
    """
    data = bits(7, 64 * 16 + 8)
    out = clean(lines, data, np.zeros((64, 4), np.uint32), n=data.size)
    assert np.array_equal(out[:, :1], loaded(what, data[4:], np.arange(64) * 16))


@pytest.mark.parametrize("detect", [True, False])
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("global_load_dword v10, v4, s[4:5]", "reads 4 bytes 0 bytes past the end of argument 0 (1020 bytes)"),
        ("global_load_dwordx4 v[10:13], v4, s[4:5]", "reads 16 bytes at byte 1008 of argument 0"),
        ("global_store_dword v4, v0, s[6:7]", "writes 4 bytes 0 bytes past the end of argument 1 (1020 bytes)"),
        ("global_load_dword v10, v4, s[4:5] offset:-4", "reads 4 bytes 4 bytes before argument 0"),
        ("global_store_dword v4, v0, s[4:5]", "writes 4 bytes at byte 0 of argument 0"),
        ("s_load_dword s20, s[4:5], 0x3fc", "reads 4 bytes 0 bytes past the end of argument 0 (1020 bytes)"),
        ("global_atomic_add v4, v0, s[6:7]", "writes 4 bytes 0 bytes past the end of argument 1 (1020 bytes)"),
        ("ds_read_b32 v10, v4 offset:65280", "reads 4 bytes at byte 65536 of LDS"),
    ],
)
def test_what_lies_outside_ends_the_run(line: str, said: str, detect: bool) -> None:
    given = np.zeros(255, np.uint32)
    given.flags.writeable = False
    lines = f"v_lshlrev_b32_e32 v4, 2, v0\n{line}"
    ran = run(lines, given, np.zeros(255, np.uint32), threads=(256,), detect=detect)
    assert ran.status == 719
    found = ran.errors[-1]
    kind = "read_only_written" if "at byte 0" in said else "out_of_bounds"
    assert found.kind == kind and found.code == line and found.code_line == 5
    assert found.message.endswith(said)
