"""`tl2hip emit`: where texts go, what is told, and how the run ends."""

from __future__ import annotations

import io
import json
import multiprocessing
import os
import shutil
import stat
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import BAD, Cli, good
from tl2hip import api
from tl2hip.cli import emit, jobs, work
from tl2hip.cli.inputs import Input
from tl2hip.cli.work import Outcome, Wanted

SUMMARY = "tl2hip: kernels: {} converted, {} unchanged, {} refused"


def summary(*counts: int) -> str:
    return SUMMARY.format(*counts)


# --- one file --------------------------------------------------------------------------------------------


def test_a_file_goes_to_stdout(cli: Cli, folder: Path) -> None:
    ran = cli("emit", "one.py")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == api.emit_hip(folder / "one.py")
    assert ran.out.startswith("// Written by tl2hip from one.py")


def test_a_file_is_written(cli: Cli, folder: Path) -> None:
    ran = cli("emit", "one.py", "-o", "out.hip")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == summary(1, 0, 0) + "\n"
    assert (folder / "out.hip").read_bytes().decode() == api.emit_hip(folder / "one.py")
    assert cli("emit", "one.py", "-o", "out.hip").err == summary(0, 1, 0) + "\n"


def test_two_kernels_of_a_file_are_one_text(cli: Cli, tmp_path: Path) -> None:
    second = good("double").split("\n\n\n")[1]
    (tmp_path / "two.py").write_text(good("one") + "\n\n" + second)
    ran = cli("emit", "two.py")
    assert ran.code == 0 and ran.out.count("#pragma clang fp contract(off)") == 1
    assert "hipError_t one(" in ran.out and "hipError_t double_(" in ran.out
    assert "hipError_t one(" not in cli("emit", "two.py", "--kernel", "double").out
    assert cli("emit", "two.py", "--all", "-o", "both.hip").code == 0
    assert (tmp_path / "both.hip").read_text() == ran.out


def test_a_refused_kernel_does_not_stop_the_other(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "two.py").write_text(BAD + "\n\n" + good().split("\n\n\n")[1])
    ran = cli("emit", "two.py")
    assert ran.code == 1 and "TL132" in ran.err
    assert "hipError_t scale(" in ran.out and "weigh" not in ran.out


def test_stdin(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(good().encode())))
    ran = cli("emit", "-")
    assert ran.code == 0 and ran.out.startswith("// Written by tl2hip from <stdin> for gfx942.\n")


def test_sizes_and_tiles(cli: Cli, folder: Path) -> None:
    ran = cli("emit", "one.py", "--set", "N=4096", "--tile", "i=512")
    assert ran.code == 0
    assert ran.out == api.emit_hip(folder / "one.py", sets={"N": 4096}, tiles={"i": 512})
    assert "4096" in ran.out and "tiles of 512" in ran.out


@pytest.mark.parametrize(
    "stage, part",
    [
        ("read", "Function at 7:1 name='one'"),
        ("nest", "def one(x, y):"),
        ("rules", "#   elementwise fits in line 9"),
        ("plan", "plan of one for gfx942"),
    ],
)
def test_a_stage_is_printed(cli: Cli, folder: Path, stage: str, part: str) -> None:
    ran = cli("emit", "one.py", "--stop-after", stage)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"# Written by tl2hip from one.py: {stage}.\n") and part in ran.out
    assert cli("emit", "one.py", "--stop-after", stage, "-o", "hip/").code == 0
    (written,) = (folder / "hip").iterdir()
    assert written.name.startswith(f"one.{stage}.") and written.read_text() == ran.out


# --- folders ---------------------------------------------------------------------------------------------


def test_a_folder_is_converted_whole(cli: Cli, folder: Path) -> None:
    ran = cli("emit", ".", "-o", "hip")
    assert ran.code == 1 and ran.out == ""
    assert ran.err.endswith(summary(2, 0, 1) + "; 1 file without kernels skipped\n")
    assert ran.err.startswith("sub/bad.py:8:14: TL132: ")
    written = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.hip"))
    assert written == ["hip/one.hip", "hip/sub/two.hip"]
    assert (folder / "hip/sub/two.hip").read_text() == api.emit_hip(folder / "sub/two.py")


