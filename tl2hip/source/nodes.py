"""tl2hip's own small syntax nodes: what is left of a file after reading.

Every node is frozen; `at` (where it stands) comes last and is left out of comparison, so two spellings of one
thing are equal. Nothing here carries a type or a meaning: that is the nest's business.
Python constructs with no node here never get past the reader: it refuses them at their place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tl2hip.source.span import NOWHERE, Source, Span


@dataclass(frozen=True, slots=True)
class Node:
    """Base of all nodes."""

    at: Span = field(default=NOWHERE, compare=False, kw_only=True, repr=False)


class Expr(Node):
    """Base of expressions."""

    __slots__ = ()


class Stmt(Node):
    """Base of statements."""

    __slots__ = ()


# --- expressions -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Name(Expr):
    id: str


@dataclass(frozen=True, slots=True)
class Number(Expr):
    """An int or float literal; bools are `Bool`."""

    value: int | float


@dataclass(frozen=True, slots=True)
class Bool(Expr):
    value: bool


@dataclass(frozen=True, slots=True)
class Text(Expr):
    """A string literal (dtype names, einsum formulas, docstrings)."""

    value: str


@dataclass(frozen=True, slots=True)
class Nothing(Expr):
    """`None`, as an index (np.newaxis), a default or an annotation."""


@dataclass(frozen=True, slots=True)
class Ellipsis_(Expr):
    """`...` as an index."""


@dataclass(frozen=True, slots=True)
class Attribute(Expr):
    value: Expr
    name: str


@dataclass(frozen=True, slots=True)
class Slice(Expr):
    """`start:stop:step` inside an index; absent parts are None."""

    start: Expr | None
    stop: Expr | None
    step: Expr | None


@dataclass(frozen=True, slots=True)
class Subscript(Expr):
    """`value[index]`; `a[i, j]`, and `a[(i, j)]` alike, has two indices, `a[i][j]` nests."""

    value: Expr
    index: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Keyword(Node):
    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Call(Expr):
    func: Expr
    args: tuple[Expr, ...]
    keywords: tuple[Keyword, ...] = ()


@dataclass(frozen=True, slots=True)
class Unary(Expr):
    """`op` in `- + ~ not`."""

    op: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Binary(Expr):
    """`op` in `+ - * / // % ** @ & | ^ << >>`."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Compare(Expr):
    """A chain `first ops[0] rest[0] ops[1] rest[1] …`; ops are `< <= > >= == !=` (`is`, `in` are refused)."""

    first: Expr
    ops: tuple[str, ...]
    rest: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Logic(Expr):
    """`and` or `or` over two or more values."""

    op: str
    values: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class IfExp(Expr):
    test: Expr
    then: Expr
    orelse: Expr


@dataclass(frozen=True, slots=True)
class Tuple_(Expr):
    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class List_(Expr):
    """A list display, where a shape or an article argument takes one."""

    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Generator(Expr):
    """`element for target in iterable if conditions`: the argument of sum, min, max, any, all. Where a second `for`
    follows, `element` is the Generator of that."""

    element: Expr
    target: Expr
    iterable: Expr
    conditions: tuple[Expr, ...]


# --- statements ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Assign(Stmt):
    """`targets[0] = targets[1] = … = value`; a target is Name, Subscript or Tuple_ of these."""

    targets: tuple[Expr, ...]
    value: Expr


@dataclass(frozen=True, slots=True)
class AnnAssign(Stmt):
    """`target: annotation` or `target: annotation = value`."""

    target: Expr
    annotation: Expr
    value: Expr | None


@dataclass(frozen=True, slots=True)
class AugAssign(Stmt):
    """`target op= value`; `op` as in Binary, without the `=`."""

    target: Expr
    op: str
    value: Expr


@dataclass(frozen=True, slots=True)
class For(Stmt):
    target: Expr
    iterable: Expr
    body: tuple[Stmt, ...]
    blocks: bool = False
    """Whether its tiles are blocks by which the user's own loop goes, one a turn; only dialects make such loops."""


@dataclass(frozen=True, slots=True)
class While(Stmt):
    test: Expr
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class If(Stmt):
    test: Expr
    then: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class With(Stmt):
    """`with context:`; only the article's `PipelineStage` and `Unroll` mean something."""

    context: Expr
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Return(Stmt):
    value: Expr | None


@dataclass(frozen=True, slots=True)
class Break(Stmt):
    pass


@dataclass(frozen=True, slots=True)
class Continue(Stmt):
    pass


@dataclass(frozen=True, slots=True)
class Pass(Stmt):
    pass


@dataclass(frozen=True, slots=True)
class Assert(Stmt):
    test: Expr
    message: Expr | None


@dataclass(frozen=True, slots=True)
class Evaluate(Stmt):
    """An expression statement: a docstring, or a call such as `C[i, j].store(x)`."""

    value: Expr


# --- functions and files ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Parameter(Node):
    name: str
    annotation: Expr | None
    default: Expr | None
    keyword_only: bool = False


@dataclass(frozen=True, slots=True)
class Function(Node):
    """A `def` at file level. `returns` is the annotation. String annotations are already parsed."""

    name: str
    parameters: tuple[Parameter, ...]
    body: tuple[Stmt, ...]
    decorators: tuple[Expr, ...]
    returns: Expr | None
    doc: str | None


@dataclass(frozen=True, slots=True)
class Import(Node):
    """One bound name of an import: `import numpy as np` is ("numpy", None, "np"),
    `from math import exp` is ("math", "exp", "exp")."""

    module: str
    member: str | None
    name: str


@dataclass(frozen=True, slots=True)
class Module(Node):
    """One file: its imports, its functions, and the file-level assignments (`M, N = dims("M N")`,
    `EPS = 1e-5`, `k = f(M=1024)`) in order. Other file-level statements are kept out: they cannot change what
    a kernel means. `functions` holds the kernels and the functions that they reach, not every function."""

    source: Source
    imports: tuple[Import, ...]
    functions: tuple[Function, ...]
    assignments: tuple[Assign | AnnAssign, ...]
    calls: tuple[Call, ...] = ()
    """Every file-level call whose arguments are all constants (the article's `f(M=1024, …)`)."""
    compiled: tuple[Call, ...] = ()
    """Every `CompileKernel(f, …)` at file level."""
    kernels: tuple[str, ...] = ()
    """The names of the functions that are kernels; `functions` holds their helper functions too."""
    refused: frozenset[str] = frozenset()
    """The functions that the reader refused something in, and all that call one of these: their bodies are
    incomplete and must not be used."""
    unsettled: frozenset[str] = frozenset()
    """File-level names whose value cannot be read: bound under a condition, in a loop, by `:=`, by `global` in a
    function, anew after another value was made of the old one, to a list that may be changed, or to something with
    no node."""
    origins: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    """What each file-level name stands for; see `names.origin`."""
