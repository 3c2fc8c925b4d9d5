"""Templates of whole functions' parts: slices, time loops, local arrays between nests."""

from __future__ import annotations

from contextlib import ExitStack

from tests.fuzz.expressions import value
from tests.fuzz.kinds import NUMPY, is_float
from tests.fuzz.leaves import literal
from tests.fuzz.loops import loop
from tests.fuzz.nests import DIMS, depth, dims, elementwise, row_reduction
from tests.fuzz.writer import Writer

NARROW = ("i8", "i16", "i32", "u8", "u32")
"""What NumPy sums in a wider type unless it is told not to."""
STEPWISE = "bf16"
"""What is not summed here: ml_dtypes rounds each step of a sum to bf16, tl2hip carries it in f32 as NumPy does f16.
A wider accumulator is allowed, yet beside Python's values it is a difference (TL701)."""


# --- slices ----------------------------------------------------------------------------------------------


def array_value(w: Writer, tag: str, rows: str, axis: str, left: int) -> str:
    """An array expression of one axis (a row of each 2-d array at `rows`, or a whole 1-d one)."""
    if left <= 0 or w.chance(0.25):
        return _row(w, tag, rows, axis)
    a = array_value(w, tag, rows, axis, left - 1)
    kind = w.weighted((("op", 5), ("weak", 2), ("np", 7), ("where", 4), ("cast", 4), ("abs", 4)))
    if kind == "op":
        b = _another(w, tag, rows, axis, left - 1, a)
        return f"({a} {w.one(('+', '-', '*'))} {b})"
    if kind == "weak":
        return f"({a} {w.one(('+', '-', '*'))} {literal(w, tag)})"
    if kind == "np":
        b = _another(w, tag, rows, axis, left - 1, a)
        name = w.one(("maximum", "minimum"))
        w.mark(f"np.{name} of arrays")
        w.mark_choice(f"np.{name}", tag)
        return f"np.{name}({a}, {b})"
    if kind == "where":
        b = _another(w, tag, rows, axis, left - 1, a)
        w.mark("np.where of arrays")
        return f"np.where({a} {w.one(('<', '>', '!='))} {b}, {a}, {b})"
    if kind == "cast":
        w.mark("cast of an array")
        return f"{tag}({a})" if w.chance(0.5) or tag not in NUMPY else f"({a}).astype({NUMPY[tag]})"
    w.mark("abs of an array")
    return f"abs({a})"


def _another(w: Writer, tag: str, rows: str, axis: str, left: int, known: str) -> str:
    """An array expression that is not the known one."""
    return w.other(lambda: array_value(w, tag, rows, axis, left), known) or w.parameter(tag, (axis,)).name


def _row(w: Writer, tag: str, rows: str, axis: str) -> str:
    if rows and w.chance(0.7):
        outer = w.axes[-1]
        found = w.source(tag, (outer.dim, axis))
        if found.name not in w.writing:
            w.mark("row slice")
            return w.one((f"{found.name}[{rows}, :]", f"{found.name}[{rows}]"))
    found = w.source(tag, (axis,))
    return w.one((found.name, f"{found.name}[:]")) if found.name not in w.writing else f"{tag}(1)"


def _of_row(w: Writer, kind: str, row: str, tag: str, axis: str) -> str:
    """The name of a reduction of a row; an extreme of an empty row is 0."""
    w.mark(f"row .{kind}()")
    stat = w.name("stat", "m")
    wide = "" if kind != "sum" or tag not in NARROW else f"dtype={NUMPY[tag]}"
    spelled = w.one((f"{row}.{kind}({wide})", f"np.{kind}({row}{wide and ', '}{wide})"))
    if kind in ("max", "min"):
        w.line(f"{stat} = {tag}(0)")
        with w.block(f"if {axis} > 0:"):
            w.line(f"{stat} = {spelled}")
    else:
        w.line(f"{stat} = {spelled}")
    return stat


