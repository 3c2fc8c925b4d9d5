"""Large tiles, in which two groups of waves take turns at reading and multiplying."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.plan.matmul.products import Product, converted, multiplying, plan, planted, proven, why
from tl2hip import api
from tl2hip.dtypes import I64
from tl2hip.nest.index import ONE
from tl2hip.nest.ir import Compare, Var
from tl2hip.plan import uniform
from tl2hip.plan.ir import DeviceIf, For
from tl2hip.plan.matmul.clusters import MOST, clusters, held
from tl2hip.prove.emulate import Run
from tl2hip.prove.machine.library import MachineLibrary
from tl2hip.prove.verify import Options, Session

LARGE = Product(i="256, waves(2)", j="256, waves(4)", k="64")
SIZES = {"M": 264, "N": 24, "K": 200}
"""Two tiles along i, the last in part, and four along k."""

FAULTS = {
    "what the other half overwrites is not waited for": ("lds_barrier();  // this wave has its", "meet();  //"),
    "what is written is not waited for": ("lds_barrier();  // the next tile is in LDS", "meet();"),
}
UNEVEN = {
    "half of the waves meet more often": ("if (4 <= wave) {\n        meet();", "if (4 <= wave) {"),
    "the other half do": ("if (wave < 4) {\n        meet();", "if (wave < 4) {"),
}


@pytest.mark.parametrize("fault", FAULTS | UNEVEN)
def test_planted_fault_is_found(fault: str) -> None:
    text = planted(converted(LARGE), "kernel_aligned", *(FAULTS | UNEVEN)[fault])
    told = proven(converted(LARGE), SIZES, text=text).text
    assert ("divergent_barrier" if fault in UNEVEN else "race") in told, told


def _machine(k: api.Converted, text: str) -> Run:
    """A run of the machine code of a text."""
    assert k.nest is not None and k.printed is not None
    session = Session(k.nest, k.printed.launcher, None, Options())
    with MachineLibrary(text) as library:
        return session.run_hip(library, session.drawn(SIZES, "integers", 0), SIZES, shifted=False)[1]


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_fault_is_found_in_machine_code(fault: str) -> None:
    k = converted(LARGE)
    found = _machine(k, planted(k, "kernel_aligned", *FAULTS[fault])).errors
    assert {f.kind for f in found} == {"race"}, found


@pytest.mark.parametrize(
    "product",
    [
        LARGE,
        replace(LARGE, kind="NN", left="bf16"),
        Product("TT", i="256, waves(4)", j="256, waves(2)", k="64, mfma(32)"),
        pytest.param(replace(LARGE, left="f8e4m3", k="128"), marks=pytest.mark.slow),
        pytest.param(replace(LARGE, kind="NN", left="i8", sums="i32", k="128"), marks=pytest.mark.slow),
        pytest.param(replace(LARGE, left="f32", k="32"), marks=pytest.mark.slow),
        replace(LARGE, left="i8", sums="i32"),
    ],
    ids=lambda p: f"{p.left} {p.kind} {p.k}",
)
def test_waves_take_turns(product: Product) -> None:
    k = converted(product)
    assert multiplying(k) == ["kernel_aligned", "kernel"], why(k)
    assert k.printed is not None and "meet();" in k.printed.text
    depth = int(product.k.partition(",")[0])
    report = proven(k, {**SIZES, "K": 3 * depth + 8}, {"M": 3, "N": 259, "K": 3 * depth + 9})
    assert report.good, report.text
    ran = _machine(k, k.printed.text)
    assert ran.status == 0 and not ran.errors


@pytest.mark.parametrize("parts", [1, 2, 4])
@pytest.mark.parametrize("slices", [1, 2, 4, 8])
def test_clusters_multiply_all_that_they_have_read(slices: int, parts: int) -> None:
    if slices * parts == 1:
        return
    cut = clusters(slices, parts)
    assert 2 <= len(cut) <= MOST and not cut[-1].reads and all(c.blocks for c in cut)
    assert [b for c in cut for b in c.blocks] == [(s, p) for s in range(slices) for p in range(parts)]
    read: list[int] = []
    for n, cluster in enumerate(cut):
        read += cluster.reads
        assert n == len(cut) - 1 or cluster.reads
        assert {s for s, _ in cluster.blocks} <= set(read[-held(cut) :]), "what comes later has overwritten it"
    assert read == list(range(slices))


def test_matrix_instructions_in_divergent_control_flow_are_no_plan() -> None:
    kernel = next(x for x in plan(converted(LARGE)).kernels if x.name.endswith("aligned"))
    uniform.check((kernel,))
    for name, what in (("lane", "Meet"), ("wave", "LdsBarrier")):
        test = Compare("<", Var(name, I64), ONE)
        at = next(n for n, s in enumerate(kernel.body) if isinstance(s, For) and s.var == "step")
        body = (*kernel.body[:at], DeviceIf(test, kernel.body[at:]))
        with pytest.raises(ValueError, match=f"{what} stands in divergent control flow"):
            uniform.check((replace(kernel, body=body),))
