"""Every polynomial in the texts is as near its function as `fits` says, and the one its fit gives."""

from __future__ import annotations

import pytest

from tests.hip.math import fits
from tests.hip.math.fits import FITS, Fit
from tl2hip.hip.math import closure
from tl2hip.hip.math.table import ROWS

TEXTS = {f.symbol: f.text for f in closure(ROWS)}


def printed(fit: Fit, file: str) -> list[float]:
    """The polynomial's coefficients; a chain may go on with exact ones of another meaning."""
    return fits.chains(TEXTS[file])[fit.position]


def aligned(fit: Fit, file: str) -> list[float]:
    """The chain's leading coefficients, as many as the fit has."""
    return printed(fit, file)[-fit.degree - 1 :]


def name(fit: Fit) -> str:
    return f"{fit.file}-{fit.position}"


@pytest.mark.parametrize("fit", FITS, ids=name)
def test_near_enough(fit: Fit) -> None:
    assert fits.error(fit, aligned(fit, fit.file), 200) <= 2.0**-fit.bits
    assert all(aligned(fit, other) == aligned(fit, fit.file) for other in fit.also)


def test_every_polynomial_is_listed() -> None:
    listed = {(file, fit.position) for fit in FITS for file in (fit.file, *fit.also)}
    assert listed == {(s, i) for s, text in TEXTS.items() for i in range(len(fits.chains(text)))}
    for fit in FITS:
        assert set(printed(fit, fit.file)[: -fit.degree - 1]) <= {1.0}


def test_a_wrong_digit_is_seen() -> None:
    fit = next(f for f in FITS if f.file == "exp_f64")
    wrong = [c + 1e-15 * (k == 1) for k, c in enumerate(aligned(fit, "exp_f64"))]
    assert fits.error(fit, wrong, 200) > 2.0**-fit.bits


def test_one_fit_again() -> None:
    fit = next(f for f in FITS if f.file == "sinh_f32")
    assert fits.solve(fit) == pytest.approx(aligned(fit, "sinh_f32"), rel=1e-9)


@pytest.mark.parametrize("fit", FITS, ids=name)
def test_every_fit_again(fit: Fit) -> None:
    again = fits.solve(fit)
    assert fits.error(fit, again, 200) <= 2.0**-fit.bits
    assert again == pytest.approx(aligned(fit, fit.file), rel=1e-6 if fit.single else 1e-5)
