"""The kernels of the table, as a user writes them, with what each is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from tests.bench.aims import Aim
from tests.bench.forms import (
    BLOCKS,
    CAST,
    CASTS,
    CONVOLUTION,
    DEQUANTISED,
    GROUPED,
    INT4,
    PLACES,
    SCALED,
    SWIGLU,
    TWO_RESULTS,
)

Kind = Literal["product", "attention", "row"]


@dataclass(frozen=True, slots=True)
class Tile:
    """A block's tile of a product; `bytes` are an element's of A and B, `waves` the block's."""

    m: int
    n: int
    k: int
    waves: int
    bytes: int
    nn: bool = False
    """Whether B is stored [K, N], so that it is transposed on its way to LDS."""


@dataclass(frozen=True, slots=True)
class Case:
    """One kernel of the table.

    `sets` fixes extents in the text, `run` sizes the run on the emulated compute unit (that it may be without).
    `peer` is the best other compiler's figure for the same work. `even`: the case whose steady loop this one's is
    held against.
    """

    name: str
    text: str
    kind: Kind
    shape: str
    peer: str
    aims: tuple[Aim, ...] = ()
    tile: Tile | None = None
    sets: Mapping[str, int] = field(default_factory=dict)
    run: Mapping[str, int] = field(default_factory=dict)
    even: str = ""


# --- products ----------------------------------------------------------------------------------------------

PRODUCT = '''\
from tl2hip import Tensor, Tile, bf16, dims, f8e4m3, f16, f32, f64, i8, i32, kernel, waves

M, N, K = dims("M N K")


@kernel
def gemm(A: Tensor[{t}, M, K], B: Tensor[{t}, {b}], C: Tensor[{c}, M, N]) -> None:
    """C = A @ B."""
    i: Tile[int, {m}, waves(2)]
    j: Tile[int, {n}, waves({across})]
    k: Tile[int, {k}]
    for i in range(M):
        for j in range(N):
            s = {acc}(0)
            for k in range(K):
                s += {acc}(A[i, k]) * {acc}(B[{at}])
            C[i, j] = {result}
'''
BYTES = {"f16": 2, "bf16": 2, "f8e4m3": 1, "i8": 1, "f32": 4, "f64": 8}
SUMS = {"i8": "i32", "f64": "f64"}

BIAS_GELU = '''\
import numpy as np

from tl2hip import Tensor, Tile, dims, f16, f32, kernel, waves

M, N, K = dims("M N K")


@kernel
def gemm(A: Tensor[f16, M, K], B: Tensor[f16, N, K], bias: Tensor[f32, N], C: Tensor[f16, M, N]) -> None:
    """C = gelu(A @ B.T + bias)."""
    i: Tile[int, 128, waves(2)]
    j: Tile[int, 128, waves(2)]
    k: Tile[int, 64]
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                s += f32(A[i, k]) * f32(B[j, k])
            x = s + bias[j]
            C[i, j] = f16(f32(0.5) * x * (f32(1) + np.tanh(f32(0.7978846) * (x + f32(0.044715) * x * x * x))))
'''

BATCHED = '''\
from tl2hip import Tensor, Tile, dims, f16, f32, kernel, waves

P, M, N, K = dims("P M N K")


@kernel
def gemm(A: Tensor[f16, P, M, K], B: Tensor[f16, P, N, K], C: Tensor[f32, P, M, N]) -> None:
    """C[p] = A[p] @ B[p].T for each p."""
    i: Tile[int, 128, waves(2)]
    j: Tile[int, 128, waves(2)]
    k: Tile[int, 64]
    for p in range(P):
        for i in range(M):
            for j in range(N):
                s = f32(0)
                for k in range(K):
                    s += f32(A[p, i, k]) * f32(B[p, j, k])
                C[p, i, j] = s
'''


