"""Rule files that cannot be used are told at their place; others are loaded beside tl2hip's own."""

from __future__ import annotations

import dataclasses
import pickle
from pathlib import Path

import pytest

from tests.rule.folders import TOTAL, folder
from tests.rule.helpers import nest_of_text
from tl2hip.rule import BadRules, apply, load_rules
from tl2hip.rule.load import load_joins, rule_files
from tl2hip.source.problems import catalogue

BAD = {
    "TL601 import": ("from tl2hip.rule import rool\n", "TL601", 3),
    "TL601 raises": ("x = 1\ny = x / 0\n", "TL601", 4),
    "TL101 syntax": ("def f(:\n", "TL601", 3),
    "TL602": ("@rule\ndef r(f: Fn, i: Axis) -> Value:\n    return f(i) + f(i)\n", "TL602", 4),
    "TL603": (TOTAL.replace("z: Value", "z: float"), "TL603", 4),
    "TL603 operation": (TOTAL.replace("z: Value", 'z: Value, op: Op["-"]'), "TL603", 4),
    "TL604": (TOTAL.replace("totalled(f: Fn,", "totalled(g: Fn,"), "TL604", 11),
    "TL605": (TOTAL + TOTAL.split("return s")[0].split("Value:\n")[1] + "    return s\n", "TL605", 11),
    "TL606": (TOTAL.replace("    return s\n", "    s = z\n"), "TL606", 8),
    "TL607": (TOTAL.replace("range(N)", "range(1, N)"), "TL607", 6),
    "TL608": (TOTAL.replace("f(i, j)", "f(i, j + 1)"), "TL608", 7),
    "TL609": (TOTAL.replace("f(i, j)", "f(i, j) * f(j, i)"), "TL609", 7),
    "TL610": (TOTAL.replace("f: Fn,", "f: Fn, g: Fn,"), "TL610", 4),
    "TL611": (TOTAL.replace("s += f(i, j)", "s = s * f(i, j) + f(i, j)"), "TL611", 4),
    "TL612": (TOTAL.replace("@rule", '@rule(beats=("nobody",))'), "TL612", 4),
    "TL613": (TOTAL.replace("total(", "contraction(").replace("@total.", "@contraction."), "TL613", 4),
    "TL614": (TOTAL.replace("@rule", "@rule(real=True)"), "TL614", 4),
    "TL131 in a rule": (TOTAL.replace("s = z", "s = [x for x in z]"), "TL131", 5),
}


@pytest.mark.parametrize(("text", "code", "line"), BAD.values(), ids=BAD)
def test_bad_files_are_told_at_their_place(text: str, code: str, line: int, tmp_path: Path) -> None:
    if "TL605" in code:
        head, tail = TOTAL.split('    return z + row_reduce("+", f, over=N, row=i)\n')
        body = TOTAL.split("-> Value:\n")[1].split("\n@")[0]
        text = head + body + tail
    (problem,) = [p for f in rule_files((folder(tmp_path, bad=text),)) for p in f.problems]
    assert (problem.code, problem.at.line) == (code, line)
    with pytest.raises(BadRules, match=f"bad.py:{line}:.*{code}") as raised:
        load_rules((tmp_path,))
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)


def test_each_code_has_a_test() -> None:
    codes = {code for code in catalogue() if code.startswith("TL6")}
    assert codes <= {code for _, code, _ in BAD.values()} | {"TL615"}
    assert all(dataclasses.is_dataclass(catalogue()[code]) and catalogue()[code].why for code in codes)


def test_rules_of_a_folder_come_after_tl2hips_own(tmp_path: Path) -> None:
    own = load_rules()
    more = load_rules((folder(tmp_path, mine=TOTAL),))
    assert [r.name for r in more] == [*(r.name for r in own), "total"]
    assert load_rules((tmp_path,)) is more


def test_own_joins_are_read_where_they_are_asked_for() -> None:
    every = rule_files()
    assert [r.name for r in load_rules()] == [r.name for f in every for r in f.rules]
    assert [r.name for r in load_joins()] == [r.name for f in every for r in f.joins] != []
    assert not any(f.joins for f in rule_files(joins=False))


def test_rule_files_import_each_other(tmp_path: Path) -> None:
    shared = "LIMIT = 3\n"
    using = "from .shared import LIMIT\n" + TOTAL
    rules = load_rules((folder(tmp_path, shared=shared, using=using),))
    assert rules[-1].name == "total"


