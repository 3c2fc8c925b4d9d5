"""Attention as users write it, in three passes over the scores, and what is changed in it."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tl2hip import api
from tl2hip.prove.python import function, run_text
from tl2hip.source.span import Source

TEXT = '''\
import math

import numpy as np

from tl2hip import Tensor, bf16, dims, f16, f32, kernel

H, S, T, G = dims("H S T G")


@kernel
def attend(
    Q: Tensor[{t}, H, S, {depth}],
    K: Tensor[{t}, {heads}, T, {depth}],
    V: Tensor[{values}, {heads}, T, {width}],
    out: Tensor[{result}, H, S, {width}],
{parameters}) -> None:
{check}    for h in range(H):
        for i in range(S):
            P = np.empty(T, dtype=np.float32)
            for j in range({keys}):
                s = f32(0)
                for d in range({depth}):
                    s += f32(Q[h, i, d]) * f32(K[{head}, j, d])
                P[j] = {score}
            m = f32(-math.inf)
            for j in range({keys}):
                m = max(m, P[j])
            total = f32(0)
            for j in range({keys}):
                total += np.exp(P[j] - m)
{row}            for e in range({width}):
                o = f32(0)
                for j in range({keys}):
                    o += {weight} * f32(V[{head}, j, e])
                out[h, i, e] = {result}({element})
'''

WEIGHT = "np.exp(P[j] - m)"


@dataclass(frozen=True, slots=True)
class Attend:
    """The kernel with these parts in it; `narrow` is what weights are rounded to."""

    t: str = "f16"
    values: str = "f16"
    narrow: str = "f16"
    result: str = "f32"
    depth: int = 64
    width: int = 64
    score: str = "s * f32(0.125)"
    element: str = "o / total"
    parameters: str = ""
    row: str = ""
    keys: str = "T"
    check: str = ""
    heads: str = "H"
    head: str = "h"

    @property
    def text(self) -> str:
        """The file."""
        weight = f"f32({self.narrow}({WEIGHT}))" if self.narrow else WEIGHT
        parameters = "".join(f"    {p},\n" for p in self.parameters.split("; ") if p)
        row = "".join(f"            {line}\n" for line in self.row.split("; ") if line)
        check = f"    assert {self.check}\n" if self.check else ""
        return TEXT.format(
            t=self.t, values=self.values, result=self.result, depth=self.depth, width=self.width, score=self.score,
            weight=weight, element=self.element, parameters=parameters, row=row,
            keys=self.keys, check=check, heads=self.heads, head=self.head,
        )  # fmt: skip


@functools.cache
def converted(case: Attend) -> api.Converted:
    """The kernel of a case, which converts."""
    done = api.convert(Source("k.py", case.text))
    assert not done.errors, done.told
    (kernel,) = done.kernels
    return kernel


def found(done: api.Conversion, sizes: Sequence[Mapping[str, int]], text: str = "", machine: bool = False) -> str:
    """What verify finds in the kernel `attend`, or in `text` in its place; empty where it finds nothing."""
    attend = function(run_text(done.source.text, "<text>"), "attend", {})
    how = {"given": sizes, "shapes": 0, "large": 0, "modes": ("normal",), "machine": machine}
    (report,) = api.verify_all(done, {"attend": attend}, text=text, **how)
    return "" if report.good else report.text
