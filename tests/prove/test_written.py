"""A joined nest is held against the nest as it was written, casts under a running maximum too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.rule.attention import running
from tests.rule.helpers import nest_of_text
from tl2hip.nest.ir import Call, Expr, Nest, Scalar
from tl2hip.nest.walk import map_exprs
from tl2hip.plan import plan
from tl2hip.prove.bound import reference
from tl2hip.prove.written import apart
from tl2hip.rule.join import join
from tl2hip.rule.load import load_joins

ROUNDED = next(t for t in map(running, range(100)) if t.key == ("running", 0, "none", "s", "max", True))


DIVIDED = """\
@kernel
def attention(Q: Tensor[f16, M, 64], K: Tensor[f16, N, 64], V: Tensor[f16, N, 64], out: Tensor[f32, M, 64]) -> None:
    for i in range(M):
        P = np.empty(N, dtype=np.float32)
        for j in range(N):
            s = f32(0)
            for d in range(64):
                s += f32(Q[i, d]) * f32(K[j, d])
            P[j] = s
        m = f32(-math.inf)
        for j in range(N):
            m = max(m, P[j])
        total = f32(0)
        for j in range(N):
            total += math.exp(P[j] - m)
        for d in range(64):
            o = f32(0)
            for j in range(N):
                o += f32(f16(math.exp(P[j] - m) / total)) * f32(V[j, d])
            out[i, d] = o
"""


def both() -> tuple[Nest, Nest, tuple[dict[str, np.ndarray], dict[str, float], dict[str, int]]]:
    written = nest_of_text(ROUNDED.text)
    joined = join(written, load_joins()).nest
    assert joined is not None
    r = np.random.default_rng(0)
    arrays = {n: (3 * r.standard_normal((2, 9, 4))).astype(np.float16) for n in written.order[:3]}
    arrays[written.order[3]] = np.zeros((2, 9, 4), np.float32)
    return written, joined, (arrays, {written.scalars[0].name: 0.7}, {"H": 2, "S": 9, "D": 4})


def test_weights_rounded_at_another_scale_are_within_the_bound() -> None:
    written, joined, given = both()
    bounds = reference(joined, *given, joins=plan(joined).joins)
    assert list(apart(written, bounds, given)) == []
    (ours,), (theirs,) = bounds.values(), reference(written, *given).values()
    assert not np.array_equal(ours.value, theirs.value)
    assert np.isfinite(ours.error).all()
    assert (ours.error < 0.01 * np.abs(given[0][written.order[2]]).max()).all()


@pytest.mark.parametrize("out", ["f32", "f16"])
def test_small_weights_that_were_divided_ahead_of_a_rounding(out: str) -> None:
    """One value is 1 in each column, so that an output is a single weight, that f16 has as a subnormal number."""
    written = nest_of_text(DIVIDED.replace("out: Tensor[f32", f"out: Tensor[{out}"))
    joined = join(written, load_joins()).nest
    assert joined is not None
    r = np.random.default_rng(1)
    arrays = {n: (0.6 * r.standard_normal((400, 64))).astype(np.float16) for n in "QK"}
    arrays |= {"Q": arrays["Q"][:3], "V": np.eye(400, 64, dtype=np.float16)}
    arrays["out"] = np.zeros((3, 64), np.float16 if out == "f16" else np.float32)
    given: tuple[dict[str, np.ndarray], dict[str, float], dict[str, int]] = (arrays, {}, {"M": 3, "N": 400})
    bounds = reference(joined, *given, joins=plan(joined).joins)
    assert list(apart(written, bounds, given)) == []
    assert ((bounds["out"].value > 0) & (bounds["out"].value < 2.0**-14)).any()


FAULTS = {
    "the score's factor is left out": lambda e: e.left if isinstance(getattr(e, "right", None), Scalar) else e,
    "another power": lambda e: replace(e, name="exp2") if isinstance(e, Call) and e.name == "exp" else e,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_found(fault: str) -> None:
    written, joined, given = both()

    def planted(e: Expr) -> Expr:
        return FAULTS[fault](e)

    wrong = replace(joined, body=map_exprs(planted, joined.body))
    assert list(apart(written, reference(wrong, *given, joins=plan(joined).joins), given))
