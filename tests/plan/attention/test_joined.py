"""Attention that is written in one pass is planned as its passes, and gives what the one pass gives."""

from __future__ import annotations

import pytest

from tests.plan.attention.sources import found
from tests.plan.matmul.products import multiplying, plan
from tl2hip.api import convert
from tl2hip.nest.ir import Loop
from tl2hip.nest.walk import all_stmts
from tl2hip.rule.join import join
from tl2hip.rule.load import load_joins
from tl2hip.source.span import Source

HEAD = """\
import math
import numpy as np
from tl2hip import Tensor, dims, f16, f32, kernel, tile
S, T = dims("S T")
@kernel
def attend(
    Q: Tensor[f16, S, 128], K: Tensor[f16, T, 128], V: Tensor[f16, T, 128], out: Tensor[f32, S, 128]
) -> None:
"""
RUNNING = """\
    for i in range(S):
        m = f32(-math.inf)
        total = f32(0)
        acc = np.zeros(128, dtype=np.float32)
        for j in range(T):
            s = f32(0)
            for d in range(128):
                s += f32(Q[i, d]) * f32(K[j, d])
            s = s * f32(0.125) if i - j < 3 else f32(-math.inf)
            new = max(m, s)
            p = math.exp(s - new)
            alpha = math.exp(m - new)
            total = total * alpha + p
            for d in range(128):
                acc[d] = acc[d] * alpha + f32(f16(p)) * f32(V[j, d])
            m = new
        for d in range(128):
            out[i, d] = acc[d] / total
"""
TILES = """\
    for i in tile.range(S, 64):
        d = tile.all(128)
        m = tile.full(i, value=-math.inf, dtype=f32)
        total = tile.zeros(i, dtype=f32)
        acc = tile.zeros(i, d, dtype=f32)
        for j in tile.range(T, 2):
            s = np.where(i - j < 3, tile.dot(Q[i, d], K[j, d]) / math.sqrt(128), -math.inf)
            new = np.maximum(m, s.max(axis=1))
            p = np.exp(s - new)
            total = total * np.exp(m - new) + p.sum(axis=1)
            acc = acc * np.exp(m - new) + tile.dot(f16(p), V[j, d])
            m = new
        out[i, d] = acc / total
"""
SIZES = ({"S": 7, "T": 70}, {"S": 2, "T": 0}, {"S": 0, "T": 3})
"""Rows from the fourth or fifth on meet nothing in their first turn: what Python gives is no number."""


@pytest.mark.parametrize("body", [RUNNING, TILES], ids=["running", "tiles"])
def test_one_pass_is_planned_and_right(body: str) -> None:
    done = convert(Source("<text>", HEAD + body))
    (k,) = done.kernels
    assert k.planned is not None
    assert multiplying(k) == ["kernel_aligned", "kernel"], plan(k).misses
    assert found(done, SIZES, machine=body is RUNNING) == ""
    assert k.printed is not None
    nan = "__builtin_nanf(\"\") : total;"
    assert nan in k.printed.text
    assert "attend" in found(done, SIZES, k.printed.text.replace(nan, "total : total;"))


@pytest.mark.parametrize("spelled", ["tile.range(S, 64)", "tile \\\n        .range(S, 64)"])
def test_the_size_of_blocks_goes_with_their_loop(spelled: str) -> None:
    (k,) = convert(Source("<text>", HEAD + TILES.replace("tile.range(S, 64)", spelled))).kernels
    assert multiplying(k) == ["kernel_aligned", "kernel"]


def test_the_size_of_a_tile_does_not() -> None:
    tiled = RUNNING.replace("range(S):", "tiled(range(S), 64):  # not tile.range(S, 64)")
    (k,) = convert(Source("<text>", HEAD.replace(", tile", ", tiled") + tiled)).kernels
    assert k.nest is not None
    rows = join(k.nest, load_joins()).nest
    assert rows is not None
    assert [s.axis.tile for s in all_stmts(rows.body) if isinstance(s, Loop) and s.axis.user == "i"] == [64]


def test_passes_as_plans_look_for_them_stay_as_written() -> None:
    from tests.plan.attention.sources import Attend, converted

    k = converted(Attend())
    assert k.planned is None
    assert plan(k).joins


def test_rows_that_are_not_taken_in_one_pass_are_told() -> None:
    (k,) = convert(Source("<text>", (HEAD + RUNNING).replace("128", "48"))).kernels
    assert k.planned is None
    told = [m for m in plan(k).misses if m.why.startswith("as rules join its passes: ")]
    assert {m.plan for m in told} == {"attention", "decode attention"}, told
