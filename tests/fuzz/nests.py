"""Templates of nests in loop form; each writes one nest (or a few) into the program."""

from __future__ import annotations

from contextlib import ExitStack

from tests.fuzz.expressions import condition, lets_in, seldom_or_value, turns_away, value
from tests.fuzz.indices import element
from tests.fuzz.kinds import INTEGERS, is_float
from tests.fuzz.leaves import another, leaf, literal, varied, weak_int
from tests.fuzz.loops import loop
from tests.fuzz.writer import Array, Writer

DIMS = ("M", "N", "K")


def dims(w: Writer, count: int) -> tuple[str, ...]:
    """Some extents, at times one twice."""
    first = list(w.random.sample(DIMS, min(count, 3)))
    if count > 1 and w.chance(0.25):
        first[1] = first[0]
    return tuple(first)


def depth(w: Writer) -> int:
    return w.weighted(((1, 5), (2, 4), (3, 1)))


def some_locals(w: Writer, at_most: int = 2) -> None:
    """Names for intermediate values."""
    for _ in range(w.random.randrange(at_most + 1)):
        tag = w.dtype()
        made = value(w, tag, depth(w))
        if w.chance(0.1):
            tag, made = "int", weak_int(w)
        elif w.chance(0.15):
            x = value(w, tag, 1)
            first, second = w.name("t", "s"), w.name("e", "g")
            w.mark("tuple assignment")
            w.line(f"{first}, {second} = {made}, {x}")
            w.locals |= {first: tag, second: tag}
            continue
        name = w.name("t", "s", "e", "g")
        w.line(f"{name} = {made}")
        w.mark("temporary")
        w.locals[name] = tag
        if w.chance(0.6) and tag != "int":
            op = w.one(("+=", "-=", "*="))
            w.mark(f"name {op}")
            w.line(f"{name} {op} {value(w, tag, 1)}")


def store(w: Writer, array: Array, at: list[str]) -> None:
    """A store to an element: plain, augmented, or under a condition."""
    where = element(w, array, at)
    made = w.other(lambda: seldom_or_value(w, array.dtype, depth(w)), where) or literal(w, array.dtype)
    casts = array.dtype != "bool" and w.chance(0.12)
    if casts:
        other = w.dtype()
        w.mark("store that casts")
        made = value(w, other, depth(w))
        if is_float(other) and not is_float(array.dtype):
            low = "0" if array.dtype.startswith("u") else "-100"
            made = f"min(max({other}({low}), {made}), {other}(100))"
    kind = (
        "plain" if casts else w.weighted((("plain", 8), ("augmented", 13), ("if", 3), ("if else", 1), ("elif", 4)))
    )
    if kind == "augmented" and array.dtype != "bool":
        for op in _updates(w, array):
            w.mark(f"element {op}")
            w.line(f"{where} {op} {made}")
            made = value(w, array.dtype, 1)
    elif kind == "if":
        w.mark("guard")
        with w.block(f"if {lets_in(w)}:"):
            w.line(f"{where} = {made}")
    elif kind in ("if else", "elif"):
        w.mark("if and else")
        with w.block(f"if {condition(w, 1)}:"):
            w.line(f"{where} = {made}")
        if kind == "elif":
            w.mark("elif")
            with w.block(f"elif {condition(w, 1)}:"):
                w.line(f"{where} = {value(w, array.dtype, 1)}")
        with w.block("else:"):
            w.line(f"{where} = {value(w, array.dtype, 1)}")
    else:
        w.line(f"{where} = {made}")


def _updates(w: Writer, array: Array) -> list[str]:
    """The operators of the updates of an element: one, or two or three that differ."""
    ops = [("+=", 1), ("-=", 2), ("*=", 3), ("//=", 5), ("%=", 5)]
    ops += [("/=", 11)] if is_float(array.dtype) else [("^=", 7), ("|=", 7), ("&=", 15)]
    if array.name in w.returned:  # it holds zeros: the others would leave them
        ops = [(op, n) for op, n in ops if op in ("+=", "-=", "^=", "|=")]
    return w.several(ops, ((1, 2), (2, 3), (3, 5)))


