"""The idioms that are found in the golden kernels."""

from __future__ import annotations

from tests.rule.helpers import idioms, nest_of_golden


def test_gemm_is_a_contraction() -> None:
    (found,) = idioms(nest_of_golden("gemm"), "contraction")
    assert dict(found.axes) == {"rows": ("i",), "cols": ("j",), "over": ("k",)}
    assert dict(found.values) == {
        "f": "np.float32(A[i, k])",
        "g": "np.float32(B[k, j])",
        "z": "np.float32(0.0)",
        "into": "s",
    }
    assert found.at.line == 18
