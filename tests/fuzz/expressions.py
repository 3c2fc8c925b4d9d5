"""Random expressions of a wanted dtype, over what is in scope."""

from __future__ import annotations

from tests.fuzz.indices import element
from tests.fuzz.kinds import FLOATS, INTEGERS, MIXED, is_float
from tests.fuzz.leaves import Make, another, leaf, literal, small_weak, varied, weak_int
from tests.fuzz.writer import Writer

# --- values -----------------------------------------------------------------------------------------------


def value(w: Writer, tag: str, depth: int) -> str:
    """An expression of a strong dtype (or, for `int`, a weak one)."""
    if tag == "int":
        return weak_int(w)
    if tag == "bool":
        return condition(w, depth)
    if depth <= 0 or w.chance(0.15):
        return leaf(w, tag)
    return w.weighted(_forms(w, tag, depth))()


def seldom_or_value(w: Writer, tag: str, depth: int) -> str:
    """An expression of a strong dtype, at times one of the forms that are seldom drawn among all others."""
    if tag == "bool" or w.chance(0.45):
        return value(w, tag, depth)

    def sub() -> str:
        return value(w, tag, min(depth, 2) - 1)

    forms: list[tuple[Make, int]] = [
        (lambda: _cast(w, tag, depth), 10),
        (lambda: _with_weak(w, w.one(("max", "min")), tag, sub), 3),
        (lambda: _of_three(w, w.one(("max", "min")), tag, sub), 3),
        (lambda: _choice(w, tag, depth, sub), 1),
    ]
    if is_float(tag):
        forms += [(lambda: _math(w, w.one(MATH), tag, sub()), 3)]
    else:
        forms += [(lambda: _inverted(w, sub), 2), (lambda: _shift(w, sub), 2)]
    return w.weighted(forms)()


def _forms(w: Writer, tag: str, depth: int) -> list[tuple[Make, int]]:
    def sub() -> str:
        return value(w, tag, depth - 1)

    forms: list[tuple[Make, int]] = [
        (lambda: _sum(w, tag, sub), 14),
        (lambda: _difference(w, tag, sub), 4),
        (lambda: _extreme(w, tag, sub), 4),
        (lambda: _choice(w, tag, depth, sub), 3),
        (lambda: _cast(w, tag, depth), 4),
        (lambda: _mixed(w, tag, depth), 3),
        (lambda: _unary(w, tag, sub), 3),
        (lambda: _floor(w, tag, sub), 4),
        (lambda: _power(w, tag, sub), 1),
        (lambda: _narrow(w, tag), 2),
    ]
    if is_float(tag):
        forms += [(lambda: _function(w, tag, sub), 6), (lambda: _divide(w, sub, tag), 3)]
    else:
        forms += [(lambda: _bits(w, tag, sub), 4)]
    return forms


def _operand(w: Writer, tag: str, sub: Make) -> str:
    """The other side of an operator: as strong, or weak."""
    if w.chance(0.3):
        w.mark("weak operand")
        return literal(w, tag) if w.chance(0.7) else small_weak(w, tag)
    return sub()


def _sum(w: Writer, tag: str, sub: Make) -> str:
    op = w.weighted((("+", 3), ("-", 3), ("*", 3)))
    a = sub()
    b = another(w, tag, lambda: _operand(w, tag, sub), a)
    w.mark(f"operator {op}")
    if w.chance(0.3):
        a, b = b, a
    return _narrowed(tag, f"({a} {op} {b})")


def _narrowed(tag: str, text: str) -> str:
    """An expression in brackets that may hold a weak number: one makes a bf16 an f32, to ml_dtypes as to tl2hip."""
    return f"bf16{text}" if tag == "bf16" else text


def _difference(w: Writer, tag: str, sub: Make) -> str:
    """a - (b - c), a - b - c: what a dropped parenthesis changes."""
    w.mark("nested difference")
    a = sub()
    b = another(w, tag, lambda: leaf(w, tag), a)
    c = another(w, tag, lambda: leaf(w, tag), a, b)
    return w.one((f"({a} - ({b} - {c}))", f"({a} - {b} - {c})", f"({a} - ({b} + {c}))", f"({a} * ({b} + {c}))"))


def _divide(w: Writer, sub: Make, tag: str) -> str:
    w.mark("operator /")
    return _narrowed(tag, f"({sub()} / {_operand(w, tag, sub)})")


def _floor(w: Writer, tag: str, sub: Make) -> str:
    op = w.one(("//", "%"))
    w.mark(f"operator {op} of {'floats' if is_float(tag) else 'ints'}")
    if w.chance(0.5):
        below = not tag.startswith("u")
        other = w.one(("2", "3", "7", "5", *(("-2", "-3", "-7") if below else ())))
    else:
        other = varied(w, tag, sub())
    return _narrowed(tag, f"({sub()} {op} {other})")


