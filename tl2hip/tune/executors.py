"""Where searches run: in this process, in processes of this machine, on a cluster."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from importlib import import_module
from typing import TypeVar

from tl2hip.tune.workers import Here

Result = TypeVar("Result")

WAIT = 10
"""Seconds until a scheduler must have answered."""
HOW_TO_GET_DASK = 'install the extra: pip install "tl2hip[cluster]"'


class NoCluster(Exception):
    """A cluster cannot be used; the text says why."""


def processes(jobs: int) -> Callable[[], Executor]:
    """So many processes of this machine; one is this process itself."""
    if jobs == 1:
        return Here
    from concurrent.futures import ProcessPoolExecutor

    return lambda: ProcessPoolExecutor(jobs, initializer=_depend)


def _depend() -> None:
    """Lets this process end with the first one: an interruption from the keyboard, which reaches all, ends it, and
    it notices when the first one is killed."""
    import signal
    from threading import Thread

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    import os
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


class Cluster(Executor):
    """The workers of `dask:ADDRESS`, a scheduler of Dask's that answers in so many seconds. tl2hip and a compiler
    must be there on each of them.

    Raises NoCluster.
    """

    def __init__(self, named: str, seconds: int = WAIT) -> None:
        kind, _, address = named.partition(":")
        if kind != "dask" or not address:
            raise NoCluster(f"{named!r} names no cluster; write dask:ADDRESS, as in dask:tcp://10.0.0.1:8786")
        try:
            self.client = import_module("distributed").Client(address, timeout=seconds)
        except ModuleNotFoundError:
            raise NoCluster(f"Dask is not installed; {HOW_TO_GET_DASK}") from None
        except (OSError, ValueError) as error:  # no answer in time is an OSError
            raise NoCluster(f"no scheduler answers at {address}: {error}") from None
        self.workers: Executor = self.client.get_executor()

    def submit(self, fn: Callable[..., Result], /, *args: object, **kwargs: object) -> Future[Result]:
        return self.workers.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.workers.shutdown(wait)
        self.client.close()
