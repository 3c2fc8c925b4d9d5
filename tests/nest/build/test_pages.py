"""The pages of marks: each example meets its problem, each rewrite meets none."""

from __future__ import annotations

import pytest

from tests.errors.checks import converted
from tests.errors.test_errors import HEADER
from tl2hip.source.problems import catalogue

MARKS = [c for c in catalogue() if c.startswith(("TL20", "TL21")) and c != "TL212"]


@pytest.mark.parametrize("code", MARKS)
def test_the_example_of_a_page_meets_its_problem_and_the_rewrite_does_not(code: str) -> None:
    kind = catalogue()[code]

    def codes(text: str) -> list[str]:
        whole = text if "tl2hip" in text.split("\n")[0] else HEADER + text
        return [p.code for p in converted(whole)]

    assert set(codes(kind.example)) == {code}
    assert codes(kind.rewrite) == []
    assert kind.why and kind.title
