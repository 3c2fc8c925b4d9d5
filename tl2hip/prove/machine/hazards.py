"""Instructions that stand too near each other: wait states that gfx942 leaves to the software.

For most of what an instruction needs the hardware waits. Where it does not, so many wait states must lie between
two instructions: any instruction is one, `s_nop n` is n + 1. The compiler puts them there; this finds where some
are missing, on every way through the code. Registers that are counted from M0 are taken for the named ones.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tl2hip.prove.machine.meanings.control import BRANCHES
from tl2hip.prove.machine.program import Instruction, Kernel, Label, Program
from tl2hip.prove.machine.roles import NOTHING, Cells, Part, part


@dataclass(frozen=True, slots=True)
class Rule:
    """Two kinds of instructions, the roles in which they share a register, and how many wait states lie between.

    `passes`: those of the first one count besides. A kind with `!` is one that it must not be of; `same` and
    `other` say whether the second one has the mnemonic of the first. A sum is `whole` where it is of just the
    registers that the first one wrote, `part` where of some of them; `any` needs no register.
    """

    first: tuple[str, ...]
    made: str
    second: tuple[str, ...]
    used: str
    states: int
    passes: bool
    source: str
    words: str

    def needed(self, first: Part) -> int:
        """How many wait states."""
        return self.states + (first.passes if self.passes else 0)

    def meets(self, first: Part, second: Part, again: Cells) -> bool:
        """Whether it is about these two, which are of its kinds. Matrix instructions between them write `again`,
        which is no longer the first one's."""
        if self.used == "any":
            return True
        made = first.cells(self.made)
        left = made - again if self.made == "rows" else made
        if self.used in ("whole", "part"):
            added = second.cells("sum")
            return bool(left & added) and (made == added) == (self.used == "whole")
        return not left.isdisjoint(second.cells(self.used))


TABLE = """
valu scalars    > vmem reads       | 5        | 4.5 VMEM    | memory is reached by a scalar the vector unit wrote
valu scalars    > valu reads       | 2        | VALU        | the vector unit reads a scalar that it wrote
valu scalars    > div_fmas vcc     | 4        | 4.5 DivFMas | a division's last step follows what wrote VCC
valu scalars    > lane_move lane   | 4        | 4.5 RWLane  | the vector unit wrote the number of a lane
valu scalars    > lane_move exec   | 4        | VALU        | a lane is moved after what wrote EXEC
valu scalars    > dpp exec         | 5        | 4.5 DPP     | lanes are permuted after what wrote EXEC
valu rows       > dpp reads        | 2        | 4.5 DPP     | a result is permuted
valu rows       > reads_lane reads | 1        | VALU        | a lane of a result is read
trans rows      > valu !trans reads | 1        | 4.5 VALU    | a transcendental result is read
shifted rows    > valu reads       | 1        | 4.5 VALU    | a result in a part of a register is read
shifted rows    > valu rows        | 1        | VALU        | a result in a part of a register is overwritten
wide_store data > valu rows        | 2        | 4.5 VALU    | more than two stored words are overwritten
offset_store data > valu rows      | 1        | VALU        | more than two stored words are overwritten
salu scalars    > to_lds m0        | 1        | 4.5 ReadM0  | M0 is written before a load that goes to LDS
plain scalars   > matrix exec      | 4        | 7.5 MAI     | a matrix instruction follows what wrote EXEC
plain !dot rows > matrix reads     | 2        | 7.5 MAI     | a matrix instruction reads a result
xdl rows        > matrix factors   | passes+3 | 7.5 MAI     | a matrix result is a factor
sgemm rows      > matrix factors   | passes+2 | 7.5 MAI     | a matrix result is a factor
dgemm_4 rows    > matrix factors   | 6        | 7.5 MAI     | a matrix result is a factor
dgemm_16 rows   > matrix factors   | 11       | 7.5 MAI     | a matrix result is a factor
xdl rows        > matrix part      | passes+1 | 7.5 MAI     | a part of a matrix result is added to
sgemm rows      > matrix !xdl part | passes+0 | 7.5 MAI     | a part of a matrix result is added to
dgemm_4 rows    > matrix !xdl part | 4        | 7.5 MAI     | a part of a matrix result is added to
dgemm_16 rows   > matrix !xdl part | 9        | 7.5 MAI     | a part of a matrix result is added to
dgemm_4 rows    > dgemm_4 whole    | 4        | 7.5 MAI     | a matrix result is added to
two_pass rows   > matrix whole     | 2        | 7.5 MAI     | a matrix result is added to
xdl rows        > user reads       | passes+3 | 7.5 MAIVALU | a matrix result is read
sgemm rows      > user reads       | passes+2 | 7.5 MAIVALU | a matrix result is read
dgemm_4 rows    > plain reads      | 6        | 7.5 MAIVALU | a matrix result is read
dgemm_4 rows    > memory reads     | 9        | 7.5 MAIVALU | a matrix result goes to memory
dgemm_16 rows   > plain reads      | 11       | 7.5 MAIVALU | a matrix result is read
dgemm_16 rows   > memory reads     | 18       | 7.5 MAIVALU | a matrix result goes to memory
xdl rows        > user rows        | passes+3 | 7.5 MAIVALU | a matrix result is overwritten
sgemm rows      > user rows        | passes+2 | 7.5 MAIVALU | a matrix result is overwritten
dgemm_4 rows    > user rows        | 6        | 7.5 MAIVALU | a matrix result is overwritten
dgemm_16 rows   > user rows        | 11       | 7.5 MAIVALU | a matrix result is overwritten
xdl sum         > user rows        | passes-1 | 7.5 MAIVALU | what a matrix instruction adds to is overwritten
dgemm rows      > sum_f64 any      | 2        | 7.5 MAIVALU | f64 sums on the vector unit follow a matrix result
dot rows        > user other reads | 3        | 7.5 MAIVALU | a sum of small products is read
dot rows        > dot same factors | 3        | 7.5 MAIVALU | a sum of small products is a factor
dot rows        > user other rows  | 3        | 7.5 MAIVALU | a sum of small products is overwritten
"""
"""A rule a line: two kinds of instructions, each with a role; the wait states between; where that is said, which is
a section of the CDNA 3 ISA guide and one of `check...Hazards` in LLVM's GCNHazardRecognizer.cpp, as it is for
gfx940 and later (MAI: `checkMAIHazards90A`); in words.

Two are LLVM's alone, newer than the guide: what overwrites a result in a part of a register spoils its parity (pull
request 100276), and the words of a wide store are not safe where its offset is a scalar register, as the guide has
it (197267, seen on gfx950).

Left out is what no instruction that the executor knows can be in: s_setreg and s_getreg, s_rfe, s_movrel,
s_sendmsg, VCCZ and EXECZ as operands, and sparse matrix instructions; and what only accesses that are replayed want
(XNACK).
"""

