"""Updates of global memory, with and without the old value, against plain integers and NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.prove.machine.assembled import clean, kinds, run
from tests.prove.machine.test_lds import signed
from tests.prove.machine.test_memory import bits, registers

UPDATES: dict[str, Any] = {
    "add": lambda a, b, n: a + b,
    "sub": lambda a, b, n: a - b,
    "smin": lambda a, b, n: min(a, b, key=lambda x: signed(x, n)),
    "smax": lambda a, b, n: max(a, b, key=lambda x: signed(x, n)),
    "umin": lambda a, b, n: min(a, b),
    "umax": lambda a, b, n: max(a, b),
    "and": lambda a, b, n: a & b,
    "or": lambda a, b, n: a | b,
    "xor": lambda a, b, n: a ^ b,
    "swap": lambda a, b, n: b,
}
PLACES = 16


def updated(
    name: str, family: str, words: int, data_words: int, numbers: NDArray[Any], start: NDArray[Any], returns: bool
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The places after an update by every lane, lane l at place l % 16; and what each lane got."""
    size = 4 * words
    data = registers(20, data_words)
    result = f"{registers(10, words)}, " if returns else ""
    where = {"global": f"v6, {data}, s[6:7]", "wide": f"v[2:3], {data}, off", "flat": f"v[2:3], {data}"}[family]
    loads = "\n".join(f"global_load_dword v{20 + k}, v5, s[4:5] offset:{4 * k}" for k in range(data_words))
    stores = "\n".join(
        f"global_store_dword v7, v{10 + k}, s[6:7] offset:{PLACES * size + 4 * k}" for k in range(words * returns)
    )
    line = f"{'global' if family == 'wide' else family}_atomic_{name} {result}{where}{' sc0' if returns else ''}"
    lines = f"""
    v_lshlrev_b32_e32 v5, 4, v0
    v_and_b32_e32 v6, 15, v0
    v_lshlrev_b32_e32 v6, {2 if words == 1 else 3}, v6
    v_lshlrev_b32_e32 v7, {2 if words == 1 else 3}, v0
    v_mov_b32_e32 v3, s7
    v_add_co_u32_e32 v2, vcc, s6, v6
    v_addc_co_u32_e32 v3, vcc, 0, v3, vcc
    {loads}
    s_waitcnt vmcnt(0)
    {line}
    s_waitcnt vmcnt(0) lgkmcnt(0)
    {stores}
    """
    given = np.zeros((64, 16), np.uint8)
    given[:, : 4 * data_words] = numbers.view(np.uint8).reshape(64, 4 * data_words)
    out = np.concatenate([start.view(np.uint8), np.zeros(64 * size, np.uint8)])
    clean(lines, given, out)
    made = out.view(f"u{size}")
    return made[:PLACES], made[PLACES:]


@pytest.mark.parametrize("returns", [False, True])
@pytest.mark.parametrize("words", [1, 2])
@pytest.mark.parametrize("family", ["global", "wide", "flat"])
@pytest.mark.parametrize("name", UPDATES)
def test_integers(name: str, family: str, words: int, returns: bool) -> None:
    numbers, start = bits(1, 64 * 4 * words).view(f"u{4 * words}"), bits(2, 16 * 4 * words).view(f"u{4 * words}")
    mnemonic = f"{name}_x2" if words == 2 else name
    places, old = updated(mnemonic, family, words, words, numbers, start, returns)
    expected = [int(one) for one in start]
    for lane in range(64):
        if returns:
            assert int(old[lane]) == expected[lane % PLACES]
        made = UPDATES[name](expected[lane % PLACES], int(numbers[lane]), 32 * words)
        expected[lane % PLACES] = made % (1 << 32 * words)
    assert [int(one) for one in places] == expected


