"""The other commands."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import BAD, Cli, good
from tl2hip import api
from tl2hip.prove import compiler
from tl2hip.prove.emulate import unsupported
from tl2hip.prove.machine import library
from tl2hip.source.problems import catalogue, page
from tl2hip.source.problems.marks import load_all as load_marks

proves = pytest.mark.skipif(unsupported() is not None, reason="no emulated compute unit here")
WRONG = """\
from tl2hip import Tensor, dims, f32, kernel

N = dims("N")
seen = []


@kernel
def scale(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i] * 2.0


def other(x, y):
    y[:] = x * 3


scale.function.__code__ = other.__code__
"""
"""The function that runs is not the one that is read."""


# --- verify ----------------------------------------------------------------------------------------------


@proves
def test_verify_tells_what_it_tried(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(good() + "print('hello from the file')\n")
    ran = cli("verify", "k.py", "--shapes", "4")
    assert ran.code == 0
    assert ran.err == (
        "tl2hip: verify runs your Python, to compare with it\n"
        "hello from the file\n"
        "tl2hip: 1 of 1 kernels that were tried are good\n"
    )
    assert "k.py: scale: good: " in ran.out and "worst/bound" in ran.out and "shapes: N=" in ran.out
    assert "gfx942: scale_kernel: " in ran.out and " VGPRs" in ran.out


@proves
def test_verify_runs_machine_code_as_well(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(good())
    ran = cli("verify", "--machine", "k.py", "--shapes", "3", "--format", "json")
    told = json.loads(ran.out)
    assert ran.code == 0 and told["cases"] and all(c["machine"] for c in told["cases"])
    ran = cli("verify", "--machine", "k.py", "--shapes", "3")
    assert f"  machine code: good in {len(told['cases'])} of {len(told['cases'])} cases\n" in ran.out


@proves
def test_machine_code_that_is_not_known_is_told(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "k.py").write_text(good())
    monkeypatch.setattr(library, "MEANINGS", {})
    ran = cli("verify", "--machine", "k.py", "--shapes", "3")
    assert ran.code == 1 and "error TL714: the machine code cannot be run: assembly line" in ran.out


@proves
def test_verify_finds_another_function(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(WRONG)
    ran = cli("verify", "k.py", "--shapes", "3", "--format", "json")
    assert ran.code == 1
    report = json.loads(ran.out)
    assert report["kernel"] == "scale" and not report["good"]
    assert "TL701" in {p["code"] for p in report["problems"]}


@proves
def test_verify_finds_a_fault_in_a_changed_text(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(good())
    text = cli("emit", "k.py").out
    assert "x[i] * 2.0f" in text or "* 2.0f" in text
    (tmp_path / "k.hip").write_text(text.replace("* 2.0f", "* 2.5f"))
    ran = cli("verify", "k.py", "--hip", "k.hip", "--shapes", "3")
    assert ran.code == 1 and "TL702" in ran.out
    (tmp_path / "k.hip").write_text(text.replace("const i64", "const nothing"))
    ran = cli("verify", "k.py", "--hip", "k.hip", "--shapes", "3")
    assert ran.code == 1 and "TL720" in ran.out


@proves
def test_verify_goes_on_after_a_file_that_does_not_run(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(good("a") + "\nimport no_such_module\n")
    (tmp_path / "b.py").write_text(good("b"))
    (tmp_path / "c.py").write_text(BAD)
    ran = cli("verify", ".", "--shapes", "2")
    assert ran.code == 1
    assert "a.py:11:1: TL810: " in ran.err and "ModuleNotFoundError" in ran.err and "TL132" in ran.err
    assert "b.py: b: good" in ran.out and ran.err.endswith("1 of 1 kernels that were tried are good\n")


@proves
def test_a_refused_kernel_never_stops_the_others_of_its_file(cli: Cli, tmp_path: Path) -> None:
    bad = good("b").partition("@kernel")[2].replace("x[i]", "nothing[i]")
    (tmp_path / "k.py").write_text(f"{good('a')}\n\n@kernel{bad}")
    for command in (("explain",), ("verify", "--shapes", "2"), ("inspect",)):
        ran = cli(*command, "k.py")
        assert ran.code == 1 and "TL301: `nothing` is not defined" in ran.err
        assert ran.out.startswith(("a (k.py", "k.py: a:", "k.py: a at ")) and "b (k.py" not in ran.out


@proves
def test_verify_takes_smaller_sizes_than_an_article_kernel_fixes(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(
        "import tl2hip as tl\n\n\n"
        "def double(M, N, block):\n"
        '    A = tl.InputTensor("A", [M, N], "float32")\n'
        '    B = tl.OutputTensor("B", [M, N], "float32")\n'
        "    i, j = tl.TileLoop([M, N], [block, block])\n"
        "    B[i, j].store(A[i, j].load() + A[i, j].load())\n"
        "    return tl.CompileKernel(double)\n\n\n"
        "kernel = double(M=4096, N=4096, block=32)\n"
    )
    ran = cli("verify", "k.py", "--shapes", "2")
    assert ran.code == 0, ran.err + ran.out
    assert "proven with M=40, N=16 instead" in ran.err
    assert api.verify(tmp_path / "k.py", kernel="double", shapes=2).good


def test_verify_without_a_compiler(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "k.py").write_text(good())
    monkeypatch.setenv("TL2HIP_CXX", "no-such-compiler")
    for command in ("verify", "inspect"):
        ran = cli(command, "k.py")
        assert ran.code == 2 and "here: TL2HIP_CXX names no-such-compiler" in ran.err
    ran = cli("doctor")
    assert ran.code == 2 and "NOT  compiler: TL2HIP_CXX names no-such-compiler" in ran.out


# --- inspect, doctor -------------------------------------------------------------------------------------


CONFLICTS = """\
from tl2hip import Tensor, Tile, dims, f16, f32, kernel, lds, stages, waves

