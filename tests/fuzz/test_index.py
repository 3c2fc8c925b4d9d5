"""Index expressions, folded as they are built, against plain Python on random integers."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import NamedTuple

from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from tl2hip.dtypes import I64
from tl2hip.hip import helper_texts
from tl2hip.hip.context import Context, Known, Used
from tl2hip.hip.expressions import show
from tl2hip.nest import index
from tl2hip.nest.build import fold
from tl2hip.nest.ir import Binary, Compare, Const, Dim, Expr, Scalar, Select, Unary
from tl2hip.prove.compiler import compile_host
from tl2hip.prove.emulate.library import _runtime

NAMES = ("a", "b", "c")
SIZED = ("N", "M")
SMALL = st.integers(-9, 9)
SIZES = st.integers(1, 9)
COUNTED = st.integers(0, 40)
AT = st.fixed_dictionaries(
    {**dict.fromkeys(("a", "b"), st.integers(-40, 40)), **dict.fromkeys(("c", *SIZED), COUNTED)}
)
"""Values of the names: `c` and the sizes are 0 or more, which the printer may know."""


class Made(NamedTuple):
    """An expression as it was built, and what Python makes of the same steps for given values."""

    built: Expr
    plain: Callable[[dict[str, int]], int]


def constant(n: int) -> Made:
    return Made(index.number(n), lambda at: n)


def variable(name: str) -> Made:
    return Made(Scalar(name, I64), lambda at: at[name])


def size(name: str) -> Made:
    return Made(Dim(name), lambda at: at[name])


def two(build: Callable[[Expr, Expr], Expr], plain: Callable[[int, int], int]) -> Callable[[Made, Made], Made]:
    return lambda x, y: Made(build(x.built, y.built), lambda at: plain(x.plain(at), y.plain(at)))


def by(build: Callable[[Expr, int], Expr], plain: Callable[[int, int], int]) -> Callable[[Made, int], Made]:
    return lambda x, n: Made(build(x.built, n), lambda at: plain(x.plain(at), n))


def absolute(x: Made) -> Made:
    """A value of 0 or more, for what takes no other."""
    return Made(index.maximum(x.built, index.sub(index.ZERO, x.built)), lambda at: abs(x.plain(at)))


PAIRS = (
    two(index.add, lambda x, y: x + y),
    two(index.sub, lambda x, y: x - y),
    two(index.mul, lambda x, y: x * y),
    two(index.minimum, min),
    two(index.maximum, max),
    two(lambda x, y: index.product((x, y, index.number(2))), lambda x, y: x * y * 2),
    two(fold.add, lambda x, y: x + y),
    two(fold.subtract, lambda x, y: x - y),
    two(fold.multiply, lambda x, y: x * y),
    two(lambda x, y: fold.binary("max", x, y), max),
    two(lambda x, y: fold.select(fold.compare("<", x, y), x, y), lambda x, y: x if x < y else y),
    two(
        lambda x, y: fold.select(fold.negated(fold.compare("==", x, y)), x, fold.negative(y)),
        lambda x, y: x if x != y else -y,
    ),
)
BY_SIZE = (
    by(index.floor_div, lambda x, n: x // n),
    by(index.ceil_div, lambda x, n: -(-x // n)),
    by(index.modulo, lambda x, n: x % n),
    by(lambda x, n: fold.binary("//", x, fold.number(n)), lambda x, n: x // n),
    by(lambda x, n: fold.binary("%", x, fold.number(n)), lambda x, n: x % n),
    by(lambda x, n: index.floor_div(index.mul(x, index.number(2 * n)), n), lambda x, n: 2 * x),
)
BY_STEP = tuple(
    by(f, g)
    for f, g in (
        (lambda x, n: fold.binary("//", x, fold.number(n)), lambda x, n: x // n),
        (lambda x, n: fold.binary("%", x, fold.number(n)), lambda x, n: x % n),
    )
)
XOR = two(index.xor, lambda x, y: x ^ y)


def trips(x: Made, y: Made, step: int) -> Made:
    return Made(index.trip_count(x.built, y.built, step), lambda at: len(range(x.plain(at), y.plain(at), step)))


LEAVES = st.one_of(SMALL.map(constant), st.sampled_from(NAMES).map(variable), st.sampled_from(SIZED).map(size))
STEPS = SIZES | st.integers(-9, -1)
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(lambda f, x, y: f(x, y), st.sampled_from(PAIRS), inner, inner),
        st.builds(lambda f, x, n: f(x, n), st.sampled_from(BY_SIZE), inner, SIZES),
        st.builds(lambda f, x, n: f(x, n), st.sampled_from(BY_STEP), inner, STEPS),
        st.builds(lambda x, y: XOR(absolute(x), absolute(y)), inner, inner),
        st.builds(trips, inner, inner, STEPS),
    ),
    max_leaves=12,
)


def value(e: Expr, at: dict[str, int]) -> int:
    """What an expression is, in Python's integers."""
    match e:
        case Const(value=n):
            return int(n)
        case Dim(name=name) | Scalar(name=name):
            return at[name]
        case Unary(op="-", value=x):
            return -value(x, at)
        case Unary(op="not", value=x):
            return not value(x, at)
        case Select(test=test, then=x, orelse=y):
            return value(x, at) if value(test, at) else value(y, at)
        case Compare(op=op, left=x, right=y):
            return bool(eval(f"x {op} y", {"x": value(x, at), "y": value(y, at)}))
        case Binary(op=op, left=x, right=y):
            left, right = value(x, at), value(y, at)
            if op in ("min", "max"):
                return min(left, right) if op == "min" else max(left, right)
            return int(eval(f"x {op} y", {"x": left, "y": right}))
    raise TypeError(e)


