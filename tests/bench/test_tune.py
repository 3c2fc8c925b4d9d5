"""The table of choices against searches: every shape converts, and its line says what was found."""

from __future__ import annotations

import pytest

from tests.bench.tune import MARKS, SHAPES, Shape, line
from tests.tune.judgements import judged
from tl2hip.tune.judge import look
from tl2hip.tune.orders import Ranked
from tl2hip.tune.search import Found
from tl2hip.tune.space import space
from tl2hip.tune.task import convert
from tl2hip.tune.write import stated


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_a_shape_has_candidates(shape: Shape) -> None:
    candidates = space(stated(shape.text, shape.kernel), MARKS, keep=False)
    assert candidates.start == candidates.bare and len(candidates.choices) >= 2 * len(MARKS)
    assert look(shape.task, candidates.bare).refused is None
    (one,) = convert(shape.task, shape.text, "nest").kernels
    assert one.nest is not None and one.nest.dims == ()


def test_a_line_says_how_far_the_choice_is_from_the_best() -> None:
    shape = SHAPES[0]
    bare, best = judged("a", 120.0), judged("b", 100.0)
    ranked = (Ranked((("i", ()),), bare, 0), Ranked((("i", (("tile", 64),)),), best, 0))
    found = Found(ranked, bare, bare, 2, 0, 0, {}, {}, 0, (), True)
    assert line(shape, found).split() == ["gemm", "f16", "4096x4096x4096", "120", "100", "1.20", "i:", "64"]
    none = Found((), None, None, 1, 0, 0, {}, {"spilled": 1}, 0, (), True)
    assert "cannot be ranked: {'spilled': 1}" in line(shape, none)
