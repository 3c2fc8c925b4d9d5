"""Article kernels with a word changed: read as they run, or refused at a place, and never anything else."""

from __future__ import annotations

import io
import random
import tokenize

import numpy as np

from tests.dialects.article.helpers import HEAD, both
from tests.dialects.article.test_runs import CASES
from tl2hip.api import convert
from tl2hip.source.span import NOWHERE, Source

MORE = ("None", "True", "...", "0", "-1", "1.5", "[]", "()", "A.shape", "*", "**", "")
RAISED = (IndexError, KeyError, NameError, TypeError, ValueError)
"""What a run may raise where the static reading has no way to know."""


def words(text: str) -> list[tokenize.TokenInfo]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [t for t in tokens if t.string.strip() and t.start[0] == t.end[0]]


def mutated(text: str, draw: random.Random, pool: list[str]) -> str:
    word = draw.choice(words(text))
    lines = text.splitlines(keepends=True)
    line = lines[word.start[0] - 1]
    lines[word.start[0] - 1] = line[: word.start[1]] + draw.choice(pool) + line[word.end[1] :]
    return "".join(lines)


def test_mutated_kernels() -> None:
    draw, same = random.Random(5), 0
    pool = [*{w.string: None for text, _ in CASES.values() for w in words(text)}, *MORE]
    for _ in range(400):
        text, arrays = draw.choice([*CASES.values()])
        text = mutated(text, draw, pool)
        done = convert(Source("k.py", HEAD + text), stop_after="nest")
        assert all(p.at != NOWHERE for p in done.problems), text
        if done.errors or not done.kernels:
            continue
        try:
            expected, got = both(text, *arrays)
        except RAISED:
            continue
        for name, value in expected.items():
            a, b = value.astype("f8"), got[name].astype("f8")
            np.testing.assert_allclose(b, a, rtol=3e-3, atol=3e-3, err_msg=text)
        same += 1
    assert same >= 10