@given(EXPRESSIONS, AT)
@settings(max_examples=1500)
@example(trips(size("N"), constant(0), -3), {"a": 0, "b": 0, "c": 0, "N": 7, "M": 0})
@example(
    BY_SIZE[2](two(index.mul, lambda x, y: x * y)(variable("a"), constant(0)), 3),
    {"a": -5, "b": 0, "c": 0, "N": 0, "M": 0},
)
def test_folding_keeps_values(made: Made, at: dict[str, int]) -> None:
    assert value(made.built, at) == made.plain(at)


def compiled(many: list[Made]) -> ctypes.CDLL:
    """The printed text of each expression as a C function f0, f1, … of all names."""
    ctx = Context({n: n for n in (*NAMES, *SIZED)}, Used(), {}, Known(natural={"c"}, index=set(NAMES)))
    texts = [show(m.built, ctx).text for m in many]
    head = "#include <hip/hip_runtime.h>\nusing i64 = long long;\nusing u64 = unsigned long long;\n"
    parameters = ", ".join(f"i64 {n}" for n in (*NAMES, *SIZED))
    functions = [f'extern "C" i64 f{k}({parameters}) {{ return {text}; }}' for k, text in enumerate(texts)]
    text = head + "\n".join([*helper_texts(ctx.used).values(), *functions]) + "\n"
    return ctypes.CDLL(str(compile_host(text, ("-O0",), [_runtime()[1]])))


@given(st.lists(EXPRESSIONS, min_size=60, max_size=60), st.lists(AT, min_size=8, max_size=8))
@settings(max_examples=5, phases=[Phase.generate])
def test_printed_text_keeps_values(many: list[Made], places: list[dict[str, int]]) -> None:
    library = compiled(many)
    for k, made in enumerate(many):
        f = getattr(library, f"f{k}")
        f.restype = ctypes.c_longlong
        for at in places:
            if abs(made.plain(at)) < 1 << 40:
                got = f(*(ctypes.c_longlong(at[n]) for n in (*NAMES, *SIZED)))
                assert got == made.plain(at), (made.built, at)
