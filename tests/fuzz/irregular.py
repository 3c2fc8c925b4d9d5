"""Templates of nests that plans treat apart: extremes with their place, scatters, scans, arrays of each thread."""

from __future__ import annotations

from contextlib import ExitStack

from tests.fuzz.expressions import condition, lets_in, value
from tests.fuzz.indices import element, index
from tests.fuzz.kinds import NUMPY, is_float
from tests.fuzz.leaves import leaf, literal, varied
from tests.fuzz.loops import loop
from tests.fuzz.nests import DIMS, dims, running
from tests.fuzz.writer import Writer


def argmax(w: Writer) -> None:
    """The extreme of a row and where it stands."""
    per_row = w.chance(0.7)
    tag = w.dtype()
    extents = dims(w, 2) if per_row else dims(w, 1)
    source = w.source(tag, extents)
    found = []
    for op in w.several([(op, 1) for op in (">", "<", ">=", "<=")], ((1, 1), (2, 3))):
        where = w.parameter(w.one(("i32", "i64")), extents[:1] if per_row else ("1",))
        best = w.parameter(tag, where.extents)
        w.writing |= {where.name, best.name}
        w.mark("argmax", f"argmax by {op}")
        found.append((op, where, best, w.name("m", "best"), w.name("at", "arg")))
    with ExitStack() as stack:
        rows = [stack.enter_context(loop(w, extents[0], plain=True)).name] if per_row else []
        for _, _, _, m, at in found:
            w.line(f"{m} = {tag}({w.one(('0', '-math.inf', '1')) if is_float(tag) else '0'})")
            w.line(f"{at} = {w.one(('0', '-1'))}")
        with loop(w, extents[-1]) as axis:
            x = element(w, source, [*rows, axis.name])
            for op, _, _, m, at in found:
                with w.block(f"if {x} {op} {m}:"):
                    w.line(f"{m} = {x}")
                    w.line(f"{at} = {w.one((axis.name, axis.name, f'{axis.name} * 2 + 1'))}")
        to = rows or ["0"]
        for _, where, best, m, at in found:
            w.line(f"{element(w, where, to)} = {at}")
            w.line(f"{element(w, best, to)} = {m}")


# --- scatters --------------------------------------------------------------------------------------------


def scatter(w: Writer) -> None:
    """Updates of elements that several iterations share."""
    tag = w.dtype(("i32", "i64", "f32", "f64", "u32", "i32", "f16", "i8"))
    extents = dims(w, w.one((1, 2)))
    into = w.one(DIMS)
    target = w.source(tag, (into,))
    w.writing.add(target.name)
    w.mark("scatter")
    with ExitStack() as stack:
        for d in extents:
            stack.enter_context(loop(w, d))
        at = w.one(w.axes)
        kind = w.one(("array", "array", "mod", "data"))
        if kind == "array":
            found = w.parameter(w.one(("i32", "i64", "u8")), (at.dim,), into)
            where = f"{found.name}[{at.name}]"
        elif kind == "mod":
            where = f"{at.name} * 5 % max({into}, 1)"
        else:
            source = w.source("i32", (at.dim,))
            if source.name in w.writing:
                w.line("pass")
                return
            where = f"{source.name}[{at.name}] % {into}"
        held = w.chance(0.4)
        if held:
            name = w.name("bin", "slot")
            w.line(f"{name} = {where}")
            where = name
        if w.chance(0.2):
            w.mark("guard")
            stack.enter_context(w.block(f"if {lets_in(w)}:"))
        for op in w.several((("+=", 3), ("max", 3), ("min", 3), ("-=", 3)), ((1, 1), (2, 3))):
            term = value(w, tag, 1)
            w.mark(f"scatter {op}")
            if op in ("max", "min"):
                w.mark_choice(op, tag)
                w.line(f"{target.name}[{where}] = {op}({target.name}[{where}], {varied(w, tag, term)})")
            else:
                w.line(f"{target.name}[{where}] {op} {term}")
            target = w.parameter(tag, (into,))
            w.writing.add(target.name)


def plain_scatter(w: Writer) -> None:
    """A store through an index array that is said to have no repeats."""
    extent = w.one(DIMS)
    tag = w.dtype()
    pointer = w.parameter(w.one(("i32", "i64")), (extent,), extent)
    target = w.parameter(tag, (extent,))
    w.writing.add(target.name)
    w.mark("scatter to distinct places")
    w.lines.insert(0, f"    assert distinct({pointer.name})")
    with loop(w, extent, plain=True) as axis:
        w.line(f"{target.name}[{pointer.name}[{axis.name}]] = {value(w, tag, 2)}")


# --- what a thread does alone ----------------------------------------------------------------------------