def row_slices(w: Writer) -> None:
    """A row at a time: `Y[i, :] = …`, with reductions of rows."""
    tag = w.dtype() if w.chance(0.7) else w.one(("f32", "f64"))
    rows, axis = w.random.sample(DIMS, 2)
    target = w.target(tag, (rows, axis))
    w.writing.add(target.name)
    w.mark("slice form")
    with loop(w, rows) as i:
        text = array_value(w, tag, i.name, axis, 2)
        if w.chance(0.8):
            held = w.name("row", "r")
            w.mark("array temporary")
            w.line(f"{held} = {text}")
            kinds = (("max", 4), ("min", 4)) if tag == STEPWISE else (("sum", 3), ("max", 3), ("min", 3))
            kinds += (("mean", 14),) if tag in ("f32", "f64") else ()
            text = held
            for kind in w.several(kinds, ((0, 1), (1, 3), (2, 5))):
                stat = _of_row(w, kind, held, tag, axis)
                if w.chance(0.6):
                    into = w.parameter(tag, (rows,))
                    w.writing.add(into.name)
                    w.line(f"{into.name}[{i.name}] = {stat}")
                else:
                    text = f"({text} {w.one(('+', '-', '*'))} {stat})"
        op = w.weighted((("=", 6), ("+=", 1), ("-=", 1)))
        w.line(
            f"{target.name}[{i.name}, :] {op} {text}" if w.chance(0.8) else f"{target.name}[{i.name}] {op} {text}"
        )


def whole_slices(w: Writer) -> None:
    """A whole array in one statement, with steps, shifts and broadcasting."""
    tag = w.dtype()
    w.mark("slice form", "whole-array statement")
    kinds = ("one", "two", "shift", "step", "broadcast", "reverse", "fill", "axis")
    for kind in w.several([(kind, 1) for kind in kinds], ((1, 2), (2, 5))):
        _slices(w, kind, tag)


def _slices(w: Writer, kind: str, tag: str) -> None:
    a, b = w.random.sample(DIMS, 2)
    w.mark(f"slices: {kind}")
    if kind == "one":
        target = w.target(tag, (a,))
        w.writing.add(target.name)
        w.line(f"{target.name}[:] = {array_value(w, tag, '', a, 2)}")
    elif kind == "two":
        x, target = w.source(tag, (a, b)), w.parameter(tag, (a, b))
        w.line(f"{target.name}[:, :] = {x.name} * {literal(w, tag)} + {x.name}[:, :]")
    elif kind == "shift":
        x, target = w.source(tag, (a,)), w.parameter(tag, (a,))
        w.line(f"{target.name}[1:] = {x.name}[:-1] + {x.name}[1:]")
        w.line(f"{target.name}[1:-1] += {x.name}[2:] - {x.name}[:-2]")
    elif kind == "step":
        x, target = w.source(tag, (a,)), w.parameter(tag, (a,))
        step = w.one((2, 3))
        w.line(f"{target.name}[::{step}] = {x.name}[::{step}] {w.one(('+', '-'))} {literal(w, tag)}")
    elif kind == "broadcast":
        x, y, target = w.source(tag, (a,)), w.source(tag, (b,)), w.parameter(tag, (a, b))
        w.line(f"{target.name}[:, :] = {x.name}[:, None] {w.one(('+', '-', '*'))} {y.name}[None, :]")
    elif kind == "reverse":
        x, target = w.source(tag, (a,)), w.parameter(tag, (a,))
        w.line(f"{target.name}[:] = {x.name}[::-1] - {x.name}")
    elif kind == "fill":
        target = w.parameter(tag, (a, b))
        w.line(
            f"{target.name}[{w.one((':', '1:', '::2', ':-1'))}, {w.one((':', '1:', '0', '-1'))}]"
            f" = {literal(w, tag)}"
        )
    else:
        tag = tag if tag != STEPWISE else "f32"
        x, target = w.source(tag, (a, b)), w.parameter(tag, (a,))
        if tag in NARROW:
            w.line(f"{target.name}[:] = {x.name}.sum(axis=1, dtype={NUMPY[tag]})")
        else:
            w.line(f"{target.name}[:] = {x.name}.sum(axis=1)")


def partial_slices(w: Writer) -> None:
    """Slices whose length is a loop variable's."""
    tag = w.dtype(("f32", "f64", "i32", "i64"))
    rows, axis = w.random.sample(DIMS, 2)
    x = w.source(tag, (rows, axis))
    w.mark("slice form", "slice up to an axis")
    if w.chance(0.4):
        target = w.parameter(tag, (rows, axis))
        w.writing.add(target.name)
        with loop(w, rows, plain=True) as i, loop(w, axis, plain=True) as j:
            total = w.one((f"np.sum({x.name}[{i.name}, :{j.name}])", f"{x.name}[{i.name}, :{j.name} + 1].sum()"))
            w.line(f"{target.name}[{i.name}, {j.name}] = {total}")
    else:
        y, target = w.source(tag, (axis,)), w.parameter(tag, (rows,))
        w.writing.add(target.name)
        w.mark("@")
        with loop(w, rows, plain=True) as i:
            w.line(f"{target.name}[{i.name}] = {x.name}[{i.name}, :] @ {y.name}")


# --- several nests ---------------------------------------------------------------------------------------