def own_index(w: Writer, axes: list[str], extents: tuple[str, ...]) -> list[str]:
    """An index that names each element once: the axes themselves, or one of them turned round."""
    at = list(axes)
    if w.chance(0.16):
        k = w.random.randrange(len(at))
        w.mark("store to a reversed index")
        at[k] = w.one((f"{extents[k]} - 1 - {at[k]}", f"-1 - {at[k]}"))
    return at


def early_turn(w: Writer) -> None:
    """A `continue` at times."""
    if w.chance(0.1):
        w.mark("continue")
        with w.block(f"if {turns_away(w)}:"):
            w.line("continue")


# --- elementwise -----------------------------------------------------------------------------------------


def elementwise(w: Writer) -> None:
    """Each element of an array from others."""
    extents = dims(w, w.weighted(((1, 4), (2, 5), (3, 3))))
    dtype = "bool" if w.chance(0.05) else w.dtype()
    target = w.target(dtype, extents)
    reads = w.weighted((("", 82), ("its own", 10), ("any", 8)))
    if reads:
        w.mark("reads what its nest writes")
    if reads != "any":
        w.writing.add(target.name)
    with ExitStack() as stack:
        names = {}
        order = list(range(len(extents)))
        if w.chance(0.2):
            w.random.shuffle(order)
        for k in order:
            names[k] = stack.enter_context(loop(w, extents[k])).name
            if k != order[-1] and w.chance(0.15):
                some_locals(w, 1)
        early_turn(w)
        some_locals(w)
        at = own_index(w, [names[k] for k in range(len(extents))], extents)
        if reads == "its own" and dtype != "bool":
            here = element(w, target, at)
            w.line(f"{here} = {value(w, dtype, 1)} {w.one(('+', '-'))} {here}")
        else:
            store(w, target, at)
        if w.chance(0.15):
            w.mark("two stores in one body")
            store(w, target, at)
        if w.chance(0.15):
            other = w.parameter(w.dtype(), extents)
            w.writing.add(other.name)
            w.mark("two arrays written in one body")
            store(w, other, at)


def in_place(w: Writer) -> None:
    """An array updated where it stands, or from its neighbours."""
    extents = dims(w, w.weighted(((1, 3), (2, 2))))
    found = w.source(w.dtype(), extents)
    w.mark("in place")
    shifted = w.chance(0.6)
    with ExitStack() as stack:
        axes = [
            stack.enter_context(loop(w, d, serial=shifted and d == extents[-1] and w.chance(0.8))) for d in extents
        ]
        here = element(w, found, [a.name for a in axes])
        w.writing.add(found.name)
        if shifted:
            w.mark("carried element")
            far = element(w, found, [a.name for a in axes[:-1]] + [f"{axes[-1].name} - 1"])
            w.line(f"{here} = {here} {w.one(('+', '-'))} {far}" + (" * 0.5" if is_float(found.dtype) else " // 2"))
        else:
            w.line(f"{here} = {here} {w.one(('+', '-', '*'))} {value(w, found.dtype, 2)}")


def swap(w: Writer) -> None:
    """Two elements exchanged."""
    extents = dims(w, w.one((1, 2)))
    dtype = w.dtype()
    a, b = w.source(dtype, extents), w.parameter(dtype, extents)
    w.mark("swap")
    w.writing |= {a.name, b.name}
    with ExitStack() as stack:
        at = [stack.enter_context(loop(w, d)).name for d in extents]
        x, y = element(w, a, at), element(w, b, at)
        w.line(f"{x}, {y} = {y}, {x}")


# --- reductions ------------------------------------------------------------------------------------------


def accumulate(w: Writer, name: str, tag: str, kind: str) -> None:
    """One update of a running value."""
    chooses = is_float(tag) and ("max" in kind or "min" in kind)  # among terms that may be NaN: no cast integers
    term = (value if chooses else seldom_or_value)(w, tag, depth(w))
    if w.chance(0.15):
        w.mark("reduction under a condition")
        with w.block(f"if {condition(w, 1)}:"):
            return _update(w, name, tag, kind, term)
    if w.chance(0.05):
        w.mark("continue")
        with w.block(f"if {condition(w, 1)}:"):
            w.line("continue")
    return _update(w, name, tag, kind, term)


