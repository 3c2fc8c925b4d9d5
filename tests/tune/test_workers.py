"""Executors whose workers die, and functions that raise: nothing is lost, and what is at fault is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import distributed
import pytest

from tl2hip.tune.executors import Cluster, NoCluster, processes
from tl2hip.tune.workers import Failed, Here, Workers

DIED = Failed("WorkerDied", "its worker died twice")


def double(n: int) -> int:
    return 2 * n


def raise_at(bad: int, n: int) -> int:
    if n == bad:
        raise ValueError(f"no {n}")
    return 2 * n


def die_at(bad: int, n: int) -> int:
    if n == bad:
        os._exit(1)
    return 2 * n


def die_once(folder: Path, n: int) -> int:
    """The first one to come here ends its process."""
    try:
        (folder / "died").touch(exist_ok=False)
    except FileExistsError:
        return 2 * n
    os._exit(1)


def slowly(folder: Path, n: int) -> int:
    """Leaves the number of its process; takes a while."""
    (folder / f"{n}.{os.getpid()}").touch()
    time.sleep(0.1)
    return 2 * n


def all_of(made: Any, function: Any, items: Sequence[int]) -> dict[int, Any]:
    with Workers(made) as workers:
        found = list(workers.each(function, items))
    assert len(found) == len(items)
    return dict(found)


@pytest.mark.parametrize("jobs", [1, 2])
def test_items_come_with_their_results(jobs: int) -> None:
    assert all_of(processes(jobs), double, range(20)) == {n: 2 * n for n in range(20)}
    found = all_of(processes(jobs), partial(raise_at, 3), range(6))
    failed = found.pop(3)
    assert found == {n: 2 * n for n in range(6) if n != 3}
    assert (failed.kind, failed.words) == ("ValueError", "no 3") and "in raise_at" in failed.where


def test_an_item_that_kills_its_worker_is_told_and_the_others_are_done() -> None:
    found = all_of(lambda: ProcessPoolExecutor(2), partial(die_at, 2), range(8))
    assert found == {n: DIED if n == 2 else 2 * n for n in range(8)}


def test_a_worker_that_is_killed_takes_nothing_with_it(tmp_path: Path) -> None:
    found = all_of(lambda: ProcessPoolExecutor(2), partial(die_once, tmp_path), range(8))
    assert (tmp_path / "died").exists() and found == {n: 2 * n for n in range(8)}


FIRST = """
import signal, sys
from tests.tune.test_workers import slowly_for_long
from tl2hip.tune.executors import processes
from tl2hip.tune.workers import Workers
from contextlib import suppress
from functools import partial
from pathlib import Path
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs inherit that it is ignored
    with Workers(processes(2)) as workers:
        list(workers.each(partial(slowly_for_long, Path(sys.argv[1])), range(2)))
"""


def slowly_for_long(folder: Path, n: int) -> None:
    """Leaves the number of its process; takes longer than any test."""
    (folder / f"{n}.{os.getpid()}").touch()
    time.sleep(1000)


def is_running(pid: int) -> bool:
    """Whether a process is there; one that ended and that nobody has asked about is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
@pytest.mark.parametrize("ended", ["killed", "interrupted"])
def test_workers_end_at_once_with_the_first_process(tmp_path: Path, ended: str) -> None:
    root = Path(__file__).parents[2]
    run = [sys.executable, "-c", FIRST, str(tmp_path)]
    first = subprocess.Popen(run, cwd=root, start_new_session=True, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 60
        while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < until:
            time.sleep(0.05)
        pids = [int(path.suffix[1:]) for path in tmp_path.iterdir()]
        assert len(pids) == 2 and all(map(is_running, pids))
        if ended == "killed":
            first.kill()
        else:
            os.killpg(first.pid, signal.SIGINT)  # as a terminal does
        first.wait(60)
        until = time.monotonic() + 60
        while any(map(is_running, pids)) and time.monotonic() < until:
            time.sleep(0.05)
        assert not any(map(is_running, pids))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(first.pid, signal.SIGKILL)


def test_workers_can_be_used_again_after_one_died() -> None:
    with Workers(lambda: ProcessPoolExecutor(1)) as workers:
        assert dict(workers.each(partial(die_at, 0), [0])) == {0: DIED}
        assert dict(workers.each(double, [1, 2])) == {1: 2, 2: 4}


def test_leaving_early_begins_nothing_more(tmp_path: Path) -> None:
    with Workers(lambda: ProcessPoolExecutor(1)) as workers:
        for _ in workers.each(partial(slowly, tmp_path), range(50)):
            break
    time.sleep(0.5)
    assert len(list(tmp_path.iterdir())) < 20


def test_an_executor_of_this_process_runs_at_once() -> None:
    with Here() as here:
        assert here.submit(double, 4).result() == 8
        assert isinstance(here.submit(double, None).exception(), TypeError)


def test_a_dask_worker_that_is_killed_midway_loses_nothing(tmp_path: Path) -> None:
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as two:
        pids = {worker.pid for worker in two.workers.values()}
        assert len(pids) == 2
        found: dict[int, Any] = {}
        killed = 0
        with Workers(lambda: Cluster(f"dask:{two.scheduler_address}"), window=64) as workers:
            for item, result in workers.each(partial(slowly, tmp_path), range(30)):
                assert item not in found
                found[item] = result
                if len(found) == 6:
                    killed = int(next(tmp_path.iterdir()).suffix[1:])
                    os.kill(killed, signal.SIGKILL)
        assert killed in pids and found == {n: 2 * n for n in range(30)}


def test_a_cluster_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NoCluster, match="write dask:ADDRESS"):
        Cluster("slurm:here")
    with pytest.raises(NoCluster, match="no scheduler answers at tcp://127.0.0.1:1"):
        Cluster("dask:tcp://127.0.0.1:1", seconds=1)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(NoCluster, match=r'pip install "tl2hip\[cluster\]"'):
        Cluster("dask:tcp://127.0.0.1:1")
