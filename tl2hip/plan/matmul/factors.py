"""The factors of a matrix product: elements of arrays, or values that are computed from elements on their way."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tl2hip.dtypes import BF16, F8E4M3, F8E5M2, F16, F32, F64, I8, I16, I32, I64, U8, DType
from tl2hip.nest.index import product
from tl2hip.nest.ir import AxisRef, Cast, Const, Expr, Load, Var
from tl2hip.nest.walk import all_parts, map_expr, parts
from tl2hip.plan.layout.mfma import find
from tl2hip.plan.matmul.lookup import looked_up
from tl2hip.plan.matmul.spread import Known, Spread, spread
from tl2hip.plan.state import State
from tl2hip.plan.unfit import ASSERT, STRIDES, Unfit

SUMS: dict[DType, tuple[DType, ...]] = {F32: (F16, BF16, F8E4M3, F8E5M2, F32), F64: (F64,), I32: (I8,)}
"""The factors that matrix instructions multiply exactly into sums of a dtype (f32 and f64: with one rounding)."""


EXACT: dict[DType, tuple[DType, ...]] = {
    F16: (F8E4M3, F8E5M2, I8, U8),
    BF16: (F8E4M3, F8E5M2, I8, U8),
    F32: (F16, BF16, F8E4M3, F8E5M2, I8, U8, I16),
    F64: (F32, F16, BF16, I8, U8, I16, I32),
}
"""The dtypes whose values a wider one has exactly, so that factors of two dtypes may be multiplied as one: first
the wider ones that are multiplied fastest."""


@dataclass(frozen=True, slots=True)
class Operand:
    """A factor: one array, whose index names its own axis once, the summed axis once, and else only axes of the
    batch. `along` says which of the two its consecutive elements run along.

    Or a `value` that is computed while a tile is filled: `array` is then the first that it is made of, without an
    index, and `mostly` says along which axis most of what it needs lies in memory.
    """

    array: str
    dtype: DType
    index: tuple[Expr, ...]
    axis: str
    over: str
    value: Expr | None = None
    mostly: str = ""
    filled: tuple[Expr, ...] = ()
    """Extents that must not be 0: rows are looked up along them."""

    @property
    def arrays(self) -> tuple[str, ...]:
        """The arrays that it reads."""
        if self.value is None:
            return (self.array,)
        return tuple(dict.fromkeys(p.array for p in all_parts(self.value) if isinstance(p, Load)))

    @property
    def work(self) -> int:
        """Vector instructions that an element takes on its way, as a guess."""
        return 0 if self.value is None else _work(self.value)

    @property
    def along(self) -> str:
        if self.value is not None:
            return self.mostly
        last = self.index[-1]
        return "over" if last == AxisRef(self.over) else "axis"

    def at(self, row: Expr, k: Expr) -> tuple[Expr, ...]:
        """The index of the element of a row and a k."""
        to = {self.axis: row, self.over: k}
        return tuple(map_expr(lambda e: to.get(e.axis, e) if isinstance(e, AxisRef) else e, i) for i in self.index)

    def pitch(self, shape: tuple[Expr, ...]) -> Expr:
        """Elements from one row of memory to the next: rows are counted along the other of the two axes."""
        other = self.axis if self.along == "over" else self.over
        return product(shape[self.index.index(AxisRef(other)) + 1 :])


def _work(e: Expr) -> int:
    """The operations of an expression, those for an index left out."""
    own = not isinstance(e, Load | Const) and e.dtype is not I64
    return own + sum(_work(x) for x in parts(e) if not isinstance(e, Load))


def factors(
    state: State, terms: tuple[Expr, Expr], axes: tuple[str, ...], over: str
) -> tuple[Operand, Operand] | None:
    """Both factors of a product over an axis, for elements of the result at the axes of a chain; None where one of
    them has no axis of its own. Raises Unfit where a factor is none that matrix instructions take."""
    total = terms[0].dtype
    x, y = (_narrowed(e) for e in terms)
    own_x, own_y = _own(x, y, axes), _own(y, x, axes)
    if not own_x or not own_y:
        return None
    a, b = _operand(state, x, own_x, over), _operand(state, y, own_y, over)
    if find(a.dtype, b.dtype, total, 16) is not None:
        return a, b
    alike = next((t for t in (a.dtype, b.dtype, *EXACT) if _fits(a, t) and _fits(b, t) and t in SUMS[total]), None)
    if alike is None:
        raise Unfit(f"gfx942 has no matrix instruction for {a.dtype} and {b.dtype} into {total}")
    return _widened(state, a, alike), _widened(state, b, alike)


def _narrowed(e: Expr) -> Expr:
    """A factor without the exact cast to the dtype of the sum."""
    inner = e.value if isinstance(e, Cast) else e
    into = SUMS.get(e.dtype, ())
    if inner.dtype not in into and not any(inner.dtype in EXACT[t] for t in into if t in EXACT):
        way = f"sum in {wide}: {wide}(x) * {wide}(y)" if (wide := _sums_of(inner.dtype)) else ""
        raise Unfit(f"no matrix instruction multiplies {inner.dtype} into {e.dtype}", way)
    return inner


def _fits(o: Operand, dtype: DType) -> bool:
    """Whether all values of a factor have a dtype too."""
    return o.dtype is dtype or o.dtype in EXACT.get(dtype, ())


def _widened(state: State, o: Operand, dtype: DType) -> Operand:
    """A factor as one of another dtype, which has all its values."""
    if o.dtype is dtype:
        return o
    value = o.value or Load(o.array, o.index, o.dtype, True, True)
    return replace(o, dtype=dtype, index=(), value=Cast(value, dtype), mostly=o.along)


def _sums_of(factor: DType) -> DType | None:
    """The dtype of the sums of matrix instructions that multiply a dtype; None where there are none."""
    return next((wide for wide, factors in SUMS.items() if factor in factors), None)


def _own(e: Expr, other: Expr, axes: tuple[str, ...]) -> list[str]:
    """Those of the axes that one factor changes with and the other does not, the innermost first."""
    mine, others = ({p.axis for p in all_parts(f) if isinstance(p, AxisRef)} for f in (e, other))
    return [a for a in reversed(axes) if a in mine - others]


def _operand(state: State, e: Expr, axes: list[str], over: str) -> Operand:
    """A factor as an element that is moved as it is, else as a value that is computed on its way."""
    if isinstance(e, Load):
        try:
            return _element(state, e, axes, over)
        except Unfit:
            if not _readable(state, e):
                raise
    return _computed(state, e, axes, over)


def _element(state: State, e: Load, axes: list[str], over: str) -> Operand:
    """A factor that is an element of an array. Its axis is the last of its own ones in the index."""
    array = state.nest.array(e.array)
    if not e.always:
        raise Unfit(f"an index of {array.name} may lie outside of it", ASSERT.format(array.name))
    if array.strides is not None:
        raise Unfit(f"{array.name} has strides of its own", STRIDES.format(array.name))
    if state.placed[array.name].space not in ("global", "workspace"):
        raise Unfit(f"{array.name} is an array of each thread's own")
    if any(isinstance(p, Load | Var) for i in e.index for p in all_parts(i)):
        raise Unfit(f"an index of {array.name} is not known before the kernel runs")
    if not _alone(e, over):
        raise Unfit(f"an index of {array.name} is not the summed axis alone")
    own = [i.axis for i in e.index if isinstance(i, AxisRef) and i.axis in axes and _alone(e, i.axis)]
    if not own:
        raise Unfit(f"{e.array} has no axis of its own that is an index alone")
    if e.index[-1] not in (AxisRef(own[-1]), AxisRef(over)):
        raise Unfit(f"consecutive elements of {e.array} run along neither the summed axis nor {own[-1]}")
    return Operand(e.array, e.dtype, e.index, own[-1], over)


def _alone(e: Load, axis: str) -> bool:
    """Whether an axis is the whole of one index and no part of another."""
    return sum(p == AxisRef(axis) for i in e.index for p in all_parts(i)) == 1 and AxisRef(axis) in e.index


def _computed(state: State, e: Expr, axes: list[str], over: str) -> Operand:
    """A factor that is computed from elements of arrays while a tile of it is filled."""
    loads = outermost_loads(e)
    if not loads:
        raise Unfit("a factor is made of no element of an array")
    for load in loads:
        if not _readable(state, load):
            raise Unfit(f"{load.array} is an array of each thread's own")
    if any(isinstance(p, Var) and p.name not in state.constants for p in all_parts(e)):
        raise Unfit("a factor is made with a scalar of the loops around", "compute the factor into an array first")
    if not any(p == AxisRef(over) for p in all_parts(e)):
        raise Unfit("a factor does not change with the summed axis")
    axis = max(axes, key=lambda a: sum(_runs(x, a) for x in loads))
    along = sum(_runs(x, over) * x.dtype.bytes for x in loads) < sum(_runs(x, axis) * x.dtype.bytes for x in loads)
    value, filled = looked_up(state.nest, e)
    return Operand(loads[0].array, e.dtype, (), axis, over, value, "axis" if along else "over", filled)


def _readable(state: State, e: Load) -> bool:
    """Whether every element that a load needs is in memory."""
    used = [p.array for p in all_parts(e) if isinstance(p, Load)]
    return all(state.placed[a].space in ("global", "workspace") for a in used)


def outermost_loads(e: Expr) -> tuple[Load, ...]:
    """The different loads of an expression, those in the index of another left out."""
    if isinstance(e, Load):
        return (e,)
    return tuple(dict.fromkeys(x for p in parts(e) for x in outermost_loads(p)))


def _runs(e: Load, axis: str) -> bool:
    """Whether consecutive elements of a load lie along an axis, a few of them perhaps in one."""
    known: Known = {AxisRef(axis): Spread(AxisRef("first"), AxisRef("own"), 16, 15)}
    last = spread(e.index[-1], known)
    others = [spread(i, known) for i in e.index[:-1]]
    still = all(i is not None and i.most == 0 for i in others)
    return last is not None and last.most > 0 and still
