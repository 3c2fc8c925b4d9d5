"""What the compiler makes of each kernel: `python -m tests.bench.kernels [WORD …] [--no-run]` prints a table.

Every kernel is converted, compiled for gfx942 and run on the emulated compute unit, which counts bank conflicts.
One line stands for one printed kernel: of a product those with matrix instructions, else those with loads of 16
bytes. Figures of a product are those of its steady loop, of other kernels those of all their code. WORD picks the
kernels whose names hold one of the words. `busy` is what the model of a compute unit says of matrix units in the
steady loop; all other figures are static. Nothing here is a time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.bench import attention
from tests.bench.aims import Figure, number
from tests.bench.measure import failed, figures, mixed, product_loop
from tests.bench.rows import ROWS
from tests.bench.sources import OF_EVEN, PRODUCTS, Case
from tl2hip import api
from tl2hip.prove.compiler import compile_device
from tl2hip.prove.counters import KernelCounters, read_counters
from tl2hip.prove.draw import data
from tl2hip.prove.emulate import Emulator, Run
from tl2hip.prove.matrix import pipeline
from tl2hip.prove.modelled import model_of
from tl2hip.prove.verify import Options, Session
from tl2hip.source.span import Source

CASES = (*PRODUCTS, *attention.ATTENTIONS, *ROWS)
HEAD = (
    "kernel", "tile, waves, layout", "printed as", "VGPR", "LDS", "waves", "spills", "inst", "/1024", "MFMA",
    "share", "VALU/MFMA", "loads", "LDS reads", "LDS writes", "conflicts", "load to use", "busy", "vmcnt(0)",
    "barriers", "peer", "fails", "aims",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """One printed kernel of a case: its counters, its figures, the rows it fails, the aims it misses."""

    case: Case
    kernel: KernelCounters
    figures: dict[str, Figure]
    failed: tuple[str, ...]
    missed: tuple[str, ...]


def measured(case: Case, run: bool, per_1024: dict[str, float]) -> tuple[Line, ...]:
    """The lines of a case, the best kernel first. `per_1024` has the instructions of steady loops of earlier cases
    for 1,024 matrix clocks, and gets this one's. ConversionError where the kernel is refused."""
    done = api.convert(Source("kernel.py", case.text), api.Options(sets=case.sets))
    if done.errors:
        raise api.ConversionError(done)
    kernels = chosen(read_counters(compile_device(done.text).text))
    ran = run_once(case, done.kernels[0]) if run else None
    conflicts = None if ran is None else sum(b.clocks - b.ideal for b in ran.bank_conflicts)
    busy = matrix_busy(case, done.kernels[0]) if run and case.kind != "row" else {}
    lines = []
    for n, kernel in enumerate(kernels):
        found = figures(kernel, conflicts)
        found["busy"] = busy.get(kernel.name)
        even = per_1024.get(case.even)
        value = found.get("per 1024")
        if isinstance(value, float) and n == 0:
            per_1024[case.name] = value
        found[OF_EVEN.name] = value / even if even and isinstance(value, float) else None
        aims = [a for a in case.aims if n == 0 or a == OF_EVEN]
        aims = aims if run else [a for a in aims if a.name not in ("conflicts", "busy")]
        attends = case.kind == "attention"
        rows = attention.failed(kernel, conflicts) if attends else failed(kernel, case.tile, conflicts)
        wrong = tuple(f"run: {f}" for f in ran.errors) if ran else ()
        missed = tuple(why for a in aims if (why := a.missed(found)))
        if case.tile is not None and not found["MFMA"]:
            missed = ("no matrix instructions",)
        lines.append(Line(case, kernel, found, (*rows, *wrong), missed))
    return tuple(lines)


def chosen(kernels: Sequence[KernelCounters]) -> tuple[KernelCounters, ...]:
    """Those with matrix instructions, the fewest instructions for their clocks first; without any those with loads
    of 16 bytes, the shortest first; without any such the shortest."""
    products = [(pipeline(loop.code).per_1024, c) for c in kernels if (loop := product_loop(c))]
    if products:
        return tuple(c for _, c in sorted(products, key=lambda pair: pair[0]))
    shortest = sorted(kernels, key=lambda c: c.whole.total)
    return tuple(c for c in shortest if "dwordx4" in c.whole.global_loads) or tuple(shortest[:1])


