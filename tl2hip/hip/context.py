"""What printing one function knows and gathers: names, arrays, facts about values, helpers in use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from tl2hip.hip.helpers import Helper
from tl2hip.nest.ir import Array, Expr


class Spelling(Protocol):
    """The C name of each name: `Names` of a plan, or names that stand for themselves."""

    def __getitem__(self, name: str, /) -> str: ...


@dataclass(slots=True)
class Used:
    """Helpers and vector types used so far, in the order in which they have to be printed."""

    helpers: dict[str, Helper] = field(default_factory=dict)
    math: dict[str, None] = field(default_factory=dict)
    """Symbols of `hip.math`."""
    host_math: dict[str, None] = field(default_factory=dict)
    """Those of them that the launcher calls too."""
    vectors: dict[str, str] = field(default_factory=dict)
    """Vector typedefs: name to definition."""

    def take(self, helper: Helper) -> str:
        """Marks a helper and what it calls as used; its name."""
        for needed in helper.needs:
            self.take(needed)
        self.helpers.setdefault(helper.name, helper)
        return helper.name


@dataclass(slots=True)
class Known:
    """What is known of the i64 names of a function (loop variables, constants) where its text has got to."""

    natural: set[str] = field(default_factory=set)
    """Names known to be 0 or more."""
    positive: set[str] = field(default_factory=set)
    """Names known to be 1 or more."""
    index: set[str] = field(default_factory=set)
    """Names that count or address things, whose sums and products stay far from 2**63."""
    small: set[str] = field(default_factory=set)
    """Names that are kept in 32 bits, so that C++ multiplies them in 32 bits, too."""
    below: dict[str, Expr | None] = field(default_factory=dict)
    """What each loop variable stays below, where its loop counts up."""
    indices: dict[int, tuple[Expr, bool]] = field(default_factory=dict)
    """What `facts.is_index` found of nodes, by their `id`, until more is learned. Each is kept alive, so that no
    other node gets its `id`."""

    def learn(self, name: str, *, index: bool = True, natural: bool = False, positive: bool = False) -> None:
        """From here on this, and no more, is known of a name."""
        for names, holds in ((self.index, index), (self.natural, natural), (self.positive, positive)):
            if holds != (name in names):
                names.symmetric_difference_update((name,))
                self.indices.clear()


@dataclass(slots=True)
class Context:
    """What the expressions of one function are printed with. `host` is set for the launcher."""

    names: Spelling
    used: Used
    arrays: Mapping[str, Array]
    known: Known = field(default_factory=Known)
    host: bool = False
    vectors: frozenset[str] = frozenset()
    """The arrays that are vectors in registers."""

    def c(self, name: str) -> str:
        """The C name of a name of the plan."""
        return self.names[name]

    def call(self, helper: Helper) -> str:
        """The name of a helper, which is printed from now on."""
        return self.used.take(helper)
