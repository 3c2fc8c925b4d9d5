"""A plan: the kernels to launch, the statements each thread runs, and the host code around them.

Expressions are the nest's own. What a plan adds is place: `Place` binds a name to a hardware index, loops are
strided over threads and blocks, arrays have a memory space, and lanes meet in `Barrier` and `Combine`.
The printer adds nothing to a plan; it only spells it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tl2hip.dtypes import DType
from tl2hip.nest.ir import Array, Expr, Nest, Set, Store, Update
from tl2hip.plan.grain import Grain, Probe
from tl2hip.plan.lanes_ir import Combine, Prefix
from tl2hip.plan.matrix_ir import MatrixStmt
from tl2hip.plan.softmax_ir import Joined, SoftmaxStmt
from tl2hip.plan.tree import Tree
from tl2hip.source.span import NOWHERE, Span

Index = Literal[
    "threadIdx.x",
    "threadIdx.y",
    "threadIdx.z",
    "blockIdx.x",
    "blockIdx.y",
    "blockIdx.z",
    "gridDim.x",
    "gridDim.y",
    "gridDim.z",
]

Space = Literal["global", "workspace", "shared", "thread", "vector"]
"""The memory an array lives in."""

Form = Literal["", "int", "uniform", "wide"]
"""How an i64 is kept."""


# --- what a thread runs ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Let:
    """`const dtype name = value;` in the rest of the block: read with `Var(name, value.dtype)`.

    `form`: an i64 that surely fits 32 bits may be an "int", one that all lanes of a wave agree on a "uniform" int,
    kept in a scalar register. A "wide" one is an int too, held in 64 bits so that its products with others are:
    the compiler then multiplies 32 by 32 bits.
    """

    name: str
    value: Expr
    form: Form = ""
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Declare:
    """A scalar that changes: `dtype name = value;`, without a value where every read follows a Set. `form` as of
    a Let."""

    name: str
    dtype: DType
    value: Expr | None
    form: Form = ""
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class MultiplyAdd:
    """`name = fma(left, right, name)` in f32 or f64: one term of a sum of products, rounded once."""

    name: str
    left: Expr
    right: Expr
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Extreme:
    """`name` becomes the greater or lesser of itself and a value of f32 or f64, one step of a reduction.

    `op` is "greatest" or "least", which leave a NaN out (`name` is none), or "greatest_or_nan", "least_or_nan",
    which keep it. Zeros are alike, as the order of a reduction is free.
    """

    name: str
    op: str
    value: Expr
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class For:
    """`for (i64 var = start; var < stop; var += step)`, or with `>` where `down`.

    `var` is an i64 read with `AxisRef(var)`, or an int where `small`. `step` is an i64 expression of the sign
    `down` says. `unroll`: how many bodies stand in a row, the user's `unroll(n)` for one. `note` is a few words
    said beside the loop ("lanes over j"). `going`: a bool asked before each turn, false where the loop is over.
    """

    var: str
    start: Expr
    stop: Expr
    step: Expr
    body: tuple[DeviceStmt, ...]
    down: bool = False
    unroll: int | None = None
    small: bool = False
    note: str = ""
    going: Expr | None = None
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class DeviceIf:
    test: Expr
    then: tuple[DeviceStmt, ...]
    orelse: tuple[DeviceStmt, ...] = ()
    note: str = ""
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class DeviceWhile:
    test: Expr
    body: tuple[DeviceStmt, ...]
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Barrier:
    """`__syncthreads()`: every thread of the block gets here; memory of the block is in order after it."""

    note: str = ""


@dataclass(frozen=True, slots=True)
class DeclareVector:
    """Vectors in registers: the name of an array in the space "vector". Without `zeros` they hold nothing yet."""

    vector: str
    zeros: bool = False


@dataclass(frozen=True, slots=True)
class LoadVector:
    """The vector of `vector` (the name of an array in the space "vector") takes consecutive elements along the
    last index of `array`, by one access of 4, 8 or 16 bytes.

    `slot` says which of several vectors; a vector alone (no slot) is declared here. The address is a multiple of
    the bytes, or where not `aligned` of an element's. `streamed`: the elements are not read again soon.
    """

    vector: str
    array: str
    index: tuple[Expr, ...]
    slot: tuple[Expr, ...] = ()
    aligned: bool = True
    streamed: bool = False
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class StoreVector:
    """The elements of a vector to consecutive elements of `array`, by one access; as LoadVector."""

    array: str
    index: tuple[Expr, ...]
    vector: str
    slot: tuple[Expr, ...] = ()
    aligned: bool = True
    streamed: bool = False
    at: Span = field(default=NOWHERE, compare=False)


DeviceStmt = (
    Let
    | Declare
    | MultiplyAdd
    | Extreme
    | Set
    | Store
    | Update
    | For
    | DeviceIf
    | DeviceWhile
    | Barrier
    | Combine
    | Prefix
    | DeclareVector
    | LoadVector
    | StoreVector
    | MatrixStmt
    | SoftmaxStmt
)


# --- kernels and memory ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Placed:
    """An array and the memory it lives in.

    `global`: a pointer argument. `workspace`: a part of the launcher's workspace argument, passed to kernels as
    a pointer. `shared`: LDS, constant extents. `thread`: a C array of each thread, constant extents. `vector`:
    vectors in registers of a thread, constant extents, of which the last is one vector's.
    """

    array: Array
    space: Space


@dataclass(frozen=True, slots=True)
class Place:
    """`const i64 name = what;` at the head of a kernel: read with `Var(name, I64)`."""

    name: str
    what: Index


@dataclass(frozen=True, slots=True)
class DeviceKernel:
    """One `__global__` function.

    Its arguments are what its body uses, in the order of `arrays` (names of global and workspace arrays), then
    `scalars` (names of Dim, Scalar and host loop variables, with their dtypes).
    `block` is the number of threads along x, y, z. `summary` says in a line what it does.
    """

    name: str
    arrays: tuple[str, ...]
    scalars: tuple[tuple[str, DType], ...]
    block: tuple[int, int, int]
    places: tuple[Place, ...]
    body: tuple[DeviceStmt, ...]
    local_arrays: tuple[str, ...] = ()
    """Names of `shared` and `thread` arrays, which it declares at its head."""
    waves: int | None = None
    """Waves a SIMD that its registers must leave room for; None leaves that to the compiler."""
    summary: str = ""
    stored: frozenset[str] = frozenset()
    """Names of the arrays it stores to."""

    @property
    def threads(self) -> int:
        x, y, z = self.block
        return x * y * z


# --- what the launcher runs ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HostLoop:
    """A serial loop on the host around launches; `var` is read with AxisRef(var)."""

    var: str
    start: Expr
    stop: Expr
    step: int
    body: tuple[HostStmt, ...]
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class HostWhile:
    """Turns on the host, until a Leave in the body ends them."""

    body: tuple[HostStmt, ...]
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class ReadBack:
    """The one element of a workspace array, once all that is launched is done: read with `Var(name, dtype)` in the
    rest of the block. The launcher waits for it."""

    name: str
    dtype: DType
    array: str


@dataclass(frozen=True, slots=True)
class Leave:
    """Ends the innermost HostLoop or HostWhile unless a test of what the host knows holds."""

    unless: Expr


@dataclass(frozen=True, slots=True)
class HostLet:
    """`const i64 name = value;` in the rest of the block: read with `Var(name, I64)`, in kernels too, which take it
    as an argument."""

    name: str
    value: Expr
    note: str = ""


@dataclass(frozen=True, slots=True)
class Aligned:
    """Every one of these arrays starts at a multiple of `bytes`, each i64 in `multiples` is a multiple of `of` (row
    pitches in elements), and each of `near` is below 2**31 (bytes that a 32-bit offset has to reach)."""

    arrays: tuple[str, ...]
    bytes: int
    multiples: tuple[Expr, ...] = ()
    of: int = 1
    near: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class HostIf:
    test: Expr | Aligned
    then: tuple[HostStmt, ...]
    orelse: tuple[HostStmt, ...] = ()
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch; `grid` counts blocks along x, y, z (i64 expressions, already within the hardware's limits).
    Where any of them is 0 nothing is launched."""

    kernel: str
    grid: tuple[Expr, Expr, Expr]


