"""The types of a function's parameters in our notation."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tl2hip.dialects.article.names import OURS, ours
from tl2hip.dialects.hints import numba
from tl2hip.dialects.hints.ranks import rank
from tl2hip.dtypes import ALIASES, BOOL
from tl2hip.source import nodes
from tl2hip.source.names import local_names, origin
from tl2hip.source.problems.base import Refused, Report
from tl2hip.source.problems.types import ForeignType
from tl2hip.source.signature_text import read_types
from tl2hip.source.span import Span
from tl2hip.source.walk import walk

_GENERIC = "Float Inexact Real Num Shaped Int Integer UInt SignedInteger Key Complex".split()
_JAX = {"Float8e4m3fnuz": "f8e4m3", "Float8e5m2fnuz": "f8e5m2"}
_PYTHON = {"builtins.int": "int64", "builtins.float": "float64", "builtins.bool": "bool"}
_SHORT = dict(
    word.split(":")
    for word in (
        "f4:float32 f8:float64 real:float64 i1:int8 i2:int16 i4:int32 i8:int64 intp:int64 long:int64 "
        "u1:uint8 u4:uint32 b1:bool boolean:bool"
    ).split()
)
"""Numba's and Pyccel's short names."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A function with types in our notation, and the module that knows their dims."""

    function: nodes.Function
    module: nodes.Module


def spell(function: nodes.Function, module: nodes.Module, report: Report, types: str) -> Typed | None:
    """The function with its types in our notation; None where something was refused."""
    errors = len(report.errors)
    speller = Speller(function, module, report)
    given = speller.given(types)
    parameters = tuple(speller.parameter(p, given.parameters.get(p.name)) for p in function.parameters)
    returns = speller.result(given.result or function.returns)
    if len(report.errors) > errors:
        return None
    spelled = replace(function, parameters=parameters, returns=returns, decorators=speller.decorators())
    return Typed(spelled, speller.known())


