"""The search for the best candidates: where it begins, what it looks at next, when it ends.

First what is there is judged, and each mark by itself. From then on the neighbours of the best candidate are taken,
those first of whose marks the best is expected from what each did by itself. Rounds have the same candidates
however many workers there are, so the result is the same as well. At last orders of blocks are tried on the best.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import partial
from itertools import islice
from typing import TypeVar

from tl2hip.tune.judge import Judged, Looked, judge, look
from tl2hip.tune.orders import CLOSE, Ranked, in_order, orders
from tl2hip.tune.space import Candidate, Space, changes, everything, size, with_mark
from tl2hip.tune.store import Store
from tl2hip.tune.task import Task
from tl2hip.tune.workers import Failed, Workers

WIDTH = 8
"""Candidates of a round."""
AT_ONCE = 32
"""Texts that are converted at once."""
FIRST_PART = 2 / 3
"""The part of the budget that marks by themselves may take."""
LIMIT = 1.5
"""What by its lower bound is so much worse than the best is not modelled."""
LOSES = ("", "A mark that takes a faster plan away")
"""What candidates are refused for that convert, as a code and its title."""
FATAL = ("MissingCompiler", "UnsupportedHost")
"""What ends a search: no other candidate would fare better."""

_Item = TypeVar("_Item")
_Got = TypeVar("_Got")
Tell = Callable[[int, int, float | None], None]
"""Told how many are judged, how many there may be, and the best score."""


class Fatal(Exception):
    """Nothing can be judged here; the text says why."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found.

    `ranked` has the best first. `start` is what the file says and `bare` the text without marks, as they were
    judged, None where they are refused. `refused` counts texts by code and title, with one of their reasons;
    `unfit` what was compiled and cannot be ranked, by reason; `slower` what is worse by its bound. `alike` texts
    print what another one prints, and `known` judgements were in the store. `whole`: nothing was left to look at.
    """

    ranked: tuple[Ranked, ...]
    start: Judged | None
    bare: Judged | None
    looked: int
    alike: int
    known: int
    refused: dict[tuple[str, str], tuple[int, str]]
    unfit: dict[str, int]
    slower: int
    failed: tuple[Failed, ...]
    whole: bool


def search(
    task: Task, space: Space, workers: Workers, store: Store, *, budget: int | None, tell: Tell | None = None
) -> Found:
    """The candidates of a kernel, ranked. `budget` is how many printed codes are judged at most, None for every
    combination of marks that lose no plan. What is judged goes to the store at once. Raises Fatal."""
    run = _Run(task, space, workers, store, budget, tell)
    if budget is None:
        whole = run.exhaust()
    else:
        run.begin()
        whole = run.climb()
    run.simplify()
    run.order()
    return run.found(whole)


@dataclass(slots=True)
class _Run:
    """A search under way."""

    task: Task
    space: Space
    workers: Workers
    store: Store
    budget: int | None
    tell: Tell | None
    looked: dict[Candidate, Looked] = field(default_factory=dict)
    by_code: dict[str, Candidate] = field(default_factory=dict)
    """The candidate with the fewest marks that prints a code."""
    judged: dict[str, Judged] = field(default_factory=dict)
    failed: list[Failed] = field(default_factory=list)
    lost: set[str] = field(default_factory=set)
    """Codes that failed when they were judged."""
    known: int = 0

    # --- what is asked of workers --------------------------------------------------------------------

    def look(self, candidates: Iterable[Candidate]) -> list[str]:
        """Converts candidates; the codes among theirs that were not met before, in their order."""
        new = [c for c in dict.fromkeys(candidates) if c not in self.looked]
        found = dict(self._each(partial(look, self.task), new))
        codes: list[str] = []
        for candidate in new:
            if candidate not in found:
                continue
            one = self.looked[candidate] = self._kept(found[candidate])
            if one.refused:
                continue
            if one.code not in self.by_code:
                codes.append(one.code)
            if size(candidate) < size(self.by_code.get(one.code, candidate)) or one.code not in self.by_code:
                self.by_code[one.code] = candidate
        return codes

    def _kept(self, one: Looked) -> Looked:
        """A candidate that loses a faster plan that the kernel has without marks is not worth compiling."""
        bare = self.looked.get(self.space.bare)
        lost = [plan for plan in one.missed if bare and not bare.refused and plan not in bare.missed]
        if not lost:
            return one
        return replace(one, refused=(*LOSES, f"no {lost[0]} any more"))

    def judge(self, codes: Sequence[str]) -> None:
        """Judges codes, as far as the store does not know them."""
        best = min((one.score for one in self.judged.values() if one.kernels), default=None)
        limit = None if best is None else best * LIMIT
        new = [code for code in codes if code not in self.judged and code not in self.lost]
        for code in new:
            one = self.store.known.get(code)
            if one and (one.kernels or one.refused or (limit is not None and one.bound > limit)):
                self.judged[code] = one
                self.known += 1
        self._tell()
        asked = [(code, self.by_code[code], limit) for code in new if code not in self.judged]
        for (code, *_), one in self._each(partial(_judge, self.task), asked):
            if not one.passing:
                self.store.add(one)
            self.judged[code] = one
            self._tell()
        self.lost.update(code for code in new if code not in self.judged)

    def _each(self, function: Callable[[_Item], _Got], items: Sequence[_Item]) -> Iterator[tuple[_Item, _Got]]:
        for item, got in self.workers.each(function, items):
            if not isinstance(got, Failed):
                yield item, got
            elif got.kind in FATAL:
                raise Fatal(got.words)
            else:
                self.failed.append(got)

    def _tell(self) -> None:
        if self.tell is not None:
            scores = [one.score for one in self.judged.values() if one.kernels]
            count = self._count()
            self.tell(count, max(count, self.budget or len(self.by_code)), min(scores, default=None))

    def _count(self) -> int:
        """What the budget counts: of codes that execute the same the first, and half of the others, which need no
        model."""
        machines = [one.machine for one in self.judged.values() if one.kernels]
        others = len(self.judged) - len(machines) + len(self.lost)
        return len(set(machines)) + (len(machines) - len(set(machines))) // 2 + others

    # --- where it goes -------------------------------------------------------------------------------

    def exhaust(self) -> bool:
        """Judges every combination of marks that the kernel can take, and of values that by themselves take no
        faster plan away: with others some might not, but of all there are too many even to convert."""
        self.judge(self.look([self.space.bare, self.space.start]))
        alone = [
            (choice, value, made)
            for made, choice, value in changes(self.space.bare, self.space.choices)
            if value is not None
        ]
        self.judge(self.look(made for _, _, made in alone))
        taken = {choice for choice, _, made in alone if self._taken(made)}
        lost = {(choice, value) for choice, value, made in alone if self._loses(made)}
        choices = tuple(
            replace(choice, values=tuple(n for n in choice.values if (choice, n) not in lost))
            for choice in self.space.choices
            if choice in taken
        )
        every = everything(replace(self.space, choices=choices))
        while some := list(islice(every, AT_ONCE)):
            self.judge(self.look(some))
        return True

    def _taken(self, candidate: Candidate) -> bool:
        one = self.looked.get(candidate)
        return one is not None and not one.refused

    def _loses(self, candidate: Candidate) -> bool:
        one = self.looked.get(candidate)
        return one is not None and one.refused is not None and one.refused[:2] == LOSES

    def begin(self) -> None:
        """Judges what is there, and each mark by itself."""
        assert self.budget is not None
        self.judge(self.look([self.space.bare, self.space.start]))
        codes = self.look(one for one, _, _ in changes(self.space.bare, self.space.choices))
        self.judge(_spread(codes, max(1, int(self.budget * FIRST_PART))))

    def climb(self) -> bool:
        """Judges neighbours of the best, until none is left that may be better, or the budget is used; whether it
        was the former."""
        assert self.budget is not None
        done: set[Candidate] = set()
        while True:
            best = self._next(done)
            if best is None:
                return True
            left = self.budget - self._count()
            if left <= 0:
                return False
            codes = self._neighbours(best, min(WIDTH, left))
            if not codes:
                done.add(best)
            self.judge(codes)

    def _next(self, done: set[Candidate]) -> Candidate | None:
        """The best candidate whose neighbours are not all known, of those that are not told apart from the best."""
        ranked = [(one.score, self.by_code[code]) for code, one in self.judged.items() if one.kernels]
        least = min((score for score, _ in ranked), default=0.0)
        left = [one for one in ranked if one[0] <= least * CLOSE and one[1] not in done]
        return min(left, default=(0.0, None))[1]

    def _neighbours(self, best: Candidate, most: int) -> list[str]:
        """Codes that are not judged of neighbours of a candidate, those from which most is expected first."""
        near = sorted(
            (
                (self._expected(best, made), n, made)
                for n, (made, _, _) in enumerate(changes(best, self.space.choices))
            ),
            key=lambda one: one[:2],
        )
        codes: list[str] = []
        for at in range(0, len(near), AT_ONCE):
            some = [made for _, _, made in near[at : at + AT_ONCE]]
            self.look(some)
            for made in some:
                one = self.looked.get(made)
                if one and not one.refused and one.code not in {*self.judged, *self.lost, *codes}:
                    codes.append(one.code)
            if len(codes) >= most:
                break
        return codes[:most]

    def _expected(self, best: Candidate, made: Candidate) -> float:
        """What a neighbour's marks did by themselves, as a part of the score without marks."""
        expected = 1.0
        for (loop, before), (_, after) in zip(best, made, strict=True):
            for mark, value in set(after) - set(before):
                expected *= self._alone(loop, mark, value)
            for mark, value in set(before) - set(after):
                expected /= self._alone(loop, mark, value)
        return expected

    def _alone(self, loop: str, mark: str, value: int) -> float:
        """The score of one mark by itself, as a part of that without marks; 1 where it is not known."""
        alone = tuple(
            (name, with_mark(marks, mark, value) if name == loop else marks) for name, marks in self.space.bare
        )
        one, bare = self._of(alone), self._of(self.space.bare)
        if one is None or bare is None or one.refused or not bare.kernels:
            return 1.0
        return (one.score if one.kernels else one.bound) / bare.score

    def _of(self, candidate: Candidate) -> Judged | None:
        """A candidate's judgement."""
        found = self.looked.get(candidate)
        return self.judged.get(found.code) if found and not found.refused else None

    def _ranked_of(self, candidate: Candidate) -> Judged | None:
        one = self._of(candidate)
        return one if one is not None and one.kernels else None

    # --- what it came to -----------------------------------------------------------------------------

    def simplify(self) -> None:
        """Takes out marks that change nothing, of candidates that may be told."""
        while True:
            tops = [one.candidate for one in self.ranked()[:WIDTH]]
            fewer = [
                made for top in tops for made, _, value in changes(top, self.space.choices) if value is None
            ]
            self.look(fewer)
            if [one.candidate for one in self.ranked()[:WIDTH]] == tops:
                return

    def order(self) -> None:
        """Tries orders of blocks on the best, besides the budget; where there are fewer blocks than units, none."""
        best = next(iter(self.ranked()), None)
        if best is None or best.judged.behind is None:
            return
        codes: list[str] = []
        for choice in self.space.orders:
            first, *others = orders(best.candidate, choice)
            codes += self.look([first])
            if self._taken(first):
                codes += self.look(others)
        self.judge(codes)

    def ranked(self) -> list[Ranked]:
        """The candidates, best first: in bands that the model does not tell apart, within each what is there
        already first, then by registers, LDS and how much is said; orders of blocks by L2."""
        left = sorted(self._distinct(), key=lambda one: one.judged.score)
        found: list[Ranked] = []
        band = 0
        while left:
            near = [one for one in left if one.judged.score <= left[0].judged.score * CLOSE]
            left = left[len(near) :]
            found += [replace(one, band=band) for one in in_order(near, self._place)]
            band += 1
        return found

    def _distinct(self) -> list[Ranked]:
        """Of candidates that execute the same, the one to tell: the file as it is, else that with the fewest
        marks."""
        best: dict[object, Ranked] = {}
        for code, one in self.judged.items():
            if one.kernels:
                made = Ranked(self._shown(code), one, 0)
                before = best.get(one.machine)
                if before is None or self._simple(made) < self._simple(before):
                    best[one.machine] = made
        return list(best.values())

    def _place(self, one: Ranked) -> tuple[object, ...]:
        """Where a candidate stands among those that are not told apart from it."""
        there = self._simple(one)[0]
        return there, one.judged.registers, one.judged.lds, *self._simple(one)[1:], one.judged.score

    def _simple(self, one: Ranked) -> tuple[int, int, Candidate]:
        there = 0 if one.candidate == self.space.start else 1 if one.candidate == self.space.bare else 2
        return there, size(one.candidate), one.candidate

    def _shown(self, code: str) -> Candidate:
        """How a code is told: as the file has it, where it does, else with the fewest marks."""
        start = self.looked.get(self.space.start)
        return self.space.start if start and start.code == code else self.by_code[code]

    def found(self, whole: bool) -> Found:
        """All of it, in an order that hangs on no worker."""
        refused: dict[tuple[str, str], tuple[int, str]] = {}
        for one in self.looked.values():
            if one.refused:
                code, title, words = one.refused
                count, first = refused.get((code, title), (0, words))
                refused[code, title] = (count + 1, first)
        good = [one for one in self.looked.values() if not one.refused]
        unfit = Counter(one.refused for one in self.judged.values() if one.refused)
        return Found(
            ranked=tuple(self.ranked()),
            start=self._ranked_of(self.space.start),
            bare=self._ranked_of(self.space.bare),
            looked=len(self.looked),
            alike=len(good) - len({one.code for one in good}),
            known=self.known,
            refused=refused,
            unfit=dict(sorted(unfit.items())),
            slower=sum(not (one.kernels or one.refused) for one in self.judged.values()),
            failed=tuple(sorted(self.failed, key=astuple)),
            whole=whole,
        )


def _judge(task: Task, asked: tuple[str, Candidate, float | None]) -> Judged:
    return judge(task, *asked)


def _spread(codes: list[str], most: int) -> list[str]:
    """At most so many, from all over the list; those of a smaller number are among those of a larger one.

    >>> _spread(list("abcdefgh"), 2), _spread(list("abcdefgh"), 4)
    (['a', 'e'], ['a', 'c', 'e', 'g'])
    """
    bits = max(1, len(codes) - 1).bit_length()
    halving = sorted(range(len(codes)), key=lambda n: f"{n:0{bits}b}"[::-1])
    return [codes[n] for n in sorted(halving[:most])]
