"""Functions over many items on any executor; a worker that dies takes nothing with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Failed:
    """What an item came to whose worker died twice, or whose function raised: the exception's name, its words, and
    for a fault of ours where it was."""

    kind: str
    words: str
    where: str = ""


class Here(Executor):
    """An executor that runs what it is given at once, in this process."""

    def submit(self, fn: Callable[..., Result], /, *args: object, **kwargs: object) -> Future[Result]:
        future: Future[Result] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # it is the future's, as with any executor
            future.set_exception(error)
        return future


class Workers:
    """An executor, made anew by `make` when it breaks; `window` items are under way at once. To be closed, as a
    context manager is."""

    def __init__(self, make: Callable[[], Executor], window: int = 4) -> None:
        self.make = make
        self.window = window
        self.pool: Executor | None = None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> Executor:
        """The executor. Raises what making one raises."""
        if self.pool is None:
            self.pool = self.make()
        return self.pool

    def close(self) -> None:
        """Lets go of the workers: what they do now they may end."""
        if self.pool is not None:
            self.pool.shutdown(wait=False)
            self.pool = None

    def each(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[tuple[Item, Result | Failed]]:
        """Each item with what the function gives for it, as they come.

        When a worker dies, what was under way is run again, one item at a time, so that the one at which a worker
        dies again is known; that one has Failed. Where this is left early, nothing else is begun.
        """
        left = iter(items)
        under_way: dict[Future[_Done[Result]], Item] = {}
        lost: list[Item] = []
        try:
            while True:
                for item in islice(left, self.window - len(under_way) if not lost else 0):
                    future = self._submit(function, item)
                    if future is None:
                        lost.append(item)
                        break
                    under_way[future] = item
                if not (under_way or lost):
                    return
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    item = under_way.pop(future)
                    if (done := _result(future)) is None:
                        lost.append(item)
                    else:
                        yield item, done.value
                if lost and not under_way:
                    self.close()
                    for item in lost:
                        yield item, self._alone(function, item)
                    lost = []
        finally:
            for future in under_way:
                future.cancel()

    def _alone(self, function: Callable[[Item], Result], item: Item) -> Result | Failed:
        """An item while nothing else is under way."""
        future = self._submit(function, item)
        done = None if future is None else _result(future)
        if done is None:
            self.close()
            return Failed("WorkerDied", "its worker died twice")
        return done.value

    def _submit(self, function: Callable[[Item], Result], item: Item) -> Future[_Done[Result]] | None:
        """The item in the hands of a worker; None where the pool is broken."""
        try:
            return self.open().submit(_guarded, function, item)
        except RuntimeError:  # BrokenExecutor is one; a pool that another thread closed raises it as well
            return None


@dataclass(frozen=True, slots=True)
class _Done(Generic[Result]):
    """What a worker came to."""

    value: Result | Failed


def _guarded(function: Callable[[Item], Result], item: Item) -> _Done[Result]:
    """The function's result. Whatever it raises is told in plain data: so any exception of a future is its
    worker's."""
    try:
        return _Done(function(item))
    except Exception as error:  # told by whoever asked
        import traceback

        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{frame.filename.rpartition('tl2hip/')[2]}:{frame.lineno} in {frame.name}"
        return _Done(Failed(type(error).__name__, " ".join(str(error).split()), where))


def _result(future: Future[_Done[Result]]) -> _Done[Result] | None:
    """What came of an item; None where its worker died."""
    try:
        return future.result()
    except Exception:  # each kind of executor has its own
        return None