@pytest.mark.parametrize("returns", [False, True])
@pytest.mark.parametrize("family", ["global", "flat"])
@pytest.mark.parametrize(
    ("name", "dtype", "combine"),
    [("add_f32", "f4", np.add), ("add_f64", "f8", np.add), ("min_f64", "f8", np.fmin), ("max_f64", "f8", np.fmax)],
)
def test_floats_in_the_order_of_lanes(name: str, dtype: str, combine: Any, family: str, returns: bool) -> None:
    draw = np.random.default_rng(3)
    numbers, start = draw.normal(size=64).astype(dtype), draw.normal(size=PLACES).astype(dtype)
    if combine is not np.add:
        numbers[17], start[3] = np.nan, np.nan
    words = numbers.itemsize // 4
    places, old = updated(name, family, words, words, numbers, start, returns)
    expected = start.copy()
    for lane in range(64):
        if returns:
            assert old[lane : lane + 1].tobytes() == expected[lane % PLACES : lane % PLACES + 1].tobytes()
        expected[lane % PLACES] = combine(expected[lane % PLACES], numbers[lane])
    assert np.array_equal(places.view(dtype), expected, equal_nan=True)


@pytest.mark.parametrize("returns", [False, True])
@pytest.mark.parametrize("words", [1, 2])
@pytest.mark.parametrize("family", ["global", "wide", "flat"])
def test_compare_and_swap(family: str, words: int, returns: bool) -> None:
    numbers = bits(4, 64 * 8 * words).view(f"u{4 * words}").reshape(64, 2)
    start = bits(5, PLACES * 4 * words).view(f"u{4 * words}")
    numbers[16:32, 1] = start  # the second number is compared, the first one stored
    numbers[48:, 1] = numbers[16:32, 0]
    mnemonic = "cmpswap_x2" if words == 2 else "cmpswap"
    places, old = updated(mnemonic, family, words, 2 * words, numbers, start, returns)
    if returns:
        assert np.array_equal(old[:32].reshape(2, 16), [start, start])
        assert np.array_equal(old[32:].reshape(2, 16), [numbers[16:32, 0]] * 2)
    assert np.array_equal(places, numbers[48:, 0])


def test_an_address_that_is_not_aligned_is_told() -> None:
    lines = "v_mov_b32_e32 v4, 2\nglobal_atomic_add v4, v0, s[6:7]"
    ran = run(lines, np.zeros(1, np.uint32), np.zeros(4, np.uint32))
    assert ran.status == 719 and kinds(ran) == ["misaligned"] and "updates 4 bytes" in ran.findings[0].message
    lines = "v_mov_b32_e32 v4, 4\nds_write_b64 v4, v[4:5]\ns_waitcnt lgkmcnt(0)\nds_add_u64 v4, v[4:5]"
    ran = run(lines, np.zeros(1, np.uint32), np.zeros(4, np.uint32))
    assert ran.status == 719 and "misaligned" in kinds(ran)


def test_updates_of_one_place_by_several_blocks_are_no_race() -> None:
    lines = "v_mov_b32_e32 v4, 0\nv_mov_b32_e32 v5, 1\nglobal_atomic_add v4, v5, s[6:7]"
    out = clean(lines, np.zeros(1, np.uint32), np.zeros(1, np.uint32), blocks=(3,), threads=(192,))
    assert out[0] == 3 * 192


def test_an_update_and_a_store_of_one_place_by_two_waves_are_a_race() -> None:
    lines = """
    v_mov_b32_e32 v4, 0
    v_readfirstlane_b32 s10, v0
    s_cmp_eq_u32 s10, 0
    s_cbranch_scc1 .L1
    global_store_dword v4, v0, s[6:7]
    s_branch .L2
    .L1:
    global_atomic_add v4, v0, s[6:7]
    .L2:
    """
    ran = run(lines, np.zeros(1, np.uint32), np.zeros(1, np.uint32), threads=(128,))
    assert kinds(ran) == ["race"] and ran.errors[0].code.startswith("global_store_dword")
