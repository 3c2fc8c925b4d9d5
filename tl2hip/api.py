"""What tools call: text in; problems, nests, plans and HIP out. The command line and kernel objects use this.

Nothing here runs or imports the user's file, `verify` apart.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tl2hip.source.depth import deep
from tl2hip.source.problems.base import Problem, Refused, show
from tl2hip.source.problems.base import Report as Problems
from tl2hip.source.span import Source

__all__ = [
    *("Conversion", "ConversionError", "Converted", "Options", "Report", "STAGES"),
    *("convert", "emit_hip", "explain", "explained", "nest_of", "rules_of", "show_plan", "source_of"),
    *("verify", "verify_all"),
]

if TYPE_CHECKING:
    from tl2hip.hip import Printed, PrintedFile
    from tl2hip.nest.dependence import Analysis
    from tl2hip.nest.ir import Nest
    from tl2hip.plan.ir import Miss, Plan
    from tl2hip.prove.report import Report as Report
    from tl2hip.rule.join import Outcome
    from tl2hip.source.nodes import Function, Module

STAGES = ("read", "nest", "rules", "plan")
"""The stages before printing, in order, as `--stop-after` names them."""
FIXED_WORK = 2_000_000
"""The innermost statements of a kernel of fixed sizes up to which it is run, though drawn shapes have fewer."""
TEXT = "<text>"
"""What a text that was given directly is shown as."""


def __getattr__(name: str) -> Any:
    """`Report`, what `verify` gives: imported when it is asked for."""
    if name != "Report":
        raise AttributeError(f"module 'tl2hip.api' has no attribute {name!r}")
    from tl2hip.prove.report import Report

    return Report


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller may fix: extents and compile-time constants (`sets`), tile sizes by loop variable (`tiles`),
    folders of more rules, and the types of functions that say none, by name (`x=f32[N], y=f32[M, N]`)."""

    sets: Mapping[str, int] = field(default_factory=dict)
    tiles: Mapping[str, int] = field(default_factory=dict)
    rules: tuple[Path, ...] = ()
    types: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Converted:
    """One kernel as far as it came: later stages are None where an earlier one refused it."""

    name: str
    function: Function
    problems: tuple[Problem, ...] = ()
    """What there is to tell about this kernel."""
    nest: Nest | None = None
    plan: Plan | None = None
    planned: Nest | None = None
    """The nest that the plan is of, where rules joined it."""
    printed: Printed | None = None


@dataclass(frozen=True, slots=True)
class Conversion:
    """One file: its kernels and everything there is to tell about them."""

    source: Source
    module: Module
    kernels: tuple[Converted, ...]
    problems: tuple[Problem, ...]

    @property
    def errors(self) -> tuple[Problem, ...]:
        return tuple(p for p in self.problems if p.severity == "error")

    @property
    def told(self) -> str:
        """All problems as the user sees them, in the order of the file."""
        return "\n".join(show(p, self.source) for p in sorted(self.problems, key=lambda p: p.at))

    @property
    def text(self) -> str:
        """One HIP file of every kernel that was printed; empty for none."""
        return self.printed.text if any(k.printed for k in self.kernels) else ""

    @property
    @deep()
    def printed(self) -> PrintedFile:
        """That file with its launchers; there must be a kernel that was printed."""
        from tl2hip.hip import PrintedFile, print_plans

        done = [k.printed for k in self.kernels if k.printed]
        if len(done) == 1:
            return PrintedFile(done[0].text, (done[0].launcher,), done[0].origins)
        return print_plans([k.plan for k in self.kernels if k.plan and k.printed])


class ConversionError(ValueError):
    """A kernel could not be converted; the message holds every problem, with its place and its way out."""

    def __init__(self, conversion: Conversion) -> None:
        super().__init__(conversion.told or f"{conversion.source.name}: no kernel found")
        self.conversion = conversion