def product(t: str, tile: Tile, c: str = "") -> str:
    """The text of C = A @ B with elements of type `t`, and of `c` (the type of the sums) in C."""
    acc = SUMS.get(t, "f32")
    c = c or acc
    b, at = ("K, N", "k, j") if tile.nn else ("N, K", "j, k")
    result = "s" if c == acc else f"{c}(s)"
    sizes = {"m": tile.m, "n": tile.n, "k": tile.k, "across": tile.waves // 2}
    return PRODUCT.format(t=t, b=b, at=at, c=c, acc=acc, result=result, **sizes)


def _case(
    name: str, t: str, shape: tuple[int, int, int, int], layout: str, peer: str, *aims: Aim, even: str = ""
) -> Case:
    m, n, k, waves = shape
    tile = Tile(m, n, k, waves, BYTES[t], layout == "NN")
    run = {"M": m, "N": n, "K": 3 * k}
    said = f"{m}x{n}x{k} w{waves} {layout}"
    return Case(name, product(t, tile), "product", said, peer, aims, tile, run=run, even=even)


def _skinny(name: str, t: str, m: int, n: int, k: int, *aims: Aim) -> Case:
    """A product of few rows, whose sizes are known and whose tile and slices tl2hip chooses."""
    marked = product(t, Tile(128, 128, 64, 4, BYTES[t]))
    text = "".join(f"{line}\n" for line in marked.splitlines() if "Tile[" not in line)
    sizes = {"M": m, "N": n, "K": k}
    return Case(name, text, "product", f"{m}x{n}x{k} NT", "vLLM wvSplitK: 4 loads under way", aims, sets=sizes)


SMALL, WIDE, WIDEST = (128, 128, 64, 4), (256, 256, 64, 8), (256, 256, 128, 8)
ONLY_WIDE = (
    Aim("spills", 0, "spills"),
    Aim("wide loads", True, "only dwordx4"),
    Aim("wide LDS", True, "only b128"),
    Aim("conflicts", 0, "conflicts"),
)
F16_NT = (Aim("per 1024", 116), Aim("VALU/MFMA", 0.05), *ONLY_WIDE, Aim("in flight", 0.5, least=True))
F16_NN = (
    *(Aim("VALU/MFMA", 0.30), Aim("busy", 0.90, least=True), Aim("MFMA share", 0.46, least=True)),
    Aim("spills", 0),
)
"""Turning costs instructions, not time: a loop with a share of 0.492 kept matrix units busy for 0.74 of the clocks,
where this one with 0.471 does for 0.938."""
TURNS = (
    *(Aim("MFMA share", 0.60, least=True), Aim("busy", 0.93, least=True), Aim("in flight", 0.75, least=True)),
    *(Aim("conflicts", 0), Aim("spills", 0), Aim("waves", 2, least=True), Aim("LDS", 65_536)),
)
"""What groups of waves that take turns are to reach, by instructions of 16 by 16."""
WIDE_NT = (Aim("per 1024", 105), Aim("VALU/MFMA", 0), *TURNS)
WIDE_NN = (Aim("VALU/MFMA", 0.16), Aim("MFMA share", 0.59, least=True), *TURNS[1:])
"""Turning two-byte elements takes 16 permutations and four writes more, which 0.60 of 0.65 leave no room for."""
NARROW = (Aim("FLOP/inst", 7_200, least=True), Aim("spills", 0))
TURNED_BYTES = (
    *(Aim("VALU/MFMA", 0.5), Aim("busy", 0.75, least=True), Aim("MFMA share", 0.40, least=True)),
    *(Aim("conflicts", 0), Aim("spills", 0)),
)
STREAMED = (*ONLY_WIDE, Aim("MFMA", 1, least=True))
"""Weights that are read once: their loads are what counts, whatever matrix units do beside them."""
WITH_MFMA = (Aim("MFMA", 1, least=True), Aim("spills", 0))
XF32 = (Aim("MFMA share", 0.50, least=True), Aim("VALU/MFMA", 0.05), *ONLY_WIDE)
OF_EVEN = Aim("of even", 1.10, "instructions of the even loop")
"""The steady loop beside that of even sizes known in the text."""
LIKE_EVEN = (OF_EVEN, Aim("spills", 0))

_EVEN, _EVEN_NN = "f16 NT even K", "f16 NN even K"
TILE, TILE_NN = Tile(128, 128, 64, 4, 2), Tile(128, 128, 64, 4, 2, True)
TEN_BITS = Tile(128, 128, 32, 4, 4)
FORM_TILE = Tile(256, 128, 64, 8, 2)
DUAL_TILE = Tile(256, 256, 64, 8, 2)
"""The columns of both results: what is read and written to LDS is that of one with as many."""
RUN = {"M": 128, "N": 128, "K": 192}

PRODUCTS = (
    Case(
        _EVEN, product("f16", TILE), "product", "128x128x64 w4 NT K=1024", "116 (plain HIP)",
        F16_NT, TILE, sets={"K": 1024}, run={"M": 128, "N": 128},
    ),
    Case(
        _EVEN_NN, product("f16", TILE_NN), "product", "128x128x64 w4 NN K=1024", "Triton 167, 0.66 VALU/MFMA",
        F16_NN, TILE_NN, sets={"K": 1024}, run={"M": 128, "N": 128},
    ),
    _case("f16 NT", "f16", SMALL, "NT", "116 (plain HIP), Mojo 117", *F16_NT, OF_EVEN, even=_EVEN),
    _case("f16 NN", "f16", SMALL, "NN", "Triton 167, 0.66 VALU/MFMA", *F16_NN, OF_EVEN, even=_EVEN_NN),
    _case("f16 NT wide", "f16", WIDE, "NT", "99 (plain HIP), Triton 108", *WIDE_NT),
    _case("f16 NN wide", "f16", WIDE, "NN", "Helion 86, 0.19 VALU/MFMA", *WIDE_NN),
    _case("bf16 NT wide", "bf16", WIDE, "NT", "99 (plain HIP)", *WIDE_NT),
    _case("fp8 NT wide", "f8e4m3", WIDEST, "NT", "99 (plain HIP, f16)", *WIDE_NT),
    _case("i8 NT wide", "i8", WIDEST, "NT", "99 (plain HIP, f16)", *WIDE_NT),
    Case(
        "f16 NT odd K", product("f16", TILE), "product", "128x128x64 w4 NT K=1001", "TileLang 464 per K step",
        LIKE_EVEN, TILE, sets={"K": 1001}, run={"M": 128, "N": 128}, even=_EVEN,
    ),
    Case(
        "f16 NN odd K", product("f16", TILE_NN), "product", "128x128x64 w4 NN K=1001", "TileLang 464 per K step",
        LIKE_EVEN, TILE_NN, sets={"K": 1001}, run={"M": 128, "N": 128}, even=_EVEN_NN,
    ),
    _case("bf16 NT", "bf16", SMALL, "NT", "hk-dsl 153", Aim("per 1024", 116), Aim("VALU/MFMA", 0.05), *ONLY_WIDE),
    _case("fp8 NT", "f8e4m3", SMALL, "NT", "TileLang 6,637 FLOP/inst", *NARROW),
    _case("fp8 NT k128", "f8e4m3", (128, 128, 128, 4), "NT", "TileLang 6,637 FLOP/inst", *NARROW),
    _case("fp8 NN", "f8e4m3", (128, 128, 128, 4), "NN", "-", *TURNED_BYTES),
    _case("i8 NT", "i8", SMALL, "NT", "TileLang 6,637 FLOP/inst (fp8)", *NARROW),
    _case("i8 NT k128", "i8", (128, 128, 128, 4), "NT", "TileLang 6,637 FLOP/inst (fp8)", *NARROW),
    _case("f32 NT", "f32", (128, 128, 32, 4), "NT", "-", *WITH_MFMA),
    _case("f32 NN", "f32", (128, 128, 32, 4), "NN", "-", *WITH_MFMA),
    Case(
        "xf32 NT", product("f32", TEN_BITS).replace("32]", "32, xf32]").replace("waves\n", "waves, xf32\n"),
        "product", "128x128x32 w4 NT", "-", XF32, TEN_BITS, run={"M": 128, "N": 128, "K": 96},
    ),
    _case("f64 NT", "f64", (64, 64, 16, 4), "NT", "-", *WITH_MFMA),
    _case("f64 NN", "f64", (64, 64, 16, 4), "NN", "-", *WITH_MFMA),
    Case(
        "f16 batched", BATCHED, "product", "128x128x64 w4 NT", "116 (plain HIP)", F16_NT, TILE,
        run={"P": 2, **RUN},
    ),
    _skinny("f16 M=4", "f16", 4, 4096, 4096, *STREAMED),
    _skinny("f16 M=16", "f16", 16, 4096, 4096, *STREAMED),
    _skinny("f16 M=16 wide", "f16", 16, 28_672, 8192, *STREAMED),
    _skinny("fp8 M=4", "f8e4m3", 4, 4096, 4096, *STREAMED),
    _skinny("fp8 M=16", "f8e4m3", 16, 4096, 4096, *STREAMED),
    _skinny("fp8 M=16 wide", "f8e4m3", 16, 28_672, 8192, *STREAMED),
    Case("int4", INT4, "product", "256x128x64 w8 NN", "-", DEQUANTISED, FORM_TILE, run={**RUN, "M": 256, "K": 256}),
    Case("f32 as f16", CAST, "product", "256x128x64 w8 NT", "-", CASTS, FORM_TILE, run={**RUN, "M": 256}),
    Case(
        "convolution", CONVOLUTION, "product", "256x128x64 w8 NT", "-", PLACES, FORM_TILE,
        run={"B": 1, "H": 8, "W": 32, "O": 128},
    ),
    Case(
        "f16 gated product", SWIGLU, "product", "256x2*128x64 w8 NT", "99 (plain HIP, one result)", WIDE_NT,
        DUAL_TILE, run={"M": 256, "N": 128, "K": 192},
    ),
    Case(
        "bf16 two results", TWO_RESULTS, "product", "256x2*128x64 w8 NN", "Helion 86, one result", WIDE_NN,
        replace(DUAL_TILE, nn=True), run={"M": 256, "N": 128, "K": 192},
    ),
    Case(
        "f16 in groups", GROUPED.format(given="", of="M", at="i"), "product", "128x128x64 w4 NT",
        "116 (plain HIP, one product)", F16_NT, TILE, run={"G": 2, **RUN},
    ),
    Case(
        "f16 in groups, rows looked up", GROUPED.format(given="row: Tensor[i32, M], ", of="T", at="row[i]"),
        "product", "128x128x64 w4 NT", "116 (plain HIP, one product)", F16_NT, TILE, run={"G": 2, "T": 64, **RUN},
    ),
    Case(
        "fp8 scaled blocks", BLOCKS, "product", "256x128x128 w8 NT", "aiter 0.75 VALU/MFMA (assembly)", SCALED,
        Tile(256, 128, 128, 8, 1), run={"M": 256, "N": 128, "K": 384},
    ),
    Case("f16 bias gelu", BIAS_GELU, "product", "128x128x64 w4 NT", "116 (plain HIP)", F16_NT, TILE, run=RUN),
)  # fmt: skip
