"""Matrix times vector: four rows a wave where they are many, one a block where they are few."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.proofs import convert, prove
from tl2hip.plan.ir import Combine, HostIf, LoadVector, Plan
from tl2hip.plan.walk import all_stmts

MATVECS = Path(__file__).parent / "matvecs.py"
SIZES = ((0, 5), (5, 0), (1, 1), (3, 7), (17, 64), (5, 257), (2, 4099), (4, 8192), (37, 130))
THRESHOLD = ">= 8192"


def _plan(name: str) -> Plan:
    plan = convert(MATVECS)[name].plan
    assert plan is not None
    return plan


def _prove(name: str, *, waves: bool, wrong: tuple[str, str] = ("", "")) -> bool:
    """Whether the kernel of one side of the launcher's choice is right at every size."""
    printed = convert(MATVECS)[name].printed
    assert printed is not None
    assert THRESHOLD in printed.text and wrong[0] in printed.text
    text = printed.text.replace(THRESHOLD, ">= 0" if waves else "< 0")
    text = text.replace(*wrong) if wrong[0] else text
    given = tuple({"M": m, "N": n} for m, n in SIZES)
    report = prove(MATVECS, name, text, shapes=0, given=given, python_work=2_000)
    print(report.text)
    return report.good


@pytest.mark.parametrize("waves", [True, False])
@pytest.mark.parametrize("name", convert(MATVECS))
def test_every_size_is_right(name: str, waves: bool) -> None:
    assert _prove(name, waves=waves)


WAVE_FAULTS = {
    "a row past the end": ("i < M) {  // a lane", "i <= M) {  // a lane"),
    "rows mixed up": ("thread_x == 2 ? s_part_2", "thread_x == 2 ? s_part_1"),
    "a dropped tail": ("if (j < N) {", "if (j < N - 1) {"),
    "a swapped lane": ("from_lane<0x4e>", "from_lane<0xb1>"),
    "a vector too few": ("j_vector < N / 4; j_vector += 64", "j_vector < N / 4 - 1; j_vector += 64"),
}
BLOCK_FAULTS = {
    "a missing barrier": ("parts[thread / 64] = x;\n    __syncthreads();", "parts[thread / 64] = x;"),
    "a piece forgotten": ("j_tile += 1024", "j_tile += 2048"),
    "a piece twice": ("j_vector = N / 4 / 1024 * 1024 + thread_x", "j_vector = N / 4 / 1024 * 1024 - 1 + thread_x"),
}


@pytest.mark.parametrize("fault", WAVE_FAULTS)
def test_planted_faults_of_waves_are_found(fault: str) -> None:
    assert not _prove("plain", waves=True, wrong=WAVE_FAULTS[fault])


@pytest.mark.parametrize("fault", BLOCK_FAULTS)
def test_planted_faults_of_blocks_are_found(fault: str) -> None:
    assert not _prove("plain", waves=False, wrong=BLOCK_FAULTS[fault])


def test_the_matrix_is_streamed_and_the_vector_kept() -> None:
    plan = _plan("plain")
    (choice,) = plan.host
    assert isinstance(choice, HostIf)
    waves, block = plan.kernels
    for kernel in (waves, block):
        moved = {s.array: s.streamed for s in all_stmts(kernel.body) if isinstance(s, LoadVector)}
        assert moved == {"A": True, "x": False}
    assert [s.threads for s in all_stmts(waves.body) if isinstance(s, Combine)] == [64] * 4
    assert [s.threads for s in all_stmts(block.body) if isinstance(s, Combine)] == [256]


def test_sums_are_told_as_trees() -> None:
    tree = dict(_plan("plain").trees)["j"]
    assert (tree.threads, tree.width, tree.others[0].threads) == (64, 4, 256)