@deep()
def convert(
    source: Source,
    options: Options | None = None,
    *,
    wanted: Collection[str] = (),
    every: bool = False,
    stop_after: str = "",
) -> Conversion:
    """Every kernel of a file through all stages, or through those up to `stop_after` (one of STAGES).

    `wanted` and `every` choose functions that carry no mark.
    """
    from tl2hip.source.read import read

    options = options or Options()
    report = Problems(source)
    module = read(source, report, wanted=wanted, every=every)
    names = [n for n in module.kernels if not wanted or n in wanted]
    kernels = tuple(_kernel(name, module, report, options, stop_after) for name in names)
    return Conversion(source, module, kernels, tuple(report.problems))


def _kernel(name: str, module: Module, whole: Problems, options: Options, stop_after: str) -> Converted:
    """One kernel as far as it comes; what is told of it also goes into the report of the whole file."""
    from tl2hip.nest.dependence import analyse
    from tl2hip.source.read import find

    function = find(module, name)
    assert function is not None, name
    report = Problems(module.source)
    for problem in whole.problems:
        if _stands_in(problem, function):
            report.add(problem)
    done = Converted(name, function)
    try:
        if name not in module.refused and stop_after != "read":
            done = replace(done, nest=nest_of(function, module, report, options))
        if done.nest is not None and stop_after not in ("read", "nest"):
            analysis = analyse(done.nest)
            done = replace(done, nest=recognised(done.nest, options, analysis))
            if done.nest is not None and stop_after != "rules":
                done = _planned(done, done.nest, analysis, options, stop_after)
    except Refused as refused:
        report.add(refused.problem)
    for problem in report.problems:
        whole.add(problem)
    return replace(done, problems=tuple(report.problems))


def recognised(nest: Nest, options: Options, analysis: Analysis | None = None) -> Nest:
    """The nest with the idioms marked that rules find in it; `analysis` is that of this nest, where it is at hand.
    Raises BadRules where a rule file cannot be used."""
    from tl2hip.rule.load import load_rules
    from tl2hip.rule.recognise import apply

    return apply(nest, load_rules(options.rules), analysis).nest


def joined(nest: Nest, options: Options) -> Outcome:
    """The nest as rows of a softmax in their canonical form, or why it has none. Raises BadRules."""
    from tl2hip.rule.join import join, may_join
    from tl2hip.rule.load import load_joins

    return join(nest, load_joins(options.rules) if may_join(nest) else ())


def _planned(done: Converted, nest: Nest, analysis: Analysis, options: Options, stop_after: str) -> Converted:
    """A kernel with its plan, and printed unless that comes after the stage to stop at. Raises Refused."""
    from tl2hip.plan import plan_either

    rows = joined(nest, options).nest
    planned, of_rows = plan_either(nest, rows, analysis)
    done = replace(done, planned=rows if of_rows else None)
    if stop_after == "plan":
        return replace(done, plan=planned)
    from tl2hip.hip import print_plan

    return replace(done, plan=planned, printed=print_plan(planned))


def _stands_in(problem: Problem, function: Function) -> bool:
    """Whether a problem stands in the lines of a function."""
    last = max([function.at.end_line, *(s.at.end_line for s in function.body)])
    return function.at.line <= problem.at.line <= last


def nest_of(function: Function, module: Module, report: Problems, options: Options) -> Nest | None:
    """The nest of one kernel, its accesses proven where they can be; None where the report says why not."""
    from tl2hip.dialects import plainly
    from tl2hip.nest.bounds import prove
    from tl2hip.nest.build import BuildOptions, build
    from tl2hip.nest.fuse import fused
    from tl2hip.nest.inline import forward
    from tl2hip.nest.overwritten import without_blank_fills
    from tl2hip.nest.prefix import with_running_values
    from tl2hip.nest.unread import without_unread

    spelled = plainly(function, module, report, options.sets, options.tiles, options.types.get(function.name, ""))
    if spelled is None:
        return None
    how = BuildOptions(sets=spelled.sets, tiles=options.tiles)
    nest = build(spelled.function, spelled.module, report, how)
    if nest is None:
        return None
    nest = prove(without_unread(fused(forward(without_blank_fills(nest)))))
    running = with_running_values(nest)
    return nest if running is nest else prove(running)


