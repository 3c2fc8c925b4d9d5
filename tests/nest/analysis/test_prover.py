"""The small prover against all small numbers."""

from __future__ import annotations

import itertools
import random

from tl2hip.nest.analysis.affine import Poly, Symbol, add, evenly, number, of, replace_symbol, scale, times
from tl2hip.nest.analysis.facts import Facts, Meaning, Prover

NAMES = [Symbol("axis", c) for c in "wxyz"]


def value(p: Poly, at: dict[Symbol, int]) -> int:
    total = 0
    for m, c in p.items():
        for s in m:
            c *= at[s]
        total += c
    return total


def random_poly(pick: random.Random, terms: int) -> Poly:
    p = number(pick.randint(-3, 3))
    for _ in range(terms):
        m = of(pick.choice(NAMES))
        if pick.random() < 0.2:
            m = times(m, of(pick.choice(NAMES)))
        p = add(p, scale(m, pick.choice((-2, -1, 1, 1, 2))))
    return p


def test_what_is_proved_is_so() -> None:
    pick = random.Random(5)
    places = [dict(zip(NAMES, v, strict=True)) for v in itertools.product(range(-3, 5), repeat=4)]
    proved = 0
    for _ in range(400):
        meanings = {s: Meaning(n, frozenset(), nonneg=n < 2) for n, s in enumerate(NAMES)}
        prover = Prover(meanings)
        facts = prover.closed(tuple(random_poly(pick, 2) for _ in range(pick.randint(1, 5))), Facts())
        goal = random_poly(pick, pick.randint(1, 3))
        if not prover.nonneg(goal, facts):
            continue
        proved += 1
        for at in places:
            allowed = all(at[s] >= 0 for s in NAMES[:2]) and all(value(f, at) >= 0 for f in facts.all())
            assert not allowed or value(goal, at) >= 0
    assert proved > 15


def test_what_is_derived_follows() -> None:
    i, n = of(NAMES[2]), of(NAMES[0])
    meanings = {s: Meaning(k, frozenset()) for k, s in enumerate(NAMES)}
    known = Prover(meanings).closed((i, add(add(n, i, -1), number(-1))), Facts())
    assert add(n, number(-1)) in known.all()


def test_polynomials() -> None:
    pick = random.Random(7)
    at = dict(zip(NAMES, (2, -3, 5, 7), strict=True))
    for _ in range(200):
        a, b = random_poly(pick, 3), random_poly(pick, 2)
        assert value(add(a, b, -2), at) == value(a, at) - 2 * value(b, at)
        assert value(times(a, b), at) == value(a, at) * value(b, at)
        whole, rest = evenly(a, (NAMES[1],))
        assert value(whole, at) * at[NAMES[1]] + value(rest, at) == value(a, at)
        assert value(replace_symbol(a, NAMES[0], b), at) == value(a, {**at, NAMES[0]: value(b, at)})
