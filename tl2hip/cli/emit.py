"""`tl2hip emit`: kernels to HIP text."""

from __future__ import annotations

import argparse
import gc
import json
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

from tl2hip.cli import outputs, talk
from tl2hip.cli.arguments import add_choice, count
from tl2hip.cli.exits import FINE, FOUND, INTERNAL, USE, Stop, misused, stop
from tl2hip.cli.exits import tell as tell_problem
from tl2hip.cli.inputs import STDIN, Files, Input, is_several
from tl2hip.cli.jobs import outcomes
from tl2hip.cli.reading import files, no_kernel, tell_missing, wanted
from tl2hip.cli.work import Outcome, Told, as_data, told
from tl2hip.source.problems.base import Problem, Refused


def add(parser: argparse.ArgumentParser) -> None:
    """The options of `emit`."""
    parser.add_argument("paths", metavar="PATH", nargs="+", help="a Python file, a folder of them, or - for stdin")
    parser.add_argument("-o", "--output", metavar="FILE|DIR", help="where to write; stdout without it")
    add_choice(parser)
    stages = ("read", "nest", "rules", "plan")
    parser.add_argument("--stop-after", choices=stages, default="", help="print that stage instead of HIP")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where an output would change")
    parser.add_argument("--diff", action="store_true", help="write nothing; print what would change")
    parser.add_argument("--jobs", metavar="N", type=count, default=1, help="convert in N processes")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="json: one object a kernel")
    parser.epilog = (
        "With --check or --diff and without -o, an output is looked for beside its source (gemm.py: gemm.hip).\n"
        "Several inputs need -o DIR, --check or --diff."
    )


@dataclass(slots=True)
class Run:
    """What a run has come to so far."""

    args: argparse.Namespace
    into_folder: bool
    files: Files
    converted: int = 0
    unchanged: int = 0
    refused: int = 0
    skipped: int = 0
    differ: int = 0
    code: int = FINE
    owners: dict[Path, str] = field(default_factory=dict)
    """The source that each output is of."""
    names: set[str] = field(default_factory=set)
    """The functions that were found."""

    @property
    def quiet(self) -> bool:
        """Whether outputs are only compared."""
        return bool(self.args.check or self.args.diff)

    def raise_code(self, code: int) -> None:
        self.code = max(self.code, code)


def run(args: argparse.Namespace) -> int:
    """Converts, prints or writes, tells; the exit code."""
    gc.disable()  # most of a short run would go into looking for garbage among what was just imported
    run = Run(args, _into_folder(args), files(args.paths, args))
    asked = replace(wanted(args), stage=args.stop_after, each=args.format == "json")
    progress = talk.Progress()
    for outcome in outcomes(run.files, asked, args.jobs):
        progress.clear()
        _take(outcome, run)
        progress.show(run.converted + run.unchanged, outcome.source.name)
    progress.clear()
    _finish(run)
    return run.code


def _into_folder(args: argparse.Namespace) -> bool:
    """Whether `-o` is a folder; raises Stop where the inputs do not fit the output."""
    several = is_several(args.paths)
    quiet = args.check or args.diff
    if args.output is None or args.output == STDIN:
        if several and not quiet and args.format == "text":
            raise _several("stdout")
        if quiet and (args.output == STDIN or STDIN in args.paths):
            raise misused("--check and --diff compare with a file", "name it with -o FILE")
        return False
    if several and outputs.is_file(args.output):
        raise _several(f"the file {args.output}")
    return several or outputs.is_folder(args.output)


def _several(where: str) -> Stop:
    from tl2hip.source.problems.use import SeveralInputs

    return stop(SeveralInputs(where))