def _power(w: Writer, tag: str, sub: Make) -> str:
    w.mark("operator **")
    return _narrowed(tag, f"({sub()} ** {w.one(('2', '2', '3', '0', '1'))})")


def _extreme(w: Writer, tag: str, sub: Make) -> str:
    name = w.one(("max", "min", "np.maximum", "np.minimum"))
    w.mark(name)
    w.mark_choice(name, tag, kept=False)
    if name[0] != "n" and w.chance(0.3):
        return _with_weak(w, name, tag, sub)
    if name[0] != "n" and w.chance(0.4):
        return _of_three(w, name, tag, sub)
    first = varied(w, tag, sub())
    return f"{name}({first}, {another(w, tag, sub, first)})"


def _with_weak(w: Writer, name: str, tag: str, sub: Make) -> str:
    """Python gives the weak number itself, so that what comes next would be weak where it wins."""
    w.mark(f"{name} with a weak number")
    w.mark_choice(name, tag, kept=False)
    args = [varied(w, tag, sub()), literal(w, tag)]
    if w.chance(0.5):
        args.reverse()
    return f"{tag}({name}({', '.join(args)}))"


def _of_three(w: Writer, name: str, tag: str, sub: Make) -> str:
    w.mark(f"{name} of three")
    w.mark_choice(name, tag, kept=False)
    first = varied(w, tag, sub())
    second = another(w, tag, lambda: leaf(w, tag), first)
    return f"{name}({first}, {second}, {another(w, tag, lambda: leaf(w, tag), first, second)})"


def _choice(w: Writer, tag: str, depth: int, sub: Make) -> str:
    if w.chance(0.3):
        w.mark("np.where")
        return f"{tag}(np.where({condition(w, depth - 1)}, {sub()}, {sub()}))"
    w.mark("conditional expression")
    return f"({sub()} if {condition(w, depth - 1)} else {sub()})"


def _cast(w: Writer, tag: str, depth: int) -> str:
    other = w.dtype()
    w.mark(f"cast to {tag}")
    inner = value(w, other, depth - 1)
    if is_float(other) and not is_float(tag):
        return whole(w, inner, other, tag)
    if w.chance(0.3) and is_float(tag):
        w.mark("float()")
        return f"{tag}(float({inner}))"
    return f"{tag}({inner})"


def _narrow(w: Writer, tag: str) -> str:
    """Arithmetic of narrow integers that overflows before it is widened."""
    small = w.one(("i8", "u8", "i16", "u8"))
    w.mark("narrow integers overflow")
    a, b = value(w, small, 1), value(w, small, 0)
    forms = (f"{a} * {b}", f"({a} + {b}) // 2", f"({a} - {b}) // 3", f"({a} * {b}) % 7", f"({a} << 3) >> 1")
    return f"{tag}({w.one((*forms, f'({a} + 100) * {b}'))})"


def whole(w: Writer, text: str, dtype: str, tag: str) -> str:
    """A float as an integer that holds it: what the others become, and NaN, NumPy leaves to the processor."""
    w.mark("cast of a float to an integer")
    low = "0" if tag.startswith("u") else "-100"
    inside = f"min(max({dtype}({low}), {text}), {dtype}(100))"
    if w.chance(0.4):
        w.mark("int()")
        return f"{tag}(int({inside}) % 100)"
    return f"{tag}({inside})"


def _mixed(w: Writer, tag: str, depth: int) -> str:
    if tag not in MIXED:
        return leaf(w, tag)
    a, b = w.one(MIXED[tag])
    w.mark("operands of two dtypes")
    left, right = value(w, a, depth - 1), value(w, b, depth - 1)
    if w.chance(0.5):
        left, right = right, left
    return f"({left} {w.one(('+', '-', '*'))} {right})"


def _unary(w: Writer, tag: str, sub: Make) -> str:
    if w.chance(0.5):
        w.mark("abs")
        return f"abs({sub()})"
    if tag in INTEGERS and w.chance(0.4):
        return _inverted(w, sub)
    w.mark("unary minus")
    return f"(-{sub()})"


def _inverted(w: Writer, sub: Make) -> str:
    w.mark("operator ~")
    return f"(~{sub()})"


def _bits(w: Writer, tag: str, sub: Make) -> str:
    if w.chance(0.57):
        return _shift(w, sub)
    w.mark("bit operation")
    return f"({sub()} {w.one(('&', '|', '^'))} {_operand(w, tag, sub)})"


def _shift(w: Writer, sub: Make) -> str:
    op = w.one(("<<", ">>"))
    w.mark("shift")
    if w.chance(0.4):
        w.mark("shift past the width")
        return f"({sub()} {op} {w.one(('33', '9', '70', '31'))})"
    return f"({sub()} {op} {w.one(('1', '2', '3', '5'))})"


