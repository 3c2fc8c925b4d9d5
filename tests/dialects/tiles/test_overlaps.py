"""Stores that would not be the same element by element are refused, and would be wrong if they were not."""

from __future__ import annotations

import numpy as np
import pytest

from tests.dialects.tiles.helpers import both, nest, refusals

HEADER = "@kernel\ndef f(X: Tensor[f32, M, N], Y: Tensor[f32, M], R: Tensor[i32, M]) -> None:\n"

WRONG = {
    "a neighbour that an earlier statement stores": """
    for i in tile.range(M - 1, 4):
        Y[i] = X[i, 0] * 2
        X[i, 1] = Y[i + 1]
""",
    "a neighbour of the same statement": """
    for i in tile.range(M - 1, 4):
        Y[i + 1] = Y[i] + 1
""",
    "a transpose in place": """
    for i in tile.range(5, 8):
        for j in tile.range(5, 8):
            X[i, j] = X[j, i]
""",
    "several elements stored into one": """
    for i in tile.range(M, 4):
        Y[i // 2] = X[i, 0]
        X[i, 1] = Y[i // 2]
""",
    "an update of an element for each index": """
    for i in tile.range(M, 4):
        Y[R[i]] += X[i, 0]
""",
    "the last of several in two loops": """
    for i in tile.range(M - 1, 4):
        for j in tile.range(N, 4):
            Y[(i + j) % 9] = X[i, j]
""",
    "a place that moves in an ordinary loop": """
    for i in tile.range(M - 3, 4):
        for t in range(3):
            Y[i + t] = X[i, t]
""",
    "one element read for all": """
    for i in tile.range(M, 4):
        Y[i] = X[i, 0]
        X[i, 1] = Y[2]
""",
    "a number that is read for all": """
    for i in tile.range(M, 4):
        Y[i] = X[i, 0]
        s = Y[2]
        X[i, 1] = s * X[i, 2]
""",
    "a shift that changes": """
    for i in tile.range(M - 3, 4):
        s = 2
        Y[i + s] = X[i, 0]
        s = 3
        X[i, 1] = Y[i + s]
""",
}

RIGHT = {
    "the same place": """
    for i in tile.range(M, 4):
        Y[i] = X[i, 0] * 2
        X[i, 1] = Y[i]
""",
    "the same shifted place": """
    for i in tile.range(M - 1, 4):
        Y[i + 1] = X[i, 0] * 2
        X[i, 1] = Y[i + 1]
""",
    "loops of their own": """
    for i in tile.range(M - 1, 4):
        Y[i] = X[i, 0] * 2
    for i in tile.range(M - 1, 4):
        X[i, 1] = Y[i + 1]
""",
    "a scatter in order": """
    for i in tile.range(M, 4):
        Y[R[i]] = X[i, 0]
""",
    "one axis apart": """
    for i in tile.range(M, 4):
        for j in tile.range(N - 1, 2):
            X[i, j] = X[i, j] * 2
        for j in tile.range(N - 1, 2):
            Y[i] = X[i, 3] + X[i, 2]
""",
}


def arrays() -> list[np.ndarray]:
    draw = np.random.default_rng(3)
    return [
        draw.uniform(1, 2, (9, 9)).astype(np.float32),
        draw.uniform(1, 2, 9).astype(np.float32),
        np.array([1, 1, 2, 2, 2, 0, 0, 7, 7], np.int32),
    ]


def same(text: str) -> bool:
    expected, got = both(text, *arrays())
    return all(np.allclose(got[name], expected[name]) for name in expected)


@pytest.mark.parametrize("case", WRONG)
def test_refused_and_wrong_otherwise(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = HEADER + WRONG[case].lstrip("\n")
    assert {code for code, _ in refusals(text)} == {"TL234"}
    monkeypatch.setattr("tl2hip.dialects.tiles.spelling.overlaps", lambda *_: ())
    assert not same(text)


@pytest.mark.parametrize("case", RIGHT)
def test_what_stays_apart_is_taken(case: str) -> None:
    text = HEADER + RIGHT[case].lstrip("\n")
    nest(text)
    assert same(text)
