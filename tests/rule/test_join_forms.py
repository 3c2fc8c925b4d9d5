"""The forms of attention that people need: masks, biases, groups of heads, lengths of rows; and what is none."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.rule.helpers import nest_of_text
from tests.rule.test_join import in_f64
from tl2hip.nest.check import verify
from tl2hip.nest.ir import Nest
from tl2hip.nest.run import run
from tl2hip.rule.join import Outcome, join
from tl2hip.rule.load import load_joins

HEAD = """
from tl2hip import offsets, tile
G, S, T, D = dims("G S T D")
@kernel
def attention(
    Q: Tensor[f16, {q}], K: Tensor[f16, {k}], V: Tensor[f16, {k}], out: Tensor[f32, {q}], scale: f32{more}
) -> None:
"""
PASSES = """
    for h in range(H):
        for i in range(S):
            P = np.empty(T, dtype=np.float32)
            for j in {keys}:
                s = f32(0)
                for d in range(D):
                    s += f32(Q[h, i, d]) * f32(K[{group}, j, d])
                P[j] = {score}
            m = f32(-math.inf)
            for j in {keys}:
                m = max(m, P[j])
            total = f32(0)
            for j in {keys}:
                total += {weight}
            for e in range(D):
                o = f32(0)
                for j in {keys}:
                    o += {weight} * f32(V[{group}, j, e])
                out[h, i, e] = o / total
            {after}
"""
RUNNING = """
    for h in range(H):
        for i in range(S):
            m = {seed}
            total = f32({zero})
            acc = np.zeros(D, dtype=np.float32)
            for j in {keys}:
                {skip}
                s = f32(0)
                for d in range(D):
                    s += f32(Q[h, i, d]) * f32(K[h, j, d])
                new = max(m, s)
                total = total * {power}(m - new) + {power}(s - new)
                for e in range(D):
                    acc[e] = {rescaled} + {power}(s - new) * f32(V[h, j, e])
                m = new
            for e in range(D):
                out[h, i, e] = acc[e] / total
            {after}
