"""Sizes and scalars that fit asserts: they are found where there are any, and nothing is complained of but their
want."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.proofs import convert, prove
from tl2hip.prove.asserts import Mover, admitted
from tl2hip.prove.draw import NoScalars, data

ASSERTED = Path(__file__).parent / "asserted.py"
FITTING = [name for name in convert(ASSERTED) if name != "never"]


@pytest.mark.parametrize("name", FITTING)
def test_cases_are_found_and_all_are_good(name: str) -> None:
    report = prove(ASSERTED, name, shapes=6, large=0)
    assert report.good and not report.problems, report.text
    assert sum(c.checked for c in report.cases) > 0 and not any(c.skipped for c in report.cases)


def test_asserts_that_nothing_fits_are_told() -> None:
    report = prove(ASSERTED, "never", shapes=6)
    assert not report.good and [p.code for p in report.problems] == ["TL710"]


def test_given_sizes_that_no_scalars_fit_are_left_out_and_counted() -> None:
    report = prove(ASSERTED, "part", shapes=0, given=({"N": 0}, {"N": 5}), modes=("normal", "integers"))
    (told,) = report.problems
    assert told.code == "TL709" and told.severity == "warning"
    assert told.text == "2 of 4 cases were left out: in 100 draws each no scalars were found that the asserts admit"
    assert report.good


@pytest.mark.parametrize("name", FITTING)
@pytest.mark.parametrize("mode", ["normal", "coded", "edges"])
def test_drawn_scalars_are_admitted(name: str, mode: str) -> None:
    nest = convert(ASSERTED)[name].nest
    assert nest is not None
    sizes = {n: {"M": 104, "N": 208 if name == "eighths" else 104}[n] for n in nest.dims}
    for seed in range(20):
        assert admitted(nest, sizes, data(nest, sizes, mode, seed).scalars)


def test_where_no_scalars_fit_none_are_drawn() -> None:
    nest = convert(ASSERTED)["part"].nest
    assert nest is not None
    with pytest.raises(NoScalars):
        data(nest, {"N": 0}, "normal", 0)


def test_sizes_stay_where_they_are_unless_they_are_free() -> None:
    nest = convert(ASSERTED)["strided"].nest
    assert nest is not None
    random = np.random.default_rng(0)
    assert Mover(nest, random).moved({"M": 7, "N": 2}, {"stride": 1}) is None
    found = Mover(nest, random, sizes_too=True).moved({"M": 7, "N": 2}, {"stride": 3})
    assert found is not None and admitted(nest, *found)