def test_beats_comes_before_the_order_of_the_files(tmp_path: Path) -> None:
    nest = nest_of_text(
        """
        @kernel
        def sums(X: Tensor[f32, M, N], y: Tensor[f32, M]) -> None:
            for i in range(M):
                for j in range(N):
                    y[i] += X[i, j]
        """
    )
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    plain = load_rules((folder(tmp_path / "a", mine=TOTAL),))
    assert [i.rule for i in apply(nest, plain).nest.idioms] == ["row_reduction"]
    text = TOTAL.replace("@rule", '@rule(beats=("row_reduction",))')
    beating = load_rules((folder(tmp_path / "b", mine=text),))
    assert [i.rule for i in apply(nest, beating).nest.idioms] == ["total"]


def test_a_rule_of_an_expression_over_a_reduction(tmp_path: Path) -> None:
    text = """
    @rule
    def mean(f: Fn, N: Extent, i: Axis) -> Value:
        s = 0
        for j in range(N):
            s += f(i, j)
        return s / N

    @mean.becomes
    def averaged(f: Fn, N: Extent, i: Axis) -> Value:
        return row_reduce("+", f, over=N, row=i) / N
    """
    rules = load_rules((folder(tmp_path, mean=text),))
    nest = nest_of_text(
        """
        @kernel
        def norm(X: Tensor[f32, M, N], Y: Tensor[f32, M, N]) -> None:
            for i in range(M):
                Y[i, :] = X[i, :] - X[i, :].mean()
        """
    )
    verdict = apply(nest, [r for r in rules if r.name == "mean"]).verdicts[0]
    (found,) = verdict.fits
    assert dict(found.axes)["row"] == ("i",)
    assert dict(found.values)["f"].startswith("X[i, ")


def test_the_same_function_twice_must_be_the_same(tmp_path: Path) -> None:
    text = """
    @rule(real=True, identity="exp(a) * exp(b) == exp(a + b)")
    def shifted(f: Fn, N: Extent, i: Axis) -> Value:
        m = -math.inf
        for j in range(N):
            m = max(m, f(i, j))
        s = 0
        for j in range(N):
            s += math.exp(f(i, j) - m)
        return s

    @shifted.becomes
    def marked(f: Fn, N: Extent, i: Axis) -> Value:
        m = -math.inf
        s = 0
        for j in range(N):
            x = f(i, j)
            new = max(m, x)
            s = s * math.exp(m - new) + math.exp(x - new)
            m = new
        return s
    """
    rules = [r for r in load_rules((folder(tmp_path, shifted=text),)) if r.name == "shifted"]
    kernel = """
        @kernel
        def norms(X: Tensor[f32, M, N], Z: Tensor[f32, M, N], y: Tensor[f32, M]) -> None:
            for i in range(M):
                m = f32(-math.inf)
                for a in range(N):
                    m = max(m, X[i, a])
                s = f32(0)
                for b in range(N):
                    s += math.exp(X[i, b] - m)
                y[i] = s
        """
    assert apply(nest_of_text(kernel), rules).nest.idioms
    other = apply(nest_of_text(kernel.replace("exp(X", "exp(Z")), rules)
    assert not other.nest.idioms
    nearest = other.verdicts[0].nearest
    assert nearest is not None
    assert nearest.reached >= 5


def test_a_const_is_a_literal(tmp_path: Path) -> None:
    text = """
    @rule
    def scaled(f: Fn, c: Const, i: Axis) -> Value:
        return f(i) * c

    @scaled.becomes
    def marked(f: Fn, c: Const, i: Axis) -> Value:
        return elementwise(f, at=i) * c
    """
    rules = [r for r in load_rules((folder(tmp_path, scaled=text),)) if r.name == "scaled"]
    kernel = """
        @kernel
        def scale(x: Tensor[f32, N], y: Tensor[f32, N], alpha: f32) -> None:
            for i in range(N):
                y[i] = 3 * x[i]
        """
    (found,) = apply(nest_of_text(kernel), rules).nest.idioms
    assert dict(found.values) == {"f": "x[i]", "c": "np.float32(3.0)", "into": "y[i]"}
    missed = apply(nest_of_text(kernel.replace("3 *", "alpha *")), rules).verdicts[0]
    assert missed.nearest is not None
    assert missed.nearest.reason == "no literal"
