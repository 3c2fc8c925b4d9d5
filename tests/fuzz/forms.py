"""Templates of other spellings: views, columns, helper functions, enumerate and zip, shapes, flags, scalars."""

from __future__ import annotations

from contextlib import ExitStack

from tests.fuzz.expressions import condition, value
from tests.fuzz.indices import element
from tests.fuzz.kinds import FLOATS, NUMPY, is_float
from tests.fuzz.leaves import literal
from tests.fuzz.loops import loop
from tests.fuzz.nests import DIMS, dims, elementwise, store
from tests.fuzz.writer import Writer

HELPERS = """
def clamp(x, low, high):
    return min(max(x, low), high)


def mix(a, b, t):
    difference = b - a
    return a + difference * t


def smaller(a, b):
    if a < b:
        return a
    return b
"""
"""Functions of the file that programs may call."""


def view(w: Writer) -> None:
    """A row under a name of its own: reading and writing it is reading and writing the array."""
    tag = w.dtype()
    rows, axis = w.random.sample(DIMS, 2)
    x, y = w.source(tag, (rows, axis)), w.parameter(tag, (rows, axis))
    w.mark("view of a row")
    w.writing.add(y.name)
    with loop(w, rows, plain=True) as i:
        row = w.name("row", "r")
        w.line(f"{row} = {x.name}[{i.name}]")
        out = y.name + f"[{i.name}]"
        if w.chance(0.8):
            w.mark("view written")
            out = w.name("out", "dst")
            w.line(f"{out} = {y.name}[{i.name}, :]")
        if w.chance(0.3):
            w.line(f"{out}[:] = {row} {w.one(('+', '*', '-'))} {literal(w, tag)}")
        else:
            with loop(w, axis) as j:
                w.line(
                    f"{out}[{j.name}] = {row}[{j.name}] {w.one(('+', '*', '-'))}"
                    f" {row}[{w.one(('0', '-1', f'{j.name} - 1'))}]"
                )


def column(w: Writer) -> None:
    """Columns as slices."""
    tag = w.dtype(("f32", "f64", "i64", "i32", "f16"))
    rows, axis = w.random.sample(DIMS, 2)
    x = w.source(tag, (rows, axis))
    w.mark("column slice")
    if w.chance(0.5):
        y = w.parameter(tag, (rows, axis))
        w.writing.add(y.name)
        with loop(w, axis, plain=True) as j:
            w.line(
                f"{y.name}[:, {j.name}] = {x.name}[:, {j.name}] {w.one(('+', '-'))}"
                f" {x.name}[:, {w.one((j.name, '0', '-1'))}]"
            )
        return
    y = w.parameter(tag, (axis,))
    w.writing.add(y.name)
    kind = w.one(("sum", "sum", "min", "max"))
    wide = f"dtype={NUMPY[tag]}" if kind == "sum" and tag == "i32" else ""
    with loop(w, axis, plain=True) as j:
        if kind == "sum":
            w.line(f"{y.name}[{j.name}] = {x.name}[:, {j.name}].sum({wide})")
        else:
            with w.block(f"if {rows} > 0:"):
                w.line(f"{y.name}[{j.name}] = np.{kind}({x.name}[:, {j.name}])")


def helper(w: Writer) -> None:
    """Calls of functions of the same file."""
    tag = w.dtype()
    extents = dims(w, w.one((1, 2)))
    x, y = w.source(tag, extents), w.parameter(tag, extents)
    w.mark("helper function")
    w.writing.add(y.name)
    with ExitStack() as stack:
        at = [stack.enter_context(loop(w, d)).name for d in extents]
        a, b = element(w, x, at), value(w, tag, 1)
        low, high = ("1", "7") if tag.startswith("u") else ("-2", "3")
        called = w.one(
            (f"clamp({a}, {tag}({low}), {tag}({high}))", f"mix({a}, {b}, {tag}(2))", f"smaller({a}, {b})")
        )
        w.line(f"{element(w, y, at)} = {called} + {literal(w, tag)}")


def sequences(w: Writer) -> None:
    """Loops over arrays: `for x in A`, enumerate, zip."""
    tag = w.dtype()
    extent = w.one(DIMS)
    kinds = ("enumerate", "zip", "elements", "enumerate of zip")
    for kind in w.several([(kind, 1) for kind in kinds], ((1, 2), (2, 5))):
        _sequence(w, kind, tag, extent)


