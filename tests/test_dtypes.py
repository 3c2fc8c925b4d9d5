"""Promotion equals NumPy's, for every pair of dtypes."""

import ml_dtypes
import numpy as np
import pytest

from tl2hip.dtypes import F8E4M3, F8E5M2, TABLE, DType, promote


def _numpy(dtype: DType) -> "np.dtype[np.generic]":
    return np.dtype(getattr(ml_dtypes, dtype.numpy, dtype.numpy))


@pytest.mark.parametrize("a", TABLE.values(), ids=str)
@pytest.mark.parametrize("b", TABLE.values(), ids=str)
def test_promotion_is_numpys(a: DType, b: DType) -> None:
    ours = promote(a, b)
    if ours is not None:
        assert _numpy(ours) == np.result_type(_numpy(a), _numpy(b))
    elif {a, b} == {F8E4M3, F8E5M2}:
        x, y = np.ones(1, _numpy(a)), np.ones(1, _numpy(b))
        assert (x * y).dtype != (y * x).dtype, "ml_dtypes gives the type of the left operand"
    else:
        with pytest.raises(TypeError):
            np.result_type(_numpy(a), _numpy(b))
