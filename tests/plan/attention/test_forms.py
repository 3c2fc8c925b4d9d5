"""The spellings of attention that people use: powers of 2, seeds of a maximum, guards and bounds, scales."""

from __future__ import annotations

import functools

import pytest

from tests.plan.attention.sources import found
from tests.plan.matmul.products import multiplying, plan
from tl2hip.api import Conversion, Converted, convert
from tl2hip.source.span import Source

HEAD = """\
import math
import numpy as np
from tl2hip import Tensor, dims, f16, f32, kernel, tile
S, T = dims("S T")
@kernel
def attend(
    Q: Tensor[f16, S, 64], K: Tensor[f16, T, 64], V: Tensor[f16, T, 64], out: Tensor[f32, S, 64]{more}
) -> None:
"""
PASSES = """\
    for i in range(S):
        P = np.empty(T, dtype=np.float32)
        for j in {keys}:
            {guard}
                s = f32(0)
                for d in range(64):
                    s += f32(Q[i, d]) * f32(K[j, d])
                P[j] = {score}
        m = {seed}
        for j in {keys}:
            {guard}
                m = max(m, P[j])
        total = f32(0)
        for j in {keys}:
            {guard}
                total += {power}
        for d in range(64):
            o = f32(0)
            for j in {keys}:
                {guard}
                    o += f32(f16({power})) * f32(V[j, d])
            out[i, d] = o / total
        {row}
"""
RUNNING = """\
    for i in range(S):
        m = {seed}
        total = f32(0)
        acc = np.zeros(64, dtype=np.float32)
        for j in {keys}:
            {skip}
            {guard}
                s = f32(0)
                for d in range(64):
                    s += f32(Q[i, d]) * f32(K[j, d])
                P = {score}
                new = max(m, P)
                alpha = {rescale}
                p = {weight}
                total = total * alpha + p
                for d in range(64):
                    acc[d] = acc[d] * alpha + f32(f16(p)) * f32(V[j, d])
                m = new
        for d in range(64):
            out[i, d] = acc[d] / total
        {row}
"""
TILES = """\
    for i in tile.range(S, 64):
        d = tile.all(64)
        m = tile.full(i, value={seed}, dtype=f32)
        total = tile.zeros(i, dtype=f32)
        acc = tile.zeros(i, d, dtype=f32)
        for j in tile.range(T, 32):
            s = tile.dot(Q[i, d], K[j, d])
            P = {score}
            new = np.maximum(m, P.max(axis=1))
            alpha = {rescale}
            p = {weight}
            total = total * alpha + p.sum(axis=1)
            acc = acc * alpha + tile.dot(f16(p), V[j, d])
            m = new
        out[i, d] = acc / total
"""
LSE, LOGARITHM = ", lse: Tensor[f32, S]", "lse[i] = m + np.log(total)"


def text(body: str, power: str = "np.exp({})", **parts: str) -> str:
    """A kernel: `power` is what a weight is of how far its score is from the maximum."""
    kept = "P[j]" if body is PASSES else "P"
    most = "m" if body is PASSES else "new"
    usual = {
        "more": "", "keys": "range(T)", "guard": "if True:", "skip": "pass", "row": "pass",
        "score": "s * f32(0.125)", "seed": "-math.inf" if body is TILES else "f32(-math.inf)",
        "power": power.format(f"({kept} - {most})"), "weight": power.format(f"({kept} - {most})"),
        "rescale": power.format(f"(m - {most})"),
    }  # fmt: skip
    return (HEAD + body).format(**usual | parts)


BODIES = {"passes": PASSES, "running": RUNNING, "tiles": TILES}
POWERS = {
    "exp2": "np.exp2({})",
    "math.exp2": "math.exp2({})",
    "a power of 2": "2 ** {}",
    "exp2 of natural units": "np.exp2({} * f32(1.4426950408889634))",
    "scaled behind": "np.exp({} * f32(0.125))",
    "scaled ahead of the difference": "np.exp(f32(0.125) * {})",
    "over a root": "np.exp({} / math.sqrt(64))",
    "by a reciprocal root": "np.exp({} * (1 / math.sqrt(64)))",
}
SEEDS = ("f32(-1e30)", "f32(-1e9)", "np.finfo(np.float32).min", "f32(np.finfo(np.float32).min)")
GUARDS = {
    "causal": "if j <= i:",
    "a window": "if j <= i and i - j < 100:",
    "a window in a chain": "if i - 100 < j <= i:",
    "a window on both sides": "if abs(i - j) < 100:",
    "the last keys": "if j - (T - S) <= i:",
}
SKIPS = {
    "causal": "if j > i: continue",
    "a window": "if j > i or i - j > 99: continue",
    "a window in two": "if j > i: continue\n            if j < i - 99: continue",
}
IN_LOOPS = ("passes", "running")
FORMS = {f"{b}: {name}": text(BODIES[b], p) for b in IN_LOOPS for name, p in POWERS.items()}
FORMS |= {f"tiles: {name}": text(TILES, p) for name, p in POWERS.items() if "math" not in p}
FORMS |= {f"{b}: guarded, {name}": text(BODIES[b], guard=g) for b in IN_LOOPS for name, g in GUARDS.items()}
FORMS |= {f"running: skipped, {name}": text(RUNNING, skip=s) for name, s in SKIPS.items()}
FORMS |= {f"{b}: from {seed}": text(BODIES[b], seed=seed) for b in IN_LOOPS for seed in SEEDS}
FORMS |= {
    "tiles: from a number": text(TILES, seed="-1e30"),
    "passes: from a number, its logarithm": text(PASSES, more=LSE, seed="f32(-1e30)", row=LOGARITHM),
    "running: from a number, skipped, its logarithm": text(
        RUNNING, more=LSE, seed="f32(-1e30)", skip="if j > i - 3: continue", row=LOGARITHM
    ),
    "passes: from 3, far apart": text(PASSES, more=LSE, seed="f32(3)", score="s * f32(4)", row=LOGARITHM),
    "passes: guarded, times 0": text(PASSES, guard="if j <= i:", score="s * f32(0)"),
    "passes: window by bounds": text(PASSES, keys="range(max(0, i - 99), min(T, i + 100))"),
    "running: window by bounds": text(RUNNING, keys="range(max(0, i - 99), min(T, i + 1))"),
    "passes: a logarithm in twos": text(
        PASSES, "np.exp2({})", more=LSE, row="lse[i] = (m + np.log2(total)) * f32(math.log(2))"
    ),
}