def source_of(text_or_path: str | Path) -> Source:
    """The source behind a path, or a text given directly: a string with a line end in it.

    ValueError, with the path, where there is no such file or it holds no text.
    """
    from tl2hip.source.load import load

    if isinstance(text_or_path, str) and "\n" in text_or_path:
        return Source(TEXT, text_or_path)
    try:
        return load(text_or_path)
    except Refused as refused:
        raise ValueError(show(refused.problem, Source(str(text_or_path), ""))) from None


def emit_hip(
    text_or_path: str | Path,
    *,
    kernel: str | None = None,
    sets: Mapping[str, int] | None = None,
    tiles: Mapping[str, int] | None = None,
    types: Mapping[str, str] | None = None,
) -> str:
    """The HIP text of the kernels of a file or text, or of one of them; `types` types functions that say none.

    Raises ConversionError with all problems where one of them is refused or there is none.
    """
    return _converted(text_or_path, kernel, Options(sets or {}, tiles or {}, types=types or {})).text


def show_plan(
    text_or_path: str | Path,
    *,
    kernel: str | None = None,
    sets: Mapping[str, int] | None = None,
    tiles: Mapping[str, int] | None = None,
    types: Mapping[str, str] | None = None,
) -> str:
    """The plans of the kernels of a file or text, or of one of them, as text. Raises ConversionError."""
    from tl2hip.plan.show import show as show_one

    done = _converted(text_or_path, kernel, Options(sets or {}, tiles or {}, types=types or {}))
    return "\n".join(show_one(k.plan) for k in done.kernels if k.plan)


def explain(
    text_or_path: str | Path,
    *,
    kernel: str | None = None,
    sets: Mapping[str, int] | None = None,
    tiles: Mapping[str, int] | None = None,
    types: Mapping[str, str] | None = None,
    rules: tuple[Path, ...] = (),
) -> str:
    """Where each loop of each kernel went and why, and which rules fitted or came near. Raises ConversionError."""
    options = Options(sets or {}, tiles or {}, rules, types or {})
    done = _converted(text_or_path, kernel, options)
    return "\n".join(explained(k, done.source, options) for k in done.kernels)


