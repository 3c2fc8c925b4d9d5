"""What verify tries of a plan with several kernels: shapes out of its grains, and a case for each kernel."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.proofs import convert
from tl2hip import api
from tl2hip.nest.dependence import analyse
from tl2hip.nest.index import add, mul
from tl2hip.nest.ir import Dim
from tl2hip.plan.grain import Grain
from tl2hip.plan.ir import Plan
from tl2hip.prove.evaluate import Evaluator
from tl2hip.prove.large import BULK, KINDS, LARGE, Kind, large
from tl2hip.prove.options import Options
from tl2hip.prove.reach import launched
from tl2hip.prove.shapes import work
from tl2hip.prove.trials import outer, trials
from tl2hip.source.span import Source

GOLDEN = Path(__file__).parent.parent.parent / "golden"


def _plan(name: str) -> Plan:
    plan = convert(GOLDEN / name / "kernel.py")[name].plan
    assert plan is not None
    return plan


def _parallel(plan: Plan) -> tuple[str, ...]:
    return tuple(a for a, k in analyse(plan.nest).kinds.items() if k.kind == "parallel")


def _names(plan: Plan, sizes: dict[str, int], *shifted: str) -> set[str]:
    return {k.removeprefix(plan.nest.name + "_kernel") for k in launched(plan, sizes, shifted)}


def test_which_kernels_a_launcher_takes() -> None:
    gemm, softmax = _plan("gemm"), _plan("softmax")
    aligned, unaligned, any_size = (k.name.removeprefix("gemm_kernel") for k in gemm.kernels)
    assert _names(gemm, {"M": 256, "N": 136, "K": 8}) == {aligned}
    assert _names(gemm, {"M": 256, "N": 136, "K": 8}, "B") == {unaligned}
    assert _names(gemm, {"M": 256, "N": 136, "K": 9}) == {unaligned}
    assert _names(gemm, {"M": 256, "N": 136, "K": 0}) == {any_size}
    assert _names(gemm, {"M": 0, "N": 136, "K": 8}) == set()
    assert _names(softmax, {"M": 2, "N": 1024}) == {"_wave"}
    assert _names(softmax, {"M": 2, "N": 1028}, "X") == {"_block"}
    assert _names(softmax, {"M": 2, "N": 4100}) == {"_long"}
    assert _names(softmax, {"M": 2, "N": 1025}, "Y") == {"_long"}


def test_launches_in_loops_of_the_launcher_and_for_scalars() -> None:
    text = (
        "from tl2hip import Tensor, dims, f32, i64, kernel\n\nN = dims('N')\n\n\n@kernel\n"
        "def f(a: Tensor[f32, N], n: i64) -> None:\n"
        "    for t in range(N):\n        for i in range(t, N):\n            a[i] = a[i] + f32(t)\n"
        "    for i in range(n):\n        a[i] = f32(1)\n"
    )
    (kernel,) = api.convert(Source("f.py", text)).kernels
    assert kernel.plan is not None
    names = [k.name for k in kernel.plan.kernels]
    assert launched(kernel.plan, {"N": 0}) == ()
    assert launched(kernel.plan, {"N": 40}) == tuple(names[:-1]), "the last one depends on a scalar"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["gemm", "softmax", "add", "transpose", "layernorm"])
def test_large_shapes_end_where_their_kind_says(name: str, kind: Kind) -> None:
    plan = _plan(name)
    assert plan.grains
    found = [large(plan.nest, plan.grains, kind, n, np.random.default_rng(n), 10**9, ()) for n in range(6)]
    assert all(found)
    for sizes in found:
        assert sizes is not None
        extents = {g.extent: Evaluator(plan.nest, sizes).whole(g.extent) for g in plan.grains}
        for extent, value in extents.items():
            grains = [g for g in plan.grains if g.extent == extent]
            assert value is not None
            assert any(_fits(value, g, kind) for g in grains), (sizes, kind)


def _fits(value: int, g: Grain, kind: Kind) -> bool:
    tiles, rest = divmod(value, g.tile)
    of_kind = {"whole": rest == 0, "pieces": rest % g.piece == 0, "odd": rest > 0}
    return 1 <= tiles <= 3 and of_kind[kind]


def test_large_shapes_reach_each_kernel_where_tiles_do_not_fit_together() -> None:
    """A matrix of many long rows is too large to be drawn."""
    plan = _plan("gemv")
    drawn = [large(plan.nest, plan.grains, None, n, np.random.default_rng(n), 10**9, ()) for n in range(20)]
    assert {name for sizes in drawn if sizes for name in launched(plan, sizes)} == {k.name for k in plan.kernels}


def test_large_shapes_stay_within_the_budget() -> None:
    plan = _plan("gemm")
    parallel = _parallel(plan)
    for n in range(30):
        sizes = large(plan.nest, plan.grains, None, n, np.random.default_rng(n), LARGE, parallel)
        assert sizes is not None and work(plan.nest, sizes, parallel, BULK) <= LARGE
    assert large(plan.nest, plan.grains, None, 0, np.random.default_rng(0), 1, parallel) is None
    assert large(plan.nest, (), None, 0, np.random.default_rng(0), LARGE, parallel) is None


def test_extents_that_are_expressions_are_solved() -> None:
    plan = _plan("gemm")
    m, n, k = (Dim(d) for d in ("M", "N", "K"))
    flat = Grain(add(mul(m, n), k), 64, 4)
    for turn in range(8):
        sizes = large(plan.nest, (flat,), "whole", turn, np.random.default_rng(turn), LARGE, ())
        assert sizes is not None and (sizes["M"] * sizes["N"] + sizes["K"]) % 64 == 0
    sizes = large(plan.nest, (Grain(mul(m, n), 67, 1),), "whole", 0, np.random.default_rng(0), LARGE, ())
    assert sizes is not None and sizes["M"] * sizes["N"] in (67, 134, 201)


def test_a_product_is_tried_in_several_tiles_along_each_axis() -> None:
    plan = _plan("gemm")
    tried = trials(plan.nest, Options(plan=plan), _parallel(plan))
    assert tried == trials(plan.nest, Options(plan=plan), _parallel(plan))
    aligned, unaligned, _ = (k.name for k in plan.kernels)
    for kernel in (aligned, unaligned):
        runs = [t for t in tried if kernel in launched(plan, t.sizes, t.shifted)]
        for name, tile in (("M", 128), ("N", 128), ("K", 64)):
            assert any(t.sizes[name] > tile for t in runs)
        assert any(t.sizes["K"] > 2 * 64 for t in runs)
        assert {"integers", "normal", "edges"} <= {t.mode for t in runs}
    arrays = outer(plan.nest)
    assert {t.shifted for t in tried} >= {(), arrays, *((a,) for a in arrays)}


@pytest.mark.parametrize("name", ["gemm", "softmax", "layernorm", "gemv", "syrk"])
def test_each_kernel_has_a_case(name: str) -> None:
    plan = _plan(name)
    for options in (Options(plan=plan), Options(plan=plan, shapes=1, large=0)):
        tried = trials(plan.nest, options, _parallel(plan))
        ran = {k for t in tried for k in launched(plan, t.sizes, t.shifted)}
        assert ran == {k.name for k in plan.kernels}


def test_only_given_shapes_are_tried_where_none_are_drawn() -> None:
    plan = _plan("gemm")
    given = {"M": 3, "N": 4, "K": 5}
    options = Options(plan=plan, shapes=0, given=(given,))
    assert {tuple(t.sizes.items()) for t in trials(plan.nest, options, ())} == {tuple(given.items())}
    few = trials(plan.nest, replace(options, shapes=2, plan=None), ())
    assert {t.steps for t in few} == {options.steps}