HostStmt = HostLoop | HostWhile | HostLet | HostIf | ReadBack | Leave | Launch


# --- the plan --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Note:
    """Where one loop of the user went and why, for `explain`, `plan.txt` and the head of the printed file."""

    axis: str
    where: str
    why: str
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Miss:
    """Why a faster plan ("row") did not fit the loops at a place, for `explain`; a way out where there is one."""

    plan: str
    why: str
    way: str = ""
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that is printed for one nest.

    `in_place` names pairs (written array, other array) that may start at the same address; every other overlap
    of a written array is refused by the launcher.
    """

    nest: Nest
    arrays: tuple[Placed, ...]
    kernels: tuple[DeviceKernel, ...]
    host: tuple[HostStmt, ...]
    notes: tuple[Note, ...]
    in_place: tuple[tuple[str, str], ...] = ()
    trees: tuple[tuple[str, Tree], ...] = ()
    """The axes (unique names) whose reductions or scans run as a tree; the others run in the user's order."""
    misses: tuple[Miss, ...] = ()
    grains: tuple[Grain, ...] = ()
    joins: tuple[Joined, ...] = ()
    probes: tuple[Probe, ...] = ()

    def placed(self, name: str) -> Placed:
        """The array of that name and its memory; KeyError where there is none."""
        for p in self.arrays:
            if p.array.name == name:
                return p
        raise KeyError(name)

    @property
    def stored(self) -> frozenset[str]:
        """Names of the arrays that any kernel stores to."""
        return frozenset().union(*(k.stored for k in self.kernels))