def while_loop(w: Writer) -> None:
    """Each element by its own `while`."""
    extents = dims(w, w.one((1, 2)))
    tag = w.dtype(("f32", "f64", "i32", "i64"))
    source, target = w.source(tag, extents), w.parameter(tag, extents)
    w.writing.add(target.name)
    w.mark("while")
    with ExitStack() as stack:
        at = [stack.enter_context(loop(w, d)).name for d in extents]
        x, n = w.name("e", "g"), w.name("count", "steps")
        w.line(f"{x} = {element(w, source, at)}")
        w.line(f"{n} = {w.one(('0', 'i32(0)'))}")
        w.locals[x] = tag
        test = f"{n} < {w.one(('3', '5', '9'))} and {condition(w, 0)}" if w.chance(0.8) else f"{n} < 4"
        with w.block(f"while {test}:"):
            step = f"{x} * {literal(w, tag)} + {leaf(w, tag)}"
            if w.chance(0.7):
                w.mark("tuple assignment in a while")
                w.line(f"{x}, {n} = {step}, {n} + 1")
            else:
                w.line(f"{x} = {step}")
                w.line(f"{n} += 1")
        w.line(f"{element(w, target, at)} = {x} + {n}" if w.chance(0.5) else f"{element(w, target, at)} = {x}")


def scan(w: Writer) -> None:
    """A running value that is stored as it goes: a serial axis inside a parallel one, or one that is marked."""
    alone = w.chance(0.4)
    extents = dims(w, 1 if alone else 2)
    tag = w.dtype()
    source = w.source(tag, extents)
    target = w.parameter(tag, extents)
    w.writing.add(target.name)
    w.mark("scan")
    with ExitStack() as stack:
        at = [] if alone else [stack.enter_context(loop(w, extents[0])).name]
        s = w.name("s", "run")
        w.line(f"{s} = {tag}(0)")
        with loop(w, extents[-1], serial=alone) as axis:
            term = element(w, source, [*at, axis.name])
            kind = w.one(("+=", "*", "max"))
            if kind == "+=":
                w.line(f"{s} += {term}")
            elif kind == "*":
                w.line(f"{s} = {s} {w.one(('* 2', '- 1', '+ 1'))} - {term}")
            else:
                w.line(f"{s} = max({s}, {term})")
            w.line(f"{element(w, target, [*at, axis.name])} = {s}")


def private_array(w: Writer) -> None:
    """An array of each iteration's own."""
    rows, extent = w.one(DIMS), w.one((*DIMS, "5"))
    tag = w.dtype(tuple(NUMPY))
    target = w.parameter(tag, (rows, extent) if w.chance(0.5) else (rows,))
    w.writing.add(target.name)
    w.mark("private array")
    with loop(w, rows, plain=True) as outer:
        mine = w.local_array(tag, (extent,), w.one(("zeros", "empty")), keep=False)
        w.writing.add(mine.name)
        with loop(w, extent, plain=True) as a:
            w.line(f"{mine.name}[{a.name}] = {value(w, tag, 2)}")
        w.writing.discard(mine.name)
        if w.chance(0.85):
            w.mark("private array updated")
            w.writing.add(mine.name)
            with loop(w, extent, plain=True) as a, loop(w, w.one(DIMS)):
                w.line(f"{mine.name}[{a.name}] += {value(w, tag, 1)}")
            w.writing.discard(mine.name)
        if len(target.extents) == 2:
            with loop(w, extent, plain=True) as a:
                w.line(f"{element(w, target, [outer.name, a.name])} = {mine.name}[{index(w, extent)}]")
        else:
            names = running(w, extent if extent in DIMS else "K", tag)
            w.line(f"{target.name}[{outer.name}] = {names[0]}")
    w.arrays.remove(mine)


def csr(w: Writer) -> None:
    """Rows whose bounds are read from an array."""
    tag = w.dtype()
    rows = w.parameter(w.one(("i32", "i64")), ("M + 1",), "none")
    data = w.source(tag, ("N",))
    columns = w.parameter("i32", ("N",), "K")
    dense = w.source(tag, ("K",))
    target = w.parameter(tag, ("M",))
    w.writing.add(target.name)
    w.mark("ragged bounds", "gather")
    with loop(w, "M", plain=True) as i:
        s = w.name("s", "total")
        w.line(f"{s} = {tag}(0)")
        at = w.name("e", "h")
        with w.block(f"for {at} in range({rows.name}[{i.name}], {rows.name}[{i.name} + 1]):"):
            w.line(f"{s} += {data.name}[{at}] * {dense.name}[{columns.name}[{at}]]")
        w.line(f"{target.name}[{i.name}] = {s}")


def flat(w: Writer) -> None:
    """Two axes in one array of one axis, indexed by i * n + j."""
    tag = w.dtype()
    a, b = dims(w, 2)
    source = w.parameter(tag, (f"{a} * {b}",))
    w.arrays.remove(source)
    target = w.parameter(tag, (f"{a} * {b}",) if w.chance(0.5) else (a, b))
    w.writing.add(target.name)
    w.arrays.remove(target)
    w.mark("flat index")
    with loop(w, a) as i, loop(w, b) as j:
        place = w.one((f"{i.name} * {b} + {j.name}", f"{j.name} + {b} * {i.name}"))
        to = [place] if len(target.extents) == 1 else [i.name, j.name]
        w.line(f"{element(w, target, to)} = {source.name}[{place}] + {value(w, tag, 1)}")
