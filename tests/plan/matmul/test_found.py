"""Which loops are found to be matrix products, and what is said of those that are none."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.plan.matmul.products import Product, converted, multiplying, plan, proven, why
from tl2hip import api
from tl2hip.plan.ir import HostLoop
from tl2hip.prove.emulate import Emulator
from tl2hip.source.span import Source

BOTH = ["kernel_aligned", "kernel", "kernel_small_aligned", "kernel_small"]
FACTORS = "A: Tensor[f32, M, K], R: Tensor[f32, K, N]"
SHAPE = {"M": 9, "N": 17, "K": 35, "P": 6}
LOOPS = (
    "    for i in range(M):\n        for j in range(N):\n            s = f32(0)\n"
    "            for k in range(K):\n                s += A[i, k] * R[k, j]\n            C[i, j] = s\n"
)


def _into(body: str, factors: str = FACTORS, more: str = "") -> str:
    return f"def f({factors}, C: Tensor[f32, M, N]{more}) -> None:\n{body}"


@pytest.mark.parametrize("order", ["".join(order) for order in itertools.permutations("ijk")])
def test_loops_in_any_order(order: str) -> None:
    extents = {"i": "M", "j": "N", "k": "K"}
    loops = "".join(f"{'    ' * d}for {v} in range({extents[v]}):\n" for d, v in enumerate(order, 1))
    k = converted(_into(loops + "                C[i, j] += A[i, k] * R[k, j]\n"))
    assert multiplying(k) == BOTH, why(k)
    report = proven(k, SHAPE)
    assert report.good, report.text


@pytest.mark.parametrize(
    "body",
    [
        "    C[:, :] = A @ R\n",
        "    C[:, :] += np.matmul(A, R)\n",
        "    for i in range(M):\n        C[i, :] = A[i, :] @ R\n",
        "    C[:, :] = np.maximum(np.dot(A, R), 0)\n",
        "    C[:, :] = np.sum(A[:, :, None] * R[None, :, :], axis=1)\n",
        "    for i in range(M):\n        for j in range(N):\n            C[i, j] = np.dot(A[i, :], R[:, j])\n",
        "    for i in range(M):\n        for j in range(N):\n            C[i, j] = (A[i, :] * R[:, j]).sum()\n",
        LOOPS.replace(
            "s += A[i, k] * R[k, j]", "a = A[i, k]\n                r = R[k, j]\n                s = a * r + s"
        ),
    ],
)
def test_spellings(body: str) -> None:
    k = converted(_into(body))
    assert multiplying(k) == BOTH, why(k)
    report = proven(k, SHAPE)
    assert report.good, report.text


@pytest.mark.parametrize("body", ["A.T @ R", "A @ R", "A @ R.T"])
def test_transposed_arrays_and_results(body: str) -> None:
    factors = FACTORS.replace("M, K", "K, M") if "A.T" in body else FACTORS
    factors = factors.replace("K, N", "N, K") if "R.T" in body else factors
    k = converted(f"def f({factors}) -> Tensor[f32, M, N]:\n    return {body}\n")
    assert multiplying(k) == BOTH, why(k)
    report = proven(k, SHAPE)
    assert report.good, report.text


def test_two_products_in_one_function() -> None:
    k = converted(
        f"def f({FACTORS}, D: Tensor[f32, N, P], C: Tensor[f32, M, P]) -> None:\n"
        "    T = A @ R\n    C[:, :] = T @ D\n"
    )
    assert multiplying(k) == [*BOTH, *(f"{name}_2" for name in BOTH)], why(k)
    report = proven(k, SHAPE)
    assert report.good, report.text


def test_products_in_a_loop_of_the_launcher() -> None:
    k = converted(
        "def f(A: Tensor[f32, N, N], X: Tensor[f32, N, N]) -> None:\n"
        "    for t in range(3):\n        X[:, :] = A @ X\n"
    )
    (loop,) = plan(k).host
    assert isinstance(loop, HostLoop) and multiplying(k) == BOTH
    report = proven(k, {"N": 33})
    assert report.good, report.text


MISSES = {
    "a triangle": (
        LOOPS.replace("range(K)", "range(min(i + 1, K))"), "the end of k is not the same for all elements",
    ),
    "a triangle of results": (
        LOOPS.replace("range(N)", "range(min(i + 1, N))"), "the end of j is not the same for all elements",
    ),
    "not from 0": (LOOPS.replace("range(K)", "range(1, K)"), "k does not run from 0 by 1"),
    "every other": (LOOPS.replace("range(K)", "range(0, K, 2)"), "k does not run from 0 by 1"),
    "rows not from 0": (LOOPS.replace("range(M)", "range(1, M)"), "i does not run from 0 by 1"),
    "a difference": (LOOPS.replace("+=", "-="), "a term is no product of two elements"),
    "a product beside another": (
        LOOPS + "            for k in range(K):\n                C[i, j] += R[k, j]\n", "2 loops stand inside",
    ),
}  # fmt: skip


@pytest.mark.parametrize("start", ["f32(-0.0)", "-f32(0)"])
def test_a_sum_of_negative_zeros_from_a_negative_zero_stays_one(start: str) -> None:
    k = converted(_into(LOOPS.replace("f32(0)", start)))
    assert multiplying(k) == [] and why(k) == ["s starts from -0.0, and the sums of matrix instructions from 0.0"]
    assert k.printed is not None
    result = np.ones((9, 17), np.float32)
    passed = {"A": -np.ones((9, 64), np.float32), "R": np.zeros((64, 17), np.float32), "C": result}
    passed |= {"M": np.int64(9), "N": np.int64(17), "K": np.int64(64)}
    with Emulator.load(k.printed.text) as library:
        ran = library.call("f", [passed[a.name] for a in k.printed.launcher.arguments if a.kind != "stream"])
    assert ran.status == 0 and np.signbit(result).all() and not result.any()


@pytest.mark.parametrize("miss", MISSES)
def test_what_is_no_product_is_told_and_right(miss: str) -> None:
    body, reason = MISSES[miss]
    k = converted(_into(body))
    assert multiplying(k) == [] and [one for one in why(k) if reason in one], why(k)
    report = proven(k, SHAPE)
    assert report.good, report.text


def test_what_matrix_cores_do_not_do_is_told_and_right() -> None:
    k = converted(Product(left="f16", sums="f16", i="", j=""))
    reason = "no matrix instruction multiplies f16 into f16"
    assert multiplying(k) == [] and [one for one in why(k) if reason in one], why(k)
    report = proven(k, SHAPE)
    assert report.good, report.text


def test_a_factor_with_strides_is_read_element_by_element() -> None:
    k = converted(_into(LOOPS, FACTORS.replace("M, K]", "M, K, strides(2 * K, 1)]")))
    assert multiplying(k) == ["kernel_aligned", "kernel"] and why(k) == []
    assert [m.why for m in plan(k).misses] == ["A has strides of its own"]
    report = proven(k, SHAPE)
    assert report.good, report.text


def test_a_value_of_the_last_term_is_kept() -> None:
    body = LOOPS.replace("s = f32(0)", "s = f32(0)\n            t = f32(2)")
    body = body.replace("s += A[i, k] *", "t = A[i, k]\n                s += t *").replace("= s\n", "= s + t\n")
    k = converted(_into(body))
    assert multiplying(k) == []
    report = proven(k, SHAPE)
    assert report.good, report.text


def test_explain_says_why() -> None:
    head = "from tl2hip import *\nM, N, K = dims('M N K')\n@kernel\n"
    text = head + _into(LOOPS.replace("range(K)", "range(1, K)"))
    told = api.explain(text)
    assert (
        "  faster plans that do not fit:\n"
        "    matrix product, line 9: s += A[i, k] * R[k, j]\n"
        "      k does not run from 0 by 1\n"
    ) in told
    (kernel,) = api.convert(Source("k.py", head + _into(LOOPS))).kernels
    assert "do not fit" not in api.explained(kernel, Source("k.py", head + _into(LOOPS)), api.Options())
