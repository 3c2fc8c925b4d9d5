"""`tl2hip tune`: which marks make kernels best, searched and ranked; with `--apply` written into the file."""

from __future__ import annotations

import argparse
import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tl2hip.cli import outputs, talk
from tl2hip.cli.arguments import add_choice, count, extent, pairs
from tl2hip.cli.exits import FINE, FOUND, INTERNAL, Stop, misused
from tl2hip.cli.exits import tell as tell_problem
from tl2hip.cli.inputs import STDIN, Input, is_several
from tl2hip.cli.reading import each_file, files, wanted
from tl2hip.cli.work import Wanted

if TYPE_CHECKING:
    from tl2hip.api import Conversion, Converted
    from tl2hip.tune.search import Found
    from tl2hip.tune.space import Space
    from tl2hip.tune.task import Task
    from tl2hip.tune.workers import Workers

BUDGET = 48
"""Candidates that are judged where nobody says how many: a matrix product takes a minute or two on two cores."""
WRITABLE = 0o222
"""The bits of a file's mode that let it be written."""
UNDER_WAY = 256
"""Candidates that are under way at once on a cluster."""


def add(parser: argparse.ArgumentParser) -> None:
    """The options of `tune`."""
    parser.add_argument("paths", metavar="FILE", nargs="+", help="a Python file, or a folder of them")
    add_choice(parser)
    group = parser.add_argument_group("what is searched")
    sizes: dict[str, Any] = {"dest": "sizes", "type": extent, "nargs": "+", "action": "extend"}
    told = "the sizes of the launch that is looked at; the kernel stays general"
    group.add_argument("--for", metavar="M=4096", help=told, **sizes)
    group.add_argument("--marks", metavar="NAME,…", default="", help="only these marks; tile is the tiles' sizes")
    group.add_argument("--keep", action="store_true", help="keep the marks that are there, and add others")
    group.add_argument("--budget", metavar="N", type=count, default=BUDGET, help=f"judge at most N ({BUDGET})")
    every = "judge every combination of marks that lose no faster plan"
    group.add_argument("--exhaustive", action="store_true", help=every)
    group = parser.add_argument_group("how it runs, and what comes of it")
    jobs = f"search in N processes ({cores()})"
    group.add_argument("--jobs", metavar="N", type=count, default=cores(), help=jobs)
    group.add_argument("--executor", metavar="dask:ADDRESS", default="", help="search on a cluster")
    group.add_argument("--top", metavar="N", type=count, default=5, help="tell the best N (5)")
    group.add_argument("--json", action="store_true", help="one JSON object a kernel")
    group.add_argument("--apply", action="store_true", help="write the best marks into the file")
    parser.epilog = (
        "What is judged is kept: the same search goes on where it ended, also one that was interrupted.\n"
        "Your Python is not run. The ranking is a model's; nothing here is a time."
    )


def cores() -> int:
    """Processor cores that this process may use."""
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(args: argparse.Namespace) -> int:
    """Searches, prints and applies; the exit code."""
    from tl2hip.prove.compiler import MissingCompiler, compiler
    from tl2hip.prove.emulate import unsupported
    from tl2hip.tune.space import VALUES

    if args.tile:
        raise misused("tune searches tile sizes", "write the size into the file and give --keep")
    if args.apply and STDIN in args.paths:
        raise misused("--apply writes into a file", "give the file by its name")
    marks = tuple(name.strip() for name in args.marks.split(",")) if args.marks else tuple(VALUES)
    if strange := [name for name in marks if name not in VALUES]:
        raise misused(f"--marks {strange[0]} is no mark that is searched", f"choose among {', '.join(VALUES)}")
    args.sizes = pairs(args.sizes or (), "--for")
    try:
        compiler()
    except MissingCompiler as error:
        raise Stop(f"tl2hip: nothing can be judged here: {error}") from None
    if why := unsupported():
        raise Stop(f"tl2hip: nothing can be judged here: {why}")
    seen: set[str] = set()
    with _workers(args) as workers:

        def one(source: Input, done: Conversion, given: Wanted) -> int:
            seen.update(name for k in done.kernels if k.nest for name in k.nest.dims)
            if not is_several(args.paths):
                _check_sizes(args.sizes, seen)
            return _tune(source, done, given, args, marks, workers)

        code = each_file(files(args.paths, args), wanted(args), one)
    _check_sizes(args.sizes, seen)
    return code


def _check_sizes(given: Collection[str], known: Collection[str]) -> None:
    """Raises Stop where `--for` names what no kernel has."""
    if strange := [name for name in given if name not in known]:
        way = f"they have {', '.join(sorted(known))}" if known else "sizes that are fixed are set with --set"
        raise misused(f"--for {strange[0]} is the extent of nothing in these kernels", way)