def _take(outcome: Outcome, run: Run) -> None:
    """Writes and tells what became of one source."""
    if outcome.internal:
        talk.tell(outcome.internal.rstrip())
        run.raise_code(INTERNAL)
        run.refused += 1
        return
    if outcome.told:
        talk.tell(outcome.told)
    if outcome.refused:
        missing = outcome.source.named and any(t.code == "TL103" for t in outcome.rest)
        run.raise_code(USE if missing else FOUND)
    good = [k for k in outcome.kernels if k.good]
    bad = len(outcome.kernels) - len(good)
    run.refused += bad if outcome.kernels else bool(outcome.refused)
    run.skipped += outcome.empty
    run.names.update(k.name for k in outcome.kernels)
    where, changed, problem = _deliver(outcome, run) if outcome.text else (None, False, None)
    if problem is not None:
        talk.tell(tell_problem(problem, outcome.source.name))
        run.raise_code(USE)
        run.refused += len(good)
    elif changed or where is None:
        run.converted += len(good)
    else:
        run.unchanged += len(good)
    if run.args.format == "json":
        _print_objects(outcome, run, where, changed, told(problem) if problem else None)


def _deliver(outcome: Outcome, run: Run) -> tuple[Path | None, bool, Problem | None]:
    """Prints, writes or compares the text of a source: the output, whether it changes, and a problem."""
    args, source = run.args, outcome.source
    output = args.output if args.output is not None or run.quiet else STDIN
    where = outputs.place(source, output, run.into_folder, args.stop_after)
    if where is None:
        if args.format == "text":
            outputs.print_out(outcome.text)
        return None, True, None
    owner = run.owners.setdefault(Path(where).absolute(), source.name)
    if owner != source.name:
        from tl2hip.source.problems.use import SameOutput

        return where, False, SameOutput(outputs.shown(where), owner)
    try:
        changed = _compare(where, outcome.text, run) if run.quiet else outputs.write(where, outcome.text)
    except Refused as refused:
        return where, False, refused.problem
    return where, changed, None


def _compare(where: Path, text: str, run: Run) -> bool:
    """Whether an output would change; prints how where that is asked for."""
    old = outputs.present(where)
    if old == text:
        return False
    run.differ += 1
    run.raise_code(FOUND)
    if run.args.diff and run.args.format == "text":
        outputs.print_out(talk.diff(old, text, outputs.shown(where)))
    if run.args.check:
        talk.tell(f"{outputs.shown(where)}: {'would change' if old is not None else 'is missing'}")
    return True


def _print_objects(outcome: Outcome, run: Run, where: Path | None, changed: bool, problem: Told | None) -> None:
    """One JSON object a line for each kernel, and one without a kernel for what belongs to none."""
    rest = outcome.rest + ((problem,) if problem else ())
    if rest:
        _print_object(outcome.source, None, 0, "refused" if outcome.refused or problem else "told", None, "", rest)
    for kernel in outcome.kernels:
        status = "refused"
        if kernel.good and problem is None:
            status = ("would change" if run.quiet else "converted") if changed else "unchanged"
        text = kernel.text if kernel.good and where is None else ""
        _print_object(outcome.source, kernel.name, kernel.line, status, where, text, kernel.problems)


def _print_object(
    source: Input, kernel: str | None, line: int, status: str, where: Path | None, text: str, rest: tuple[Told, ...]
) -> None:
    found = {
        "file": source.name,
        "kernel": kernel,
        "line": line or None,
        "status": status,
        "output": outputs.shown(where) if where else None,
        "text": text or None,
        "problems": [as_data(t) for t in rest],
    }
    outputs.print_out(json.dumps(found) + "\n")


def _finish(run: Run) -> None:
    """What is told at the end: names that were not found, nothing found at all, the summary."""
    missing = [name for name in run.args.kernel if name not in run.names]
    if missing and run.code in (FINE, FOUND):
        tell_missing(missing, run.names)
        run.raise_code(USE)
    total = run.converted + run.unchanged + run.refused
    if not total and not missing and not run.quiet and run.code == FINE:
        raise no_kernel(run.args.paths)
    if is_several(run.args.paths) or run.args.output not in (None, STDIN) or run.quiet:
        differ, left_out = run.differ if run.quiet else None, run.files.left_out
        talk.summary(run.converted, run.unchanged, run.refused, run.skipped, left_out, differ)
    sys.stderr.flush()