def _sequence(w: Writer, kind: str, tag: str, extent: str) -> None:
    a, b, y = w.source(tag, (extent,)), w.source(tag, (extent,)), w.parameter(tag, (extent,))
    w.writing.add(y.name)
    i, x, z = w.name("i", "e"), w.name("x", "v"), w.name("z", "g")
    w.mark(f"loop over {kind}")
    if kind == "enumerate":
        w.line(f"for {i}, {x} in enumerate({a.name}):")
        w.line(f"    {y.name}[{i}] = {x} {w.one(('+', '-', '*'))} {b.name}[{i}]")
        return
    if kind == "enumerate of zip":
        w.line(f"for {i}, ({x}, {z}) in enumerate(zip({a.name}, {b.name})):")
        w.line(f"    {y.name}[{i}] = {x} {w.one(('+', '-', '*'))} {z}")
        return
    s = w.name("s", "total")
    w.line(f"{s} = {tag}(0)")
    if kind == "zip":
        w.line(f"for {x}, {z} in zip({a.name}, {b.name}):")
        w.line(f"    {s} += {x} * {z}")
    else:
        w.line(f"for {x} in {a.name}:")
        w.line(f"    {s} = max({s}, {x})")
    with loop(w, extent) as axis:
        w.line(f"{y.name}[{axis.name}] = {s}")


def shapes(w: Writer) -> None:
    """Extents read from the arrays."""
    tag = w.dtype()
    rows, axis = w.random.sample(DIMS, 2)
    x, y = w.source(tag, (rows, axis)), w.parameter(tag, (rows, axis))
    w.mark("extents by .shape and len")
    w.writing.add(y.name)
    i, j, count = w.name("i", "e"), w.name("j", "g"), w.name("cols", "n_")
    w.line(f"{count} = {x.name}.shape[{w.one(('1', '-1'))}]")
    w.line(f"for {i} in range(len({x.name})):")
    w.line(f"    for {j} in range({count}):")
    w.line(f"        {y.name}[{i}, {j}] = {x.name}[{i}, {count} - 1 - {j}] + {literal(w, tag)}")


def flags(w: Writer) -> None:
    """A bool that a loop gathers."""
    tag = w.dtype()
    rows, axis = w.random.sample(DIMS, 2)
    x = w.source(tag, (rows, axis))
    w.mark("flag of a row")
    kinds = w.several([(kind, 1) for kind in ("any", "all", "or", "count")], ((1, 1), (2, 3)))
    flagged = [(kind, w.name("found", "ok"), w.parameter(w.one(("bool", "i32", "f32")), (rows,))) for kind in kinds]
    w.writing |= {y.name for _, _, y in flagged}
    with loop(w, rows, plain=True) as i:
        for kind, found, _ in flagged:
            w.mark(f"flag: {kind}")
            w.line(f"{found} = {'0' if kind == 'count' else kind == 'all'}")
        with loop(w, axis) as j:
            for kind, found, _ in flagged:
                test = f"{element(w, x, [i.name, j.name])} {w.one(('>', '<', '==', '!='))} {literal(w, tag)}"
                if kind == "or":
                    w.line(f"{found} = {found} or {test}")
                else:
                    with w.block(f"if {test}:"):
                        w.line({"any": f"{found} = True", "all": f"{found} = False"}.get(kind, f"{found} += 1"))
        for _, found, y in flagged:
            w.line(f"{y.name}[{i.name}] = {found}")


def power_steps(w: Writer) -> None:
    """A host loop around a reduction of everything and a nest that uses it."""
    tag = w.dtype(("f32", "f64", "i32", "i64"))
    extent = w.one(DIMS)
    x = w.source(tag, (extent,))
    w.writing.add(x.name)
    w.mark("host loop with a scalar")
    t, s = w.name("t", "step"), w.name("s", "total")
    with w.block(f"for {t} in range({w.one(('2', '3', w.scalar('int')))}):"):
        w.line(f"{s} = {tag}(0)")
        with loop(w, extent) as i:
            w.line(
                f"{s} {w.one(('+=', '-='))} {x.name}[{i.name}]"
                if w.chance(0.7)
                else f"{s} = max({s}, {x.name}[{i.name}])"
            )
        with loop(w, extent, whole=True) as i:
            part = f"{x.name}[{i.name}] / (abs({s}) + 1)" if is_float(tag) else f"{x.name}[{i.name}] - {s} % 7"
            w.line(f"{x.name}[{i.name}] = {part}")