def _workers(args: argparse.Namespace) -> Workers:
    """Who searches. Raises Stop where that is a cluster that cannot be used."""
    from tl2hip.tune.executors import Cluster, NoCluster, processes
    from tl2hip.tune.workers import Workers

    if not args.executor:
        return Workers(processes(args.jobs), 2 * args.jobs)
    workers = Workers(lambda: Cluster(args.executor), UNDER_WAY)
    try:
        workers.open()
    except NoCluster as error:
        raise misused(f"--executor: {error}", "or leave it out: then processes of this machine search") from None
    return workers


def _tune(
    source: Input,
    done: Conversion,
    given: Wanted,
    args: argparse.Namespace,
    marks: Sequence[str],
    workers: Workers,
) -> int:
    """Tunes the kernels of one file; the exit code."""
    code, text = FINE, done.source.text
    for kernel in done.kernels:
        found = _kernel(source, done, kernel, given, args, marks, workers)
        if found is None or not found.ranked:
            code = max(code, FOUND)
        elif args.apply and found.start is not found.ranked[0].judged:
            from tl2hip.tune.write import write

            text = write(text, kernel.name, dict(found.ranked[0].candidate))
        if found is not None and any(one.where for one in found.failed):
            code = INTERNAL
    if text != done.source.text:
        code = max(code, _apply(source, done.source.text, text))
    return code


def _kernel(
    source: Input,
    done: Conversion,
    kernel: Converted,
    given: Wanted,
    args: argparse.Namespace,
    marks: Sequence[str],
    workers: Workers,
) -> Found | None:
    """Searches for one kernel and tells what was found; None where there is nothing to search, which is told."""
    from tl2hip.source.problems.use import NothingToMark
    from tl2hip.tune import report
    from tl2hip.tune.space import space
    from tl2hip.tune.task import Task, sizes_for
    from tl2hip.tune.write import stated

    one = space(stated(done.source.text, kernel.name), marks, args.keep)
    if not (one.choices or one.orders):
        talk.tell(tell_problem(NothingToMark(kernel.name), source.name))
        return None
    assert kernel.plan is not None
    try:
        sizes = sizes_for(kernel.plan.nest, args.sizes)
    except ValueError as error:
        raise Stop(f"tl2hip: {kernel.name} cannot be tuned: {error}; choose sizes with --for") from None
    task = Task(
        source.name, done.source.text, kernel.name,
        tuple(given.sets.items()), given.rules, tuple(given.types.items()), tuple(sizes.items()),
    )  # fmt: skip
    found = _search(task, one, args, workers)
    if args.json:
        outputs.print_out(json.dumps({"file": source.name, **report.data(found, task, args.top)}) + "\n")
    else:
        outputs.print_out("\n".join(report.lines(found, task, args.top)) + "\n")
    for failed in found.failed:
        if failed.where:
            talk.tell(f"tl2hip: internal error: {failed.kind}: {failed.words}\n  at {failed.where}")
    return found


def _search(task: Task, one: Space, args: argparse.Namespace, workers: Workers) -> Found:
    from tl2hip.tune.executors import NoCluster
    from tl2hip.tune.search import Fatal, search
    from tl2hip.tune.store import NotKept, lost_folder, store_of

    if lost := lost_folder():
        talk.tell(f"tl2hip: {lost} cannot be written: what is judged is kept for this run only")
    progress = talk.Progress()
    budget = None if args.exhaustive else args.budget
    try:
        store = store_of(task)
        if store.damaged:
            lines = f"{store.damaged} damaged line{'s' * (store.damaged > 1)}"
            talk.tell(f"tl2hip: {lines} of {store.path} left out: judged again")
        return search(task, one, workers, store, budget=budget, tell=progress.bar)
    except Fatal as error:
        raise Stop(f"tl2hip: nothing can be judged: {error}") from None
    except NoCluster as error:  # it was there when the search began
        raise Stop(f"tl2hip: the cluster is gone: {error}; what is judged is kept") from None
    except NotKept as error:
        raise Stop(f"tl2hip: judgements cannot be kept: {error}; choose another folder with TL2HIP_CACHE") from None
    finally:
        progress.clear()


def _apply(source: Input, tuned: str, text: str) -> int:
    """Writes a file's text with its new marks, where it still has the text that was tuned; the exit code."""
    from tl2hip.source.load import decode, encode
    from tl2hip.source.problems.base import Refused
    from tl2hip.source.problems.use import ChangedMeanwhile, Unwritable

    path = Path(source.path)
    try:
        before = path.read_bytes()
        is_same = decode(before, source.name).text == tuned
    except (OSError, Refused):
        is_same = False
    if not is_same:
        talk.tell(tell_problem(ChangedMeanwhile(), source.name))
        return FOUND
    try:
        if not path.stat().st_mode & WRITABLE:  # a folder that can be written lets such a file be replaced
            raise OSError("it is read-only")
        outputs.replace(path, encode(before, text))
    except OSError as error:
        talk.tell(tell_problem(Unwritable(source.name, error.strerror or str(error)), source.name))
        return FOUND
    talk.tell(f"tl2hip: marks written into {source.name}")
    return FINE