def _update(w: Writer, name: str, tag: str, kind: str, term: str) -> None:
    w.mark(f"reduction by {kind}")
    if kind in ("+=", "-="):
        w.line(f"{name} {kind} {term}")
    elif kind == "*=":
        w.line(f"{name} *= " + (f"{tag}({term} * 0.1 + 1)" if is_float(tag) else term))
    elif kind == "name = name + x":
        w.line(f"{name} = {name} + {term}" if w.chance(0.5) else f"{name} = {term} + {name}")
    elif kind in ("max", "min", "np.maximum", "np.minimum"):
        w.mark_choice(kind, tag)
        w.line(f"{name} = {kind}({name}, {varied(w, tag, term)})")
    elif kind == "max on the right":
        w.mark_choice("max", tag)
        w.line(f"{name} = max({varied(w, tag, term)}, {name})")
    elif kind in ("if x > m", "if x < m"):
        held = w.name("e", "g")
        w.line(f"{held} = {term}")
        with w.block(f"if {held} {kind[5]} {name}:"):
            w.line(f"{name} = {held}")
    elif kind in ("|=", "&=", "^="):
        w.line(f"{name} {kind} {term}")
    elif kind == "flag":
        with w.block(f"if {condition(w, 1)}:"):
            w.line(f"{name} = {tag}(1)")
    else:
        raise ValueError(kind)


def reduction_kinds(tag: str) -> list[tuple[str, int]]:
    """The kinds of reductions of a dtype, with their weights."""
    kinds = [("+=", 3), ("-=", 3), ("*=", 3), ("name = name + x", 3), ("max", 4), ("min", 3), ("np.maximum", 3)]
    kinds += [("np.minimum", 3), ("max on the right", 4), ("if x > m", 3), ("if x < m", 3), ("flag", 4)]
    return kinds if tag not in INTEGERS else [*kinds, ("|=", 7), ("&=", 7), ("^=", 7)]


def start(w: Writer, tag: str, kind: str) -> str:
    """What a running value starts from."""
    if is_float(tag) and kind in ("max", "if x > m", "np.maximum") and w.chance(0.7):
        w.mark("starts from infinity")
        return f"{tag}(-math.inf)"
    if ("max" in kind or "min" in kind or "m" in kind.split()) and w.chance(0.15):
        w.mark("weak start of an extreme")
        return "1.0" if is_float(tag) else "1"
    if kind in ("+=", "name = name + x") and w.chance(0.5):
        w.mark("weak start")
        return "0.0" if is_float(tag) else "0"
    high = kind == "&=" or (tag in INTEGERS and kind in ("min", "np.minimum", "if x < m"))
    return f"{tag}({w.one(('7', '100') if high else ('0', '0', '1', '2'))})"


def row_reduction(w: Writer) -> None:
    """A value of each row from the elements of it; at times two running values, or nested ones."""
    outer = dims(w, w.weighted(((1, 4), (2, 2))))
    tag = w.dtype()
    target = w.target(tag, outer)
    w.writing.add(target.name)
    inner = w.one(DIMS)
    with ExitStack() as stack:
        axes = [stack.enter_context(loop(w, d, plain=w.chance(0.5))).name for d in outer]
        early_turn(w)
        names = running(w, inner, tag)
        if w.chance(0.25):
            w.mark("two reductions after each other")
            names += running(w, w.one(DIMS), tag)
        for name in names:
            w.locals[name] = tag
        w.line(f"{element(w, target, axes)} = {_use(w, names, tag)}")


def _use(w: Writer, names: list[str], tag: str) -> str:
    """What becomes of running values."""
    text = names[0]
    for other in names[1:]:
        text = f"{text} {w.one(('+', '-', '*'))} {other}"
    if w.chance(0.4):
        text = f"({text}) {w.one(('+', '*', '-'))} {another(w, tag, lambda: leaf(w, tag), *names)}"
    return text