class Speller:
    """Spells the types of one function. `dims` collects the names that extents mention and nothing binds."""

    def __init__(self, function: nodes.Function, module: nodes.Module, report: Report) -> None:
        self.function = function
        self.module = module
        self.report = report
        self.local = local_names(function)
        self.dims: dict[str, None] = {}

    def given(self, types: str) -> numba.Signature:
        """The types that the caller or a decorator gives."""
        try:
            if types:
                return numba.Signature(read_types(types, self.function, self.module))
            return numba.signature(self.function, self.module)
        except Refused as refused:
            self.report.add(refused.problem)
            return numba.Signature({})

    def decorators(self) -> tuple[nodes.Expr, ...]:
        return tuple(d for d in self.function.decorators if not numba.compiles(d, self.module))

    def parameter(self, p: nodes.Parameter, given: nodes.Expr | None) -> nodes.Parameter:
        """The parameter with its type in our notation."""
        hint = given or p.annotation
        if hint is None:
            return p
        try:
            return replace(p, annotation=self.type_of(p, hint))
        except Refused as refused:
            self.report.add(refused.problem)
            return p

    def result(self, hint: nodes.Expr | None) -> nodes.Expr | None:
        """The type of what is returned in our notation; arrays that say no axes stay as they are."""
        if hint is None or isinstance(hint, nodes.Nothing):
            return hint
        if numba.is_void(hint, self.module):
            return nodes.Nothing(at=hint.at)
        name = self._means(hint.value if isinstance(hint, nodes.Subscript) else hint)
        if name in ("builtins.tuple", "typing.Tuple") and isinstance(hint, nodes.Subscript):
            items = (e if isinstance(e, nodes.Ellipsis_) else self.result(e) for e in hint.index)
            return replace(hint, index=tuple(e for e in items if e is not None))
        if name in ("numpy.ndarray", "numpy.typing.NDArray"):
            return hint
        try:
            return self.type_of(nodes.Parameter("the result", hint, None, at=hint.at), hint)
        except Refused as refused:
            self.report.add(refused.problem)
            return hint

    def type_of(self, p: nodes.Parameter, hint: nodes.Expr) -> nodes.Expr:
        """A type in our notation; one that already is stays as it is."""
        match hint:
            case nodes.Call(func=nodes.Subscript() as inner, keywords=keywords):
                if any(k.value not in (nodes.Text("C"), nodes.Name("C")) for k in keywords):
                    raise self._refused(p, "its order is not C", "say `strides(…)` in a Tensor", hint.at)
                return self.type_of(p, inner)
            case nodes.Subscript(value=base, index=index):
                return self._array(p, base, index, hint)
            case _ if self._means(hint) == "numpy.ndarray":
                raise self._refused(p, "`np.ndarray` says neither dtype nor axes", _GIVE, hint.at)
            case _:
                return self._scalar(hint)

    def _scalar(self, hint: nodes.Expr) -> nodes.Expr:
        """A number's type: Python's own and ours stay, those of others become ours."""
        name = self._means(hint) or ""
        dtype = self._dtype(hint)
        if dtype is None or name.startswith(("builtins.", "tl2hip.", "numpy.", "ml_dtypes.")):
            return hint
        return dtype

    def _array(
        self, p: nodes.Parameter, base: nodes.Expr, index: tuple[nodes.Expr, ...], hint: nodes.Expr
    ) -> nodes.Expr:
        name = self._means(base) or ""
        module, _, last = name.rpartition(".")
        if name == "numpy.typing.NDArray" and len(index) == 1:
            return self._by_use(p, index[0], hint)
        if name == "numpy.ndarray" and len(index) == 2:
            return self._numpy(p, index, hint)
        if module == "jaxtyping" and len(index) == 2 and isinstance(index[1], nodes.Text):
            return self._jaxtyping(p, last, index[1], hint)
        dtype = self._dtype(base)
        if dtype is None or name == "tl2hip.Tensor":
            return hint
        return self._tensor(dtype, tuple(map(self._extent, index)), hint.at)

    def _numpy(self, p: nodes.Parameter, index: tuple[nodes.Expr, ...], hint: nodes.Expr) -> nodes.Expr:
        """`np.ndarray[tuple[int, int], np.dtype[np.float32]]`."""
        shape, kind = index
        if not isinstance(kind, nodes.Subscript) or self._means(kind.value) != "numpy.dtype":
            raise self._refused(p, "its dtype is not told", _GIVE, hint.at)
        dtype = kind.index[0]
        if isinstance(shape, nodes.Subscript) and all(self._means(i) == "builtins.int" for i in shape.index):
            return self._tensor(self._some_dtype(p, dtype), _open(len(shape.index)), hint.at)
        return self._by_use(p, dtype, hint)

    def _by_use(self, p: nodes.Parameter, kind: nodes.Expr, hint: nodes.Expr) -> nodes.Expr:
        """An array whose axes show in how it is indexed."""
        axes = rank(self.function, p.name)
        if not axes:
            reason = "its type does not say how many axes it has, and no index shows it"
            raise self._refused(p, reason, _GIVE, hint.at)
        return self._tensor(self._some_dtype(p, kind), _open(axes), hint.at)

    def _jaxtyping(self, p: nodes.Parameter, kind: str, shape: nodes.Text, hint: nodes.Expr) -> nodes.Expr:
        if kind in _GENERIC:
            way = "say which: Float32, BFloat16, Int32"
            raise self._refused(p, f"jaxtyping's {kind} is no one dtype", way, hint.at)
        dtype = self._named(_JAX.get(kind, kind.lower()), hint.at)
        if dtype is None:
            raise self._refused(p, f"jaxtyping's {kind} has no dtype here", _GIVE, hint.at)
        extents = tuple(self._axis(p, word, shape.at) for word in shape.value.split())
        if not extents:
            return dtype
        return self._tensor(dtype, extents, hint.at)

    def _axis(self, p: nodes.Parameter, word: str, at: Span) -> nodes.Expr:
        """One axis of jaxtyping's string: a name, a number, `_`, `name=3`."""
        name, equals, size = word.partition("=")
        if word == "_":
            return nodes.Slice(None, None, None, at=at)
        if (size if equals else word).isdigit():
            return nodes.Number(int(size if equals else word), at=at)
        if not name.isidentifier() or equals:
            way = "name each axis, or give its size: `M N`, `M 3`"
            raise self._refused(p, f"the axis `{word}` is no name and no size", way, at)
        return self._extent(nodes.Name(name, at=at))

    # --- parts -----------------------------------------------------------------------------------

    def _tensor(self, dtype: nodes.Expr, extents: tuple[nodes.Expr, ...], at: Span) -> nodes.Expr:
        return nodes.Subscript(ours("tl2hip", "Tensor", at), (dtype, *extents), at=at)

    def _extent(self, e: nodes.Expr) -> nodes.Expr:
        """An extent; `::1` is Numba's word for an axis whose elements lie side by side, as all of ours do."""
        if isinstance(e, nodes.Slice) and e == nodes.Slice(None, None, nodes.Number(1)):
            return nodes.Slice(None, None, None, at=e.at)
        scalars = {p.name for p in self.function.parameters}
        for one in walk(e):
            if isinstance(one, nodes.Name) and one.id not in scalars and one.id not in self.module.origins:
                self.dims[one.id] = None
        return e

    def _some_dtype(self, p: nodes.Parameter, e: nodes.Expr) -> nodes.Expr:
        found = self._dtype(e)
        if found is None:
            raise self._refused(p, "its dtype is none that tl2hip carries", _GIVE, e.at)
        return found

    def _dtype(self, e: nodes.Expr) -> nodes.Expr | None:
        """The dtype that an expression names, as ours."""
        name = self._means(e)
        if name in _PYTHON:
            return self._named(_PYTHON[name], e.at)
        module, _, last = (name or "").rpartition(".")
        if name is None and isinstance(e, nodes.Name):
            last = e.id
        elif module not in ("numpy", "ml_dtypes", "numba", "numba.types", "tl2hip"):
            return None
        return self._named(last, e.at)

    def _named(self, word: str, at: Span) -> nodes.Expr | None:
        dtype = ALIASES.get(_SHORT.get(word, word))
        if dtype is None:
            return None
        return ours("tl2hip", "bool_" if dtype is BOOL else dtype.name, at)

    def _means(self, e: nodes.Expr) -> str | None:
        return origin(e, self.module, self.local)

    def _refused(self, p: nodes.Parameter, reason: str, way: str, at: Span) -> Refused:
        return Refused(ForeignType(p.name, reason, way, at=at))

    def known(self) -> nodes.Module:
        """The module with our own names, and with the dims that types mention."""
        module = replace(self.module, origins={**self.module.origins, **OURS})
        if not self.dims:
            return module
        targets = nodes.Tuple_(tuple(map(nodes.Name, self.dims)))
        dims = nodes.Attribute(nodes.Name("?tl2hip"), "dims")
        bound = nodes.Assign((targets,), nodes.Call(dims, (nodes.Text(" ".join(self.dims)),)))
        return replace(module, assignments=(*module.assignments, bound))


def _open(axes: int) -> tuple[nodes.Expr, ...]:
    """Axes of any extent."""
    return (nodes.Slice(None, None, None),) * axes


_GIVE = "write `Tensor[f32, M, N]`, or give it from outside: `--types 'f(x=f32[M, N])'`"