def converge(w: Writer) -> None:
    """A `while` of the host around nests."""
    tag = w.one(("f32", "f64"))
    extent = w.one(DIMS)
    x, e = w.source(tag, (extent,)), w.parameter(tag, ("1",))
    w.writing |= {x.name, e.name}
    w.mark("while around nests")
    d, n = w.name("d", "err"), w.name("n_", "count")
    w.line(f"{d} = {tag}(100)")
    w.line(f"{n} = 0")
    with w.block(f"while {d} > 1 and {n} < {w.one(('4', '7'))}:"):
        w.line(f"{d} = {tag}(0)")
        with loop(w, extent, plain=True) as i:
            w.line(f"{x.name}[{i.name}] = {x.name}[{i.name}] * {tag}(0.5)")
        with loop(w, extent, plain=True) as i:
            w.line(f"{d} += abs({x.name}[{i.name}])")
        w.line(f"{n} += 1")
    w.line(f"{e.name}[0] = {d} + {n}")


def correlated(w: Writer) -> None:
    """A triangle computed and stored to both of its sides."""
    tag = w.dtype(("f32", "f64", "i32", "i64"))
    x, c = w.source(tag, ("M", "N")), w.parameter(tag, ("N", "N"))
    w.writing.add(c.name)
    w.mark("triangle stored on both sides", "triangular bounds")
    with loop(w, "N", plain=True) as i:
        j, k, s = w.name("j", "e"), w.name("k", "g"), w.name("s", "acc")
        with w.block(f"for {j} in range({i.name}{w.one(('', ' + 1'))}, N):"):
            w.line(f"{s} = {tag}(0)")
            with w.block(f"for {k} in range(M):"):
                w.line(f"{s} += {x.name}[{k}, {i.name}] * {x.name}[{k}, {j}]")
            w.line(f"{c.name}[{i.name}, {j}] = {s}")
            w.line(f"{c.name}[{j}, {i.name}] = {s}")


def reductions_by_numpy(w: Writer) -> None:
    """Whole-array reductions of NumPy: along axes, of everything, of a product."""
    tag = w.dtype(("f32", "f64", "i64", "f16"))
    kinds = ("axis0", "keepdims", "all", "dot", "matmul", "any", "T")
    for kind in w.several([(kind, 1) for kind in kinds], ((1, 2), (2, 5))):
        _by_numpy(w, kind, tag)


def _by_numpy(w: Writer, kind: str, tag: str) -> None:
    a, b = w.random.sample(DIMS, 2)
    x = w.source(tag, (a, b))
    w.mark(f"np: {kind}")
    if kind == "axis0":
        if tag == "f16":  # NumPy adds rows of halves in halves; tl2hip adds in f32, as NumPy does along a row
            tag = "f32"
            x = w.source(tag, (a, b))
        y = w.parameter(tag, (b,))
        w.line(f"{y.name}[:] = {x.name}.sum(axis=0)")
    elif kind == "keepdims":
        y = w.parameter(tag, (a, b))
        w.line(f"{y.name}[:, :] = {x.name} - {x.name}.sum(axis=1, keepdims=True)")
    elif kind == "all":
        y = w.parameter(tag, ("1",))
        w.line(f"{y.name}[0] = {w.one((f'np.sum({x.name})', f'{x.name}.sum()'))}")
    elif kind == "dot":
        v, u, y = w.source(tag, (b,)), w.source(tag, (b,)), w.parameter(tag, ("1",))
        w.line(f"{y.name}[0] = np.dot({v.name}, {u.name})")
    elif kind == "matmul":
        c = next(d for d in DIMS if d not in (a, b))
        z, y = w.source(tag, (b, c)), w.parameter(tag, (a, c))
        w.line(f"{y.name}[:, :] = {x.name} @ {z.name}")
    elif kind == "any":
        y = w.parameter("bool", (a,))
        w.writing.add(y.name)
        with loop(w, a, plain=True) as i:
            w.line(f"{y.name}[{i.name}] = np.{w.one(('any', 'all'))}({x.name}[{i.name}] > {literal(w, tag)})")
    else:
        y = w.parameter(tag, (b, a))
        w.line(f"{y.name}[:, :] = {x.name}.T * {literal(w, tag)}")


