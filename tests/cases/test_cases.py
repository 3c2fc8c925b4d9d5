"""Every kernel of this folder, its Python, its nest and its printed HIP beside each other, without a finding."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from tests.proofs import prove
from tl2hip import api
from tl2hip.prove.compiled import compiled

HERE = Path(__file__).parent
AREAS = (
    *("reductions", "integers", "floats", "slices", "programs", "updates", "spellings"),
    *("jumps", "order", "host", "ragged", "iteration", "arrays"),
)


def kernels() -> list[tuple[str, str]]:
    """Each kernel as (area, name)."""
    found = []
    for area in AREAS:
        read = api.convert(api.source_of(HERE / f"{area}.py"), stop_after="read")
        found += [(area, k.name) for k in read.kernels]
    return found


@pytest.mark.parametrize(("area", "name"), kernels())
def test_case(area: str, name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = prove(HERE / f"{area}.py", name, shapes=2, work=3_000, python_work=3_000)
    assert report.good, report.text
    assert any(c.python == "equal" for c in report.cases), report.text


REFUSED = (
    ("W = [1, 2, 3]", "y[i] = x[i] * W[x[i]]", "TL340", "x[i]"),
    ("W = [1, 2, 3]", "y[i] = x[i] * W[x[i] > 0]", "TL340", "x[i] > 0"),
    ("W = [(1, 2), (3, 4)]", "y[i] = x[i] * W[i % 2][0]", "TL340", "i % 2"),
    (f"W = ({'1, ' * 65})", "y[i] = x[i] * W[i % 65]", "TL340", "i % 65"),
    ("W = [1, 2, 3]", "y[i] = x[i] * W[3]", "TL340", "3"),
    ("", "y[i] = [0.0] * 4", "TL340", "[0.0]"),
    ("", "x[x > 1] = 0", "TL331", "x > 1"),
    ("", "y[i] = x[i / 2]", "TL331", "i / 2"),
)


@pytest.mark.parametrize(("above", "line", "code", "underlined"), REFUSED)
def test_what_is_refused_is_told_at_its_place(above: str, line: str, code: str, underlined: str) -> None:
    text = f"""from tl2hip import Tensor, dims, f32, kernel

N = dims("N")
{above}

@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        {line}
"""
    (problem,) = api.convert(api.source_of(text)).errors
    assert problem.code == code
    assert text.splitlines()[problem.at.line - 1][problem.at.column : problem.at.end_column] == underlined
    assert problem.way_out


FOLDED = """from tl2hip import Tensor, dims, f32, kernel, strides

M, N = dims("M N")


@kernel
def f(x: Tensor[f32, N, M], y: Tensor[f32, N, M, strides({strides})]) -> None:
    for i in range(N):
        for j in range(M):
            y[i, j] = x[i, j]
"""


@pytest.mark.parametrize("strides", ["1, 1", "2, 1"])
def test_the_launcher_refuses_strides_by_which_written_elements_share_memory(strides: str) -> None:
    given = ({"N": 3, "M": 5}, {"N": 0, "M": 5})
    report = api.verify(FOLDED.format(strides=strides), shapes=0, given=given)
    assert {p.code for p in report.problems} == {"TL705"}
    assert all(c.good == (c.sizes["N"] == 0) for c in report.cases)


def test_shapes_are_drawn_that_the_launcher_takes() -> None:
    report = api.verify(FOLDED.format(strides="M + 8, 25"), shapes=8)
    assert report.good, report.text
    assert any(min(c.sizes.values()) > 1 for c in report.cases)


def test_shapes_too_large_to_hold_are_told() -> None:
    text = FOLDED.format(strides="M, 1").replace("Tensor[f32, N, M]", "Tensor[f32, 100000, 100000]")
    report = api.verify(text, shapes=2)
    assert {p.code for p in report.problems} == {"TL710"} and not report.good


SET = """from tl2hip import Tensor, dims, f32, kernel

N = dims("N")


@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i]
"""


@pytest.mark.parametrize(
    ("sets", "tiles", "code"),
    [
        ({"N": -1}, {}, "TL306"),
        ({"N": 2**63}, {}, "TL306"),
        ({}, {"i": 0}, "TL202"),
        ({}, {"i": -64}, "TL202"),
        ({}, {"i": 65537}, "TL202"),
    ],
)
def test_sizes_and_tiles_that_are_set_have_their_range(
    sets: dict[str, int], tiles: dict[str, int], code: str
) -> None:
    done = api.convert(api.source_of(SET), api.Options(sets=sets, tiles=tiles))
    assert [p.code for p in done.errors] == [code]


@pytest.mark.parametrize("area", AREAS)
def test_an_area_compiles_as_one_file(area: str) -> None:
    done = api.convert(api.source_of(HERE / f"{area}.py"))
    found = compiled(done.text, done.kernels[0].function.at)
    assert not found.problems, found.problems[0].text
