"""Integer polynomials over symbols: what index arithmetic is turned into before anything is proved of it.

>>> i, n = Symbol("axis", "i"), Symbol("dim", "n")
>>> p = add(times(of(i), of(n)), number(3))
>>> subtract(p, times(of(n), of(i)))
{(): 3}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple


class Symbol(NamedTuple):
    """A whole number with one value at a time: an axis, an extent (dim), a scalar argument, or a value that
    the nest computes."""

    kind: str
    name: str


Monomial = tuple[Symbol, ...]
"""A product of symbols, sorted; the empty one stands for the constant."""

Poly = dict[Monomial, int]
"""A sum of monomials with their factors, none of them 0. Never changed once made."""

FrozenPoly = frozenset[tuple[Monomial, int]]


def number(n: int) -> Poly:
    """The constant n."""
    return {(): n} if n else {}


def of(s: Symbol) -> Poly:
    """The symbol by itself."""
    return {(s,): 1}


def add(a: Poly, b: Poly, factor: int = 1) -> Poly:
    """a + factor * b."""
    out = dict(a)
    for m, c in b.items():
        total = out.get(m, 0) + factor * c
        if total:
            out[m] = total
        else:
            out.pop(m, None)
    return out


def subtract(a: Poly, b: Poly) -> Poly:
    """a - b."""
    return add(a, b, -1)


def scale(a: Poly, factor: int) -> Poly:
    """factor * a."""
    return {m: c * factor for m, c in a.items()} if factor else {}


def times(a: Poly, b: Poly) -> Poly:
    """a * b."""
    out: Poly = {}
    for m, c in a.items():
        for k, d in b.items():
            key = tuple(sorted(m + k))
            out[key] = out.get(key, 0) + c * d
    return {m: c for m, c in out.items() if c}


def constant(a: Poly) -> int | None:
    """The number a polynomial is, or None where it has symbols."""
    if not a:
        return 0
    return a[()] if len(a) == 1 and () in a else None


def freeze(a: Poly) -> FrozenPoly:
    """The polynomial as something that hashes."""
    return frozenset(a.items())


def symbols(a: Poly) -> Iterator[Symbol]:
    """Every symbol of a polynomial, once for each place."""
    for m in a:
        yield from m


def split(a: Poly, chosen: Iterable[Symbol] | frozenset[Symbol]) -> tuple[Poly, Poly]:
    """The monomials that hold a chosen symbol, and the others."""
    inside = frozenset(chosen)
    within = {m: c for m, c in a.items() if not inside.isdisjoint(m)}
    return within, {m: c for m, c in a.items() if m not in within}


def quotient(m: Monomial, by: Monomial) -> Monomial | None:
    """The monomial divided by another, or None where that leaves a remainder."""
    rest = list(m)
    for s in by:
        if s not in rest:
            return None
        rest.remove(s)
    return tuple(rest)


def evenly(a: Poly, by: Monomial) -> tuple[Poly, Poly]:
    """The quotient of the part that a monomial divides, and the rest."""
    whole: Poly = {}
    rest: Poly = {}
    for m, c in a.items():
        q = quotient(m, by)
        if q is None:
            rest[m] = c
        else:
            whole[q] = c
    return whole, rest


def replace_symbol(a: Poly, s: Symbol, by: Poly) -> Poly:
    """The polynomial with one symbol replaced by another polynomial."""
    out: Poly = {}
    for m, c in a.items():
        term: Poly = {tuple(x for x in m if x != s): c}
        for _ in range(m.count(s)):
            term = times(term, by)
        out = add(out, term)
    return out