def _function(w: Writer, tag: str, sub: Make) -> str:
    name = w.one(("sqrt", "exp", "tanh", "floor", "ceil", "rint", "trunc", "log", "sin", "tanh", "sign", "square"))
    if name in MATH and w.chance(0.4):
        return _math(w, name, tag, sub())
    w.mark(
        "exact np function"
        if name in ("sqrt", "floor", "ceil", "rint", "trunc", "sign", "square")
        else "np function"
    )
    inner = sub()
    if name in ("sqrt", "log"):
        inner = f"abs({inner})"
    if name == "exp":
        inner = f"np.minimum({inner}, 2)"
    return f"np.{name}({inner})"


MATH = ("sqrt", "exp", "sin", "tanh")


def _math(w: Writer, name: str, tag: str, inner: str) -> str:
    """A function of `math`, whose result is a Python float."""
    w.mark("math function")
    inside = {"sqrt": f"abs({inner})", "exp": f"np.minimum({inner}, 2)"}.get(name, inner)
    return f"{tag}(math.{name}({inside}))"


# --- conditions ------------------------------------------------------------------------------------------


def condition(w: Writer, depth: int) -> str:
    """A test that is no constant: of data or of indices, and of two things that differ."""
    options: list[tuple[Make, int]] = [(lambda: _comparison(w, depth), 6), (lambda: _chained(w, depth), 2)]
    if w.axes:
        options.append((lambda: _of_axes(w), 3))
    if depth > 0:
        options += [(lambda: _logic(w, depth), 3), (lambda: _not(w, depth), 2)]
    if w.readable("bool") or len(w.parameters) < 6:
        options.append((lambda: _of_bools(w), 1))
    options.append((lambda: _isnan(w, depth), 1))
    return w.weighted(options)()


def turns_away(w: Writer) -> str:
    """A test before `continue`; mostly one that never holds in the first half of an axis, whatever the data."""
    a = w.axes[-1]
    return condition(w, 1) + (f" and {a.name} > {a.dim} // 2" if w.chance(0.6) else "")


def lets_in(w: Writer) -> str:
    """A test before a store; mostly one that holds in the first half of an axis, whatever the data."""
    a = w.axes[-1]
    return condition(w, 1) + (f" or {a.name} <= {a.dim} // 2" if w.chance(0.6) else "")


def _comparison(w: Writer, depth: int) -> str:
    tag = _compared(w)
    op = w.one(("<", "<=", ">", ">=", "==", "!="))
    w.mark("comparison")
    left = varied(w, tag, value(w, tag, depth - 1))
    number = w.one(("1", "2", "3")) if op in ("==", "!=") else literal(w, tag)
    right = number if w.chance(0.5) else another(w, tag, lambda: value(w, tag, depth - 1), left)
    return f"{left} {op} {right}"


def _compared(w: Writer) -> str:
    """A dtype that something in scope has."""
    known = [t for t in w.locals.values() if t in (*FLOATS, *INTEGERS)]
    known += [a.dtype for a in w.readable() if a.dtype != "bool"]
    return w.one(known) if known else w.dtype()


def _chained(w: Writer, depth: int) -> str:
    tag = _compared(w)
    w.mark("chained comparison")
    low, high = ("1", "7") if tag.startswith("u") else ("-2", "3")
    return f"{low} {w.one(('<', '<='))} {varied(w, tag, value(w, tag, depth - 1))} {w.one(('<', '<='))} {high}"


def _of_axes(w: Writer) -> str:
    a = w.one(w.axes)
    w.mark("test of indices")
    others = [b.name for b in w.axes if b is not a] or [f"{a.dim} // 2"]
    other = w.one(others)
    return w.one(
        (
            f"{a.name} % 2 == 0",
            f"{a.name} < {other}",
            f"{a.name} >= {other}",
            f"{a.name} != {other}",
            f"{a.name} > 0",
            f"{a.name} + 1 < {a.dim}",
        )
    )


def _logic(w: Writer, depth: int) -> str:
    op = w.one(("and", "or"))
    w.mark(op)
    return f"({condition(w, depth - 1)} {op} {condition(w, depth - 1)})"


def _not(w: Writer, depth: int) -> str:
    w.mark("not")
    return f"(not {condition(w, depth - 1)})"


def _of_bools(w: Writer) -> str:
    w.mark("test of a bool array")
    arrays = w.readable("bool")
    if not arrays:
        return element(w, w.parameter("bool", (w.one(w.axes).dim,)))
    return element(w, w.one(arrays))


def _isnan(w: Writer, depth: int) -> str:
    floats = [a.dtype for a in w.readable() if is_float(a.dtype)]
    if not floats:
        return _comparison(w, depth)
    tag = w.one(floats)
    w.mark("np.isnan")
    return f"np.isnan({varied(w, tag, leaf(w, tag))})"