def between(w: Writer) -> None:
    """A local array that one nest fills and another reads, at other places."""
    tag = w.dtype(tuple(NUMPY))
    extents = dims(w, w.one((1, 2, 2)))
    t = w.local_array(tag, extents, w.one(("empty", "zeros", "empty")), keep=w.chance(0.9))
    w.writing.add(t.name)
    w.mark("local array between nests")
    loops = [loop(w, d, whole=w.chance(0.2), plain=True) for d in extents]
    with loops[0] as i:
        if len(extents) == 1:
            w.line(f"{t.name}[{i.name}] = {value(w, tag, depth(w))}")
        else:
            with loops[1] as j:
                w.line(f"{t.name}[{i.name}, {j.name}] = {value(w, tag, depth(w))}")
    w.writing.discard(t.name)
    w.one((elementwise, row_reduction, elementwise))(w)


def time_loop(w: Writer) -> None:
    """A loop of the host around nests that take turns."""
    tag = w.dtype(("f32", "f64", "i32", "f16", "i64"))
    extents = dims(w, w.one((1, 2)))
    a, b = w.source(tag, extents), w.parameter(tag, extents)
    w.mark("host loop")
    w.writing |= {a.name, b.name}
    t = w.name("t", "step", "_")
    count = w.one((w.scalar("int"), "3", "2"))
    with w.block(f"for {t} in range({count}):"):
        for source, target in ((a, b), (b, a)):
            with ExitStack() as stack:
                at = [stack.enter_context(loop(w, d)).name for d in extents]
                near = [*at[:-1], f"{at[-1]} - 1"] if w.chance(0.6) else [f"{at[0]} - 1", *at[1:]]
                here, beside = (f"{source.name}[{', '.join(place)}]" for place in (at, near))
                w.line(f"{target.name}[{', '.join(at)}] = {_mix(w, tag, here, beside)}")
            if w.chance(0.5):
                w.mark("host loop over one nest")
                break


def _mix(w: Writer, tag: str, here: str, near: str) -> str:
    if is_float(tag):
        return w.one((f"0.5 * ({here} + {near})", f"{here} - 0.25 * {near}", f"({here} - {near}) / 3"))
    return w.one((f"({here} + {near}) // 2", f"{here} - {near} % 3"))


def relax(w: Writer) -> None:
    """A serial axis around parallel ones."""
    tag = w.dtype(("f32", "i32", "i64", "f64"))
    w.mark("serial axis around parallel ones")
    d = w.parameter(tag, ("N", "N"))
    w.writing.add(d.name)
    if w.chance(0.15):  # as Floyd and Warshall do: in place, which is refused unless the order does not matter
        with loop(w, "N", plain=True) as k, loop(w, "N", plain=True) as i, loop(w, "N", plain=True) as j:
            through = f"{d.name}[{i.name}, {k.name}] + {d.name}[{k.name}, {j.name}]"
            w.line(f"{d.name}[{i.name}, {j.name}] = min({d.name}[{i.name}, {j.name}], {through})")
        return
    x = w.source(tag, ("M", "N"))
    with loop(w, "M") as k, loop(w, "N") as i, loop(w, "N") as j:
        here = f"{d.name}[{i.name}, {j.name}]"
        term = w.one((f"{x.name}[{k.name}, {j.name}]", f"{x.name}[{k.name}, {i.name}]"))
        scaled = f"{here} / 2" if is_float(tag) else f"{here} // 2"
        w.line(f"{here} = {scaled} {w.one(('+', '-'))} {term}")


def branch(w: Writer) -> None:
    """A branch of the host around nests."""
    w.mark("branch of the host")
    test = w.one((f"{w.scalar('int')} > 2", "M > N", f"{w.scalar('int')} % 2 == 0 or N < 3"))
    with w.block(f"if {test}:"):
        elementwise(w)
    if w.chance(0.5):
        with w.block("else:"):
            elementwise(w)


def generator_sum(w: Writer) -> None:
    """Sums of a generator."""
    tag = w.dtype(("f32", "f64", "i32", "i64"))
    rows, axis = w.random.sample(DIMS, 2)
    x, target = w.source(tag, (rows, axis)), w.parameter(tag, (rows,))
    w.writing.add(target.name)
    w.mark("sum of a generator")
    with loop(w, rows, plain=True) as i:
        e = w.name("e", "g")
        test = f" if {x.name}[{i.name}, {e}] > 0" if w.chance(0.4) else ""
        inner = f"{x.name}[{i.name}, {e}] * {literal(w, tag)}"
        w.line(f"{target.name}[{i.name}] = sum({inner} for {e} in range({axis}){test})")
