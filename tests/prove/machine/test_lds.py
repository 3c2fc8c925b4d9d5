"""LDS: reads and writes of all widths, moves between lanes, updates, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.prove.machine.assembled import clean, kinds, lanes, run
from tests.prove.machine.test_memory import bits, loaded, registers

FILL = """
v_lshlrev_b32_e32 v4, 2, v0
v_lshlrev_b32_e32 v5, 6, v0
global_load_dword v1, v4, s[4:5]
global_load_dwordx4 v[20:23], v5, s[4:5] offset:256
global_load_dwordx4 v[24:27], v5, s[4:5] offset:272
global_load_dwordx4 v[28:31], v5, s[4:5] offset:288
global_load_dwordx4 v[32:35], v5, s[4:5] offset:304
s_waitcnt vmcnt(3)
ds_write_b128 v5, v[20:23]
s_waitcnt vmcnt(2)
ds_write_b128 v5, v[24:27] offset:16
s_waitcnt vmcnt(1)
ds_write_b128 v5, v[28:31] offset:32
s_waitcnt vmcnt(0)
ds_write_b128 v5, v[32:35] offset:48
s_waitcnt lgkmcnt(0)
"""
"""Each lane's number of `in` is in v1; the 4096 bytes behind these are in LDS."""


def give(count: int) -> str:
    stores = "\n".join(f"global_store_dword v6, v{10 + k}, s[6:7] offset:{4 * k}" for k in range(count))
    return f"v_lshlrev_b32_e32 v6, 4, v0\ns_waitcnt lgkmcnt(0)\n{stores}"


