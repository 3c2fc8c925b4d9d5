"""Checks programs, many to a translation unit: refused for a known reason, or Python == nest == emulated HIP."""

from __future__ import annotations

import linecache
import random
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.fuzz.edges import MODE, EdgeSession, chooses
from tests.fuzz.generate import HEAD, Program
from tests.fuzz.products import TILED
from tests.fuzz.reasons import REASONS
from tl2hip import api
from tl2hip.hip import LauncherInfo, print_plans
from tl2hip.nest.ir import Nest
from tl2hip.prove.compiler import CompileError
from tl2hip.prove.draw import Sizes, admitted, work
from tl2hip.prove.emulate import Emulator, Library, LoadError
from tl2hip.prove.verify import Options
from tl2hip.source.span import Source

WORK = 2000
"""How many innermost statements a case may take, so that plain Python is quick."""

SMALL = (2, 3, 4, 5, 7)
ROOMY = (5, 6, 7)
"""Extents that leave every loop something to do, whatever margins it keeps."""
WIDE = (63, 64, 65, 66, 129)
TILED_SHAPES = ((3, 17, 70), (2, 17, 131), (17, 8, 35), (3, 18, 100), (2, 9, 300), (5, 16, 65), (18, 16, 33))
"""Extents of M, N and K that are several tiles of a product, of which the last is mostly a part of one."""
TILED_WORK = 16_000
ROUNDED = ("normal", "positive", "cancelling", "large", "normal")
HOSTILE = ("edges", "coded", "edges", "one-hot")
SPECIAL = 2
"""How many cases have the data of `edges`."""
MORE = ("integers", "normal", "large", MODE)
TRIES = 12
"""How many more cases a program may have that has written nothing."""