def test_files_of_a_folder_are_chosen_by_patterns(cli: Cli, folder: Path) -> None:
    def written(*options: str) -> list[str]:
        ran = cli("emit", ".", "-o", "chosen", *options)
        found = sorted(p.relative_to(folder / "chosen").as_posix() for p in (folder / "chosen").rglob("*.hip"))
        shutil.rmtree(folder / "chosen", ignore_errors=True)
        return [*found, ran.err.rpartition("; ")[2].strip()]

    assert written("--exclude", "sub/") == ["one.hip", "2 files left out by --include or --exclude"]
    assert written("--include", "two.py") == ["sub/two.hip", "3 files left out by --include or --exclude"]
    assert written("--include", "sub", "--exclude", "b?d.py")[0] == "sub/two.hip"
    assert written("--include", "sub/*.py", "--include", "/one.py")[:2] == ["one.hip", "sub/two.hip"]
    assert cli("emit", "one.py", "--exclude", "*.py").code == 0  # a file that is named is meant
    assert cli("verify", ".", "--include", "nothing.py").code == 2


@pytest.mark.parametrize("text", ["!keep.py", "# all", "", "/"])
def test_patterns_that_match_nothing_are_refused(cli: Cli, folder: Path, text: str) -> None:
    ran = cli("emit", ".", "-o", "hip", "--exclude", text)
    assert ran.code == 2 and f"--exclude {text!r} matches no file" in ran.err


def test_several_texts_never_make_a_folder_of_a_name_for_a_file(cli: Cli, folder: Path) -> None:
    both = ("emit", "one.py", "sub/two.py", "-o")
    ran = cli(*both, "all.hip")
    assert (ran.code, ran.out) == (2, "")
    assert "TL804: several inputs cannot be written to the file all.hip\n" in ran.err and "-o DIR/" in ran.err
    assert not (folder / "all.hip").exists()
    assert cli(*both, "all.hip/").code == 0 and (folder / "all.hip" / "two.hip").is_file()
    assert cli(*both, "all.hip", "--check").code == 0
    assert cli(*both, "v1.2").code == 0 and (folder / "v1.2" / "one.hip").is_file()


def test_the_same_bytes_and_order_for_any_number_of_jobs(cli: Cli, folder: Path) -> None:
    for number in range(20):
        (folder / f"k{number:02}.py").write_text(good(f"k{number}", number + 0.5))
    runs = {n: cli("emit", ".", "-o", f"hip{n}", "--jobs", str(n)) for n in (1, 2)}
    assert runs[1].err == runs[2].err and runs[1].code == runs[2].code == 1
    texts = [
        {p.relative_to(folder / f"hip{n}"): p.read_bytes() for p in (folder / f"hip{n}").rglob("*.hip")}
        for n in (1, 2)
    ]
    assert texts[0] == texts[1] and len(texts[0]) == 22
    lines = [cli("emit", ".", "--format", "json", "--jobs", str(n)).out for n in (1, 2)]
    assert lines[0] == lines[1]