def changed_name(w: Writer) -> None:
    """A name that an `if` changes on one way or both."""
    extents = dims(w, w.one((1, 2)))
    tag = w.dtype()
    target = w.parameter(tag, extents)
    w.writing.add(target.name)
    w.mark("name set under a condition")
    with ExitStack() as stack:
        at = [stack.enter_context(loop(w, d)).name for d in extents]
        x = w.name("t", "e")
        w.line(f"{x} = {value(w, tag, 1)}")
        w.locals[x] = tag
        with w.block(f"if {condition(w, 1)}:"):
            w.line(f"{x} = {value(w, tag, 1)}")
            if w.chance(0.8):
                w.mark("nested if")
                with w.block(f"if {condition(w, 0)}:"):
                    w.line(f"{x} {w.one(('+=', '-=', '*='))} {value(w, tag, 0)}")
        if w.chance(0.4):
            with w.block("else:"):
                w.line(f"{x} = {value(w, tag, 1)}")
        w.line(f"{element(w, target, at)} = {x} + {literal(w, tag)}")


def inner_update(w: Writer) -> None:
    """An inner loop that writes along its own axis after a reduction: the rows of softmax."""
    tag = w.dtype(FLOATS)
    rows, axis = w.random.sample(DIMS, 2)
    x, y = w.source(tag, (rows, axis)), w.parameter(tag, (rows, axis))
    w.writing.add(y.name)
    w.mark("three loops of a row")
    with loop(w, rows, plain=True) as i:
        m, s = w.name("m", "best"), w.name("s", "total")
        w.line(f"{m} = {tag}(-math.inf)")
        with loop(w, axis, plain=True) as j:
            w.line(f"{m} = max({m}, {element(w, x, [i.name, j.name])})")
        w.line(f"{s} = {tag}(0)")
        with loop(w, axis, plain=True) as j:
            if w.chance(0.6):
                w.mark("row element read back")
                w.line(f"{y.name}[{i.name}, {j.name}] = {x.name}[{i.name}, {j.name}] - {m}")
                w.line(f"{s} += {y.name}[{i.name}, {j.name}] * {tag}(0.5)")
            else:
                w.line(f"{s} += {x.name}[{i.name}, {j.name}] - {m}")
        with loop(w, axis, plain=True) as j:
            w.line(f"{y.name}[{i.name}, {j.name}] = ({x.name}[{i.name}, {j.name}] - {m}) / ({s} + {tag}(1))")


def nest_after_nest(w: Writer) -> None:
    """A nest that reads, turned round, what the one before wrote to a parameter."""
    w.mark("reads what an earlier nest wrote")
    elementwise(w)
    w.writing.clear()
    elementwise(w)


def written_again(w: Writer) -> None:
    """An array that is there already, written (again)."""
    known = [a for a in w.arrays if not a.points and a.dtype != "bool" and set(a.extents) <= set(DIMS)]
    target = w.one(known) if known else w.parameter(w.dtype(), dims(w, 1))
    if known:
        w.mark("array written again")
    w.writing.add(target.name)
    with ExitStack() as stack:
        at = [stack.enter_context(loop(w, d)).name for d in target.extents]
        store(w, target, at)


def read_back(w: Writer) -> None:
    """An element that is read behind its store, by the same iteration: the load must not overtake the store."""
    tag = w.dtype()
    extents = dims(w, w.one((1, 1, 2)))
    y, z = w.parameter(tag, extents), w.parameter(tag, extents)
    w.writing |= {y.name, z.name}
    w.mark("element read back")
    with ExitStack() as stack:
        at = [stack.enter_context(loop(w, d)).name for d in extents]
        here = element(w, y, at)
        w.line(f"{here} {w.one(('=', '=', '+='))} {value(w, tag, 1)}")
        held = w.name("t", "e")
        w.line(f"{held} = {element(w, y, at)} {w.one(('+', '-', '*'))} {literal(w, tag)}")
        if w.chance(0.5):
            w.line(f"{here} = {held} - {value(w, tag, 0)}")
            w.line(f"{element(w, z, at)} = {held} + {element(w, y, at)}")
        else:
            w.line(f"{element(w, z, at)} = {held}")