def filled(numbers: NDArray[Any], data: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.concatenate([numbers.astype("<u4").view(np.uint8), data])


READS = {
    "u8": "ubyte", "i8": "sbyte", "u16": "ushort", "i16": "sshort", "u8_d16": "ubyte_d16",
    "u8_d16_hi": "ubyte_d16_hi", "i8_d16": "sbyte_d16", "i8_d16_hi": "sbyte_d16_hi", "u16_d16": "short_d16",
    "u16_d16_hi": "short_d16_hi", "b32": "dword", "b64": "dwordx2", "b96": "dwordx3", "b128": "dwordx4",
}  # fmt: skip
COUNTS = {"b64": 2, "b96": 3, "b128": 4}


@pytest.mark.parametrize("what", READS)
def test_reads(what: str) -> None:
    places, data = lanes() * 52, bits(1, 4096)
    count = COUNTS.get(what, 1)
    # The base may be past zero: base and offset are added as 32-bit numbers.
    read = f"v_subrev_u32_e32 v1, 8, v1\nds_read_{what} {registers(10, count)}, v1 offset:20"
    lines = f"{FILL}\n{read}\n{give(count)}"
    out = clean(lines, filled(places, data), np.zeros((64, 4), np.uint32))
    assert np.array_equal(out[:, :count], loaded(READS[what], data[12:], places))


@pytest.mark.parametrize("st64", ["", "st64"])
@pytest.mark.parametrize(("width", "words"), [("b32", 1), ("b64", 2)])
def test_reads_of_two_places(width: str, words: int, st64: str) -> None:
    stride = 4 * words * (64 if st64 else 1)
    places, data = lanes() * 8, bits(2, 4096)
    lines = f"{FILL}\nds_read2{st64}_{width} {registers(10, 2 * words)}, v1 offset0:3 offset1:1\n{give(2 * words)}"
    out = clean(lines, filled(places, data), np.zeros((64, 4), np.uint32))
    for half, number in enumerate((3, 1)):
        what = {1: "dword", 2: "dwordx2"}[words]
        expected = loaded(what, data[number * stride :], places)
        assert np.array_equal(out[:, half * words : (half + 1) * words], expected)


def written(line: str, places: NDArray[Any], given: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """LDS after an instruction that writes v[20:27] at v1, as bytes."""
    lines = f"""
    {FILL}
    {line}
    s_waitcnt lgkmcnt(0)
    ds_read_b128 v[20:23], v5
    ds_read_b128 v[24:27], v5 offset:16
    ds_read_b128 v[28:31], v5 offset:32
    ds_read_b128 v[32:35], v5 offset:48
    s_waitcnt lgkmcnt(0)
    global_store_dwordx4 v5, v[20:23], s[6:7]
    global_store_dwordx4 v5, v[24:27], s[6:7] offset:16
    global_store_dwordx4 v5, v[28:31], s[6:7] offset:32
    global_store_dwordx4 v5, v[32:35], s[6:7] offset:48
    """
    return clean(lines, filled(places, given), np.zeros(4096, np.uint8))


@pytest.mark.parametrize(
    ("what", "first", "size"),
    [
        ("b8", 0, 1), ("b8_d16_hi", 2, 1), ("b16", 0, 2), ("b16_d16_hi", 2, 2), ("b32", 0, 4), ("b64", 0, 8),
        ("b96", 0, 12), ("b128", 0, 16),
    ],
)  # fmt: skip
def test_writes(what: str, first: int, size: int) -> None:
    places, data = lanes() * 52, bits(3, 4096)
    out = written(f"ds_write_{what} v1, {registers(20, max(1, size // 4))} offset:20", places, data)
    expected = data.copy()
    for lane, place in enumerate(places.tolist()):
        expected[place + 20 : place + 20 + size] = data[64 * lane + first : 64 * lane + first + size]
    assert np.array_equal(out, expected)


@pytest.mark.parametrize("st64", ["", "st64"])
@pytest.mark.parametrize(("width", "words"), [("b32", 1), ("b64", 2)])
def test_writes_to_two_places(width: str, words: int, st64: str) -> None:
    stride = 4 * words * (64 if st64 else 1)
    spread = 8 if st64 else 40
    places, data = lanes() * spread, bits(4, 4096)
    first, second = registers(20, words), registers(24, words)
    out = written(f"ds_write2{st64}_{width} v1, {first}, {second} offset0:4 offset1:1", places, data)
    expected = data.copy()
    for lane, place in enumerate(places.tolist()):  # lanes in their order: the first place, then the second
        for number, register in ((4, 0), (1, 4)):
            at, start = place + number * stride, 64 * lane + 4 * register
            expected[at : at + 4 * words] = data[start : start + 4 * words]
    assert np.array_equal(out, expected)


def moved(line: str, numbers: NDArray[Any], exec_: int = (1 << 64) - 1) -> NDArray[np.uint32]:
    """v10 after a move of v11, in which each lane has 1000 + its number, by v1."""
    lines = f"""
    v_lshlrev_b32_e32 v4, 2, v0
    global_load_dword v1, v4, s[4:5]
    v_mov_b32_e32 v10, 7
    v_add_u32_e32 v11, 0x3e8, v0
    s_waitcnt vmcnt(0)
    s_mov_b64 s[10:11], exec
    s_mov_b32 exec_lo, {exec_ & 0xFFFFFFFF:#x}
    s_mov_b32 exec_hi, {exec_ >> 32:#x}
    {line}
    s_waitcnt lgkmcnt(0)
    s_mov_b64 exec, s[10:11]
    global_store_dword v4, v10, s[6:7]
    """
    return clean(lines, numbers.astype(np.uint32), np.zeros(64, np.uint32))


SOME = 0x0FFFFFFF_FFFFFF0F


def on(exec_: int) -> NDArray[np.bool_]:
    return np.array([exec_ >> lane & 1 for lane in range(64)], bool)


@pytest.mark.parametrize("exec_", [(1 << 64) - 1, SOME])
def test_bpermute(exec_: int) -> None:
    source = np.random.default_rng(5).integers(0, 64, 64)
    out = moved("ds_bpermute_b32 v10, v1, v11 offset:8", 4 * source + 1024, exec_)
    source = (source + 2) % 64
    expected = np.where(on(exec_)[source], 1000 + source, 0)
    assert np.array_equal(out, np.where(on(exec_), expected, 7))


@pytest.mark.parametrize("exec_", [(1 << 64) - 1, SOME])
def test_permute(exec_: int) -> None:
    target = np.random.default_rng(6).integers(0, 64, 64)
    out = moved("ds_permute_b32 v10, v1, v11", 4 * target, exec_)
    expected = np.zeros(64, int)
    for lane in np.flatnonzero(on(exec_)):
        expected[target[lane]] = 1000 + lane
    assert np.array_equal(out, np.where(on(exec_), expected, 7))


def turned(lane: Any) -> Any:
    """The lane of 32 whose number has these bits in the other order."""
    return sum((lane >> bit & 1) << 4 - bit for bit in range(5))


@pytest.mark.parametrize("exec_", [(1 << 64) - 1, SOME])
@pytest.mark.parametrize(
    ("pattern", "source"),
    [
        (0x8000 | 0b00_01_10_11, lambda lane: lane & ~3 | 3 - (lane & 3)),
        (0x401F, lambda lane: lane ^ 16),
        (0x041F, lambda lane: lane ^ 1),
        (0x0018, lambda lane: lane & ~7),
        (0x0060 | 0x1C, lambda lane: lane & ~3 | 3),
        (0x43E1, lambda lane: lane & 32 | (lane & 1 | 31) ^ 16),
        (0xC000 | 3 << 5, lambda lane: lane & 32 | (lane + 3) % 32),
        (0xC400 | 3 << 5, lambda lane: lane & 32 | (lane - 3) % 32),
        (0xC000 | 8 << 5 | 0x18, lambda lane: lane & ~7 | (lane + 8) & 7),
        (0xE000, lambda lane: lane & 32 | turned(lane)),
        (0xE01F, lambda lane: lane),
        (0xE010, lambda lane: lane & 48 | turned(lane) >> 1),
    ],
)
def test_swizzle(pattern: int, source: Any, exec_: int) -> None:
    out = moved(f"ds_swizzle_b32 v10, v11 offset:{pattern}", np.zeros(64), exec_)
    from_ = source(np.arange(64))
    assert np.array_equal(out, np.where(on(exec_), np.where(on(exec_)[from_], 1000 + from_, 0), 7))


FLAT = """
s_mov_b64 s[10:11], src_shared_base
v_mov_b32_e32 v2, v4
v_mov_b32_e32 v3, s11
"""


def test_flat_instructions_reach_lds_and_memory() -> None:
    """Even lanes have an address of LDS, odd ones one of memory."""
    lines = f"""
    {FLAT}
    ds_write_b32 v4, v0
    v_mov_b32_e32 v7, s5
    v_add_co_u32_e32 v6, vcc, s4, v4
    v_addc_co_u32_e32 v7, vcc, 0, v7, vcc
    v_and_b32_e32 v5, 1, v0
    v_cmp_eq_u32_e32 vcc, 1, v5
    v_cndmask_b32_e32 v2, v2, v6, vcc
    v_cndmask_b32_e32 v3, v3, v7, vcc
    s_waitcnt lgkmcnt(0)
    flat_load_dword v10, v[2:3]
    s_waitcnt vmcnt(0) lgkmcnt(0)
    global_store_dword v4, v10, s[6:7]
    """
    given = np.arange(1000, 1064, dtype=np.uint32)
    out = clean(f"v_lshlrev_b32_e32 v4, 2, v0\n{lines}", given, np.zeros(64, np.uint32))
    assert np.array_equal(out, np.where(np.arange(64) % 2, given, np.arange(64)))


def test_a_flat_update_of_lds() -> None:
    lines = f"""
    v_mov_b32_e32 v4, 0
    ds_write_b32 v4, v4
    {FLAT}
    v_mov_b32_e32 v5, 1
    s_waitcnt lgkmcnt(0)
    flat_atomic_add v[2:3], v5
    s_waitcnt vmcnt(0) lgkmcnt(0)
    ds_read_b32 v10, v4
    s_waitcnt lgkmcnt(0)
    global_store_dword v4, v10, s[6:7]
    """
    assert clean(lines, np.zeros(1, np.uint32), np.zeros(1, np.uint32))[0] == 64


def test_a_flat_access_behind_lds_is_outside() -> None:
    lines = f"v_mov_b32_e32 v4, 60\n{FLAT}\nflat_load_dwordx2 v[10:11], v[2:3]"
    for offset in ("", " offset:4"):
        ran = run(lines + offset, np.zeros(1, np.uint32), np.zeros(1, np.uint32), lds=64)
        assert ran.status == 719 and kinds(ran) == ["out_of_bounds"]


def signed(x: int, size: int) -> int:
    return x - (1 << size) if x >> (size - 1) else x


UPDATES: dict[str, Any] = {
    "add_u": lambda a, b, n: a + b,
    "sub_u": lambda a, b, n: a - b,
    "min_i": lambda a, b, n: min(a, b, key=lambda x: signed(x, n)),
    "max_i": lambda a, b, n: max(a, b, key=lambda x: signed(x, n)),
    "min_u": lambda a, b, n: min(a, b),
    "max_u": lambda a, b, n: max(a, b),
    "and_b": lambda a, b, n: a & b,
    "or_b": lambda a, b, n: a | b,
    "xor_b": lambda a, b, n: a ^ b,
    "wrxchg_b": lambda a, b, n: b,
}


def updated(line: str, size: int, data: NDArray[np.uint8], results: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    """Sixteen places of LDS after an update at v1 with v[20:21], and what each lane got in v[10:11]."""
    places = np.arange(64) % 16 * 8
    count = size // 32
    give_old = "global_store_dwordx2 v6, v[10:11], s[6:7] offset:512" if results else ""
    lines = f"""
    {FILL}
    v_mov_b32_e32 v10, 0
    v_mov_b32_e32 v11, 0
    v_lshlrev_b32_e32 v6, 3, v0
    {line}
    s_waitcnt lgkmcnt(0)
    ds_read_b64 v[12:13], v6
    s_waitcnt lgkmcnt(0)
    global_store_dwordx2 v6, v[12:13], s[6:7]
    {give_old}
    """
    out = clean(lines, filled(places, data), np.zeros(128, np.uint64))
    kind = np.uint32 if count == 1 else np.uint64
    return out[:16].view(kind)[:: 2 // count], out[64:].view(kind)[:: 2 // count]


# An exchange that gives nothing is a store: there is no such instruction.
FORMS = [(name, returns) for name in UPDATES for returns in (False, True) if returns or name != "wrxchg_b"]


@pytest.mark.parametrize("size", [32, 64])
@pytest.mark.parametrize(("name", "returns"), FORMS)
def test_updates(name: str, returns: bool, size: int) -> None:
    operation, _, kind = name.partition("_")
    data = bits(8, 4096)
    count = size // 32
    result = f"{registers(10, count)}, " if returns else ""
    rtn = "_rtn" if returns else ""
    line = f"ds_{operation}{rtn}_{kind}{size} {result}v1, {registers(20, count)} offset:0"
    places, old = updated(line, size, data, returns)
    width = size // 8
    expected = {p: int.from_bytes(data[p : p + width].tobytes(), "little") for p in range(0, 128, 8)}
    for lane in range(64):
        p = lane % 16 * 8
        if returns:
            assert int(old[lane]) == expected[p]
        value = int.from_bytes(data[64 * lane : 64 * lane + width].tobytes(), "little")
        expected[p] = UPDATES[name](expected[p], value, size) % (1 << size)
    assert [int(one) for one in places] == list(expected.values())


@pytest.mark.parametrize("returns", [False, True])
@pytest.mark.parametrize("size", [32, 64])
def test_floats_are_added_in_the_order_of_lanes(size: int, returns: bool) -> None:
    dtype = np.dtype(f"f{size // 8}")
    numbers = np.random.default_rng(9).normal(size=4096 // dtype.itemsize).astype(dtype)
    data = numbers.view(np.uint8)
    count, result = size // 32, f"{registers(10, size // 32)}, " if returns else ""
    rtn = "_rtn" if returns else ""
    places, old = updated(f"ds_add{rtn}_f{size} {result}v1, {registers(20, count)}", size, data, returns)
    expected = [data[p : p + dtype.itemsize].view(dtype)[0] for p in range(0, 128, 8)]
    for lane in range(64):
        if returns:
            assert old[lane : lane + 1].view(dtype)[0] == expected[lane % 16]
        expected[lane % 16] += data[64 * lane : 64 * lane + dtype.itemsize].view(dtype)[0]
    assert np.array_equal(places.view(dtype), np.array(expected, dtype))


@pytest.mark.parametrize("returns", [False, True])
@pytest.mark.parametrize("size", [32, 64])
def test_compare_and_store(size: int, returns: bool) -> None:
    data, count, width = bits(10, 4096), size // 32, size // 8
    for p in range(0, 128, 8):  # of the lanes at each place the second one finds what it compares with
        data[64 * (p // 8 + 16) : 64 * (p // 8 + 16) + width] = data[p : p + width]
    result = f"{registers(10, count)}, " if returns else ""
    compared, stored = registers(20, count), registers(24, count)
    rtn = "_rtn" if returns else ""
    before = {p: data[p : p + width].copy() for p in range(0, 128, 8)}
    places, old = updated(f"ds_cmpst{rtn}_b{size} {result}v1, {compared}, {stored}", size, data, returns)
    now = {p: int.from_bytes(one.tobytes(), "little") for p, one in before.items()}
    for lane in range(64):
        p = lane % 16 * 8
        compare, store = (
            int.from_bytes(data[64 * lane + at : 64 * lane + at + width].tobytes(), "little") for at in (0, 16)
        )
        if returns:
            assert int(old[lane]) == now[p]
        now[p] = store if now[p] == compare else now[p]
    assert [int(one) for one in places] == list(now.values())
    assert [int(one) for one in places] != [int.from_bytes(one.tobytes(), "little") for one in before.values()]
