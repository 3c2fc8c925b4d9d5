"""Attention in the table, as a user writes it, and the checks F1 to F9 of its loop over keys."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tests.bench.aims import Aim, number
from tests.bench.sources import Case
from tl2hip.prove.counters import KernelCounters
from tl2hip.prove.matrix import pipeline

TEXT = '''\
import math

import numpy as np

from tl2hip import Tensor, bf16, dims, f16, f32, kernel

H, S, T = dims("H S T")


@kernel
def attention(
    Q: Tensor[{t}, H, S, {d}], K: Tensor[{t}, H, T, {d}], V: Tensor[{t}, H, T, {d}], out: Tensor[{t}, H, S, {d}]
) -> None:
    """out = softmax(Q @ K.T / sqrt(D)) @ V for each head."""
    assert S <= T
    for h in range(H):
        for i in range(S):
            P = np.empty(T, dtype=np.float32)
            for j in range({keys}):
                s = f32(0)
                for d in range({d}):
                    s += f32(Q[h, i, d]) * f32(K[h, j, d])
                P[j] = s / math.sqrt({d})
            m = f32(-math.inf)
            for j in range({keys}):
                m = max(m, P[j])
            total = f32(0)
            for j in range({keys}):
                total += np.exp(P[j] - m)
            for e in range({d}):
                o = f32(0)
                for j in range({keys}):
                    o += f32({t}(np.exp(P[j] - m))) * f32(V[h, j, e])
                out[h, i, e] = {t}(o / total)
'''

FIT = (
    *(Aim("spills", 0, "spills"), Aim("waves", 2, least=True), Aim("LDS", 65_536), Aim("conflicts", 0)),
    *(Aim("wide loads", True, "only dwordx4"), Aim("load to use", 512, least=True)),
)
"""What fits two waves on a SIMD, and hides memory."""


def _case(name: str, t: str, d: int, keys: str, valu: float, peer: str) -> Case:
    aims = (Aim("VALU/MFMA", valu), *FIT)
    text, run = TEXT.format(t=t, d=d, keys=keys), {"H": 1, "S": 128, "T": 256}
    return Case(name, text, "attention", f"128 rows, 64 keys, {d} wide", peer, aims, run=run)


ATTENTIONS = (
    _case("attention f16", "f16", 128, "T", 3.0, "2.8 VALU/MFMA (plain HIP, rounded to zero)"),
    _case("attention bf16", "bf16", 128, "T", 3.5, "aiter 5.9 VALU/MFMA"),
    _case("attention causal", "f16", 128, "i + 1", 3.0, "Triton 253 instructions"),
    _case("attention D=64", "f16", 64, "T", 5.3, "-"),
)


def failed(c: KernelCounters, conflicts: float | None) -> tuple[str, ...]:
    """The checks of the loop over keys that a kernel fails, each with its figure."""
    if c.hot is None or not c.hot.own.mfma:
        return ("MFMA: none",)
    return tuple(f"{name}: {why}" for name, why in _checks(c, c.hot.code, conflicts) if why)


def _checks(c: KernelCounters, code: Sequence[str], conflicts: float | None) -> Iterator[tuple[str, str]]:
    def count(pattern: str) -> int:
        return sum(bool(re.match(pattern, line)) for line in code)

    mfma, powers, own = count("v_mfma"), count("v_exp_f32"), c.hot.own if c.hot else c.whole
    valu = own.valu - powers
    clocks = 4 * valu + 16 * powers
    scores = 16 * count(r"v_mfma_\S+ .*, 0$")
    yield "F1", "" if clocks <= 28 * mfma else f"{clocks} clocks of vector instructions > {28 * mfma}"
    yield "F2", "" if powers <= scores + 2 else f"{powers} powers for {scores} scores"
    yield "F3", "" if count("ds_bpermute|ds_swizzle|ds_permute") <= 1 else "more than one exchange"
    yield "F4", "" if count("v_bfe_u32") < powers / 2 else f"{count('v_bfe_u32')} roundings of f32 to bf16"
    yield "F5", "" if count("v_cndmask") <= 4 else f"{count('v_cndmask')} masks"
    spills = c.vgpr_spills + c.sgpr_spills
    fits = c.vgprs <= 256 and c.occupancy >= 2 and not spills
    yield "F6", "" if fits else f"{c.vgprs} registers, {spills} spilled"
    reads = {width: n for width, n in own.lds_reads.items() if width != "b128"}
    yield "F7", "" if not reads and not conflicts else f"{reads or conflicts}"
    waits = pipeline(code).waits
    drains, all_ = waits.get("lgkmcnt(0)", 0), sum(n for w, n in waits.items() if w.startswith("lgkmcnt"))
    yield "F8", "" if 4 * drains <= all_ else f"{number(drains)} of {number(all_)} waits are for all of LDS"
