"""Products by the layouts are products: swap, permuted k, several steps, operands that are results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tl2hip.dtypes import F8E4M3, F8E5M2, F16, F32
from tl2hip.plan.layout.convert import convert
from tl2hip.plan.layout.linear import LANES, Layout
from tl2hip.plan.layout.mfma import MFMAS, Mfma, find
from tl2hip.plan.layout.product import Product, fitted, product, wide
from tl2hip.plan.layout.terms import vector

Array = np.ndarray[Any, Any]
Map = Callable[[int, int], tuple[int, int]]
ONE_BLOCK = [x for x in MFMAS if x.blocks == 1]
NAMES = [x.builtin for x in ONE_BLOCK]


def found(first: Any, second: Any, result: Any, m: int) -> Mfma:
    x = find(first, second, result, m)
    assert x is not None
    return x


def lane_maps(x: Mfma) -> tuple[Map, Map]:
    """A's (i, k) of lane and element, D's (i, j): the matrix instruction calculator's formulas, written out."""
    per = x.m * x.k // 64
    if x.result.name == "f64":
        return lambda t, e: (t % 16, t // 16), lambda t, r: (4 * r + t // 16, t % 16)
    if x.m == 16:
        return lambda t, e: (t % 16, per * (t // 16) + e), lambda t, r: (4 * (t // 16) + r, t % 16)
    return lambda t, e: (t % 32, per * (t // 32) + e), lambda t, r: (8 * (r // 4) + 4 * (t // 32) + r % 4, t % 32)


def instruction(x: Mfma, first: Array, second: Array, sums: Array) -> Array:
    """What the instruction does to registers, [lane][element]."""
    a_map, d_map = lane_maps(x)
    a, b = np.zeros((x.m, x.k), int), np.zeros((x.k, x.m), int)
    for lane in range(LANES):
        for e in range(x.per_lane):
            i, k = a_map(lane, e)
            a[i, k], b[k, i] = first[lane, e], second[lane, e]
    d = a @ b
    added = [[d[d_map(lane, r)] for r in range(x.result_slots)] for lane in range(LANES)]
    return sums + np.array(added)


def scatter(whole: Array, layout: Layout) -> Array:
    return np.array([[whole[layout.at(s, lane)] for s in range(layout.slot_count)] for lane in range(LANES)])


def run(p: Product, left: Array, right: Array) -> Array:
    """The product over all steps; each step takes its slots of both operands."""
    a, b = scatter(left, p.left), scatter(right, p.right)
    sums = np.zeros((LANES, p.mfma.result_slots), int)
    for step in range(p.steps):
        slots = slice(step * p.mfma.per_lane, (step + 1) * p.mfma.per_lane)
        first, second = (b, a) if p.swap else (a, b)
        sums = instruction(p.mfma, first[:, slots], second[:, slots], sums)
    whole = np.zeros((p.mfma.m, p.mfma.n), int)
    for lane in range(LANES):
        for slot in range(p.mfma.result_slots):
            whole[p.result.at(slot, lane)] = sums[lane, slot]
    return whole


def check(p: Product) -> None:
    rng = np.random.default_rng(3)
    left, right = rng.integers(-9, 10, (p.mfma.m, p.k)), rng.integers(-9, 10, (p.k, p.mfma.n))
    assert np.array_equal(run(p, left, right), left @ right)
    assert p.left.names == ("i", "k") and p.right.names == ("k", "j") and p.result.names == ("i", "j")


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("x", ONE_BLOCK, ids=NAMES)
def test_every_instruction(x: Mfma, swap: bool) -> None:
    check(product(x, swap=swap))
    check(product(x, steps=4, swap=swap))


@settings(max_examples=60)
@given(st.sampled_from(ONE_BLOCK), st.booleans(), st.integers(0, 2), st.data())
def test_any_permutation_of_k(x: Mfma, swap: bool, more: int, data: st.DataObject) -> None:
    bits = x.k.bit_length() - 1 + more
    check(Product(x, swap, tuple(data.draw(st.permutations(range(bits))))))


def test_k_permuted_for_one_operand_alone_is_wrong() -> None:
    x = found(F16, F16, F32, 32)
    rng = np.random.default_rng(3)
    left, right = rng.integers(-9, 10, (32, 8)), rng.integers(-9, 10, (8, 32))
    a, b = scatter(left, product(x).left), scatter(right, Product(x, False, (1, 2, 0)).right)
    sums = instruction(x, a, b, np.zeros((LANES, 16), int))
    assert sums[0, 0] != (left @ right)[0, 0]


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize(
    ("x", "access", "steps"),
    [
        (found(F16, F16, F32, 32), 8, 2), (found(F16, F16, F32, 32), 8, 8), (found(F16, F16, F32, 16), 8, 4),
        (found(F16, F16, F32, 16), 4, 2), (found(F32, F32, F32, 32), 4, 4), (found(F8E4M3, F8E5M2, F32, 32), 16, 4),
    ],
)  # fmt: skip
def test_wide_accesses_feed_several_instructions(x: Mfma, access: int, steps: int, swap: bool) -> None:
    p = wide(x, access, steps, swap)
    check(p)
    assert p.steps == steps and vector(p.left, "k") == vector(p.right, "k") == access


def test_operand_chunks_of_16_bytes() -> None:
    """Chunk base + lane / 32 or base + lane / 16 of the lane's row, all of it consecutive."""
    for m in (16, 32):
        p = wide(found(F16, F16, F32, m), 8, 4)
        for slot in range(p.left.slot_count):
            for lane in range(LANES):
                chunk = lane // m + slot // 8 * (64 // m)
                assert p.left.at(slot, lane) == (lane % m, 8 * chunk + slot % 8)


def test_swap_gives_consecutive_columns_and_other_types() -> None:
    x = found(F8E4M3, F8E5M2, F32, 16)
    plain, swapped = product(x), product(x, swap=True)
    assert (vector(plain.result, "i"), vector(plain.result, "j")) == (4, 1)
    assert (vector(swapped.result, "i"), vector(swapped.result, "j")) == (1, 4)
    assert (plain.left_dtype, plain.right_dtype) == (F8E4M3, F8E5M2)
    assert (swapped.left_dtype, swapped.right_dtype) == (F8E5M2, F8E4M3)


@pytest.mark.parametrize(
    ("scores", "x", "kperm"),
    [
        (found(F16, F16, F32, 32), found(F16, F16, F32, 32), (0, 1, 2, 3, 4)),
        (found(F16, F16, F32, 16), found(F16, F16, F32, 16), (0, 1, 2, 3)),
        (found(F8E4M3, F8E4M3, F32, 32), found(F8E4M3, F8E4M3, F32, 32), (0, 1, 3, 2, 4)),
    ],
)  # fmt: skip
def test_weights_of_attention_stay_in_registers(scores: Mfma, x: Mfma, kperm: tuple[int, ...]) -> None:
    """The result of q k^T, with operands swapped, is the left operand of the product with v."""
    result = product(scores, swap=True).result
    held = Layout((("i", result.bits("i")), ("k", result.bits("j"))), result.slots, result.lanes)
    p = fitted(x, held)
    assert p is not None and p.kperm == kperm
    assert convert(held, p.left).kind in ("nothing", "registers")
    check(p)
    plain = product(scores).result
    across = Layout((("i", plain.bits("i")), ("k", plain.bits("j"))), plain.slots, plain.lanes)
    assert fitted(x, across) is None


@settings(max_examples=40)
@given(st.sampled_from(ONE_BLOCK), st.booleans(), st.integers(0, 2), st.data())
def test_what_is_fitted_is_held(x: Mfma, swap: bool, more: int, data: st.DataObject) -> None:
    bits = x.k.bit_length() - 1 + more
    held = Product(x, swap, tuple(data.draw(st.permutations(range(bits))))).left
    p = fitted(x, held, swap)
    assert p is not None and convert(held, p.left).kind == "nothing"


def test_what_is_refused() -> None:
    x = found(F16, F16, F32, 32)
    with pytest.raises(ValueError, match="no permutation"):
        Product(x, False, (0, 1, 1))
    with pytest.raises(ValueError, match="k of 4 is less than the instruction's 8"):
        Product(x, False, (0, 1))
    with pytest.raises(ValueError, match="several blocks"):
        product(found(F16, F16, F32, 4))
    with pytest.raises(ValueError, match="k of all steps: 24 is not a power of two"):
        product(x, steps=3)
    with pytest.raises(ValueError, match="16 elements of an access are not shared by 2 steps of 4"):
        wide(x, 16, 2)