def explained(kernel: Converted, source: Source, options: Options) -> str:
    """`explain` of one kernel that has a plan: its loops, the plans that did not fit, the rules."""
    assert kernel.plan is not None and kernel.nest is not None
    notes = kernel.plan.notes
    of = " of the rows of a softmax that rules joined" if kernel.planned else ""
    lines = [f"{kernel.name} ({source.name}:{kernel.function.at.line})", f"  loops{of}:"]
    for note in notes:
        lines += [f"    {_quoted(note.axis, note.at.line, source)}", f"      went to: {note.where}"]
        lines += [f"      because: {note.why}"] if note.why else []
    if not notes:
        lines.append("    none")
    missed = list(dict.fromkeys(_missed(miss, source) for miss in kernel.plan.misses))
    lines += ["  faster plans that do not fit:", *missed] if missed else []
    lines += [f"  {line}" for line in rules_of(kernel.nest, options)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _missed(miss: Miss, source: Source) -> str:
    way = f"\n      help: {miss.way}" if miss.way else ""
    return f"    {_quoted(miss.plan, miss.at.line, source)}\n      {miss.why}{way}"


def _quoted(axis: str, line: int, source: Source) -> str:
    return f"{axis}, line {line}: {source.line(line)}" if line else axis


def rules_of(nest: Nest, options: Options) -> list[str]:
    """Lines that say of each rule where it fits a nest, or how near it came, and what rules joined.

    Raises tl2hip.rule.BadRules where a folder of rules cannot be used.
    """
    from tl2hip.rule import apply, load_rules

    head = "rules (a fit is marked in the nest; plans of its own come later):"
    verdicts = apply(nest, load_rules(options.rules)).verdicts
    told = (*(line for v in verdicts for line in v.told), *joined(nest, options).told)
    return [head, *(f"  {line}" for line in told)]


def _converted(text_or_path: str | Path, kernel: str | None, options: Options) -> Conversion:
    wanted = (kernel,) if kernel else tuple(options.types)
    done = convert(source_of(text_or_path), options, wanted=wanted)
    if done.errors or not done.kernels:
        raise ConversionError(done)
    return done


def verify(
    text_or_path: str | Path,
    *,
    kernel: str | None = None,
    sets: Mapping[str, int] | None = None,
    tiles: Mapping[str, int] | None = None,
    types: Mapping[str, str] | None = None,
    **how: Any,
) -> Report:
    """What proving one kernel found: compiled for gfx942, then run on the emulated compute unit beside Python.

    Runs the user's Python. `how` is what `tl2hip.prove.verify.Options` takes (`shapes`, `seed`, `seconds`,
    `given` …). Sizes that the file fixes and that are too large to run are replaced by smaller ones.
    Raises ConversionError, ValueError where the file has several kernels and none is chosen, MissingCompiler and
    UnsupportedHost where nothing can be proven, and tl2hip.prove.python.PythonFails where the file does not run.
    """
    from tl2hip.prove.options import check_options
    from tl2hip.prove.python import function, run_file, run_text
    from tl2hip.prove.smaller import smaller

    check_options(how)
    options = Options(sets or {}, tiles or {}, types=types or {})
    done = _converted(text_or_path, kernel, options)
    if len(done.kernels) != 1:
        raise ValueError(f"several kernels: choose one of {', '.join(k.name for k in done.kernels)}")
    one = done.kernels[0]
    less = smaller(one.function, done.module, options.sets)
    if less:
        options = replace(options, sets={**options.sets, **less})
        done = convert(done.source, options, wanted=(one.name,))
    is_text = done.source.name == TEXT
    module = run_text(done.source.text, TEXT) if is_text else run_file(Path(text_or_path))
    (report,) = verify_all(done, {one.name: function(module, one.name, options.sets)}, **how)
    return report


def verify_all(
    done: Conversion, functions: Mapping[str, Callable[..., Any]], *, text: str = "", **how: Any
) -> Iterator[Report]:
    """A report for each kernel of a file, of its printed text or of `text` in the place of it."""
    from tl2hip.prove import compiled as rung0
    from tl2hip.prove.shapes import ELEMENTS, elements, work
    from tl2hip.prove.verify import Options as How
    from tl2hip.prove.verify import verify as rung1

    file = done.printed
    text = text or file.text
    compiled = rung0.compiled(text, done.kernels[0].function.at)
    planned = [k for k in done.kernels if k.printed]
    for kernel, launcher in zip(planned, file.launchers, strict=True):
        assert kernel.plan is not None and kernel.nest is not None
        depths = {axis: tree.depth for axis, tree in kernel.plan.trees}
        options = How(**{**how, "plan": kernel.plan, "depths": depths, "in_place": kernel.plan.in_place})
        joins = kernel.plan.joins
        origins, written = file.origins if text == file.text else None, kernel.nest if kernel.planned else None
        options = replace(options, joins=joins, written=written, origins=origins)
        fixed = not kernel.nest.dims
        if fixed and work(kernel.nest, {}) <= FIXED_WORK and elements(kernel.nest, {}) <= ELEMENTS:
            options = replace(options, given=({},))
        found = compiled.problems or (
            *rung0.findings(kernel.plan, compiled.counters),
            *rung0.hazards(compiled.assembly, launcher.kernels, kernel.nest.at),
        )
        report = rung1(kernel.planned or kernel.nest, text, launcher, functions.get(kernel.name), options)
        yield replace(report, problems=tuple(dict.fromkeys((*found, *report.problems))))
