"""What is known while the nest of one function is built: names, axes, arrays, and the statements so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from tl2hip.dtypes import I64, DType
from tl2hip.nest import ir
from tl2hip.nest.build.linear import Limits, at_most
from tl2hip.nest.build.values import Value
from tl2hip.source import nodes
from tl2hip.source.problems.base import Problem
from tl2hip.source.span import NOWHERE, Span

Result = Value | tuple["Result", ...]
"""What an expression gives: one value, or a tuple of them."""


class Listed(tuple[Result, ...]):
    """What a list gives: a tuple of its items, that as an index would pick rows."""

    __slots__ = ()


class Told(Exception):
    """Raised where building cannot go on because of a problem that has been told already."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A name that has a value, since the statement at `at`."""

    value: Result
    at: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A name whose value cannot be read from here on; `problem` says why (None: told already)."""

    problem: Callable[[Span], Problem] | None


Binding = Bound | Unreadable


@dataclass(frozen=True, slots=True)
class Tiling:
    """The marks of one loop variable."""

    tile: int | None
    marks: tuple[ir.Mark, ...]
    at: Span
    tile_at: Span
    blocks: bool = False
    """Whether the tile is a block by which the user's loop goes, as `ir.Axis` says."""


@dataclass(slots=True)
class State:
    """Everything that a trial of a loop's body may change and that is put back when it is tried again."""

    names: dict[str, Binding] = field(default_factory=dict)
    given: set[str] = field(default_factory=set)
    versions: dict[tuple[str, DType], str] = field(default_factory=dict)
    variables: dict[str, DType] = field(default_factory=dict)
    narrower: dict[str, DType] = field(default_factory=dict)
    """The variables that NumPy holds in a narrower dtype, which."""
    arrays: dict[str, ir.Array] = field(default_factory=dict)
    dims: dict[str, None] = field(default_factory=dict)
    tilings: dict[str, Tiling] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    checks: list[ir.Check] = field(default_factory=list)
    promised: dict[str, tuple[str, ...]] = field(default_factory=lambda: {"distinct": (), "offsets": ()})
    """The arrays that the user asserted something of, by what it is."""
    calls: int = 0
    dropped: int = 0
    """Statements that were refused."""
    equal: dict[ir.Expr, ir.Expr] = field(default_factory=dict)
    """What the user asserted: sizes, each with the expression it equals."""
    limits: Limits = field(default_factory=dict)
    """What the user asserted: sizes and parameters, each with the least and the greatest value it may have."""
    kept: dict[str, ir.Expr] = field(default_factory=dict)
    """Locals of our own that keep what an expression was where a view was made; each is set in one place."""

    def copy(self) -> State:
        return State(
            dict(self.names),
            set(self.given),
            dict(self.versions),
            dict(self.variables),
            dict(self.narrower),
            dict(self.arrays),
            dict(self.dims),
            dict(self.tilings),
            list(self.problems),
            list(self.checks),
            dict(self.promised),
            self.calls,
            self.dropped,
            dict(self.equal),
            dict(self.limits),
            dict(self.kept),
        )


