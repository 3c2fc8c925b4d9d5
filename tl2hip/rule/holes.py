"""What a rule is written with: the decorator, the kinds of holes, and the rule itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, overload

if TYPE_CHECKING:
    from typing import Literal as Op

    from tl2hip.rule.fits import Match

    Axis = int
    Const = Any
    Extent = int
    Rounding = Callable[[Any], Any]
    Fn = Callable[..., Any]
    Value = Any
else:

    class _Hole:
        """A kind of hole; it only marks a parameter, and is read from the text of the rule."""

        def __class_getitem__(cls, values: object) -> type:
            return cls

    class Fn(_Hole):
        """`f(i, k)`: any expression that may use i, k and every axis outside the match, nothing else."""

    class Extent(_Hole):
        """How many steps a loop of the rule takes."""

    class Value(_Hole):
        """Any scalar that no loop of the rule changes."""

    class Axis(_Hole):
        """A set of parallel axes, bound together."""

    class Const(_Hole):
        """A literal."""

    class Rounding(_Hole):
        """`c(x)`: x, or x rounded to other float types; only where several values are joined."""

    class Op(_Hole):
        """`Op["+", "max"]`: one of these operations; used as `combine(op, a, b)`."""


__all__ = ["KINDS", "Axis", "Const", "Extent", "Fn", "Op", "Rounding", "Rule", "Value", "rule"]

KINDS = ("Fn", "Extent", "Value", "Axis", "Const", "Op", "Rounding")
"""The kinds of holes, by the name of the annotation."""

Side = TypeVar("Side", bound=Callable[..., Any])
When = Callable[["Match"], "str | None"]


@dataclass(slots=True, eq=False)
class Rule:
    """What is recognised (`left`), what it becomes (`right`), and a condition (`condition`) beyond the form.

    `real`: the two sides are equal for real numbers only, by the named `identity`. `beats` names rules that
    give way where both fit.
    """

    left: Callable[..., Any]
    real: bool = False
    identity: str = ""
    beats: tuple[str, ...] = ()
    right: Callable[..., Any] | None = field(default=None, init=False)
    condition: When | None = field(default=None, init=False)

    @property
    def name(self) -> str:
        return self.left.__name__

    @property
    def doc(self) -> str:
        return (self.left.__doc__ or "").strip()

    @property
    def joins(self) -> bool:
        """Whether it says that it gives several values."""
        return str(self.left.__annotations__.get("return", "")).startswith("tuple")

    def __call__(self, *args: Any) -> Any:
        """What the recognised loops compute."""
        return self.left(*args)

    def becomes(self, side: Side) -> Side:
        """Marks a function of the same holes as what this rule's loops become."""
        self.right = side
        return side

    def when(self, condition: When) -> When:
        """Marks a function of the match that gives the reason why it is none, or None where it is one."""
        self.condition = condition
        return condition


@overload
def rule(left: Callable[..., Any], /) -> Rule: ...
@overload
def rule(
    *, real: bool = False, identity: str = "", beats: tuple[str, ...] = ()
) -> Callable[[Callable[..., Any]], Rule]: ...
def rule(
    left: Callable[..., Any] | None = None,
    /,
    *,
    real: bool = False,
    identity: str = "",
    beats: tuple[str, ...] = (),
) -> Rule | Callable[[Callable[..., Any]], Rule]:
    """A function over holes as a rule; bare, or with `real`, `identity` and `beats`."""
    if left is not None:
        return Rule(left)
    return lambda f: Rule(f, real, identity, beats)
