"""A fixture for tests that run kernels on NumPy: each call is repeated by the kernel's nest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tl2hip.notation.kernels import Kernel


@pytest.fixture
def repeated_by_the_nest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes every call of a kernel also run the kernel's nest on the same arguments and compare."""
    from .repeating import repeat

    plain = Kernel.__call__

    def call(kernel: Kernel, *arguments: Any, **named: Any) -> Any:
        given = kernel._signature.bind(*arguments, **named)
        given.apply_defaults()
        before = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in given.arguments.items()}
        returned = plain(kernel, *arguments, **named)
        repeat(kernel, before, given.arguments, returned)
        return returned

    monkeypatch.setattr(Kernel, "__call__", call)