def test_nothing_is_run(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(good() + f"\nopen({str(tmp_path / 'ran')!r}, 'w')\n")
    assert cli("emit", "loud.py").code == 0
    assert cli("explain", "loud.py").code == 0
    assert not (tmp_path / "ran").exists()


def test_outputs_in_a_folder_are_no_inputs(cli: Cli, folder: Path) -> None:
    assert cli("emit", "one.py", "--stop-after", "nest", "-o", "one_nest.py").code == 0
    ran = cli("emit", ".", "-o", "hip")
    assert "one_nest.py" not in ran.err and ran.err.endswith("; 2 files without kernels skipped\n")
    ran = cli("emit", "one_nest.py")
    assert ran.code == 1 and "one_nest.py: TL808: " in ran.err


# --- check, diff, JSON -----------------------------------------------------------------------------------


def test_check_writes_nothing(cli: Cli, folder: Path) -> None:
    ran = cli("emit", "one.py", "--check")
    assert (ran.code, ran.out) == (1, "") and "one.hip: is missing" in ran.err
    assert not (folder / "one.hip").exists()
    cli("emit", "one.py", "-o", "one.hip")
    assert cli("emit", "one.py", "--check").code == 0
    (folder / "one.py").write_text(good("one", 3.0))
    before = (folder / "one.hip").read_bytes()
    ran = cli("emit", "one.py", "--check")
    assert ran.code == 1 and "one.hip: would change" in ran.err
    assert (folder / "one.hip").read_bytes() == before


def test_diff_tells_refusals_too(cli: Cli, folder: Path) -> None:
    cli("emit", "one.py", "-o", "one.hip")
    (folder / "one.py").write_text(good("one", 3.0))
    ran = cli("emit", ".", "--diff")
    assert ran.code == 1 and "TL132" in ran.err
    assert ran.out.startswith("--- one.hip\n+++ one.hip\n@@ ")
    changed = [line for line in ran.out.splitlines() if line[:1] in "+-" and line[:3] not in ("---", "+++")]
    assert any("3.0f" in line for line in changed if line.startswith("+"))
    assert "--- /dev/null\n+++ sub/two.hip\n" in ran.out


def test_json_is_one_object_a_kernel(cli: Cli, folder: Path) -> None:
    (folder / "sub" / "broken.py").write_text("import tl2hip\nkernel = (\n")
    ran = cli("emit", ".", "--format", "json")
    found = [json.loads(line) for line in ran.out.splitlines()]
    assert ran.code == 1
    assert [(o["file"], o["kernel"], o["status"]) for o in found] == [
        ("one.py", "one", "converted"),
        ("sub/bad.py", "weigh", "refused"),
        ("sub/broken.py", None, "refused"),
        ("sub/two.py", "two", "converted"),
    ]
    assert found[0]["text"] == api.emit_hip(folder / "one.py")
    keys = ["file", "kernel", "line", "status", "output", "text", "problems"]
    assert all(list(o) == keys for o in found)
    (problem,) = found[1]["problems"]
    assert (problem["code"], problem["severity"]) == ("TL132", "error")
    assert (problem["line"], problem["column"], problem["end_line"], problem["end_column"]) == (8, 14, 8, 22)
    assert found[2]["problems"][0]["code"] == "TL101"


# --- wrong use -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code, argv",
    [
        ("TL801", ["emit"]),
        ("TL801", ["emit", "one.py", "--no-such-option"]),
        ("TL801", ["emit", "one.py", "--set", "N=many"]),
        ("TL801", ["emit", "one.py", "--set", "N=1", "--set", "N=2"]),
        ("TL801", ["emit", "one.py", "--jobs", "0"]),
        ("TL801", ["emit", "one.py", "--rules", "nowhere"]),
        ("TL801", ["emit", "one.py", "--check", "-o", "-"]),
        ("TL801", ["explain", "TL101", "one.py"]),
        ("TL801", ["test-rules", "nowhere"]),
        ("TL801", ["verify", "-"]),
        ("TL103", ["verify", "one.py", "--hip", "nowhere.hip"]),
        ("TL801", ["no-such-command"]),
        ("TL802", ["emit", "plain.py"]),
        ("TL802", ["explain", "plain.py"]),
        ("TL803", ["emit", "one.py", "--kernel", "two"]),
        ("TL804", ["emit", "."]),
        ("TL804", ["emit", "one.py", "sub/two.py"]),
        ("TL804", ["emit", ".", "-o", "plain.py"]),
        ("TL804", ["emit", ".", "-o", "all.hip"]),
        ("TL804", ["emit", "one.py", "sub/two.py", "-o", "new/all.CPP", "--check"]),
        ("TL805", ["emit", "one.py", "sub/two.py", "same/one.py", "-o", "hip/"]),
        ("TL806", ["emit", "one.py", "-o", "one.py"]),
        ("TL806", ["emit", "one.py", "-o", "plain.py"]),
        ("TL807", ["emit", "one.py", "-o", "plain.py/one.hip"]),
        ("TL809", ["explain", "TL099"]),
        ("TL103", ["emit", "nowhere.py"]),
    ],
)
def test_wrong_use_is_told(cli: Cli, folder: Path, code: str, argv: list[str]) -> None:
    (folder / "same").mkdir()
    (folder / "same" / "one.py").write_text(good("other"))
    before = {p: p.read_bytes() for p in folder.rglob("*.py")}
    ran = cli(*argv)
    assert ran.code == 2 and f": {code}: " in ran.err and "\n  help: " in ran.err
    assert {p: p.read_bytes() for p in folder.rglob("*.py")} == before


def test_one_missing_file_does_not_stop_the_others(cli: Cli, folder: Path) -> None:
    ran = cli("emit", "nowhere.py", "one.py", "-o", "hip/")
    assert ran.code == 2 and "nowhere.py: TL103: " in ran.err and (folder / "hip" / "one.hip").exists()


