"""What each kernel of a plan takes of a compute unit: LDS by array, threads, registers, and the waves that follow.

LDS is exact, and so are the vectors in registers. The rest of the registers is an estimate: at each statement the
vectors and scalars that are still needed, two for the address of each array of memory, and a few for what a
statement computes on the way. A value that all lanes of a wave share lies in scalar registers and counts nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, fields
from itertools import combinations

from tl2hip.nest.index import value_of
from tl2hip.nest.ir import AxisRef, Call, Expr, Load, Var
from tl2hip.nest.walk import all_parts
from tl2hip.plan.gfx942 import LDS_BYTES, MAX_THREADS, MAX_WAVES, REGISTER_STEP, REGISTERS, SIMDS, WAVE
from tl2hip.plan.ir import Declare, DeclareVector, DeviceKernel, DeviceStmt, For, Let, Placed, Plan
from tl2hip.plan.kernels import touched
from tl2hip.plan.lds import Piece, elements, laid_out, pieces
from tl2hip.plan.matrix_ir import TakeLane
from tl2hip.plan.walk import all_stmts, bodies, own_exprs

ADDRESS = 2
"""Registers of the address of an array in memory."""
ON_THE_WAY = 8
"""Registers of what a statement computes on the way."""
FUNCTION = {4: 24, 8: 76}
"""More of them in a function of mathematics, by the bytes of a value: what the longest ones (pow, sin, atan2) took
in compiled kernels."""
EASY = ("sqrt", "rsqrt", "floor", "ceil", "trunc", "rint", "isnan", "isinf", "isfinite", "copysign")
"""Functions that are a few instructions."""
REGISTER_BYTES = 4


@dataclass(frozen=True, slots=True)
class Budget:
    """What one kernel takes.

    `vectors` are the registers of each array of vectors; `registers` is the most that a lane needs at once, vectors
    included, which may be fewer than all of them, and `certain` those of the vectors among them, and of what a
    statement computes on the way. `promised`: the waves a SIMD that the plan wants room for.
    """

    kernel: str
    threads: int
    lds: tuple[Piece, ...]
    lds_bytes: int
    vectors: tuple[tuple[str, int], ...]
    registers: int
    certain: int
    promised: int | None = None

    @property
    def needed(self) -> int:
        """Waves that must share a SIMD: those of one block, or as many as are promised."""
        return max(-(-self.threads // (WAVE * SIMDS)), self.promised or 1)

    @property
    def allowed(self) -> int:
        """The most registers of a lane with which that many waves fit."""
        return REGISTERS // self.needed // REGISTER_STEP * REGISTER_STEP

    @property
    def waves(self) -> int:
        """Waves that a SIMD holds at once, by registers and by LDS; 0 where not even one block fits."""
        return waves(self.registers, self.lds_bytes, self.threads)

    @property
    def lds_possible(self) -> frozenset[int]:
        """The bytes of LDS that the compiled kernel may have: scratch of a reduction that nobody reads goes."""
        kept = [p for p in self.lds if not p.own]
        hidden = [p for p in self.lds if p.own]
        chosen = (some for n in range(len(hidden) + 1) for some in combinations(hidden, n))
        return frozenset(laid_out((*kept, *some)) for some in chosen)

    @property
    def says_something(self) -> bool:
        """Whether the kernel has LDS or vectors in registers."""
        return bool(self.lds or self.vectors)


def waves(registers: int, lds_bytes: int, threads: int) -> int:
    """Waves a SIMD holds at once of blocks of so many threads (HIP's occupancy formula for MI300X).

    >>> waves(64, 0, 256), waves(172, 32_768, 256), waves(216, 65_536, 512)
    (8, 2, 2)
    """
    of_block = -(-threads // WAVE)
    stepped = max(1, -(-registers // REGISTER_STEP)) * REGISTER_STEP
    by_registers = min(MAX_WAVES, REGISTERS // stepped) * SIMDS // of_block
    blocks = min(by_registers, LDS_BYTES // lds_bytes) if lds_bytes else by_registers
    return blocks * of_block // SIMDS if of_block >= SIMDS else min(MAX_WAVES, -(-blocks * of_block // SIMDS))


def budgets(plan: Plan) -> tuple[Budget, ...]:
    """What each kernel of a plan takes, in its order."""
    return tuple(budget(k, plan.arrays) for k in plan.kernels)


def budget(kernel: DeviceKernel, placed: Iterable[Placed]) -> Budget:
    """What one kernel takes, whose arrays are among those placed."""
    placed = tuple(placed)
    sizes = {p.array.name: vector_registers(p) for p in placed if p.space in ("vector", "thread")}
    names = said(kernel.body)
    used = set().union(*names.values())
    in_vectors = {n: registers for n, registers in sizes.items() if n in used}
    certain = _most(kernel.body, in_vectors, names)
    live = _most(kernel.body, {**in_vectors, **scalar_registers(kernel)}, names)
    lds = pieces(kernel, placed)
    registers = live + ADDRESS * len(kernel.arrays)
    vectors = tuple(in_vectors.items())
    return Budget(kernel.name, kernel.threads, lds, laid_out(lds), vectors, registers, certain, kernel.waves)


def surely_fits(kernel: DeviceKernel, placed: Iterable[Placed]) -> bool:
    """Whether a kernel fits even if all its vectors, and the most that any statement computes on the way, were in
    registers at once; where not, `budget` looks closer."""
    own = {*kernel.local_arrays, *(n for s in all_stmts(kernel.body) for n in touched(s))}
    sizes = [vector_registers(p) for p in placed if p.space in ("vector", "thread") and p.array.name in own]
    lds = pieces(kernel, tuple(placed))
    bounds = Budget(kernel.name, kernel.threads, lds, laid_out(lds), (), 0, 0, kernel.waves)
    left = bounds.allowed - sum(sizes)
    within = ON_THE_WAY + max(FUNCTION.values()) <= left
    within = within or all(_on_the_way(s) <= left for s in all_stmts(kernel.body))
    return kernel.threads <= MAX_THREADS and bounds.lds_bytes <= LDS_BYTES and within


def _on_the_way(s: DeviceStmt) -> int:
    """Registers of what a statement itself computes on the way."""
    parts = (p for e in own_exprs(s) for p in all_parts(e))
    calls = (p for p in parts if isinstance(p, Call) and p.name not in EASY)
    return ON_THE_WAY + max((FUNCTION[8 if c.args[0].dtype.bytes == 8 else 4] for c in calls), default=0)


def vector_registers(placed: Placed) -> int:
    """Registers of an array of each thread: a vector, or an element of other arrays, takes whole registers."""
    count, dtype = elements(placed.array), placed.array.dtype
    one = value_of(placed.array.shape[-1]) if placed.space == "vector" else 1
    assert one, placed.array.name
    return count // one * -(-one * dtype.bytes // REGISTER_BYTES)


def scalar_registers(kernel: DeviceKernel) -> dict[str, int]:
    """Registers of each scalar of a kernel that differs from lane to lane: a constant that depends on the thread or
    on memory, a loop that starts from one, and each scalar that changes."""
    differ = differing(kernel)
    found = dict.fromkeys(sorted(_threads(kernel)), 1)
    for s in all_stmts(kernel.body):
        match s:
            case Let(name=name, value=value, form=form) if name in differ:
                found[name] = 1 if form == "int" else _of(value)
            case Declare(name=name, dtype=dtype, form=form) if name in differ:
                found[name] = 1 if form else -(-dtype.bytes // REGISTER_BYTES)
            case TakeLane(name=name):
                found[name] = 1
            case For(var=var, start=start, small=small) if var in differ:
                found[var] = 1 if small else _of(start)
            case _:
                continue
    return found


def differing(kernel: DeviceKernel, *, waves: bool = False) -> Set[str]:
    """The scalars of a kernel that differ from lane to lane, or with `waves` from wave to wave besides: those said
    to be uniform are so in a wave."""
    differ = set(_threads(kernel))
    for s in all_stmts(kernel.body):
        match s:
            case Let(name=name, value=value, form=form) if waves or form != "uniform":
                if differs(value, differ):
                    differ.add(name)
            case Declare(name=name, form=form) if form != "uniform":
                differ.add(name)
            case TakeLane(name=name):
                differ.add(name)
            case For(var=var, start=start) if differs(start, differ):
                differ.add(var)
            case _:
                continue
    return differ


def _threads(kernel: DeviceKernel) -> Iterator[str]:
    return (p.name for p in kernel.places if p.what.startswith("threadIdx"))


def _of(e: Expr) -> int:
    return -(-e.dtype.bytes // REGISTER_BYTES)


def differs(e: Expr, differ: Set[str]) -> bool:
    """Whether an expression may have another value where the scalars `differ` have."""
    return any(
        (isinstance(p, Var) and p.name in differ)
        or (isinstance(p, AxisRef) and p.axis in differ)
        or (isinstance(p, Load) and p.array in differ)
        for p in all_parts(e)
    )


def mentioned(s: DeviceStmt) -> Iterator[str]:
    """The names that a statement itself says: of vectors, arrays and variables, not those of statements inside."""
    for e in own_exprs(s):
        for p in all_parts(e):
            if isinstance(p, Var):
                yield p.name
            elif isinstance(p, AxisRef):
                yield p.axis
            elif isinstance(p, Load):
                yield p.array
    for f in fields(s):
        value = getattr(s, f.name)
        if isinstance(value, str):
            yield value
        elif hasattr(value, "vector"):
            yield value.vector


def most(body: tuple[DeviceStmt, ...], registers: Mapping[str, int]) -> int:
    """The most registers in use at any statement of a body, with what it computes on the way.

    A name is in use from the first statement that says it to the last, in the block of the text that holds them
    all: what a loop uses and its surroundings set is in use throughout the loop.
    """
    return _most(body, registers, said(body))


Said = Mapping[int, Set[str]]
"""The names that each statement says, those inside it included but for vectors declared there, by identity."""


def said(body: Iterable[DeviceStmt]) -> Said:
    """What the statements of a body and those inside them say; each is looked at once."""
    found: dict[int, Set[str]] = {}
    for s in body:
        names = set(mentioned(s))
        for inner in bodies(s):
            found.update(said(inner))
            names.update(set().union(*(found[id(x)] for x in inner)) - _declared(inner))
        found[id(s)] = names
    return found


def _declared(body: Iterable[DeviceStmt]) -> set[str]:
    """The vectors that a block declares: outside of it there are none of these names, or others."""
    return {s.vector for s in body if isinstance(s, DeclareVector)}


def _most(
    body: tuple[DeviceStmt, ...], registers: Mapping[str, int], names: Said, every: Mapping[str, int] | None = None
) -> int:
    every = registers if every is None else every
    spans: dict[str, tuple[int, int]] = {}
    for at, s in enumerate(body):
        for name in names[id(s)] & registers.keys():
            spans[name] = (spans.get(name, (at, at))[0], at)
    highest = 0
    for at, s in enumerate(body):
        here = {n for n, (first, last) in spans.items() if first <= at <= last}
        inner = bodies(s)
        alone = 0 if inner else sum(registers[n] for n in here) + _on_the_way(s)
        own = {n: registers[n] for n in here if spans[n][0] == spans[n][1]}
        around = sum(registers[n] for n in here) - sum(own.values())
        local = ({n: every[n] for n in sorted(_declared(b)) if n in every} for b in inner)
        blocks = zip(inner, local, strict=True)
        highest = max(highest, alone, *(around + _most(b, {**own, **more}, names, every) for b, more in blocks))
    return highest