def running(w: Writer, dim: str, tag: str) -> list[str]:
    """A few running values over a loop (of two axes at times); their names."""
    kinds = w.several(reduction_kinds(tag), ((1, 3), (2, 4), (3, 4), (4, 2)))
    names = [w.name("s", "m", "total", "best") for _ in kinds]
    if len(kinds) > 1:
        w.mark("two reductions in one loop")
    for name, one in zip(names, kinds, strict=True):
        w.line(f"{name} = {start(w, tag, one)}")
    with loop(w, dim):
        if w.chance(0.2):
            some_locals(w, 1)
        first, *others = zip(names, kinds, strict=True)
        if w.chance(0.17):
            w.mark("nested reduction")
            with loop(w, w.one(DIMS)):
                accumulate(w, first[0], tag, first[1])
        elif w.chance(0.22):
            w.mark("reduction inside a reduction")
            part = w.name("part_", "sub")
            w.line(f"{part} = {tag}(0)")
            with loop(w, w.one(DIMS)):
                accumulate(w, part, tag, "+=")
            w.locals[part] = tag
            _update(w, first[0], tag, first[1], part)
        else:
            accumulate(w, first[0], tag, first[1])
        for name, one in others:
            accumulate(w, name, tag, one)
    return names


def into_element(w: Writer) -> None:
    """A reduction that accumulates into an element, its loop innermost or not."""
    outer = dims(w, w.one((1, 2)))
    tag = w.dtype()
    target = w.target(tag, outer)
    w.writing.add(target.name)
    w.mark("sum into an element")
    ops = w.several((("+=", 3), ("-=", 1), ("max", 4), ("min", 4), ("*=", 1)), ((1, 2), (2, 3)))
    targets = [(op, w.parameter(tag, outer) if k else target) for k, op in enumerate(ops)]
    w.writing |= {t.name for _, t in targets}
    first = w.chance(0.5)
    with ExitStack() as stack:
        axes = []
        if first:
            w.mark("reduced axis is outermost")
            stack.enter_context(loop(w, w.one(DIMS)))
        for d in outer:
            axes.append(stack.enter_context(loop(w, d)).name)
        if not first:
            if w.chance(0.5):
                w.line(f"{element(w, target, axes)} = {w.one(('0', '1'))}")
            stack.enter_context(loop(w, w.one(DIMS)))
        for op, into in targets:
            where, term = element(w, into, axes), value(w, tag, depth(w))
            if op in ("max", "min"):
                w.mark(f"element by {op}")
                w.mark_choice(op, tag)
                w.line(f"{where} = {op}({where}, {varied(w, tag, term)})")
            else:
                w.mark(f"element {op}")
                w.line(f"{where} {op} {term}")


def total(w: Writer) -> None:
    """A reduction of everything to one value: no parallel axis is left."""
    tag = w.dtype()
    w.mark("reduction of everything")
    ordered = ("flag", "max on the right") if is_float(tag) else ("flag",)  # their loops must be serial, or refused
    possible = [(kind, n) for kind, n in reduction_kinds(tag) if kind not in ordered or w.chance(0.2)]
    kinds = w.several(possible, ((1, 2), (2, 2), (3, 1)))
    totals = [(kind, w.name("s", "m", "total")) for kind in kinds]
    for kind, name in totals:
        w.line(f"{name} = {start(w, tag, kind)}")
    with ExitStack() as stack:
        for d in dims(w, w.one((1, 1, 2))):
            stack.enter_context(loop(w, d))
        for kind, name in totals:
            accumulate(w, name, tag, kind)
    for _, name in totals:
        target = w.parameter(tag, (w.one(("1", "2", "M")),))
        w.writing.add(target.name)
        w.line(f"{target.name}[0] = {name}")
    if w.chance(0.6):
        w.mark("scalar between nests")
        w.locals |= {name: tag for _, name in totals}
        elementwise(w)
