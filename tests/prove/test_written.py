"""A joined nest is held against the nest as it was written, casts under a running maximum too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.rule.attention import running
from tests.rule.helpers import nest_of_text
from tl2hip.nest.ir import Call, Expr, Nest, Scalar
from tl2hip.nest.walk import map_exprs
from tl2hip.plan import plan
from tl2hip.prove.bound import reference
from tl2hip.prove.written import apart
from tl2hip.rule.join import join
from tl2hip.rule.load import load_joins

ROUNDED = next(t for t in map(running, range(100)) if t.key == ("running", 0, "none", "s", "max", True))


def both() -> tuple[Nest, Nest, tuple[dict[str, np.ndarray], dict[str, float], dict[str, int]]]:
    written = nest_of_text(ROUNDED.text)
    joined = join(written, load_joins()).nest
    assert joined is not None
    r = np.random.default_rng(0)
    arrays = {n: (3 * r.standard_normal((2, 9, 4))).astype(np.float16) for n in written.order[:3]}
    arrays[written.order[3]] = np.zeros((2, 9, 4), np.float32)
    return written, joined, (arrays, {written.scalars[0].name: 0.7}, {"H": 2, "S": 9, "D": 4})


def test_weights_rounded_at_another_scale_are_within_the_bound() -> None:
    written, joined, given = both()
    bounds = reference(joined, *given, joins=plan(joined).joins)
    assert list(apart(written, bounds, given)) == []
    (ours,), (theirs,) = bounds.values(), reference(written, *given).values()
    assert not np.array_equal(ours.value, theirs.value)
    assert np.isfinite(ours.error).all()
    assert (ours.error < 0.01 * np.abs(given[0][written.order[2]]).max()).all()


FAULTS = {
    "the score's factor is left out": lambda e: e.left if isinstance(getattr(e, "right", None), Scalar) else e,
    "another power": lambda e: replace(e, name="exp2") if isinstance(e, Call) and e.name == "exp" else e,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_found(fault: str) -> None:
    written, joined, given = both()

    def planted(e: Expr) -> Expr:
        return FAULTS[fault](e)

    wrong = replace(joined, body=map_exprs(planted, joined.body))
    assert list(apart(written, reference(wrong, *given, joins=plan(joined).joins), given))
