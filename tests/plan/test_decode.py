"""Decode attention: which nests are it, how blocks share its keys, and that all ways give what Python gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.proofs import convert, prove
from tl2hip.plan.ir import Plan

SPELLED = Path(__file__).parent / "decodes.py"
PAGES = '''\
import math

import numpy as np

from tl2hip import Tensor, bf16, dims, f16, f32, i32, kernel

B, P, W = dims("B P W")


@kernel
def pages(
    q: Tensor[{t}, B, {heads}, {size}],
    keys: Tensor[{t}, P, {page}, {kv}, {size}],
    values: Tensor[{t}, P, {page}, {kv}, {size}],
    table: Tensor[i32, B, W],
    lengths: Tensor[i32, B],
    out: Tensor[f32, B, {heads}, {size}],
) -> None:
    for b in range(B):
        for h in range({heads}):
            p = np.empty(W * {page}, dtype=np.float32)
            for j in range(lengths[b]):
                s = f32(0)
                for d in range({size}):
                    s += f32(q[b, h, d]) * f32(keys[table[b, j // {page}], j % {page}, h // {group}, d])
                p[j] = s * f32(0.0625)
            m = f32(-math.inf)
            for j in range(lengths[b]):
                m = max(m, p[j])
            total = f32(0)
            for j in range(lengths[b]):
                total += np.exp(p[j] - m)
            for e in range({size}):
                acc = f32(0)
                for j in range(lengths[b]):
                    acc += np.exp(p[j] - m) * f32(values[table[b, j // {page}], j % {page}, h // {group}, e])
                out[b, h, e] = acc / total
'''
"""Heads that share keys in groups of any size, rows and pages of any length."""


def plan_of(name: str) -> Plan:
    found = convert(SPELLED)[name].plan
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["paged", "contiguous", "windowed", "any_page", "running", "opening"])
def test_found(name: str) -> None:
    """Keys in pages or not, weights stored or not, three to twenty heads that share keys."""
    kernels = {k.name for k in plan_of(name).kernels}
    assert kernels >= {f"{name}_kernel_whole", f"{name}_kernel_slices", f"{name}_merge"}


@pytest.mark.parametrize("name", ["contiguous", "windowed", "any_page"])
def test_right(name: str) -> None:
    """All kernels run, of whole rows and of slices, and give what Python gives."""
    report = prove(SPELLED, name, shapes=2, large=3, modes=("normal", "edges"), machine=True)
    assert report.good, report
    assert all(report.ran.values()), report


def one_block_a_row(name: str) -> str:
    """The text of a kernel whose launcher never slices keys, so that waves take many steps."""
    (done,) = (k for k in convert(SPELLED).values() if k.name == name)
    assert done.printed is not None
    text = done.printed.text.replace("max_i64(912 / ", "max_i64(1 / ")
    assert text != done.printed.text
    return text


@pytest.mark.parametrize(
    ("name", "sizes"), [("contiguous", {"B": 2, "N": 601}), ("any_page", {"B": 1, "P": 5, "S": 16, "W": 40})]
)
def test_many_steps(name: str, sizes: dict[str, int]) -> None:
    """Waves bring what they summed to a new maximum at each step."""
    modes = ("normal", "integers", "edges")
    text = one_block_a_row(name)
    report = prove(SPELLED, name, text, shapes=0, large=0, given=(sizes,), modes=modes, machine=True)
    assert report.good, report


FAULTS = {
    "a key too many": (" < stop ? ", " <= stop ? "),
    "a lane's own maximum": ("greatest = greatest_f32(greatest, other_quarter(greatest, threadIdx.x));", ""),
    "sums left at the old maximum": ("sums[x][g] = sums[x][g] * rescale;", ""),
    "a part's total left out": ("total_of_lane += other_half(total_of_lane, threadIdx.x);", ""),
    "values of another lane": ("quarter * 4 + g < left", "quarter * 4 + 3 - g < left"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_seen(fault: str) -> None:
    """What a kernel may do wrong is told, so that a report that says good means something."""
    right, wrong = FAULTS[fault]
    text = one_block_a_row("contiguous")
    assert right in text
    given = ({"B": 2, "N": 601},)
    text = text.replace(right, wrong)
    report = prove(SPELLED, "contiguous", text, shapes=0, large=0, given=given, modes=("normal", "one-hot"))
    assert not report.good, report


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("running", ({"B": 3, "P": 9, "W": 1}, {"B": 1, "P": 3, "W": 17})),
        ("opening", ({"B": 5, "N": 3}, {"B": 2, "N": 601})),
    ],
)
def test_running_maximum(name: str, given: tuple[dict[str, int], ...]) -> None:
    """One pass of the user's own is taken as passes, and NaN of a first score of -inf is his, over all slices."""
    report = prove(SPELLED, name, shapes=0, large=0, given=given, modes=("normal", "edges"), machine=True)
    assert report.good, report
    assert all(report.ran.values()), report
    assert not [p for p in report.problems if p.code == "TL721"], report


def test_the_first_score_is_asked_for() -> None:
    """A kernel that forgets the first score gives NaN where Python gives a number."""
    (done,) = (k for k in convert(SPELLED).values() if k.name == "opening")
    assert done.printed is not None
    right = "first_of_lane = greatest_f32(first_of_lane, scores"
    assert right in done.printed.text
    text = done.printed.text.replace(right, "greatest_f32(first_of_lane, scores")
    assert "first == -__builtin_inff() ? __builtin_nanf" in text
    given = ({"B": 5, "N": 40},)
    report = prove(SPELLED, "opening", text, shapes=0, large=0, given=given, modes=("normal", "edges"))
    assert not report.good, report


def test_lengths() -> None:
    """No key, one, a page, and one key more than all waves of a block take at a time."""
    given = ({"B": 5, "P": 9, "W": 1}, {"B": 1, "P": 3, "W": 17}, {"B": 1, "P": 0, "W": 1})
    report = prove(SPELLED, "paged", shapes=0, large=0, given=given, modes=("normal",), machine=True)
    assert report.good, report
    assert all(report.ran.values()), report


@pytest.mark.slow
@pytest.mark.parametrize(
    ("t", "group", "kv", "size", "page"),
    [
        ("f16", 7, 2, 256, 64), ("bf16", 6, 1, 128, 32), ("f16", 16, 1, 256, 128), ("bf16", 5, 2, 96, 8),
        ("f16", 1, 3, 128, 16), ("bf16", 3, 2, 64, 1), ("f16", 24, 2, 64, 48),
    ],
)  # fmt: skip
def test_groups_and_pages(t: str, group: int, kv: int, size: int, page: int, tmp_path: Path) -> None:
    path = tmp_path / "pages.py"
    path.write_text(PAGES.format(t=t, heads=group * kv, group=group, kv=kv, size=size, page=page))
    given = ({"B": 2, "P": 5, "W": 5}, {"B": 3, "P": 3, "W": 300 // page})
    modes = ("normal", "integers", "edges")
    report = prove(path, "pages", shapes=0, large=0, given=given, modes=modes, machine=True)
    assert report.good, report
    assert any("merge" in name for c in report.cases for name in c.kernels), report