Case = tuple[Sizes, str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a program: "good", "refused" (with the code) or "failed" (with what was told)."""

    program: Program
    verdict: str
    code: str = ""
    told: str = ""
    written: bool = False
    """Whether a case changed an array or returned more than zeros."""
    checked: int = 0
    undecided: int = 0
    raised: int = 0
    cases: int = 0


def cases_of(nest: Nest, program: Program) -> list[Case]:
    """What a program is tried in: a small shape, one past a wave, one with an empty or unit extent; where it takes
    a max or min of floats, some with the data of `edges`; where it has a product in tiles, a few tiles."""
    draw = random.Random(f"cases {program.seed}")
    small = {n: draw.choice(SMALL) for n in nest.dims}
    wide, thin = dict(small), dict(small)
    if nest.dims:
        wide = {n: draw.choice((1, 2, 3, 5)) for n in nest.dims}
        wide[draw.choice(nest.dims)] = draw.choice(WIDE)
        thin[draw.choice(nest.dims)] = draw.choice((0, 1, 0, 1, 65))
    planned = [(small, "integers"), (wide, draw.choice(ROUNDED)), (thin, draw.choice(HOSTILE))]
    if chooses(program.features):
        planned += [(_roomy(nest, draw), MODE) for _ in range(SPECIAL)]
    found = _fitting(nest, planned)
    if TILED in program.features:
        tiled = dict(zip(("M", "N", "K"), draw.choice(TILED_SHAPES), strict=True))
        sizes = {n: tiled[n] for n in nest.dims}
        found += _fitting(nest, [(sizes, draw.choice(("integers", "normal")))], TILED_WORK)
    return found


def more_cases(nest: Nest, seed: int) -> list[Case]:
    """What a program is tried in further, one after the other, until it writes something."""
    draw = random.Random(f"more cases {seed}")
    return _fitting(nest, [(_roomy(nest, draw), MORE[k % len(MORE)]) for k in range(TRIES)])


def _roomy(nest: Nest, draw: random.Random) -> Sizes:
    return {n: draw.choice(ROOMY) for n in nest.dims}


def _fitting(nest: Nest, planned: Sequence[Case], most: int = WORK) -> list[Case]:
    """The cases that the program's checks admit, their work bounded."""
    fitting = [(_within(nest, sizes, most), mode) for sizes, mode in planned]
    return [(sizes, mode) for sizes, mode in fitting if admitted(nest, sizes)]


def _within(nest: Nest, sizes: Sizes, most: int) -> Sizes:
    """The shape with its largest extents halved until its work fits."""
    sizes = dict(sizes)
    while work(nest, sizes) > most and max(sizes.values(), default=0) > 2:
        largest = max(sizes, key=lambda n: sizes[n])
        sizes[largest] = sizes[largest] // 2 + 1 if sizes[largest] > 3 else 2
    return sizes


def unit_text(programs: Sequence[Program]) -> str:
    """The file of a translation unit."""
    return "\n\n".join([HEAD, *(p.text for p in programs)])


def check(programs: Sequence[Program], detect: bool = False, cases: Sequence[Case] = ()) -> list[Outcome]:
    """What becomes of each program; `cases` are tried in place of those that its seed gives."""
    text = unit_text(programs)
    try:
        conversion = api.convert(Source("fuzz.py", text))
    except Exception:
        return _apart(programs, detect, cases, "tl2hip raised:\n" + traceback.format_exc())
    kernels = {k.name: k for k in conversion.kernels}
    broken = [p for p in conversion.errors if not any(p in k.problems for k in conversion.kernels)]
    if broken or set(kernels) != {p.name for p in programs}:
        return _apart(programs, detect, cases, f"not read: {conversion.told}")
    done = {p.name: _refused(p, kernels[p.name], conversion) for p in programs}
    accepted = [p for p in programs if done[p.name] is None]
    found = {p.name: o for p, o in zip(accepted, _accepted(accepted, kernels, detect, cases), strict=True)}
    return [done[p.name] or found[p.name] for p in programs]


def _apart(programs: Sequence[Program], detect: bool, cases: Sequence[Case], told: str) -> list[Outcome]:
    """Each program in a unit of its own; the blame where there is one alone."""
    if len(programs) == 1:
        return [Outcome(programs[0], "failed", told=told)]
    return [o for p in programs for o in check([p], detect, cases)]


def _refused(program: Program, kernel: api.Converted, conversion: api.Conversion) -> Outcome | None:
    errors = [p for p in kernel.problems if p.severity == "error"]
    if not errors:
        if kernel.printed is None:
            return Outcome(program, "failed", told="neither printed nor refused")
        return None
    unknown = [p for p in errors if p.code not in REASONS]
    if unknown:
        told = f"refused for no known reason: {unknown[0].code}: {unknown[0].text}"
        return Outcome(program, "failed", unknown[0].code, told)
    return Outcome(program, "refused", errors[0].code, errors[0].text)


def _accepted(
    programs: Sequence[Program],
    kernels: dict[str, api.Converted],
    detect: bool,
    cases: Sequence[Case],
) -> list[Outcome]:
    """The programs that were printed, compiled as one text and tried."""
    if not programs:
        return []
    plans = [kernels[p.name].plan for p in programs]
    try:
        printed = print_plans([plan for plan in plans if plan is not None])
        library = Emulator.load(printed.text, detect=detect, quick=True)
    except (CompileError, LoadError) as error:
        return _apart(programs, detect, cases, f"the text does not compile:\n{getattr(error, 'log', error)}")
    with library:
        return [
            _tried(p, kernels[p.name], info, library, run(p), cases)
            for p, info in zip(programs, printed.launchers, strict=True)
        ]


def _tried(
    program: Program,
    kernel: api.Converted,
    info: LauncherInfo,
    library: Library,
    function: Callable[..., Any],
    cases: Sequence[Case],
) -> Outcome:
    assert kernel.nest is not None and kernel.plan is not None
    depths = {axis: tree.depth for axis, tree in kernel.plan.trees}
    seen = Watched(function)
    session = EdgeSession(kernel.nest, info, seen, Options(depths=depths, in_place=kernel.plan.in_place))
    try:
        for k, (sizes, mode) in enumerate(cases or cases_of(kernel.nest, program)):
            session.cases.append(session.try_one(library, sizes, mode, program.seed + k))
        for sizes, mode in () if cases else more_cases(kernel.nest, program.seed):
            if seen.written:
                break
            session.cases.append(session.try_one(library, sizes, mode, program.seed + len(session.cases)))
    except Exception:
        return Outcome(program, "failed", told="checking raised:\n" + traceback.format_exc())
    report = session.report()
    checked, undecided = (sum(getattr(c, n) for c in report.cases) for n in ("checked", "undecided"))
    raised = sum(c.python == "raised" for c in report.cases)
    faults = [p for p in report.problems if p.severity == "error"]
    told = "\n".join(f"{p.code}: {p.text}" for p in faults)
    verdict = "failed" if faults else "good"
    code = faults[0].code if faults else ""
    return Outcome(program, verdict, code, told, seen.written, checked, undecided, raised, len(report.cases))


class Watched:
    """A function that notes whether a call of it changed an array or returned more than zeros."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.written = False

    def __call__(self, *arguments: Any) -> Any:
        arrays = [a for a in arguments if isinstance(a, np.ndarray)]
        before = [a.tobytes() for a in arrays]
        try:
            returned = self.function(*arguments)
        finally:
            self.written |= any(a.tobytes() != b for a, b in zip(arrays, before, strict=True))
        results = returned if isinstance(returned, tuple) else () if returned is None else (returned,)
        self.written |= any(np.any(r) for r in results)
        return returned


def run(program: Program) -> Callable[..., Any]:
    """A program as a Python function. It has a file of its own: the notation reads the file of each kernel."""
    text, name = unit_text([program]), f"<fuzz {program.name}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    found: dict[str, Any] = {"__name__": "fuzz_unit"}
    exec(compile(text, name, "exec"), found)
    function: Callable[..., Any] = found[program.name]
    return function
