"""The free tests of rules: sound rules pass, planted faults are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rule.folders import TOTAL, folder
from tl2hip.rule import RuleReport, check_rules


def report(path: Path, text: str) -> RuleReport:
    return check_rules(folder(path, mine=text))


def test_tl2hips_own_rules_are_sound() -> None:
    found = check_rules()
    assert found.ok, found.text
    marking = ("contraction", "elementwise", "row_reduction")
    joining = ("online_softmax", "normalised", "products_normalised", "weights_scaled")
    assert found.rules == (*marking, *joining)
    assert found.hits >= 18
    assert found.misses >= 10
    (overlap,) = found.overlaps
    assert (overlap.one, overlap.other, overlap.taken) == ("contraction", "row_reduction", "contraction")


BEATS = TOTAL.replace("@rule", '@rule(beats=("row_reduction",))')

FAULTS = {
    "drops the initial value": (BEATS.replace("z + row", "row"), "sound"),
    "wrong index": (BEATS.replace("row=i", "row=i + 1"), "sound"),
    "one element too few": (BEATS.replace("over=N", "over=max(N - 1, 0)"), "sound"),
    "another operation": (BEATS.replace('row_reduce("+"', 'row_reduce("max"'), "sound"),
    "raises": (BEATS.replace("z + row", "z // 0 + row"), "sound"),
    "a condition that never holds": (
        BEATS + '\n@total.when\ndef never(m: object) -> str | None:\n    return "never"\n',
        "itself",
    ),
    "as large as another": (TOTAL, "overlap"),
    "an example that is none": (
        BEATS + "\n# hit: nothing\n#     def copy(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:\n"
        "#         for i in range(N):\n#             y[i] = x[i]\n",
        "example",
    ),
    "an example that should be none": (
        BEATS + "\n# miss: a sum\n#     def sum(x: Tensor[f32, N], y: Tensor[f32, 1]) -> None:\n"
        "#         for i in range(N):\n#             y[0] += x[i]\n",
        "example",
    ),
    "an example that does not read": (
        BEATS + "\n# hit: what\n#     def copy(x: Tensor[f32, N]) -> None:\n#         y[0] = x[0]\n",
        "example",
    ),
}


@pytest.mark.parametrize(("text", "check"), FAULTS.values(), ids=FAULTS)
def test_planted_faults_are_found(text: str, check: str, tmp_path: Path) -> None:
    found = report(tmp_path, text)
    assert not found.ok
    assert {f.check for f in found.findings} >= {check}
    assert all(f.rule == "total" for f in found.findings)


JOIN = """
@rule(real=True, identity="exp(a) * exp(b) == exp(a + b)")
def running(f: Fn, N: Extent) -> tuple[Value, Value]:
    m, total = -math.inf, 0.0
    for j in range(N):
        new = max(m, f(j))
        total = total * math.exp(m - new) + math.exp(f(j) - new)
        m = new
    return m, total

@running.becomes
def in_passes(f: Fn, N: Extent) -> tuple[Value, Value]:
    m, total = -math.inf, 0.0
    for j in range(N):
        m = max(m, f(j))
    for j in range(N):
        total += math.exp(f(j) - m)
    return m, total
"""

JOIN_FAULTS = {
    "another sum": (JOIN.replace("total += math.exp(f(j) - m)", "total += math.exp(f(j))"), "sound"),
    "one turn too many": (
        JOIN.replace("return m, total\n\n@", "return m, total + 1.0\n\n@"),
        "it returns other than an extreme",
    ),
    "an example that is none": (
        JOIN + "\n# hit: a sum\n#     def total(x: Tensor[f32, N], y: Tensor[f32, 1]) -> None:\n"
        "#         for j in range(N):\n#             y[0] += math.exp(x[j])\n",
        "example",
    ),
    "no progress": (JOIN.replace(
        "        m = max(m, f(j))\n    for j in range(N):\n        total += math.exp(f(j) - m)\n",
        "        new = max(m, f(j))\n        total = total * math.exp(m - new) + math.exp(f(j) - new)\n"
        "        m = new\n",
    ), "TL605"),
}  # fmt: skip


def test_a_rule_that_joins_values_is_sound(tmp_path: Path) -> None:
    found = report(tmp_path, JOIN)
    assert found.ok, found.text


@pytest.mark.parametrize(("text", "check"), JOIN_FAULTS.values(), ids=JOIN_FAULTS)
def test_planted_faults_of_joins_are_found(text: str, check: str, tmp_path: Path) -> None:
    found = report(tmp_path, text)
    assert not found.ok
    assert check in found.text


def test_a_counterexample_is_small(tmp_path: Path) -> None:
    found = report(tmp_path, BEATS.replace("z + row", "row"))
    (finding,) = [f for f in found.findings if f.check == "sound"]
    assert "N = 0" in finding.text
    assert report(tmp_path, BEATS.replace("z + row", "row")).text == found.text


def test_nan_tells_the_two_maxima_apart(tmp_path: Path) -> None:
    text = BEATS.replace("s += f(i, j)", "s = max(s, f(i, j))")
    good = text.replace('z + row_reduce("+"', 'combine("max", z, row_reduce("max"').replace("row=i)", "row=i))")
    found = report(tmp_path, good)
    assert found.ok, found.text
    found = report(tmp_path, good.replace('row_reduce("max"', 'row_reduce("maximum"'))
    assert [f.check for f in found.findings] == ["sound"]


REAL = """
@rule(real=True, identity="exp(a) * exp(b) == exp(a + b)")
def powers(f: Fn, g: Fn, i: Axis) -> Value:
    return math.exp(f(i)) * math.exp(g(i))

@powers.becomes
def power(f: Fn, g: Fn, i: Axis) -> Value:
    return math.exp(f(i) + g(i))
"""


def test_rules_for_real_numbers_are_compared_within_a_tolerance(tmp_path: Path) -> None:
    found = report(tmp_path, REAL)
    assert found.ok, found.text
    found = report(tmp_path, REAL.replace("f(i) + g(i)", "f(i) - g(i)"))
    assert [f.check for f in found.findings] == ["sound"]
    exact = REAL.replace('real=True, identity="exp(a) * exp(b) == exp(a + b)"', "")
    assert [f.check for f in report(tmp_path, exact).findings] == ["sound"]


def test_bad_files_are_part_of_the_report(tmp_path: Path) -> None:
    found = report(tmp_path, TOTAL.replace("range(N)", "range(1, N)"))
    assert not found.ok
    assert "TL607" in found.text