M, N, K = dims("M N K")


@kernel
def gemm(A: Tensor[f16, M, K, lds(pad=32)], B: Tensor[f16, K, N], C: Tensor[f32, M, N]) -> None:
    i: Tile[int, 128, waves(2)]
    j: Tile[int, 128, waves(2)]
    k: Tile[int, 64, stages(1)]
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                s += f32(A[i, k]) * f32(B[k, j])
            C[i, j] = s
"""
"""A product whose rows in LDS meet in a bank, and which fetches nothing ahead."""


@proves
def test_inspect(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(good())
    ran = cli("inspect", "k.py")
    assert ran.code == 0 and ran.err == ""
    for part in (
        "k.py: scale at N=4096:\n",
        "VGPRs",
        "0 spilled",
        "0 of 65,536 bytes",
        "waves a SIMD",
        "instructions: ",
        "all bytes requested are used",
        "latency 200 clk, 54 B/clk latency 600 clk, 54 B/clk latency 700 clk, 27 B/clk",
        "    What an expert would say:\n    - nothing stands out: its limit is memory's bandwidth (busy ",
        "clocks are no times",
    ):
        assert part in ran.out
    assert len(ran.out.splitlines()) < 25
    found = json.loads(cli("inspect", "k.py", "--json").out)
    assert found["kernel"] == "scale" and found["sizes"] == {"N": 4096}
    (one,) = found["kernels"]
    assert one["vgpr_spills"] == 0 and found["coalescing"][0]["efficiency"] == 1.0
    assert found["bank_conflicts"] == [] and found["findings"] == [] and one["remarks"] == []
    assert all(use["python"].startswith("k.py:") and use["bytes_used"] for use in one["accesses"])
    told = found["model"]
    (settings,) = told["kernels"].values()
    assert [s["latency"] for s in settings] == [200, 600, 700] and told["sizes"] == {"N": 4096}
    assert all(0 < s["busy"]["memory"] <= 1 and s["clocks_a_block"] > 0 for s in settings)


@proves
def test_inspect_says_what_an_expert_would_say(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(CONFLICTS)
    text = cli("emit", "k.py").out.splitlines()
    ran = cli("inspect", "k.py", "--for", "M=128", "N=128", "K=512")
    assert ran.code == 0 and "k.py: gemm at M=128 K=512 N=128:" in ran.out
    told = " ".join(ran.out.split())
    (conflict,) = re.findall(r"LDS reads conflict 2-way at line (\d+) \(k.py:14\): row pitch 192 bytes;", told)
    assert "lds_A[" in text[int(conflict) - 1]
    (wait,) = re.findall(r"on vmcnt at line (\d+) \(k.py:14\): nothing is prefetched, the loads are issued", told)
    assert "turned_B[e][q] = next_B[q][e]" in text[int(wait) - 1]
    assert "1 block for 304 compute units of an MI300X: 303 have nothing to do" in told
    assert "gemm_kernel_any_size: not launched at these sizes; " in told
    # Each line of accesses for itself, and the same as data, which is the same each time.
    every = cli("inspect", "k.py", "--accesses").out
    assert f"4 x ds_read_b128 at line {conflict} (k.py:14): conflicts, 2.00 x" in every
    data = cli("inspect", "k.py", "--json").out
    assert data == cli("inspect", "k.py", "--json").out
    kernel, *others = json.loads(data)["kernels"]
    ways = {use["kernel_line"]: use["ways"] for use in kernel["accesses"] if use["lds"]}
    assert ways[int(conflict)] == 2.0 and min(ways.values()) == 1.0
    assert "few_blocks" not in [one["rule"] for one in kernel["remarks"]]  # of sizes that nobody chose
    assert [one["launched_blocks"] for one in (kernel, *others)] == [16, 0, 0]
    hot = [loop["own"]["mfma"] for loop in kernel["loops"]]
    assert max(hot) == kernel["hot_loop"]["own"]["mfma"] == 64


@proves
def test_no_pad_is_told_for_lanes_that_are_several_rows_apart(cli: Cli, tmp_path: Path) -> None:
    """A turned tile is stored eight rows from lane to lane: a pad of 16 more would leave the conflicts there."""
    turned = CONFLICTS.replace(", lds(pad=32)", "").replace("f16, K, N]", "f16, K, N, lds(pad=8)]")
    turned = turned.replace("128, waves(2)", "64").replace("64, stages(1)", "32")
    (tmp_path / "k.py").write_text(turned)
    told = " ".join(cli("inspect", "k.py").out.split())
    assert re.search(r"LDS writes conflict 4-way at line \d+ \(k.py:14\): lanes are 640 bytes apart", told)
    assert "row pitch 640" not in told and "more in `lds(pad" not in told


@proves
def test_inspect_at_sizes_that_launch_nothing(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(good())
    ran = cli("inspect", "k.py", "--for", "N=0")
    assert ran.code == 0 and "not launched at these sizes" in ran.out and "Scalar loads take" not in ran.out


@proves
def test_inspect_without_the_model(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(good())
    ran = cli("inspect", "k.py", "--no-model")
    assert ran.code == 0 and "100% coalesced at line " in ran.out and "expert" not in ran.out
    assert json.loads(cli("inspect", "k.py", "--no-model", "--json").out)["model"] is None


@proves
def test_what_cannot_be_modelled_is_told(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "k.py").write_text(good())
    monkeypatch.setattr(library, "MEANINGS", {})
    ran = cli("inspect", "k.py")
    assert ran.code == 0 and "  not modelled: assembly line " in ran.out and "100% coalesced" in ran.out
    told = json.loads(cli("inspect", "k.py", "--json").out)
    assert told["model"] is None and told["not_modelled"].startswith("assembly line ")


@proves
def test_sizes_too_large_for_a_whole_run(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(CONFLICTS)
    ran = cli("inspect", "k.py", "--for", "M=2048", "N=2048", "K=64")
    assert ran.code == 0 and "of the kernels only the first one is modelled" in ran.out
    assert "256 blocks" in ran.out and "gemm_kernel_any_size: not modelled; " in ran.out


@proves
@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        (("M=1",), "--for gives M; the sizes of scale are: N"),
        (("N=-1",), "-1 in 'N=-1' is no size from 0 up"),
        (("N=9223372036854775808",), "in 'N=9223372036854775808' is no size from 0 up, within 64 bits"),
        (("N=1", "N=2"), "--for gives N the values 1 and 2"),
    ],
)
def test_sizes_that_a_kernel_does_not_have(cli: Cli, tmp_path: Path, sizes: tuple[str, ...], told: str) -> None:
    (tmp_path / "k.py").write_text(good())
    ran = cli("inspect", "k.py", "--for", *sizes)
    assert ran.code == 2 and told in ran.err


def test_doctor(cli: Cli) -> None:
    ran = cli("doctor")
    assert ran.code == (0 if compiler.compilers() and unsupported() is None else 2)
    facts = [json.loads(line) for line in cli("doctor", "--json").out.splitlines()]
    assert facts[0]["about"] == "versions" and "libcst" in facts[0]["text"]


# --- explain, test-rules ---------------------------------------------------------------------------------


def test_names_that_no_file_has_are_told(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(good())
    for command in ("explain", "emit"):
        ran = cli(command, "k.py", "--kernel", "scale", "--kernel", "nope")
        assert ran.code == 2 and "TL803: no function named `nope` was found\n  help: found were: scale" in ran.err


def test_seconds_are_above_0(cli: Cli) -> None:
    for wrong in ("0", "-1", "nan", "soon"):
        ran = cli("verify", "k.py", f"--seconds={wrong}")
        assert ran.code == 2 and f"{wrong!r} is no number of seconds above 0" in ran.err


def test_explain_a_file(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(good())
    ran = cli("explain", "k.py")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == api.explain(Path("k.py"))
    assert ran.out.startswith("scale (k.py:7)\n  loops:\n    i, line 8: for i in range(N):\n      went to: grid x")
    assert "elementwise fits in line 9" in ran.out and "contraction does not fit" in ran.out


@pytest.mark.parametrize("code", ["TL111", "TL8", "tl806"])
def test_explain_a_code(cli: Cli, code: str) -> None:
    ran = cli("explain", code)
    if code == "TL8":
        assert ran.code == 2 and "TL809: there is no code TL8" in ran.err and "TL801" in ran.err
    else:
        assert ran.code == 0 and ran.out == page(catalogue()[code.upper()])


def test_every_page_is_printed(cli: Cli) -> None:
    load_marks()
    codes = list(catalogue())
    ran = cli("explain", *codes)
    assert ran.code == 0 and all(f"# {code}: " in ran.out for code in codes)


def test_use_has_whole_pages() -> None:
    kinds = [k for code, k in catalogue().items() if code.startswith("TL8")]
    assert len(kinds) >= 10
    for kind in kinds:
        assert kind.why and kind.example and kind.rewrite and kind.help, kind.code


def test_rules_that_cannot_be_used_are_told(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "mine.py").write_text("import no_such_module\n")
    (tmp_path / "k.py").write_text(good())
    ran = cli("emit", "k.py", "--rules", "rules")
    assert ran.code == 2 and "rules/mine.py" in ran.err and "TL601" in ran.err and ran.out == ""
    ran = cli("test-rules", "rules")
    assert ran.code == 1 and "no_such_module" in ran.out


def test_an_empty_folder_of_rules_is_sound(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    ran = cli("test-rules", "rules")
    assert ran.code == 0 and ran.out.startswith("0 rules") or "0 rules" in ran.out
