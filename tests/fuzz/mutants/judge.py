"""What became of a mutant: converted and right, refused in place, or a failure."""

from __future__ import annotations

import ast
import builtins
import contextlib
import io
import signal
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.fuzz.mutants.corpus import NAME, NEIGHBOUR, neighbour, runnable
from tests.fuzz.mutants.make import Mutant
from tests.fuzz.mutants.places import file, functions, rows
from tests.fuzz.mutants.running import Compared, Counted, Endless, Function, Hangs, compared
from tests.source.conservation import missing
from tl2hip import api
from tl2hip.cli import main
from tl2hip.notation.bind import declared_types
from tl2hip.notation.compiler import Compilable
from tl2hip.prove.compiler import CompileError
from tl2hip.prove.emulate import Emulator, LoadError
from tl2hip.prove.python import PythonFails, function, run_text
from tl2hip.source.problems import catalogue
from tl2hip.source.problems.base import Problem, show
from tl2hip.source.problems.proving import PythonFailed
from tl2hip.source.span import NOWHERE, Source

READING = "TL1"
"""The codes of constructs that are not read."""
WHOLE = ("TL101", "TL102", "TL105", "TL107")
"""The codes that refuse a whole file: what CPython does not compile, or the reader does not know."""
SECONDS = 30
"""How much processor time a conversion, and comparing, may take."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """ "converted", "refused" (with the codes) or "failed" (with the sort of failure and what was told)."""

    mutant: Mutant
    verdict: str
    codes: tuple[str, ...] = ()
    sort: str = ""
    told: str = ""
    compared: Compared = Compared()
    kernel: api.Converted | None = None


class Failed(Exception):
    """A mutant that is neither right nor refused in place."""

    def __init__(self, sort: str, told: str) -> None:
        super().__init__(told)
        self.sort = sort


def judge(mutant: Mutant, placed: bool = True, launch: bool = True) -> Verdict:
    """What became of a mutant. Without `placed` the lines of the change are not known any more; without `launch`
    the printed text is not run."""
    try:
        with limited():
            done = api.convert(Source(NAME, mutant.text))
    except Exception:
        return Verdict(mutant, "failed", sort="crash", told=traceback.format_exc(limit=-4))
    except Hangs:
        return Verdict(mutant, "failed", sort="hang", told=f"conversion takes more than {SECONDS} seconds")
    try:
        with limited():
            return _judged(mutant, done, placed, launch)
    except Hangs:
        return Verdict(mutant, "failed", sort="hang", told=f"comparing takes more than {SECONDS} seconds")
    except Failed as failed:
        return Verdict(mutant, "failed", tuple(p.code for p in done.errors), failed.sort, str(failed))


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Raises Hangs in the middle of what takes too long."""

    def stop(*_: Any) -> None:
        raise Hangs

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _judged(mutant: Mutant, done: api.Conversion, placed: bool, launch: bool) -> Verdict:
    errors = done.errors
    for problem in done.problems:
        _check_told(problem, done.source)
    tree = _parsed(mutant.text)
    if tree is None:
        if not errors:
            raise Failed("not Python", "Python does not compile this, tl2hip converts it")
        return Verdict(mutant, "refused", _codes(errors))
    alone = mutant.inside and not _rebinds(mutant)
    for problem in errors:
        _check_place(problem, mutant, placed, alone)
    _check_whole(tree, done)
    kernel = next((k for k in done.kernels if k.name == mutant.base.kernel), None)
    if alone and not any(p.code in WHOLE for p in errors):
        _check_neighbour(mutant, done)
    if kernel is None or kernel.printed is None or mutant.base.kernel in done.module.refused:
        if not errors:
            _check_not_forgotten(mutant)
        return Verdict(mutant, "refused", _codes(errors))
    found = _run(mutant, kernel, launch)
    return Verdict(mutant, "converted", compared=found, kernel=kernel)


