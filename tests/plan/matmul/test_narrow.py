"""Results narrower than their sums: fragments are joined so that a lane stores 16 bytes."""

from __future__ import annotations

import pytest

from tests.plan.matmul.products import Product, converted, multiplying, plan, planted, proven, why
from tl2hip.nest.index import value_of
from tl2hip.plan.ir import StoreVector
from tl2hip.plan.walk import all_stmts
from tl2hip.prove.emulate import Emulator
from tl2hip.prove.verify import Options, Session

GIVEN = "D: Tensor[f16, M, N], bias: Tensor[f32, N]"
HALF = ("C[i, j] = f16(s)",)
NARROW = {
    "half": Product(result="f16", end=HALF, k="64"),
    "half, turned": Product("NN", result="f16", end=HALF),
    "half, few rows a pass": Product("TN", result="f16", end=HALF, j="64, waves(1)", k="128"),
    "half, an order at each load": Product(result="f16", end=HALF, i="32", j="32, waves(1)"),
    "bf16, 32x32": Product("NN", "bf16", "", "f32", "bf16", j="128", k="mfma(32)", end=("C[i, j] = bf16(s)",)),
    "bytes": Product("NT", "f8e4m3", "", "f32", "f8e4m3", j="128", k="128", end=("C[i, j] = f8e4m3(s)",)),
    "bytes, turned": Product("NN", "f16", result="f8e4m3", end=("C[i, j] = f8e4m3(s)",), j="64, waves(1)"),
    "bytes from bytes": Product("NN", "i8", "", "i32", "i8", j="64, waves(1)", k="128", end=("C[i, j] = i8(s)",)),
    "a residual": Product(result="f16", given=GIVEN, end=("C[i, j] = f16(s * bias[j]) + D[i, j]",)),
    "an odd number of fragments": Product(result="f16", end=HALF, j="16"),
}  # fmt: skip
ONE = ("an odd number of fragments",)


@pytest.mark.parametrize("name", NARROW)
def test_lanes_store_16_bytes(name: str) -> None:
    k = converted(NARROW[name])
    assert multiplying(k) == ["kernel_aligned", "kernel"], why(k)
    kernel = plan(k).kernels[0]
    vectors = {p.array.name: p.array for p in plan(k).arrays}
    stored = [vectors[s.vector] for s in all_stmts(kernel.body) if isinstance(s, StoreVector) and s.array == "C"]
    widths = {(value_of(a.shape[-1]) or 0) * a.dtype.bytes for a in stored}
    assert widths == {8 if name in ONE else 16}
    report = proven(k, {"M": 72, "N": 136, "K": 136}, {"M": 35, "N": 67, "K": 65}, modes=("coded", "normal"))
    assert report.good, report.text


@pytest.mark.parametrize("name", ["half", "half, turned", "bytes", "bytes, turned", "bf16, 32x32"])
def test_joined_fragments_have_no_bank_conflicts_and_waste_no_memory(name: str) -> None:
    k = converted(NARROW[name])
    assert k.nest is not None and k.printed is not None
    sizes = {"M": 64, "N": 128, "K": 384}
    session = Session(k.nest, k.printed.launcher, None, Options())
    with Emulator.load(k.printed.text) as library:
        ran = session.run_hip(library, session.drawn(sizes, "integers", 0), sizes, shifted=False)[1]
    assert ran.status == 0 and [b for b in ran.bank_conflicts if b.clocks != b.ideal] == []
    assert [c for c in ran.coalescing if c.store and c.requests > c.ideal * (2 if "32x32" in name else 1)] == []


FAULTS = [
    ("half", "there_R % 16 / 4 * 8", "there_R % 16 / 4 * 4"),
    ("half", "sums[r][c * 2 + e / 4][e % 4]", "sums[r][c * 2][e % 4]"),
    ("half, turned", "row_R / 8 % 4 * 4", "row_R / 8 % 2 * 4"),
    ("half, turned", "lane / 16 * 8", "lane / 16 * 4"),
]


@pytest.mark.parametrize(("name", "old", "new"), FAULTS)
def test_planted_fault_is_found(name: str, old: str, new: str) -> None:
    k = converted(NARROW[name])
    text = planted(k, "kernel_aligned", old, new)
    sizes = {"M": 72, "N": 136 if "turned" in name else 70, "K": 136}
    assert not proven(k, sizes, text=text).good and proven(k, sizes).good
