"""Tile kernels with a word changed: read as they run, or refused at a place, and never anything else."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest

from tests.dialects.article.test_mutated import mutated, words
from tests.dialects.tiles.helpers import HEAD, both
from tl2hip.api import convert
from tl2hip.source.span import NOWHERE, Source

SIZES = {"M": 5, "N": 7, "K": 6, "3": 3}
MORE = ("None", "True", "...", "0", "-1", "1.5", "[]", "()", "X.shape", "*", "**", "", "tile.all(3)", "i", "j", "d")
RAISED = (IndexError, KeyError, NameError, TypeError, ValueError, OverflowError, AttributeError, RecursionError)
"""What a run may raise where the static reading has no way to know."""


def cases() -> list[tuple[str, list[np.ndarray]]]:
    """The kernels beside this file that take arrays alone, as `f`, with arrays for them."""
    text = Path(__file__).with_name("kernels.py").read_text(encoding="utf-8")
    found = []
    for part in text.split("@kernel\n")[1:]:
        head, body = part.split(" -> None:\n")
        if "scale:" in head or "turns" in head:
            continue
        head = re.sub(r"def \w+", "def f", head)
        arrays = []
        for kind, dims in re.findall(r"Tensor\[(\w+), ([^\]]*)\]", head):
            shape = [SIZES[d] for d in dims.split(", ")]
            dtype = {"f": "float", "i": "int"}[kind[0]] + kind[1:]
            values = np.random.default_rng(len(arrays)).uniform(0, 4, shape)
            arrays.append(values.astype(dtype))
        found.append((f"@kernel\n{head} -> None:\n{body.rstrip()}\n", arrays))
    return found


CASES = cases()
POOL = [*{w.string: None for text, _ in CASES for w in words(text)}, *MORE]


@pytest.mark.filterwarnings("ignore")
def test_mutated_kernels() -> None:
    draw, same = random.Random(5), 0
    for _ in range(1000):
        text, arrays = draw.choice(CASES)
        text = mutated(text, draw, POOL)
        done = convert(Source("k.py", HEAD + text), stop_after="nest")
        assert all(p.at != NOWHERE for p in done.problems), text
        if done.errors or [k.name for k in done.kernels] != ["f"]:
            continue
        try:
            expected, got = both(text, *arrays)
        except RAISED:
            continue
        for name, value in expected.items():
            a, b = value.astype("f8"), got[name].astype("f8")
            np.testing.assert_allclose(b, a, rtol=3e-3, atol=3e-3, err_msg=text)
        same += 1
    assert same >= 25


def test_the_kernels_run_unchanged() -> None:
    assert len(CASES) == 9
    for text, arrays in CASES:
        expected, got = both(text, *arrays)
        for name, value in expected.items():
            np.testing.assert_allclose(got[name], value, rtol=1e-3, atol=1e-3)
