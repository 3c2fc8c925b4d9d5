"""What planning one nest gathers: kernels, placed arrays, notes, and the facts every step asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tl2hip.dtypes import DType
from tl2hip.nest.dependence import AxisKind
from tl2hip.nest.index import ZERO
from tl2hip.nest.ir import Array, Axis, Expr, Load, Loop, Nest, Set, Var
from tl2hip.nest.ir import Stmt as NestStmt
from tl2hip.nest.walk import all_parts
from tl2hip.nest.walk import all_stmts as nest_stmts
from tl2hip.plan.grain import Grain, Probe
from tl2hip.plan.ir import Declare, DeviceKernel, DeviceStmt, Let, Miss, Note, Placed
from tl2hip.plan.kernels import finish
from tl2hip.plan.marks import Honours
from tl2hip.plan.names import Names, called
from tl2hip.plan.softmax_ir import Joined
from tl2hip.plan.tree import Tree
from tl2hip.plan.unfit import Unfit
from tl2hip.plan.walk import all_exprs, all_stmts
from tl2hip.source.span import Span

Change = Callable[[tuple[DeviceStmt, ...]], tuple[DeviceStmt, ...]]
"""A change of a kernel's statements."""


@dataclass(slots=True)
class State:
    """The plan in the making. `kinds` and `dtypes` grow with the axes and variables that planning makes up."""

    nest: Nest
    kinds: dict[str, AxisKind]
    dtypes: dict[str, DType]
    names: Names
    same: Mapping[str, frozenset[str]]
    constants: Mapping[str, Set]
    """Top-level scalars that every kernel computes for itself."""
    slots: dict[str, str] = field(default_factory=dict)
    """The workspace array that holds each scalar passed between launches."""
    placed: dict[str, Placed] = field(default_factory=dict)
    kernels: list[DeviceKernel] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    trees: dict[str, Tree] = field(default_factory=dict)
    misses: list[Miss] = field(default_factory=list)
    honours: Honours = field(default_factory=Honours)
    grains: list[Grain] = field(default_factory=list)
    joins: list[Joined] = field(default_factory=list)
    probes: list[Probe] = field(default_factory=list)

    @property
    def users(self) -> dict[str, str]:
        """The user's name of each axis."""
        return {s.axis.name: s.axis.user for s in nest_stmts(self.nest.body) if isinstance(s, Loop)}

    def plain(self, axis: Axis) -> str:
        """A name for the value of an axis outside a loop: the user's, unless something else is called so, or a loop
        inside one of that name."""
        nest, name = self.nest, called(axis)
        others = {nest.name, *nest.dims, *(a.name for a in nest.arrays), *(s.name for s in nest.scalars)}
        others |= {v.name for v in nest.variables}
        loops = [s for s in nest_stmts(nest.body) if isinstance(s, Loop) and called(s.axis) == name]
        inside = any(isinstance(x, Loop) and called(x.axis) == name for s in loops for x in nest_stmts(s.body))
        return axis.name if name in others or inside else name

    def workspace(self, wish: str, dtype: DType, shape: tuple[Expr, ...]) -> str:
        """A new workspace array; gives its name."""
        name = self.names.fresh(wish, keep=True)
        self.placed[name] = Placed(Array(name, dtype, shape, "local"), "workspace")
        return name

    def note(self, axis: str, where: str, why: str, at: Span) -> None:
        """Remember where a loop of the user went; loops tl2hip made itself are told under their own names."""
        self.notes.append(Note(axis, where, why, at))

    def miss(self, plan: str, unfit: Unfit, at: Span) -> None:
        """Remember why a faster plan did not fit the nest at a place, which looked like one of its kind."""
        self.misses.append(Miss(plan, unfit.why, unfit.way, unfit.at or at))

    def check(self, body: tuple[NestStmt, ...], misses: Sequence[Miss] = ()) -> None:
        """Note the marks of a piece of the program that its plan did not honour; `misses` kept faster plans from
        it."""
        why = next((f"; it is no {m.plan}: {m.why}" for m in misses if m.plan == "matrix product"), "")
        self.honours.check(self.nest, body, why)

    def grain(self, extent: Expr, tile: int, piece: int, *, exact: bool = False) -> None:
        """Remember how an extent is cut, for proofs."""
        found = Grain(extent, tile, piece, exact)
        if found not in self.grains:
            self.grains.append(found)

    def add(
        self,
        suffix: str,
        body: tuple[DeviceStmt, ...],
        block: tuple[int, int, int],
        summary: str,
        waves: int | None = None,
    ) -> str:
        """Finish a kernel and give its name: the nest's, with a suffix where there is something to tell apart.
        `waves`: waves a SIMD that its registers must leave room for."""
        wish = f"{self.nest.name}_{suffix}" if suffix else f"{self.nest.name}_kernel"
        name = self.names.fresh(wish, keep=True)
        body = (*self._given(body), *body)
        self.kernels.append(finish(name, body, block, self.placed, self.dtypes, self.users, summary, waves))
        self.names.next_kernel()
        return name

    def again(self, name: str, suffix: str, changed: Change, summary: str) -> str:
        """Add a kernel like the one of a name, its body changed but using the same things, and give its name."""
        like = next(k for k in self.kernels if k.name == name)
        other = self.names.fresh(f"{self.nest.name}_{suffix}", keep=True)
        self.kernels.append(replace(like, name=other, body=changed(like.body), summary=summary))
        return other

    def _given(self, body: tuple[DeviceStmt, ...]) -> tuple[DeviceStmt, ...]:
        """What a kernel must know before it starts: constants it computes, scalars that others left it."""
        if not self.slots and not self.constants:
            return ()
        own = {s.name for s in all_stmts(body) if isinstance(s, Set | Let | Declare)}
        wanted = [e.name for e in all_exprs(body) if isinstance(e, Var) and e.name not in own]
        given: dict[str, DeviceStmt] = {}
        while wanted:
            name = wanted.pop()
            if name in self.slots:
                given[name] = Let(name, self.slot(name))
            elif name in self.constants:
                given[name] = Let(name, self.constants[name].value, at=self.constants[name].at)
                wanted += [p.name for p in all_parts(self.constants[name].value) if isinstance(p, Var)]
        order = [*self.constants, *self.slots]
        return tuple(given[name] for name in order if name in given)

    def slot(self, variable: str) -> Load:
        """What a scalar's slot holds."""
        return Load(self.slots[variable], (ZERO,), self.dtypes[variable], proven=True)
