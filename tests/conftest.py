"""Options and settings of the whole suite."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

from tests.answers import remembering
from tests.fuzz.counts import pytest_terminal_summary

__all__ = ["pytest_addoption", "pytest_terminal_summary", "remembering"]

settings.register_profile("ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--tl2hip-update",
        action="store_true",
        help="write the golden files that differ or are missing, and list them; nothing is ever deleted",
    )
