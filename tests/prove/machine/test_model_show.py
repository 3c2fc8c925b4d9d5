"""What the model prints: that it ranks, its parameters, where waves wait; and whether an order holds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.prove.machine.modelled import lines, looped, products
from tl2hip.prove.machine.library import MachineLibrary
from tl2hip.prove.machine.model import (
    STANDARD,
    STREAMING,
    Cause,
    Result,
    Settings,
    Trace,
    model,
    modelled,
    ranking,
    show,
)
from tl2hip.prove.machine.model.show import RANKS

GOLDEN = Path(__file__).parents[3] / "golden"
LOAD = "global_load_dwordx4 v[120:123], v[124:125], off"
ASSUMED = "Scalar loads take 200 clk; transcendentals do not go beneath matrix instructions."
SAID = {"global_load_dwordx4": {"requests": 16, "bytes": 1024}}


def work(loads: int, matrices: int, *, late: bool = False, launched: int = 1) -> Trace:
    """A loop of loads and of matrix instructions: those come before the wait for these, or after it."""
    product = products("v_mfma_f32_16x16x16_f16", 4, 4)
    parts = [LOAD] * loads, [product] * matrices
    order = (*parts[0], "s_waitcnt vmcnt(0)", *parts[1]) if late else (*parts[0], *parts[1], "s_waitcnt vmcnt(0)")
    return replace(looped(lines(*order), 20, 4, SAID), grid=(launched, 1, 1))


def results(trace: Trace, settings: tuple[Settings, ...] = STANDARD) -> list[Result]:
    return [model(trace, one, resident=1, blocks=1) for one in settings]


def test_what_is_printed_of_a_kernel() -> None:
    text = show(results(work(1, 4, late=True)), places=2)
    head = "k at latency 200 clk, 54 B/clk: 1 blocks of 4 waves at once, 1 in all"
    assert text.startswith(f"{RANKS}\n{ASSUMED}\n\n{head}\n  whole: ")
    assert [line for line in text.splitlines() if line.startswith("k at")] == [
        f"k at {one}: 1 blocks of 4 waves at once, 1 in all" for one in STANDARD
    ]
    overlap = show(results(work(1, 4), (Settings(scalar_latency=50, transcendental_overlaps=True),)))
    assert "Scalar loads take 50 clk; transcendentals go beneath matrix instructions." in overlap
    first = text.split("\n\n")[1].splitlines()
    assert first[3].startswith("  loop .L0 (line 2): ") and "clk an iteration, MFMA " in first[3]
    assert first[4].startswith("    while all waves are in it: MFMA ")
    assert any("before line 3: s_waitcnt vmcnt(0) (vmcnt)" in line for line in first)


def test_an_order_that_holds_and_one_that_turns() -> None:
    few, many = results(work(1, 20)), results(work(1, 60))
    text = ranking({"many": many, "few": few}).splitlines()
    assert text[:2] == [RANKS, ASSUMED] and text[-1] == "The order is the same at all settings."
    assert text[2].startswith("latency 200 clk, 54 B/clk: few 1.00 < many ")
    # Much memory and few products, against the other way round: bandwidth decides.
    small, large = results(work(6, 6)), results(work(1, 9))
    text = ranking({"small": small, "large": large}).splitlines()
    assert "small 1.00" in text[2] and "large 1.00" in text[4]
    assert text[-1] == "The order turns with the memory's settings: small and large."


def test_latency_alone_turns_an_order() -> None:
    """One waits for its loads, the other has them hidden but more to do: latency decides."""
    settings = (Settings(100, 54.0), Settings(1200, 54.0))
    exposed, hidden = results(work(1, 6, late=True), settings), results(work(1, 14), settings)
    assert "turns with the memory's settings" in ranking({"exposed": exposed, "hidden": hidden})


def test_what_is_not_told_apart() -> None:
    one, other = results(work(1, 20)), results(work(1, 21))
    text = ranking({"one": one, "other": other}).splitlines()
    assert all(" ~ " in line for line in text[2:5])
    # More blocks of a task count.
    twice = results(work(1, 20, launched=2))
    assert "one 1.00 < twice 2.00" in ranking({"twice": twice, "one": one})
    with pytest.raises(ValueError, match="same settings"):
        ranking({"one": one, "other": other[:1]})


def golden(name: str, *args: Any, settings: tuple[Settings, ...] = STANDARD) -> tuple[Result, ...]:
    with MachineLibrary((GOLDEN / name / "kernel.hip").read_text("utf-8"), detect=False) as library:
        return modelled(library, name, args, settings=settings)


def test_the_matrix_product_is_bound_by_its_matrix_units() -> None:
    M = N = 128
    K = 1024
    A, B = np.ones((M, K), np.float16), np.ones((K, N), np.float16)
    found = golden("gemm", A, B, np.zeros((M, N), np.float32), np.int64(M), np.int64(K), np.int64(N))
    assert [one.settings for one in found] == list(STANDARD)
    for one in found:
        assert one.kernel.name == "gemm_kernel_aligned" and one.resident == 2 and one.hot is not None
        assert one.hot.together is not None and 0.8 < one.hot.together.mfma < 0.99
        assert one.hot.source and any("ds_read_b128" in place.text for place in one.hot.places)
    assert found[0].busy.memory < 0.75 * found[2].busy.memory


def test_a_sum_of_arrays_is_bound_by_memory() -> None:
    N = 1 << 16
    found = golden("add", *(np.ones(N, np.float32) for _ in range(3)), np.int64(N))
    assert all(one.busy.memory > 0.95 and one.share(Cause.VMCNT) > 0.8 for one in found)
    assert found[2].clocks == pytest.approx(2 * found[0].clocks, rel=0.02)


def test_a_softmax_is_bound_by_memory_where_its_rows_come_from_afar() -> None:
    M, N = 8, 4096
    args = np.ones((M, N), np.float32), np.zeros((M, N), np.float32), np.int64(M), np.int64(N)
    near, far = golden("softmax", *args, settings=(STANDARD[0], STREAMING))
    assert near.busy.valu > 0.7 > 0.5 > near.busy.memory
    assert far.busy.memory > 0.7 and far.share(Cause.VMCNT) > 0.5
