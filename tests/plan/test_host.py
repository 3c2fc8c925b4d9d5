"""What the launcher reads back: tests of `while`, bounds of loops, branches that depend on the device."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.proofs import convert, prove
from tl2hip.plan.ir import HostIf, HostLoop, HostStmt, HostWhile, Launch, Leave, ReadBack

HOST = Path(__file__).parents[1] / "cases" / "host.py"


def host(name: str) -> tuple[HostStmt, ...]:
    plan = convert(HOST)[name].plan
    assert plan is not None
    return plan.host


def test_a_while_reads_back_the_scalars_of_its_test() -> None:
    _, loop, _ = host("converge")
    assert isinstance(loop, HostWhile)
    err, turns, leave, *_ = loop.body
    assert isinstance(err, ReadBack) and isinstance(turns, ReadBack) and isinstance(leave, Leave)
    assert (err.name, turns.name) == ("err", "turns")


def test_a_loop_of_the_launcher_ends_with_its_flag() -> None:
    _, loop = host("stop")
    assert isinstance(loop, HostLoop)
    flag, leave, *_ = loop.body
    assert isinstance(flag, ReadBack) and leave == Leave(leave.unless)


def test_one_lane_works_out_what_needs_memory() -> None:
    ask, start, stop, loop = host("bounds")
    assert isinstance(ask, Launch) and isinstance(start, ReadBack) and isinstance(stop, ReadBack)
    assert isinstance(loop, HostLoop)
    assert [type(s) for s in loop.body] == [Launch, Launch, ReadBack, HostIf]


FAULTS = {
    "the loop is never left": ("stop", "if (!go)\n            break;", ""),
    "the loop is left at once": ("stop", "if (!go)", "if (go)"),
    "another scalar is read": ("converge", "read_back(&err, err_slot", "read_back(&err, err_parts"),
    "the branch is always taken": ("bounds", "if (holds)", "if (true)"),
    "the bound is one less": ("bounds", "t < t_stop", "t < t_stop - 1"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_found(fault: str) -> None:
    name, right, wrong = FAULTS[fault]
    printed = convert(HOST)[name].printed
    assert printed is not None and printed.text.count(right) == 1
    assert not prove(HOST, name, printed.text.replace(right, wrong), shapes=3, work=3_000, python_work=3_000).good