def test_a_failed_write_leaves_nothing(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("emit", "one.py", "-o", "hip/")
    before = (folder / "hip" / "one.hip").read_bytes()
    (folder / "one.py").write_text(good("one", 3.0))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    ran = cli("emit", "one.py", "-o", "hip/")
    assert ran.code == 2 and "TL807: hip/one.hip cannot be written: No space left on device" in ran.err
    assert [p.name for p in (folder / "hip").iterdir()] == ["one.hip"]
    assert (folder / "hip" / "one.hip").read_bytes() == before


@pytest.mark.skipif(os.name == "nt", reason="modes and links of POSIX")
def test_modes_and_links_are_kept(cli: Cli, folder: Path) -> None:
    cli("emit", "one.py", "-o", "real.hip")
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((folder / "real.hip").stat().st_mode) == 0o666 & ~umask
    (folder / "real.hip").chmod(0o640)
    (folder / "link.hip").symlink_to("real.hip")
    (folder / "one.py").write_text(good("one", 3.0))
    assert cli("emit", "one.py", "-o", "link.hip").code == 0
    assert (folder / "link.hip").is_symlink() and "3.0f" in (folder / "real.hip").read_text()
    assert stat.S_IMODE((folder / "real.hip").stat().st_mode) == 0o640
    assert cli("emit", "one.py", "-o", "/dev/null").code == 0


# --- faults of tl2hip ------------------------------------------------------------------------------------


def test_a_fault_is_a_block_to_report(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyError("no such axis")

    monkeypatch.setattr(api, "nest_of", broken)
    ran = cli("emit", ".", "-o", "hip")
    assert ran.code == 3 and "Traceback" not in ran.err
    assert "tl2hip: internal error: KeyError: 'no such axis' (while converting one.py)" in ran.err
    assert "  command: tl2hip emit . -o hip\n" in ran.err and "  versions: tl2hip " in ran.err
    assert ran.err.count("please report") == 2, "every file is tried"


def test_a_fault_outside_files_is_one_too(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emit, "_finish", lambda run: 1 // 0)
    ran = cli("emit", "one.py")
    assert ran.code == 3 and "internal error: ZeroDivisionError" in ran.err and "Traceback" not in ran.err


def test_an_interrupted_run_is_quiet(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(jobs, "work", interrupted)
    ran = cli("emit", "one.py")
    assert (ran.code, ran.err) == (130, "tl2hip: interrupted\n")


def die(*_: object) -> Outcome:
    os._exit(1)


@pytest.mark.skipif(multiprocessing.get_start_method() != "fork", reason="the fault is planted in this process")
def test_a_process_that_dies_takes_its_file_only(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = work.work

    def sometimes(source: Input, wanted: Wanted) -> Outcome:
        return die() if source.name == "one.py" else kept(source, wanted)

    monkeypatch.setattr(jobs, "work", sometimes)
    ran = cli("emit", ".", "-o", "hip", "--jobs", "2")
    assert ran.code == 1 and "one.py: TL811: " in ran.err
    assert [p.name for p in (folder / "hip").rglob("*.hip")] == ["two.hip"]


def test_a_named_file_that_is_no_python_is_told_so_though_it_speaks_of_no_kernel(cli: Cli, folder: Path) -> None:
    (folder / "plain.py").write_text("x = (1\n")
    ran = cli("emit", "plain.py")
    assert ran.code == 1 and "plain.py:1:5: TL101" in ran.err and "TL802" not in ran.err


# --- types from outside ----------------------------------------------------------------------------------


def test_types_are_given_beside_the_file(cli: Cli, folder: Path) -> None:
    (folder / "plain.py").write_text("def f(x, y):\n    for i in range(len(y)):\n        y[i] = x[i]\n")
    ran = cli("emit", "plain.py", "--types", "f(x=f32[N], y=f32[N])")
    assert ran.code == 0 and "f(const float *x, float *y, i64 N, hipStream_t stream)" in ran.out
    ran = cli("emit", "plain.py", "--types", "f(x=f32[N]")
    assert ran.code == 2 and "is not NAME(x=f32[N], …)" in ran.err
    ran = cli("emit", "plain.py", "--types", "g(x=f32[N])")
    assert ran.code == 2 and "TL802" in ran.err
    ran = cli("emit", "plain.py", "--types", "f(z=f32[N])")
    assert ran.code == 1 and "TL316" in ran.err