"""


def text(body: str, more: str = "", k: str = "H, T, D", **parts: str) -> str:
    usual = {
        "keys": "range(T)",
        "group": "h",
        "score": "s * scale",
        "weight": "math.exp(P[j] - m)",
        "seed": "f32(-math.inf)",
        "zero": "0",
        "skip": "pass",
        "power": "math.exp",
        "rescaled": f"acc[e] * {parts.get('power', 'math.exp')}(m - new)",
        "after": "pass",
    }
    return HEAD.format(q="H, S, D", k=k, more=more) + body.format(**{**usual, **parts})


FORMS = {
    "bias": text(PASSES, ", bias: Tensor[f32, H, S, T]", score="s * scale + bias[h, i, j]"),
    "alibi": text(PASSES, ", slope: Tensor[f32, H]", score="s * scale + slope[h] * f32(j - i)"),
    "window": text(PASSES, keys="range(max(0, i - 3), min(T, i + 4))"),
    "window by a choice": text(PASSES, score="s if abs(i - j) < 4 else f32(-math.inf)"),
    "causal, more keys than rows": text(PASSES, keys="range(min(T, i + T - S + 1))"),
    "softcap": text(PASSES, score="f32(50) * np.tanh(s * scale / f32(50))"),
    "groups": text(PASSES, group="h // 2", k="H, T, D"),
    "lengths": text(PASSES, ", n: Tensor[i32, H]", keys="range(min(n[h], T))"),
    "padding": text(PASSES, ", n: Tensor[i32, H]", score="s if j < n[h] else f32(-math.inf)"),
    "scale in the weight": text(PASSES, score="s", weight="math.exp((P[j] - m) * scale)"),
    "logarithm": text(PASSES, ", lse: Tensor[f32, H, S]", after="lse[h, i] = m + math.log(total)"),
    "continue": text(RUNNING, skip="if j > i: continue"),
    "window by continue": text(RUNNING, skip="if i - j > 2: continue"),
    "a last score that is seen": text(RUNNING, skip="if j < i - 2: continue", after="pass"),
    "finite seed": text(RUNNING, seed="f32(-1e30)"),
    "sink": text(RUNNING, ", sink: Tensor[f32, H]", seed="sink[h]", zero="1"),
    "a total that starts from one": text(RUNNING, zero="1"),
    "a total that starts from one, skipped": text(RUNNING, zero="1", skip="if j >= i: continue"),
    "skipped sink": text(RUNNING, ", sink: Tensor[f32, H]", seed="sink[h]", zero="1", skip="if j >= i: continue"),
    "power of two": text(RUNNING, power="np.exp2"),
    "power of two, spelled out": text(RUNNING, power="2 ** "),
    "scale behind the difference": text(PASSES, score="s", weight="math.exp((P[j] - m) / math.sqrt(D))"),
    "two tests": text(RUNNING, skip="if j > i: continue\n                if j < i - 2: continue"),
    "a distance": text(RUNNING, skip="if abs(i - j) > 1: continue"),
    "a test that nothing passes": text(RUNNING, skip="if j > i - T: continue"),
    "a test of tiles": text(RUNNING, keys="range(T)", skip="if not (i - 3 < j <= i): continue"),
    "running logarithm": text(RUNNING, ", lse: Tensor[f32, H, S]", after="lse[h, i] = m + math.log(total)"),
    "skipped logarithm": text(
        RUNNING, ", lse: Tensor[f32, H, S]", skip="if j > i: continue", after="lse[h, i] = m + math.log(total)"
    ),
}  # fmt: skip

MISSES = {
    "not rescaled": (text(RUNNING, rescaled="acc[e]"), "in a way that no rule joins"),
    "another power": (text(RUNNING, rescaled="acc[e] * np.exp2(m - new)"), "in a way that no rule joins"),
    "rescaled the other way": (text(RUNNING, rescaled="acc[e] * math.exp(new - m)"), "in a way that no rule joins"),
    "no maximum": (text(PASSES, weight="math.exp(P[j])"), "relative to a maximum"),
    "the weights are stored": (
        text(PASSES, ", W: Tensor[f32, H, S, T]").replace("P = np.empty(T, dtype=np.float32)", "pass").replace(
            "P[j]", "W[h, i, j]"
        ),
        "W is made of no exponentials",
    ),
    "a while": (text(RUNNING, after="while total > 1: total = total * f32(0.5)"), "how often a while turns"),
    "an element not written": (text(PASSES, score="s").replace("for j in range(T)", "for j in range(1, T)", 1),
        "may not have been written"),
}  # fmt: skip


def joined(source: str) -> tuple[Nest, Outcome]:
    nest = nest_of_text(source)
    return nest, join(nest, load_joins())


@pytest.mark.parametrize("form", FORMS)
def test_forms_are_joined_and_compute_the_same(form: str) -> None:
    nest, outcome = joined(FORMS[form])
    assert outcome.nest is not None, outcome.why
    verify(outcome.nest)
    r = np.random.default_rng(len(form))
    for s, t in ((3, 5), (5, 3), (2, 0), (0, 2)):
        if s > t and "S + 1" in FORMS[form]:
            continue
        sizes = {"H": 2, "S": s, "T": t, "D": 2}
        keys = r.choice([1.0, -math.inf], size=(2, t, 1), p=[0.7, 0.3])
        given = {"Q": np.abs(r.standard_normal((2, s, 2))), "K": r.standard_normal((2, t, 2))}
        given["K"] = np.where(keys == 1, given["K"], keys)
        given |= {"V": r.standard_normal((2, t, 2)), "out": np.zeros((2, s, 2))}
        given |= {"bias": r.standard_normal((2, s, t))}
        given |= {"slope": r.standard_normal(2), "n": np.array([1, t], np.int32), "lse": np.zeros((2, s))}
        given |= {"sink": np.array([r.standard_normal(), -math.inf])}
        arrays = {a.name: given[a.name] for a in nest.arrays if a.role == "parameter"}
        with np.errstate(all="ignore"):
            before = run(in_f64(nest), arrays, {"scale": 0.7}, sizes)
            after = run(in_f64(outcome.nest), arrays, {"scale": 0.7}, sizes)
        for name, value in before.items():
            np.testing.assert_allclose(after[name], value, rtol=1e-9, atol=1e-12, err_msg=f"{name} {sizes}")


@pytest.mark.parametrize("miss", MISSES)
def test_the_condition_that_is_lost_is_told(miss: str) -> None:
    source, why = MISSES[miss]
    _, outcome = joined(source)
    assert outcome.nest is None
    assert why in outcome.why
    assert outcome.at.line > 0


def test_rows_of_ragged_batches_are_joined() -> None:
    body = PASSES.replace("for i in range(S)", "for i in range(cu[h], cu[h + 1])").replace("[h, i", "[i")
    body = body.replace("[{group}, j", "[j").replace("out[i, e]", "out[i, e]")
    source = text(body, ", cu: Tensor[i32, H + 1]", k="T, D", keys="range(cu[h], cu[h + 1])")
    source = source.replace("Q: Tensor[f16, H, S, D]", "Q: Tensor[f16, T, D]")
    source = source.replace("out: Tensor[f32, H, S, D]", "out: Tensor[f32, T, D]")
    source = source.replace("    for h in range(H)", "    assert offsets(cu)\n    for h in range(H)")
    nest, outcome = joined(source)
    assert outcome.nest is not None, outcome.why
    r = np.random.default_rng(1)
    arrays = {n: r.standard_normal((5, 2)) for n in ("Q", "K", "V", "out")}
    arrays["cu"] = np.array([0, 2, 2, 5], np.int32)
    sizes = {"H": 3, "T": 5, "D": 2}
    before = run(in_f64(nest), arrays, {"scale": 0.7}, sizes)
    after = run(in_f64(outcome.nest), arrays, {"scale": 0.7}, sizes)
    np.testing.assert_allclose(after["out"], before["out"], rtol=1e-9)
