"""Texts, paths and places at which such tools have failed."""

from __future__ import annotations

import re
from itertools import permutations
from pathlib import Path

import pytest

from tests.acceptance.row import ROOT
from tl2hip import api
from tl2hip.cli import main

PARAMETERS = ("A: Tensor[f32, M, 2 * N]", "x: Tensor[f32, N]", "y: Tensor[f32, M]")
PERMUTED = """from tl2hip import Tensor, dims, f32, kernel

M, N = dims("M N")


@kernel
def f({parameters}) -> None:
    for i in range(M):
        s = f32(0)
        for j in range(N):
            s += A[i, 2 * j] * x[j]
        y[i] = s
"""


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_parameters_in_any_order(order: tuple[int, ...]) -> None:
    parameters = [PARAMETERS[k] for k in order]
    text = PERMUTED.format(parameters=", ".join(parameters))
    done = api.convert(api.source_of(text))
    assert not done.errors, done.told
    launcher = done.text[done.text.index("hipError_t f(") :].partition(")")[0]
    names = re.findall(r"\*?(\w+)(?:,|$)", launcher)
    assert names[:3] == [p[0] for p in parameters]


BIG = """from tl2hip import Tensor, dims, f32, kernel

N = dims("N")


@kernel
def big(x: Tensor[f32, 8192, 8192, 64], y: Tensor[f32, 8192, 8192, 64], z: Tensor[f32, N], n: int, m: int) -> None:
    for i in range(8192):
        for j in range(8192):
            for k in range(64):
                y[i, j, k] = x[i, j, k] * 2
    for i in range(n):
        for j in range(m):
            z[i * m + j] = i
"""


def test_offsets_are_of_64_bits() -> None:
    text = api.emit_hip(BIG)
    narrow = re.findall(r"\b(?:int|unsigned|unsigned int) (\w+) = (.*?);", text)
    assert {start for _, start in narrow} <= {"0"}, "only counters of unrolled loops"
    assert "i64 i" in text and "4294967296LL" in text


def test_no_lane_counts_to_32() -> None:
    found = []
    for path in sorted((ROOT / "golden").glob("*/kernel.hip")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if re.search(r"threadIdx\.x *(?:[&%] *(?:31|32)|[/] *32|>> *5)\b|warpSize|__shfl", line):
                found.append(f"{path.parent.name}: {line}")
    assert not found


def test_white_space_is_the_printers_own() -> None:
    for path in sorted((ROOT / "golden").glob("*/kernel.hip")):
        text = path.read_text(encoding="utf-8")
        assert text.endswith(("}\n", "#endif\n")), path
        assert not re.search(r"[ \t]\n|\n\n\n|\t|\{\n\n|\n\n *\}", text), path


KERNEL = """from tl2hip import Tensor, dims, f32, kernel

N = dims("N")


@kernel
def f(x: Tensor[f32, N]) -> None:
    for i in range(N):
        x[i] = 1
"""


def test_paths_of_any_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "größe und 变量"
    folder.mkdir()
    file = folder / "a kernel.py"
    file.write_text(KERNEL, encoding="utf-8")
    (tmp_path / "link.py").symlink_to(file)
    monkeypatch.chdir(tmp_path)
    for path in (str(file), "größe und 变量/a kernel.py", "./größe und 变量/../link.py"):
        assert main(["emit", path]) == 0
        assert "f_kernel" in capsys.readouterr().out
    assert main(["emit", str(folder), "-o", "out folder"]) == 0
    assert (tmp_path / "out folder" / "a kernel.hip").read_text(encoding="utf-8").count("hipError_t f(") >= 1