LINE = re.compile(r"(.+?) (\w+) *> (.+?) (\w+) *\| (passes)?([+-]?\d+) *\| (.+?) *\| (.+)")


def rules() -> tuple[Rule, ...]:
    """All rules of the table."""
    found = []
    for line in TABLE.strip().splitlines():
        match = LINE.fullmatch(line)
        assert match is not None, line
        first, made, second, used, passes, states, source, words = match.groups()
        found.append(
            Rule(tuple(first.split()), made, tuple(second.split()), used, int(states), bool(passes), source, words)
        )
    return tuple(found)


RULES = rules()


@dataclass(frozen=True, slots=True)
class Hazard:
    """Two instructions of a kernel that stand too near each other: `given` wait states where `needed` are."""

    kernel: str
    rule: Rule
    first: Instruction
    second: Instruction
    needed: int
    given: int

    def __str__(self) -> str:
        return (
            f"{self.kernel}: {self.rule.words}: `{self.first.text}` and `{self.second.text}` need {self.needed} "
            f"wait states between them and have {self.given}"
        )


def find(program: Program) -> tuple[Hazard, ...]:
    """All hazards of a program. Raises NotUnderstood for an instruction that is in no table."""
    return tuple(one for kernel in program.kernels for one in _of_kernel(kernel))


def _of_kernel(kernel: Kernel) -> Iterator[Hazard]:
    parts = [part(one) for one in kernel.code]
    before = _predecessors(kernel)
    named = dict.fromkeys(one.kinds for one in parts)
    longest = {passes.kinds: passes for passes in sorted(parts, key=lambda one: one.passes)}
    furthest = {kinds: _furthest(kinds, longest) for kinds in named}
    for at, second in enumerate(parts):
        seen: dict[Rule, Hazard] = {}
        for given, number, again in _back(at, parts, before, furthest[second.kinds]):
            first = parts[number]
            for rule in _between(first.kinds, second.kinds, first.name == second.name):
                needed = rule.needed(first)
                if given < needed and rule not in seen and rule.meets(first, second, again):
                    seen[rule] = Hazard(kernel.name, rule, kernel.code[number], kernel.code[at], needed, given)
        yield from seen.values()


def _furthest(second: frozenset[str], firsts: Mapping[frozenset[str], Part]) -> int:
    """The most wait states that an instruction of some kinds may want behind any of a kernel."""
    wanted = [
        rule.needed(one)
        for kinds, one in firsts.items()
        for same in (False, True)
        for rule in _between(kinds, second, same)
    ]
    return max(wanted, default=0)


def _predecessors(kernel: Kernel) -> Sequence[list[int]]:
    """For each instruction those that may come right before it."""
    code = kernel.code
    before: list[list[int]] = [[at - 1] if at and code[at - 1].name not in ENDS else [] for at in range(len(code))]
    for at, one in enumerate(code):
        if one.name in BRANCHES:
            label = one.operands[0].value
            assert isinstance(label, Label)
            before[kernel.labels[label.name]].append(at)
    return before


ENDS = ("s_branch", "s_endpgm")


def _back(
    at: int, parts: Sequence[Part], before: Sequence[list[int]], most: int
) -> Iterator[tuple[int, int, Cells]]:
    """Ways back from an instruction, the shortest first: the wait states on it, below `most`; the instruction that
    it leads to; the registers that matrix instructions on it write. One that shows nothing new is left out."""
    waiting = [(0, one, NOTHING) for one in before[at]] if most else []
    seen: dict[int, list[Cells]] = {}
    while waiting:
        given, number, again = heapq.heappop(waiting)
        known = seen.setdefault(number, [])
        if any(other <= again for other in known):
            continue
        known.append(again)
        yield given, number, again
        one = parts[number]
        further = given + one.states
        if further < most:
            over = again | one.cells("rows") if "matrix" in one.kinds else again
            for earlier in before[number]:
                heapq.heappush(waiting, (further, earlier, over))


@lru_cache(maxsize=4096)
def _between(first: frozenset[str], second: frozenset[str], same: bool) -> tuple[Rule, ...]:
    """The rules for two kinds of instructions."""
    second |= {"same" if same else "other"}
    return tuple(rule for rule in RULES if _are(rule.first, first) and _are(rule.second, second))


def _are(wanted: tuple[str, ...], kinds: frozenset[str]) -> bool:
    return all(word[1:] not in kinds if word[0] == "!" else word in kinds for word in wanted)

