"""What attention on matrix cores gives, on the emulated compute unit and by its machine code."""

from __future__ import annotations

import pytest

from tests.plan.attention.sources import Attend, converted
from tests.plan.matmul.products import multiplying, plan, proven
from tl2hip import api
from tl2hip.source.span import Source

SIZES = {"H": 2, "S": 5, "T": 131, "G": 1}
"""Two whole tiles of keys and a part."""
RAGGED = {"H": 1, "S": 135, "T": 139, "G": 1}
"""Rows of which some have whole tiles of keys, and others parts."""

KINDS = {
    "halves": Attend(),
    "weights in f32": Attend(narrow="", result="f16"),
    "bf16": Attend("bf16", "bf16", "bf16", "bf16", score="s * scale", parameters="scale: f32"),
    "bf16 and weights in f32": Attend(t="bf16", values="bf16", narrow=""),
    "no factor": Attend(score="s"),
    "a factor of the launch": Attend(score="s * scale", parameters="scale: f32"),
    "a quotient": Attend(score="s / math.sqrt(64)"),
    "a bias": Attend(score="s * f32(0.125) + f32(bias[h, j])", parameters="bias: Tensor[f16, H, T]"),
    "a mask": Attend(score="s * f32(0.125) if j <= i + 3 else f32(-math.inf)"),
    "slopes": Attend(score="s * f32(0.125) - slope[h] * f32(i - j)", parameters="slope: Tensor[f32, H]"),
    "causal": Attend(keys="i + 1", check="S <= T"),
    "causal, the last keys": Attend(keys="T - S + i + 1", check="S <= T", t="bf16", values="bf16", narrow="bf16"),
    "a window": Attend(keys="max(0, i - 99), i + 1", check="S <= T", score="s * scale", parameters="scale: f32"),
    "heads that share keys": Attend(heads="G", head="h // 2", check="H == G * 2"),
    "the row's own sums": Attend(
        row="lse[h, i] = m + np.log(total)", element="o * (f32(1) / total)", parameters="lse: Tensor[f32, H, S]"
    ),
    "wide rows": Attend(depth=128, width=128, result="f16"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_attention_is_within_its_bound(kind: str) -> None:
    k = converted(KINDS[kind])
    assert multiplying(k) == ["kernel_aligned", "kernel"], plan(k).misses
    machine = kind in ("halves", "bf16", "causal")
    ragged = KINDS[kind].keys != "T"
    modes = ("edges",) if ragged else ("normal", "edges", "one-hot")
    report = proven(k, RAGGED if ragged else SIZES, modes=modes, machine=machine)
    assert report.good, report.text


@pytest.mark.parametrize("sizes", [{"S": 1, "T": 1}, {"S": 129, "T": 64}, {"S": 3, "T": 0}, {"S": 0, "T": 3}])
def test_attention_of_any_size(sizes: dict[str, int]) -> None:
    report = proven(converted(Attend()), {"H": 1, **sizes}, modes=("integers", "normal"))
    assert report.good, report.text


def test_results_in_place_of_queries_wait_for_all_lanes() -> None:
    text = Attend(result="f16").text.replace("out[h, i, e] =", "Q[h, i, e] =")
    (k,) = api.convert(Source("k.py", text)).kernels
    assert isinstance(k, api.Converted) and k.printed is not None
    assert multiplying(k) == ["kernel_aligned", "kernel"], plan(k).misses
    report = proven(k, {**SIZES, "T": 0}, SIZES, modes=("integers", "normal"))
    assert report.good, report.text
    wait = "lds_barrier();  // every lane has its row"
    assert not proven(k, {**SIZES, "T": 0}, text=k.printed.text.replace(wait, "")).good


FAULTS = {
    "a tile is read as it is written": ("lds_barrier();  // the tile is in LDS", ""),
    "a tile is written as it is read": ("lds_barrier();  // every wave is done with the tile before", ""),
    "keys past the end count": ("< left ?", "<= left ?"),
    "sums are not brought to a new base": ("sums[c] *= rescale;", ""),
    "the total is not brought to a new base": ("total_parts *= rescale;", ""),
    "the base stays behind": ("if (greatest > base + room)", "if (greatest > base + 8.0f * room)"),
    "the maximum is one lane's": ("greatest = greatest_f32(greatest, other_half(greatest, threadIdx.x));", ""),
    "the total is one lane's": ("total += other_half(total, threadIdx.x);", ""),
    "a tile is left out": ("first < whole; first += 64", "first < whole - 64; first += 64"),
    "the halves of a fragment are exchanged": ("part_V[slice % 2][c].lo, ", "part_V[slice % 2][c].hi, "),
    "rows past the end are read": ("min_i64(i, S - 1)", "min_i64(i, S)"),
}  # fmt: skip

STEEP = Attend(score="s * f32(4)")
"""Scores so far apart that a later tile moves the base."""
OF_BASES = tuple(fault for fault in FAULTS if "to a new base" in fault or "base stays" in fault)


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_fault_is_found(fault: str) -> None:
    k = converted(STEEP if fault in OF_BASES else Attend())
    assert k.printed is not None
    old, new = FAULTS[fault]
    start = k.printed.text.index("attend_kernel_aligned(")
    at = k.printed.text.index(old, start)
    text = k.printed.text[:at] + new + k.printed.text[at + len(old) :]
    assert not proven(k, SIZES, {"H": 1, "S": 40, "T": 200}, text=text).good


def test_a_value_that_is_no_number_stays_with_its_rows() -> None:
    k = converted(KINDS["causal"])
    assert k.printed is not None
    text = k.printed.text.replace("if (odd == odd)", "if (true)")
    assert not proven(k, RAGGED, modes=("edges",), text=text).good


def test_places_in_large_arrays_are_told_in_64_bits() -> None:
    k = api.convert(Source("k.py", Attend().text), api.Options(sets={"H": 4096, "T": 8192})).kernels[0]
    assert k.printed is not None
    assert "const i64 h = " in k.printed.text and "const i64 next = first + 64;" in k.printed.text
    assert "&K[(h * 8192 + next) * 64]" in k.printed.text and "const i64 i = " in k.printed.text


MISSES = {
    "mixed": (Attend(t="bf16", values="f16", narrow="bf16", score="s if P[0] > 0 else -s"), "read by more than"),
    "rounded": (Attend(narrow="", score="f32(f16(s))", element="o / total + P[0]"), "read by more than"),
    "odd rows": (Attend(depth=40), "rows of 40 elements"),
}


@pytest.mark.parametrize("kind", MISSES)
def test_what_is_no_attention_is_told(kind: str) -> None:
    case, words = MISSES[kind]
    k = converted(case)
    told = [m.why for m in plan(k).misses if m.plan == "attention"]
    assert told and words in told[0]
