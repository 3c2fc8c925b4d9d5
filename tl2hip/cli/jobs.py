"""Sources through `work`, in one process or in several; the outcomes come in the order of the sources."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from tl2hip.cli.inputs import STDIN, Input
from tl2hip.cli.work import Outcome, Wanted, told, work

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

CHUNK = 8
"""Sources that a process takes at once."""
WARM = 4
"""Sources after which what was imported is put out of the collector's sight."""


def outcomes(sources: Iterable[Input], wanted: Wanted, jobs: int) -> Iterator[Outcome]:
    """What became of each source, in order; at most a few texts are held at a time, however many sources."""
    if jobs == 1:
        yield from _alone(sources, wanted)
        return
    for chunk in _together(iter(sources), wanted, jobs):
        yield from chunk


def _alone(sources: Iterable[Input], wanted: Wanted) -> Iterator[Outcome]:
    for number, source in enumerate(sources):
        yield work(source, wanted)
        if number == WARM:
            _collect_from_now_on()


def _collect_from_now_on() -> None:
    """A long run collects garbage, but leaves out what was imported, and looks once a kernel rather than ten times:
    most of what a conversion makes is alive until its end."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)
    gc.enable()


def _together(sources: Iterator[Input], wanted: Wanted, jobs: int) -> Iterator[list[Outcome]]:
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(jobs, initializer=_collect_from_now_on) as pool:
        waiting: deque[tuple[list[Input], Future[list[Outcome]] | None]] = deque()
        while chunk := list(islice(sources, CHUNK)):
            waiting.append((chunk, _submit(pool, chunk, wanted)))
            if len(waiting) > 2 * jobs:
                yield _result(*waiting.popleft(), wanted)
        while waiting:
            yield _result(*waiting.popleft(), wanted)


def _submit(pool: ProcessPoolExecutor, chunk: list[Input], wanted: Wanted) -> Future[list[Outcome]] | None:
    """The chunk in the hands of the pool; None for stdin, which is read here, and for a pool that is broken."""
    from concurrent.futures.process import BrokenProcessPool

    if any(one.path == STDIN for one in chunk):
        return None
    try:
        return pool.submit(_work_all, chunk, wanted)
    except BrokenProcessPool:
        return None


def _work_all(chunk: list[Input], wanted: Wanted) -> list[Outcome]:
    return [work(one, wanted) for one in chunk]


def _result(chunk: list[Input], future: Future[list[Outcome]] | None, wanted: Wanted) -> list[Outcome]:
    """The outcomes of a chunk; where its process died, each source is tried in a process of its own."""
    from concurrent.futures.process import BrokenProcessPool

    if future is None and any(one.path == STDIN for one in chunk):
        return _work_all(chunk, wanted)
    try:
        if future is not None:
            return future.result()
    except BrokenProcessPool:
        pass  # one of its sources killed it: which, is found below
    return [_apart(one, wanted) for one in chunk]


def _apart(source: Input, wanted: Wanted) -> Outcome:
    """One source in a process of its own."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    from tl2hip.cli.exits import tell
    from tl2hip.source.problems.use import WorkerDied

    with ProcessPoolExecutor(1) as pool:
        try:
            return pool.submit(_work_all, [source], wanted).result()[0]
        except BrokenProcessPool:
            problem = WorkerDied()
            return Outcome(source, told=tell(problem, source.name), rest=(told(problem),), refused=True)
