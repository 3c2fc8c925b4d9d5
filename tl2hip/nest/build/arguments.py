"""The arguments of a call, by name, all of them accounted for."""

from __future__ import annotations

from tl2hip.dtypes import DType
from tl2hip.nest.build import fold
from tl2hip.nest.build.context import Context
from tl2hip.nest.build.names import dtype_of
from tl2hip.nest.build.values import ScalarValue
from tl2hip.source import nodes
from tl2hip.source.problems import types as problems
from tl2hip.source.problems.base import Refused


class Arguments:
    """Matches a call with the parameters in `order`; what is missing or too much is refused."""

    def __init__(
        self, ctx: Context, name: str, call: nodes.Call, order: tuple[str, ...], needed: tuple[str, ...]
    ) -> None:
        self._ctx, self._name, self._call = ctx, name, call
        if len(call.args) > len(order):
            takes = ", ".join(order)
            raise Refused(problems.WrongArguments(name, f"takes ({takes}) here", at=call.args[len(order)].at))
        self._given: dict[str, nodes.Expr] = dict(zip(order, call.args, strict=False))
        self._places = {name: e.at for name, e in self._given.items()}
        for k in call.keywords:
            if k.name not in order or k.name in self._given:
                raise Refused(problems.WrongArguments(name, f"has no conversion for {k.name}= here", at=k.at))
            self._given[k.name], self._places[k.name] = k.value, k.at
        for parameter in needed:
            if parameter not in self._given:
                raise Refused(problems.WrongArguments(name, f"needs {parameter}", at=call.at))

    def node(self, name: str) -> nodes.Expr:
        """The argument of a parameter that is needed."""
        return self._given[name]

    def optional(self, name: str) -> nodes.Expr | None:
        """The argument of a parameter, None where it is not given or `None`."""
        found = self._given.get(name)
        return None if isinstance(found, nodes.Nothing) else found

    def without(self, *names: str) -> None:
        """Refuses a call that gives one of these parameters more than `None`."""
        for name in names:
            if self.optional(name) is not None:
                reason, at = f"has no conversion for {name}= here", self._places[name]
                raise Refused(problems.WrongArguments(self._name, reason, at=at))

    def dtype(self, name: str) -> DType | None:
        """The dtype an argument names."""
        found = self.optional(name)
        return None if found is None else dtype_of(self._ctx, found)

    def flag(self, name: str) -> bool:
        """An argument that is True or False, False where it is not given."""
        found = self.optional(name)
        if found is None:
            return False
        if isinstance(found, nodes.Bool):
            return found.value
        raise Refused(problems.WrongArguments(self._name, f"needs True or False as {name}=", at=found.at))

    def axes(self, name: str, rank: int) -> tuple[int, ...]:
        """The axes an argument names, counted from 0; all of them where it is not given."""
        found = self.optional(name)
        if found is None:
            return tuple(range(rank))
        items = found.items if isinstance(found, nodes.Tuple_) else (found,)
        return tuple(sorted({self._axis(item, rank) for item in items}))

    def axis(self, name: str, rank: int) -> int | None:
        """The one axis an argument names, counted from 0; None where it is not given."""
        found = self.optional(name)
        return None if found is None else self._axis(found, rank)

    def _axis(self, e: nodes.Expr, rank: int) -> int:
        value = self._ctx.evaluate(self._ctx, e)
        count = fold.value_of(value.expr) if isinstance(value, ScalarValue) else None
        if count is None:
            raise Refused(problems.WrongArguments(self._name, "needs a constant integer as axis", at=e.at))
        if not -rank <= count < rank:
            raise Refused(problems.WrongAxis(count, rank, at=e.at))
        return count % rank