@functools.cache
def converted(form: str) -> Conversion:
    done = convert(Source("<text>", FORMS[form]))
    assert not done.errors, done.told
    return done


def kernel_of(done: Conversion) -> Converted:
    (k,) = done.kernels
    return k


@pytest.mark.parametrize("form", FORMS)
def test_a_spelling_has_the_plan(form: str) -> None:
    k = kernel_of(converted(form))
    assert multiplying(k) == ["kernel_aligned", "kernel"], plan(k).misses
    assert k.printed is not None
    masked = k.printed.text.count("// keys that are not all of every row")
    bounds = any(word in form for word in ("guarded", "skipped", "bounds"))
    assert bool(masked) == bounds  # keys that a guard leaves out are not fetched


SIZES = ({"S": 5, "T": 70}, {"S": 2, "T": 0}, {"S": 135, "T": 139})


@pytest.mark.parametrize(
    "form",
    (
        "passes: a logarithm in twos",
        "passes: from 3, far apart",
        "passes: guarded, times 0",
        "running: over a root",
        "passes: guarded, a window in a chain",
        "running: from a number, skipped, its logarithm",
    ),
)
def test_a_spelling_gives_what_python_gives(form: str) -> None:
    assert found(converted(form), SIZES, machine=form.startswith("running")) == ""


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_every_spelling_gives_what_python_gives(form: str) -> None:
    assert found(converted(form), SIZES, machine=True) == ""


FAULTS = {
    "tiles: exp2": ("const float scale = 0.125f;", "const float scale = 0.125f * 1.442695f;"),
    "running: scaled behind": ("const float scale = ", "const float scale = 1.01f * "),
    "running: skipped, a window": ("const int row_begin = ", "const int row_begin = 1 + "),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_fault_of_a_spelling_is_found(fault: str) -> None:
    done = converted(fault)
    k = kernel_of(done)
    assert k.printed is not None
    old, new = FAULTS[fault]
    assert old in k.printed.text
    assert "attend" in found(done, SIZES, k.printed.text.replace(old, new))


def test_a_maximum_below_its_seed_is_no_maximum() -> None:
    """Rows whose scores all lie below what the maximum starts from have weights relative to that."""
    low = text(PASSES, score="s * f32(0.125) - f32(40)", more=LSE, seed="f32(-38)", row=LOGARITHM)
    done = convert(Source("<text>", low))
    k = kernel_of(done)
    assert k.printed is not None
    assert multiplying(k) == ["kernel_aligned", "kernel"]
    assert found(done, SIZES) == ""
    assert "total *= rescale;" in k.printed.text
    assert "attend" in found(done, SIZES, k.printed.text.replace("total *= rescale;", ""))


MISSES = {
    "by what may be 0": (text(RUNNING, "np.exp({} * scale)", more=", scale: f32"), "no rule joins"),
    "by what may be 0, in passes": (text(PASSES, "np.exp({} * scale)", more=", scale: f32"), "known to be above 0"),
    "from no number": (text(PASSES, seed="f32(float('nan'))"), "m does not start from a number"),
    "by what is below 0": (text(PASSES, "np.exp({} * f32(-0.5))"), "known to be above 0"),
}


@pytest.mark.parametrize("miss", MISSES)
def test_a_spelling_that_does_not_fit_is_told(miss: str) -> None:
    from tl2hip.api import Options, joined

    source, why = MISSES[miss]
    k = kernel_of(convert(Source("<text>", source)))
    assert not multiplying(k)
    assert k.nest is not None
    told = [*joined(k.nest, Options()).told, *(m.why for m in plan(k).misses)]
    assert any(why in line for line in told), told


def test_weights_in_f32_are_told() -> None:
    done = convert(Source("<text>", text(RUNNING).replace("f32(f16(p))", "p")))
    notes = [n.why for n in plan(kernel_of(done)).notes]
    assert any("an eighth as fast as for weights that are rounded to f16" in why for why in notes)