def _rebinds(mutant: Mutant) -> bool:
    """Whether the change may bind names of the file: from inside a function, or by its name (`range`)."""
    return mutant.kind == "change function renamed" or not mutant.nodes.isdisjoint({"Global", "Nonlocal"})


def _codes(errors: tuple[Problem, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(p.code for p in errors)) or ("no kernel",)


def _parsed(text: str) -> ast.Module | None:
    """The tree of a text that Python compiles."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, NAME, "exec", dont_inherit=True)
            return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def _check_told(problem: Problem, source: Source) -> None:
    """The code is in the catalogue, the place in the file, and the message can be shown."""
    if problem.code not in catalogue():
        raise Failed("code", f"{problem.code} is not in the catalogue")
    text, at, lines = show(problem, source), problem.at, (*source.lines, "")
    inside = 1 <= at.line <= at.end_line <= len(lines) and (at.line, at.column) < (at.end_line, at.end_column)
    if not inside or at.end_column > len(lines[at.end_line - 1]) + 1:
        raise Failed("place", f"{at} is no place in the file: {text}")
    if problem.code not in text or not problem.text.strip() or "{" in problem.help and "{" in problem.way_out:
        raise Failed("message", text)


def _check_place(problem: Problem, mutant: Mutant, placed: bool, alone: bool) -> None:
    """A refusal stands in the changed function or at the change; that of a construct at the change itself."""
    first, last = problem.at.line, problem.at.end_line
    start, end = mutant.lines
    at_change = placed and first <= end and start <= last
    if placed and mutant.kind.startswith(("statement", "expression")) and problem.code.startswith(READING):
        if not at_change and alone and problem.code not in WHOLE and not _hides(mutant):
            raise Failed("place", f"the change is in lines {start} to {end}: {problem.code} at {problem.at}")
        return
    if problem.at == NOWHERE or not (at_change or not alone or _in_function(first, last, mutant)):
        raise Failed("place", f"outside the function: {problem.code} at {problem.at}: {problem.text}")


def _hides(mutant: Mutant) -> bool:
    """Whether the change binds or deletes the name of a builtin or of what the file imports, so that it is a local:
    what uses it in other lines then fails."""
    start, end = mutant.lines
    nodes = list(ast.walk(file(mutant.text).tree))
    imports = (a for n in nodes if isinstance(n, ast.Import | ast.ImportFrom) for a in n.names)
    known = {(a.asname or a.name).partition(".")[0] for a in imports} | set(dir(builtins))
    names = (n for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))
    return any(n.id in known for n in names if start <= n.lineno <= end)


def _in_function(first: int, last: int, mutant: Mutant) -> bool:
    """Whether lines are those of the kernel, of a function it names or named before the change, or of a call beside
    them that gives the kernel its sizes; of any but the neighbour, where the change has renamed the kernel."""
    at = file(mutant.text)
    named = {f.name for f in functions(file(mutant.base.text), mutant.base.kernel)}
    helpers = [f for f in at.tree.body if isinstance(f, ast.FunctionDef) and f.name in named]
    beside = [s for s in at.tree.body if isinstance(s, ast.Assign | ast.Expr) and _calls(s, mutant.base.kernel)]
    own: list[ast.stmt] = [*functions(at, mutant.base.kernel), *helpers, *beside]
    if not own:
        own = [f for f in at.tree.body if isinstance(f, ast.FunctionDef) and f.name != NEIGHBOUR]
    return any(a <= first and last <= b for a, b in map(rows, own))


def _calls(s: ast.stmt, kernel: str) -> bool:
    """Whether a statement calls a kernel by its name."""
    calls = (n.func for n in ast.walk(s) if isinstance(n, ast.Call))
    return any(isinstance(f, ast.Name) and f.id == kernel for f in calls)


def _check_whole(tree: ast.Module, done: api.Conversion) -> None:
    """Nothing that a function says is lost by reading it."""
    defined = {f.name: f for f in tree.body if isinstance(f, ast.FunctionDef)}
    for own in done.module.functions:
        if own.name in defined and own.name not in done.module.refused:
            lost = missing(defined[own.name], own, list(done.problems), done.source.text)
            if lost:
                raise Failed("lost", f"in {own.name}: {', '.join(lost)}")


def _check_neighbour(mutant: Mutant, done: api.Conversion) -> None:
    """The other kernel of the file is what it was."""
    beside = next((k for k in done.kernels if k.name == NEIGHBOUR), None)
    if beside is None or beside.printed is None:
        raise Failed("neighbour", f"the other kernel of the file is gone: {done.told}")
    line = mutant.text[: mutant.text.rindex("@_beside.kernel")].count("\n") + 1
    if beside.printed.text != neighbour(line):
        raise Failed("neighbour", "the other kernel of the file has another text")


def _check_not_forgotten(mutant: Mutant) -> None:
    """Where nothing is told and nothing converted, Python must see no kernel either."""
    with contextlib.suppress(PythonFails, Endless), _silence():
        found: Any = vars(Counted(run_text)(mutant.text, "forgotten")).get(mutant.base.kernel)
        if isinstance(found, Compilable):
            raise Failed("forgotten", f"{mutant.base.kernel} is a kernel to Python; tl2hip says nothing of it")


def _run(mutant: Mutant, kernel: api.Converted, launch: bool) -> Compared:
    """The nest and the printed text beside Python; a file that does not run by itself has none to be beside."""
    assert kernel.printed is not None
    called = _function(mutant)
    try:
        with contextlib.ExitStack() as stack:
            library = None
            if launch:
                loaded = Emulator.load(kernel.printed.text, detect=False, quick=True)
                library = stack.enter_context(loaded)
            stack.enter_context(_silence())
            found = compared(kernel, called, runnable(mutant.base), mutant.seed, library)
    except (CompileError, LoadError) as error:
        raise Failed("text", f"does not compile: {getattr(error, 'log', error)}") from None
    except Exception:
        raise Failed("nest raised", traceback.format_exc(limit=-4)) from None
    wrong = [p for p in found.problems if p.severity == "error"]
    if wrong:
        sort = "raises" if isinstance(wrong[0], PythonFailed) else "wrong"
        if sort == "raises" and not mutant.inside:  # what a file does to its names when it runs is not known
            return Compared(raised=found.raised, given_up=found.given_up)
        raise Failed(sort, f"{wrong[0].code}: {wrong[0].text}")
    return found


def _function(mutant: Mutant) -> Function | None:
    """The mutant as a Python function; None where the file does not run, or no call can evaluate its signature."""
    with _silence():
        try:
            module = Counted(run_text)(mutant.text, f"mutant {mutant.seed}")
            called = function(module, mutant.base.kernel, {})
            declared_types(getattr(called, "function", called))
        except (Endless, PythonFails, KeyError, TypeError, AttributeError, ValueError, ArithmeticError):
            return None
    return called


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """What a mutant prints goes nowhere."""
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        yield


def commanded(mutant: Mutant, verdict: Verdict) -> Iterator[str]:
    """What is wrong with how `tl2hip emit` ends for a mutant: its exit code, its texts."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / NAME
        path.write_text(mutant.text, encoding="utf-8", newline="\n")
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(["emit", str(path)])
    told = err.getvalue()
    if code not in (0, 1, 2):
        yield f"exit code {code}: {told[:500]}"
    if "Traceback" in told + out.getvalue():
        yield f"a traceback: {told[:500]}"
    if (
        verdict.verdict == "converted"
        and verdict.kernel is not None
        and f"{verdict.kernel.name}" not in out.getvalue()
    ):
        yield "a kernel that converts is not printed"
    for one in verdict.codes:
        if one.startswith("TL") and f": {one}: " not in told:
            yield f"{one} is not told: {told[:500]}"
