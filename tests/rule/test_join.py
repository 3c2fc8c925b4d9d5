"""Attention in any spelling has one canonical nest, which computes what the spelling does."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tests.rule import attention
from tests.rule.attention import Text
from tests.rule.helpers import nest_of_text
from tl2hip.dtypes import F64
from tl2hip.nest.check import verify
from tl2hip.nest.dependence import analyse
from tl2hip.nest.ir import AxisRef, Call, Cast, Const, Expr, Load, Loop, Nest, Scalar, Set, Stmt, Store, Update, Var
from tl2hip.nest.run import run
from tl2hip.nest.walk import all_stmts, map_exprs, map_stmts
from tl2hip.rule.join import Outcome, join
from tl2hip.rule.load import load_joins

KINDS: dict[str, Callable[[int], Text]] = {
    "passes": attention.passes,
    "running": attention.running,
    "tiles": attention.tiles,
}
FEW, MANY = 20, 200


def joined(text: str) -> tuple[Nest, Outcome]:
    nest = nest_of_text(text)
    return nest, join(nest, load_joins())


def canonical(text: str) -> Nest:
    nest, outcome = joined(text)
    assert outcome.nest is not None, outcome.why
    verify(outcome.nest)
    return outcome.nest


# --- one nest --------------------------------------------------------------------------------------------


def shape(nest: Nest) -> tuple[object, ...]:
    """The body with arrays, scalars, variables and axes called by the order in which they appear."""
    names = {name: f"p{n}" for n, name in enumerate(nest.order)}
    for s in all_stmts(nest.body):
        if isinstance(s, Loop):
            names.setdefault(s.axis.name, f"a{len(names)}")
        elif isinstance(s, Set):
            names.setdefault(s.name, f"v{len(names)}")
    names.update((a.name, f"p{len(names)}") for a in nest.arrays if a.role == "local")

    def term(e: Expr) -> Expr:
        match e:
            case AxisRef(axis=axis):
                return AxisRef(names[axis])
            case Load(array=array):
                return replace(e, array=names[array])
            case Var(name=name) | Scalar(name=name):
                return replace(e, name=names[name])
        return e

    def stmt(s: Stmt) -> Stmt:
        match s:
            case Loop(axis=axis):
                return replace(s, axis=replace(axis, name=names[axis.name], user="", tile=None))
            case Set(name=name):
                return replace(s, name=names[name])
            case Store(array=array) | Update(array=array):
                return replace(s, array=names[array])
        return s

    return map_stmts(stmt, tuple(s for s in map_exprs(term, nest.body)))


def one_nest(kind: str, seeds: range) -> None:
    found: dict[tuple[object, ...], tuple[int, object]] = {}
    for seed in seeds:
        text = KINDS[kind](seed)
        own = shape(canonical(text.text))
        first, other = found.setdefault(text.key, (seed, own))
        assert own == other, f"{kind} {seed} and {first} differ\n{text.text}"


@pytest.mark.parametrize("kind", KINDS)
def test_spellings_have_one_nest(kind: str) -> None:
    one_nest(kind, range(FEW))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_spellings_have_one_nest(kind: str) -> None:
    one_nest(kind, range(MANY))


# --- the same numbers ------------------------------------------------------------------------------------


def in_f64(nest: Nest) -> Nest:
    """The nest with every float in f64, so that nothing is rounded on the way."""

    def wide(e: Expr) -> Expr:
        return replace(e, dtype=F64) if not isinstance(e, AxisRef) and _narrow(e) else e

    arrays = tuple(replace(a, dtype=F64) if a.dtype.is_float else a for a in nest.arrays)
    variables = tuple(replace(v, dtype=F64) if v.dtype.is_float else v for v in nest.variables)
    scalars = tuple(replace(s, dtype=F64) for s in nest.scalars)
    return replace(nest, arrays=arrays, variables=variables, scalars=scalars, body=map_exprs(wide, nest.body))


def _narrow(e: Expr) -> bool:
    return isinstance(e, Cast | Call | Const | Load | Scalar | Var) and e.dtype.is_float


def drawn(nest: Nest, seed: int, odd: bool) -> tuple[dict[str, np.ndarray], dict[str, float], dict[str, int]]:
    """Arrays, scalars and sizes; where `odd`, scores of many keys are -inf, and of some inf or NaN."""
    r = np.random.default_rng(seed)
    h, s, d = 2, int(r.integers(0, 8)), 2
    arrays = {name: r.standard_normal((h, s, d)) for name in nest.order[:4]}
    if odd:
        arrays[nest.order[0]] = np.abs(arrays[nest.order[0]]) + 0.5
        keys = r.choice([1.0, -math.inf, math.inf, math.nan], size=(h, s, 1), p=[0.4, 0.5, 0.06, 0.04])
        arrays[nest.order[1]] = np.where(keys == 1, arrays[nest.order[1]], keys)
    return arrays, {nest.scalars[0].name: 0.7}, {"H": h, "S": s, "D": d}


def same_numbers(text: Text, seed: int) -> None:
    nest, outcome = joined(text.text)
    assert outcome.nest is not None
    parallel = [n for n, k in analyse(outcome.nest).kinds.items() if k.kind == "parallel"]
    for odd in (False, True):
        given = drawn(nest, seed, odd)
        with np.errstate(all="ignore"):
            before = run(in_f64(nest), *given)
            after = run(in_f64(outcome.nest), *given, parallel=parallel)
        (out,) = before
        np.testing.assert_allclose(after[out], before[out], rtol=1e-9, atol=1e-12, err_msg=text.text)


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_the_same(kind: str) -> None:
    for seed in range(FEW // 4):
        same_numbers(KINDS[kind](seed), seed)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_numbers_are_the_same(kind: str) -> None:
    for seed in range(MANY):
        same_numbers(KINDS[kind](seed), seed)
