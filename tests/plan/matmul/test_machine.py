"""What the machine makes of products: LDS without bank conflicts, wide accesses, no spilled registers."""

from __future__ import annotations

import pytest

from tests.plan.matmul.products import ORDERS, Product, converted, multiplying, plan, why
from tl2hip.prove.compiled import findings
from tl2hip.prove.compiler import compile_device
from tl2hip.prove.counters import KernelCounters, read_counters
from tl2hip.prove.emulate import BankConflicts, Emulator
from tl2hip.prove.verify import Options, Session

SUMS = {"f16": "f32", "bf16": "f32", "f32": "f32", "f64": "f64", "i8": "i32", "f8e4m3": "f32"}
DEPTH = {"f16": 64, "bf16": 64, "f32": 32, "f64": 16, "i8": 128, "f8e4m3": 128}
"""Elements in 128 bytes, one pass over all LDS banks."""


def _lds(product: Product) -> tuple[BankConflicts, ...]:
    """The accesses of LDS of one run over three tiles of the sum, every line of the aligned kernel."""
    k = converted(product)
    assert multiplying(k) == ["kernel_aligned", "kernel"], why(k)
    assert k.nest is not None and k.printed is not None
    sizes = {"M": 64, "N": 64, "K": 3 * DEPTH[product.left]}
    session = Session(k.nest, k.printed.launcher, None, Options())
    with Emulator.load(k.printed.text) as library:
        _, ran = session.run_hip(library, session.drawn(sizes, "integers", 0), sizes, shifted=False)
    assert ran.status == 0 and {b.store for b in ran.bank_conflicts} == {False, True}
    return ran.bank_conflicts


@pytest.mark.parametrize("kind", ["NT", "NN", "TN"])
@pytest.mark.parametrize("dtype", DEPTH)
def test_rows_of_all_banks_have_no_conflicts(dtype: str, kind: str) -> None:
    found = _lds(Product(kind, dtype, sums=SUMS[dtype], i="64", j="64", k=str(DEPTH[dtype])))
    assert [b for b in found if b.clocks != b.ideal] == []


@pytest.mark.parametrize("kind", ["NT", "NN"])
@pytest.mark.parametrize("dtype", [d for d in DEPTH if d != "f64"])
def test_instructions_of_32_by_32_read_without_conflicts(dtype: str, kind: str) -> None:
    found = _lds(Product(kind, dtype, sums=SUMS[dtype], i="64", j="64", k=f"{DEPTH[dtype]}, mfma(32)"))
    assert [b for b in found if b.clocks != b.ideal] == []


@pytest.mark.parametrize("waves", ["", ", waves(2)"])
@pytest.mark.parametrize("size", ["16", "32"])
def test_small_tiles_that_turn_a_factor_have_no_conflicts(size: str, waves: str) -> None:
    found = _lds(Product("NN", i="32" + waves, j=size, k="64"))
    assert [b for b in found if b.clocks != b.ideal] == []


def test_rows_of_half_the_banks_have_no_conflicts() -> None:
    assert all(b.clocks == b.ideal for b in _lds(Product(k="32")))


def _compiled(product: Product) -> list[KernelCounters]:
    """The counters of the kernels with matrix instructions."""
    k = converted(product)
    assert k.printed is not None
    names = [f"{k.name}_{kernel}" for kernel in multiplying(k)]
    found = [c for c in read_counters(compile_device(k.printed.text).text) if c.name in names]
    assert [c.name for c in found] == names
    return found


def test_instructions_of_32_by_32_are_half_as_many() -> None:
    base, large = (
        _compiled(Product(i="128, waves(2)", j="128, waves(2)", k=f"64, mfma({m})"))[0] for m in (16, 32)
    )
    assert base.hot is not None and large.hot is not None
    assert large.hot.all.mfma == base.hot.all.mfma // 2 == 32
    assert all("_32x32x8_f16" in line for line in large.hot.code if "v_mfma" in line)
    assert large.problems() == () and large.occupancy >= 2


TILES = {
    "128x128": Product(i="128, waves(2)", j="128, waves(2)", k="64, stages(2)"),
    "256x256": Product(i="256, waves(2)", j="256, waves(4)", k="64, stages(2)"),
    "64x64": Product(i="64, waves(2)", j="64, waves(2)", k="64, stages(2)"),
}


@pytest.mark.parametrize("kind", ORDERS)
@pytest.mark.parametrize("tile", TILES)
def test_loops_load_16_bytes_and_registers_suffice(tile: str, kind: str) -> None:
    base = TILES[tile]
    for one in _compiled(Product(kind, i=base.i, j=base.j, k=base.k)):
        assert one.problems() == () and one.warnings() == ()
        assert one.occupancy >= 2
        assert one.hot is not None
        rows = int(tile.split("x")[0])
        share = rows * 2 * 64 * 2 // one.threads // 16
        assert dict(one.hot.all.global_loads) == {"dwordx4": share}, "each lane loads its share, 16 bytes at a time"
        assert set(one.hot.all.lds_reads) == {"b128"}
        assert one.hot.all.mfma == rows * rows * 64 // (16 * 16 * 16) // (one.threads // 64)
        assert dict(one.hot.all.global_stores) == {}


@pytest.mark.parametrize(
    ("depth", "run", "loads"), [("128", 16, {"dwordx4": 8}), ("64", 8, {"dwordx2": 4, "dwordx4": 2})]
)
@pytest.mark.parametrize("dtype", ["f8e4m3", "i8"])
def test_bytes_are_turned_by_two_permutations_for_each_word(
    dtype: str, depth: str, run: int, loads: dict[str, int]
) -> None:
    marks = {"i": "128, waves(2)", "j": "128, waves(2)", "k": depth}
    for one in _compiled(Product("NN", dtype, sums=SUMS[dtype], **marks)):
        assert one.problems() == () and one.hot is not None
        loop = one.hot.own
        names = [line.split()[0] for line in one.hot.code]
        assert dict(loop.global_loads) == loads
        assert names.count("v_perm_b32") == 2 * run, "four rows of a thread are as many words as columns"
        assert loop.valu <= 2 * run + 4 and loop.mfma == int(depth) // 2


@pytest.mark.parametrize("sizes", [(4096, 4096, 4096), (4096, 4096, 128), (64, 4096, 4096)])
@pytest.mark.parametrize(("dtype", "kind"), [("f16", "NT"), ("f32", "NN"), ("f64", "TT"), ("f8e4m3", "NT")])
def test_tiles_for_sizes_that_are_known_are_as_planned(dtype: str, kind: str, sizes: tuple[int, int, int]) -> None:
    k = converted(Product(kind, dtype, sums=SUMS[dtype], i="", j=""), **dict(zip("MNK", sizes, strict=True)))
    assert k.printed is not None and multiplying(k), why(k)
    found = findings(plan(k), read_counters(compile_device(k.printed.text).text))
    assert [p.text for p in found if p.severity == "error"] == []