def run_once(case: Case, kernel: api.Converted) -> Run:
    """The launcher, run on drawn data of the case's sizes."""
    assert kernel.plan is not None and kernel.printed is not None
    nest = kernel.plan.nest
    session = Session(nest, kernel.printed.launcher, None, Options())
    with Emulator.load(kernel.printed.text) as library:
        return session.run_hip(library, data(nest, case.run, "normal", 0), dict(case.run), False)[1]


def matrix_busy(case: Case, kernel: api.Converted) -> dict[str, float]:
    """The part of the clocks in which matrix units work while all waves are in the steady loop, of the kernels that
    are launched, as the model of a compute unit has it at the middle one of its settings. Of a case that is too
    large for the model nothing, which is told."""
    assert kernel.plan is not None and kernel.printed is not None
    try:
        found = model_of(kernel.plan.nest, kernel.printed.text, kernel.printed.launcher)
    except ValueError as why:
        print(f"{case.name}, {case.shape}: not modelled: {why}", file=sys.stderr)
        return {}
    hot = {name: results[1].hot for name, results in found.results.items()}
    return {name: loop.together.mfma for name, loop in hot.items() if loop and loop.together}


def cells(line: Line) -> tuple[str, ...]:
    """A line of the table."""
    c, f = line.kernel, line.figures
    loop = product_loop(c)
    own = loop.own if loop else mixed(c)[0]
    agprs = f"+{c.agprs}" if c.agprs else ""
    numbers = (told(f, "inst"), told(f, "per 1024"), told(f, "MFMA"), told(f, "MFMA share"), told(f, "VALU/MFMA"))
    widths = (wide(own.global_loads), wide(own.lds_reads), wide(own.lds_writes))
    rows = " ".join(why.partition(":")[0] for why in line.failed) or "none"
    return (
        line.case.name, line.case.shape, c.name, f"{c.vgprs}{agprs}", f"{c.lds_bytes:,}", str(c.occupancy),
        told(f, "spills"), *numbers, *widths, told(f, "conflicts"), told(f, "load to use"), told(f, "busy"),
        str(own.drains), str(own.barriers), line.case.peer, rows,
        "missed" if line.missed else "met" if line.case.aims else "-",
    )  # fmt: skip


def told(f: dict[str, Figure], name: str) -> str:
    """A figure as text, a dash for none."""
    value = f.get(name)
    return "-" if value is None else number(value)


def wide(widths: Mapping[str, int]) -> str:
    """Accesses by width: `8 dwordx4`."""
    return ", ".join(f"{n} {width}" for width, n in widths.items()) or "-"


def table(rows: Sequence[tuple[str, ...]]) -> str:
    """Rows in columns of equal width."""
    columns = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(r, columns, strict=True)).rstrip() for r in rows)


def details(line: Line) -> list[str]:
    """What a line fails and misses, in words."""
    name = f"{line.case.name} ({line.kernel.name})"
    return [f"{name} fails {why}" for why in line.failed] + [f"{name} misses: {why}" for why in line.missed]


def main() -> None:
    """Prints the table, then every failed row and missed aim."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", metavar="WORD", help="only kernels whose names hold one of these")
    parser.add_argument("--no-run", action="store_true", help="do not run the kernels: no bank conflicts")
    args = parser.parse_args()
    per_1024: dict[str, float] = {}
    lines: list[Line] = []
    refused: list[str] = []
    for case in CASES:
        if args.words and not any(word in case.name for word in args.words):
            continue
        try:
            lines += measured(case, not args.no_run, per_1024)
        except api.ConversionError as error:
            refused.append(f"{case.name} is refused:\n{error}")
    print(table([HEAD, *map(cells, lines)]))
    print("\n".join(["", *(text for line in lines for text in details(line)), *refused]))


if __name__ == "__main__":
    main()
