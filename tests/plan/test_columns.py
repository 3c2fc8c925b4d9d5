"""Columns that are each one reduction: rows shared by the threads of a block, at every size and alignment."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.proofs import convert, prove
from tl2hip.plan.ir import Barrier, HostIf, LoadVector
from tl2hip.plan.walk import all_stmts

COLUMNS = Path(__file__).parent / "columns.py"
SIZES = ((0, 5), (5, 0), (1, 1), (63, 64), (64, 1), (65, 67), (257, 130), (331, 9), (600, 3))
THRESHOLD = ">= 64)"


def _prove(name: str, *, shared: bool, wrong: tuple[str, str] = ("", "")) -> bool:
    """Whether the kernel of one side of the launcher's choice is right at every size."""
    printed = convert(COLUMNS)[name].printed
    assert printed is not None
    assert THRESHOLD in printed.text and wrong[0] in printed.text
    text = printed.text.replace(THRESHOLD, ">= 0)" if shared else "< 0)")
    text = text.replace(*wrong) if wrong[0] else text
    given = tuple({"M": m, "N": n} for m, n in SIZES if m > 0 or name != "doubles")
    report = prove(COLUMNS, name, text, shapes=0, given=given, python_work=2_000)
    print(report.text)
    return report.good


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("name", convert(COLUMNS))
def test_every_size_is_right(name: str, shared: bool) -> None:
    assert _prove(name, shared=shared)


FAULTS = {
    "a missing barrier": ("__syncthreads();  // the partial results are all there", ";"),
    "a dropped tail": ("if (j_first + 1 < N)", "if (j_first + 2 < N)"),
    "a row too few": ("i < M; i += 64) {\n                f32x4", "i < M - 1; i += 64) {\n                f32x4"),
    "rows twice": ("i = M / 256 * 256 + thread_y", "i = thread_y"),
    "a slice too few": ("n < 64; ++n", "n < 63; ++n"),
    "a column past the end": ("mine < 64 && j < N", "mine < 64"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_found(fault: str) -> None:
    assert not _prove("plain", shared=True, wrong=FAULTS[fault])


def test_four_rows_are_under_way() -> None:
    plan = convert(COLUMNS)["halves"].plan
    assert plan is not None
    (choice,) = plan.host
    assert isinstance(choice, HostIf)
    kernel = next(k for k in plan.kernels if any(isinstance(s, Barrier) for s in all_stmts(k.body)))
    assert kernel.block == (16, 64, 1)
    slots = [p.array.shape for p in plan.arrays if p.array.name == "A_vectors"]
    assert [[str(getattr(n, "value", "")) for n in s] for s in slots] == [["4", "8"]]
    assert all(s.streamed for s in all_stmts(kernel.body) if isinstance(s, LoadVector))
