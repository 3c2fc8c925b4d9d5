"""A joined nest narrows nothing but what was narrowed as it was written; what does is not joined."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rule.helpers import nest_of_text
from tl2hip.dtypes import BF16, F8E4M3, F16, F32
from tl2hip.nest.ir import Binary, Call, Cast, Expr, Load, Nest
from tl2hip.nest.walk import map_exprs
from tl2hip.rule.join import join
from tl2hip.rule.join.joining import Joined
from tl2hip.rule.join.rounded import check
from tl2hip.rule.join.rows import NoSoftmax
from tl2hip.rule.join.walk import Walk
from tl2hip.rule.load import load_joins

HEAD = """\
@kernel
def attention(X: Tensor[f32, M, N], V: Tensor[f16, N, 8], out: Tensor[f16, M, 8]) -> None:
    for i in range(M):
        m = f32(-math.inf)
"""
RUNNING = """\
        total = f32(0)
        acc = np.zeros(8, dtype=np.float32)
        for j in range(N):
            new = max(m, X[i, j])
            total = total * math.exp(m - new) + math.exp(X[i, j] - new)
            for d in range(8):
                acc[d] = acc[d] * math.exp(m - new) + f32(f16(math.exp(X[i, j] - new))) * f32(V[j, d])
            m = new
        for d in range(8):
            out[i, d] = acc[d] / total
"""
PASSES = """\
        for j in range(N):
            m = max(m, X[i, j])
        total = f32(0)
        for j in range(N):
            total += math.exp(X[i, j] - m)
        for d in range(8):
            s = f32(0)
            for j in range(N):
                s += f32(f16(WEIGHT)) * f32(V[j, d])
            out[i, d] = s
"""


def written(body: str, weight: str = "math.exp(X[i, j] - m) / total") -> Nest:
    return nest_of_text(HEAD + body.replace("WEIGHT", weight))


@pytest.mark.parametrize("weight", ["math.exp(X[i, j] - m) / total", "math.exp(X[i, j] - m) * (f32(1) / total)"])
def test_a_total_may_go_out_of_a_rounding(weight: str) -> None:
    assert join(written(PASSES, weight), load_joins()).nest is not None


@pytest.mark.parametrize("scale", ["V[0, 0]", "f32(1000)", "X[i, 0]"])
def test_no_other_factor_goes_out_of_a_rounding(scale: str) -> None:
    outcome = join(written(PASSES, f"math.exp(X[i, j] - m) * f32({scale})"), load_joins())
    assert outcome.nest is None
    assert "a value is rounded from f32 to f16 that is not so as written" in outcome.told[-1]


def weights(e: Expr) -> Expr:
    return Cast(Cast(e, F8E4M3, explicit=True), F32, explicit=True) if isinstance(e, Call) else e


def sums(e: Expr) -> Expr:
    return replace(e, left=Cast(Cast(e.left, F16), F32)) if isinstance(e, Binary) and e.op == "/" else e


def products(e: Expr) -> Expr:
    if isinstance(e, Binary) and e.op == "*" and isinstance(e.left, Cast) and isinstance(e.right, Cast):
        return Cast(Cast(Binary("*", e.left.value.value, e.right), F16), F32)  # type: ignore[attr-defined]
    return e


def scores(e: Expr) -> Expr:
    return Cast(Cast(e, F16), F32) if isinstance(e, Load) and e.array == "X" else e


def other(e: Expr) -> Expr:
    return Cast(Cast(e.value.value, BF16), F32) if isinstance(e, Cast) and isinstance(e.value, Cast) else e


PLANTED = {
    "weights are rounded to f8": weights,
    "sums are rounded to f16 before they are divided": sums,
    "weights times values are rounded, not weights": products,
    "scores are rounded": scores,
    "weights are rounded to another dtype of 16 bits": other,
}


@pytest.mark.parametrize("fault", PLANTED)
def test_planted_roundings_are_found(fault: str) -> None:
    nest = written(RUNNING)
    joined = join(nest, load_joins()).nest
    assert joined is not None
    walk = Walk(nest, Joined(load_joins()).close)
    walk.run()
    check(walk, joined)
    wrong = replace(joined, body=map_exprs(PLANTED[fault], joined.body))
    assert wrong != joined
    with pytest.raises(NoSoftmax, match="rounded from"):
        check(walk, wrong)