@dataclass(slots=True)
class Context:
    """The builder's state for one function.

    `out` is where statements go, `at` the span of the user's statement being built, `axes` the loops around
    it. `local` holds every name the function binds, `words` every name it mentions (no other name of ours may
    be one of these). `evaluate` gives the value of an expression, `test` a bool, `put` assigns, `build` builds
    statements (fields, as what they call calls them again).
    `looped` holds the loop variables met so far, `marked` those of them whose Tile stood above.
    `constants` and `dim_names` are the names of the file. `inlining` holds the file-level names being worked
    out, `naming` the name that the array being made will have. `whole` is the expression whose value a statement
    takes as it is; `stored` has the places of the choices in it whose result goes straight into an element, and the
    dtype of that. `scope` tells the locals of a helper function from those of its caller. `results` are names
    that are read only where they have been given a value, though the text does not show it. `typed` is set once the
    parameters are known, and with them all dims that have a value.
    """

    module: nodes.Module
    function: nodes.Function
    sets: Mapping[str, int]
    tiles: Mapping[str, int]
    math: DType
    local: frozenset[str]
    words: frozenset[str]
    evaluate: Callable[[Context, nodes.Expr], Result]
    test: Callable[[Context, nodes.Expr], ir.Expr]
    put: Callable[[Context, nodes.Expr, Result, Span], None]
    build: Callable[[Context, tuple[nodes.Stmt, ...]], None]
    constants: dict[str, nodes.Expr | None] = field(default_factory=dict)
    dim_names: frozenset[str] = frozenset()
    state: State = field(default_factory=State)
    out: list[ir.Stmt] = field(default_factory=list)
    at: Span = NOWHERE
    axes: dict[str, ir.Axis] = field(default_factory=dict)
    looped: set[str] = field(default_factory=set)
    marked: set[str] = field(default_factory=set)
    inlining: tuple[str, ...] = ()
    naming: str = ""
    whole: nodes.Expr | None = None
    stored: tuple[DType | None, frozenset[Span]] = (None, frozenset())
    scope: str = ""
    results: frozenset[str] = frozenset()
    typed: bool = False

    def tell(self, problem: Problem) -> None:
        """Keep a problem; the same one at the same place is kept once."""
        if problem not in self.state.problems:
            self.state.problems.append(problem)

    def emit(self, statement: ir.Stmt) -> None:
        """Adds a statement."""
        self.out.append(statement)

    @contextmanager
    def block(self) -> Iterator[list[ir.Stmt]]:
        """A body of its own: what is emitted inside goes into the list given."""
        outer, self.out = self.out, []
        try:
            yield self.out
        finally:
            self.out = outer

    def unused(self, hint: str) -> str:
        """A name for something the user might have written, which no text mentions and nothing has."""
        name, count = hint, 1
        while name in self.words or name in self.state.names:
            count += 1
            name = f"{hint}_{count}"
        return name

    def fresh(self, hint: str) -> str:
        """A name for something that tl2hip makes: `hint`, or `hint_2` and on where that is taken."""
        return self._give(hint, lambda name: name in self.state.given or name in self.words)

    def claim(self, name: str) -> str:
        """A name in the nest for something the user named."""
        return self._give(name, lambda it: it in self.state.given or (it != name and it in self.words))

    def _give(self, hint: str, taken: Callable[[str], bool]) -> str:
        name, count = hint, 1
        while taken(name):
            count += 1
            name = f"{hint}_{count}"
        self.state.given.add(name)
        return name

    def version(self, name: str, dtype: DType) -> ir.Var:
        """The scalar local that carries a user's name while its value has this dtype."""
        key = (self.scope + name, dtype)
        if key not in self.state.versions:
            given = self.fresh(name) if self.scope else self.claim(name)
            self.state.versions[key] = given
            self.state.variables[given] = dtype
        return ir.Var(self.state.versions[key], dtype)

    def at_most(self, a: ir.Expr, b: ir.Expr) -> bool:
        """Whether `a <= b` is proven here, by the loops around and by what the user asserted."""
        return at_most(a, b, self.axes, self.state.limits)

    def never_negative(self, e: ir.Expr) -> bool:
        """Whether an expression is proven to be 0 or more here."""
        return self.at_most(ir.Const(0, I64), e)

    def temporary(self, value: ir.Expr, hint: str, numpy: DType | None = None) -> ir.Var:
        """A scalar local of our own that takes a value here; `numpy`: what NumPy holds it in, if narrower."""
        name = self.fresh(hint)
        self.state.variables[name] = value.dtype
        if numpy is not None:
            self.state.narrower[name] = numpy
        self.emit(ir.Set(name, value, at=self.at))
        return ir.Var(name, value.dtype)
