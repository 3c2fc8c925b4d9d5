"""Which accesses are proven to be in range, and how far offsets reach."""

from __future__ import annotations

import pytest

from tests.nest.analysis.helpers import make
from tl2hip.nest.bounds import prove
from tl2hip.nest.ir import Load, Store, Update
from tl2hip.nest.walk import all_parts, all_stmts, own_exprs


def proofs(text: str, array: str) -> list[bool]:
    """For each access to an array in the order of the text, whether it is proven."""
    out = []
    for s in all_stmts(prove(make(text)).body):
        for e in own_exprs(s):
            out += [p.proven for p in all_parts(e) if isinstance(p, Load) and p.array == array]
        if isinstance(s, Store | Update) and s.array == array:
            out.append(s.proven)
    return out


IN_RANGE = {
    "plain": "for i in range(n):\n    a[i] = 1",
    "step": "for i in range(1, n, 3):\n    a[i] = 1",
    "backward": "for i in range(n - 1, -1, -1):\n    a[i] = 1",
    "shift": "for i in range(1, n - 1):\n    a[i - 1] = a[i + 1]",
    "reversed": "for i in range(n):\n    a[n - 1 - i] = 1",
    "halo": "for i in range(n - m + 1):\n    for j in range(m):\n        a[i + j] = 1",
    "triangular": "for i in range(n):\n    for j in range(i + 1):\n        a[i - j] = 1",
    "upper": "for i in range(n):\n    for j in range(i + 1, n):\n        a[j] = a[j - i]",
    "test": "for i in range(m):\n    if i < n:\n        a[i] = 1",
    "else": "for i in range(m):\n    if i >= n:\n        pass\n    else:\n        a[i] = 1",
    "both tests": "for i in range(m):\n    if 0 <= i - 3 and i - 3 < n:\n        a[i - 3] = 1",
    "earlier operand": "for i in range(m):\n    if i < n and a[i] > 0:\n        pass",
    "chosen": "for i in range(m):\n    b[i] = a[i] if i < n else 0",
    "not": "for i in range(m):\n    if not (i >= n or i < 2):\n        a[i] = a[i - 2]",
    "variable": "for i in range(m):\n    t = i * 2 + 1\n    if t < n:\n        a[t] = a[t - 1]",
    "loaded and tested": "for i in range(m):\n    t = i64(idx[i])\n    if 0 <= t < n:\n        a[t] = 1",
    "minimum in the bound": "for i in range(min(n, m)):\n    a[i] = 1",
    "blocks": "for i in range(0, n, 64):\n    for j in range(i, min(i + 64, n)):\n        a[j] = 1",
    "clamped": "for i in range(n):\n    a[max(i - 1, 0)] = a[min(i + 1, n - 1)]",
    "remainder": "for i in range(n):\n    a[(i * 7 + m) % n] = 1",
    "halved": "for i in range(n):\n    a[i // 2] = 1",
    "wide": "for i in range(n):\n    for j in range(n):\n        a[(i + j) // 2] = 1",
    "distance": "for i in range(n):\n    for j in range(n):\n        a[abs(i - j)] = 1",
    "not the first": "for i in range(n):\n    if i != 0:\n        a[i - 1] = 1",
    "the first or not": "for i in range(n):\n    if i == 0:\n        a[i] = 1\n    else:\n        a[i - 1] = 1",
    "not the last": "for i in range(n):\n    if i != n - 1:\n        a[i + 1] = 1",
    "clamped by a choice": "for i in range(n):\n    a[i + 1 if i + 1 < n else n - 1] = 1",
    "clamped by tests": (
        "for i in range(n):\n    t = i - 2\n    if t < 0:\n        t = 0\n    a[t] = 1\n    t = i + 5\n"
        "    if t > n - 1:\n        t = n - 1\n    a[t] = 2"
    ),
    "first": "for i in range(n):\n    a[0] = 1",
    "last": "for i in range(n):\n    a[n - 1] = 1",
    "middle": "for i in range(n):\n    a[n // 2] = 1",
    "masked": "for i in range(m):\n    t = i64(idx[i]) & 7\n    if t < n:\n        a[t] = 1",
}


@pytest.mark.parametrize("name", IN_RANGE)
def test_in_range(name: str) -> None:
    header = "array a[n]\narray b[m]\narray idx[m]: i32\nvar t: i64\n"
    assert set(proofs(header + IN_RANGE[name], "a")) == {True}


OUT_OF_RANGE = {
    "one past": "for i in range(n):\n    a[i + 1] = 1",
    "one before": "for i in range(n):\n    a[i - 1] = 1",
    "another extent": "for i in range(m):\n    a[i] = 1",
    "empty array": "for i in range(m):\n    a[0] = 1",
    "data": "for i in range(m):\n    a[idx[i]] = 1",
    "loaded and half tested": "for i in range(m):\n    t = i64(idx[i])\n    if t < n:\n        a[t] = 1",
    "masked, the sign kept": "for i in range(m):\n    t = i64(idx[i]) & -8\n    if t < n:\n        a[t] = 1",
    "remainder of what may be 0": "for i in range(m):\n    a[i % n] = 1",
    "tested after": "for i in range(m):\n    if a[i] > 0 and i < n:\n        pass",
    "tested before it changed": (
        "for i in range(m):\n    t = i64(idx[i])\n    if 0 <= t < n:\n        t = t + 1\n        a[t] = 1"
    ),
    "changed in a loop": ("t = 0\nfor i in range(n):\n    a[t] = 1\n    t = t + 1"),
    "maximum in the bound": "for i in range(max(n, m)):\n    a[i] = 1",
}


@pytest.mark.parametrize("name", OUT_OF_RANGE)
def test_not_proven(name: str) -> None:
    header = "array a[n]\narray idx[m]: i32\nvar t: i64\n"
    assert False in proofs(header + OUT_OF_RANGE[name], "a")


def test_a_wrapped_sum_proves_nothing() -> None:
    """t - 1 may wrap to the largest number, so that t - 1 >= 0 does not say t >= 1."""
    text = "array a[n]\nscalar k: i64\narray x[n]: i64\nvar t: i64\nfor i in range(n):\n    t = x[i]\n"
    assert proofs(text + "    if t - 1 >= 0 and t < n:\n        a[t] = 1", "a") == [False]
    assert proofs(text + "    if t >= 1 and t < n:\n        a[t - 1] = 1", "a") == [True]


def test_flat_indices() -> None:
    text = "array a[m * n]\nfor i in range(m):\n    for j in range(n):\n        a[i * n + j] = 1"
    assert proofs(text, "a") == [True]
    assert proofs(text.replace("range(n)", "range(n + 1)"), "a") == [False]


def test_checks_count() -> None:
    text = "array a[n]\ncheck m <= n\nfor i in range(m):\n    a[i] = 1"
    assert proofs(text, "a") == [True]
    assert proofs(text.replace("check m <= n\n", ""), "a") == [False]


def test_a_check_that_divides() -> None:
    text = "array a[n]\ncheck n % 4 == 0\nfor i in range(n // 4):\n    for j in range(4):\n        a[i * 4 + j] = 1"
    assert proofs(text, "a") == [True]


def test_a_while_keeps_what_its_test_says() -> None:
    text = "array a[n]\nvar t: i64\nt = 0\nwhile 0 <= t < n:\n    a[t] = 1\n    t = t + 3"
    assert proofs(text, "a") == [True]
