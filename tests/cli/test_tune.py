"""`tl2hip tune`: what it prints, writes and refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.tune.judgements import ROWS
from tl2hip import api
from tl2hip.prove import compiler
from tl2hip.prove.emulate import unsupported
from tl2hip.source.span import Source
from tl2hip.tune import executors, search, store
from tl2hip.tune.judge import Judged
from tl2hip.tune.workers import Here

proves = pytest.mark.skipif(unsupported() is not None, reason="no emulated compute unit here")
GOLDEN = Path(__file__).parents[2] / "golden"
QUICK = ("--for", "M=608", "N=512", "--jobs", "1", "--budget", "5", "--marks", "tile,waves")
MARK = "    i: Tile[int, 16]  # by hand\n"
SLOW = ROWS.replace("Tensor, dims", "Tensor, Tile, dims").replace("    for i", f"{MARK}    for i", 1)


@pytest.fixture(autouse=True)
def own_store(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judgements of these tests are kept by themselves."""
    folder = tmp_path_factory.mktemp("stores")
    monkeypatch.setattr(store, "folder", lambda: folder)
    return folder


def judging(monkeypatch: pytest.MonkeyPatch, instead: Callable[[Judged], Judged]) -> None:
    """Judgements come through a function."""
    judge = search.judge
    monkeypatch.setattr(search, "judge", lambda *given: instead(judge(*given)))


@proves
def test_tune_tells_the_best_with_reasons(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(SLOW)
    ran = cli("tune", "k.py", *QUICK)
    assert ran.code == 0 and ran.err == ""
    lines = ran.out.splitlines()
    assert lines[0] == "k.py: totals, launched for M=608 N=512"
    assert "its clocks are no times" in ran.out and "latency 200 clk, 54 B/clk" in ran.out
    assert "(the file as it is)" in ran.out and "busy VALU" in ran.out and "; waits " in ran.out
    assert "The order " in ran.out and "texts converted, " in ran.out and ", 0 known from before:" in ran.out
    assert " refused, TL213: mark that the plan of its loop cannot honour; one of them: " in ran.out
    assert "The budget ended the search" in ran.out
    again = cli("tune", "k.py", *QUICK)
    assert again.out.splitlines()[:8] == lines[:8] and "0 known from before" not in again.out
    assert (tmp_path / "k.py").read_text() == SLOW


@proves
def test_apply_writes_what_was_ranked_and_nothing_else(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_bytes(SLOW.replace("\n", "\r\n").encode())
    ran = cli("tune", "k.py", *QUICK, "--apply", "--json")
    told = json.loads(ran.out)
    assert ran.code == 0 and ran.err == "tl2hip: marks written into k.py\n"
    best = told["ranked"][0]
    assert best["score"] < told["start"] and told["sizes"] == {"M": 608, "N": 512} and not told["whole"]
    assert len(best["kernels"][0]["clocks"]) == len(told["settings"]) == 3
    written = (tmp_path / "k.py").read_bytes().decode()
    assert "\r\n" in written and "\n" not in written.replace("\r\n", "")
    kept = [line for line in written.split("\r\n") if "Tile" not in line and "import" not in line]
    assert kept == [line for line in SLOW.split("\n") if "Tile" not in line and "import" not in line]
    for loop, said in best["marks"].items():
        assert f"{loop}: Tile[int" in written and all(str(n) in written for n in said.values())
    assert not api.convert(Source("k.py", written)).errors
    again = cli("tune", "k.py", *QUICK, "--apply")
    assert again.err == "" and "Nothing is better than the file as it is" in again.out


@proves
def test_a_file_that_changed_meanwhile_is_left_as_it_is(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "k.py"
    path.write_text(SLOW)

    def change(one: Judged) -> Judged:
        path.write_text(SLOW + "# more\n")
        return one

    judging(monkeypatch, change)
    ran = cli("tune", "k.py", *QUICK, "--apply")
    assert ran.code == 1 and "TL813" in ran.err and path.read_text() == SLOW + "# more\n"


@proves
def test_a_file_that_is_gone_or_read_only_is_left_as_it_is(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "k.py"
    path.write_text(SLOW)
    path.chmod(0o444)
    ran = cli("tune", "k.py", *QUICK, "--apply")
    assert ran.code == 1 and "TL807: k.py cannot be written: it is read-only" in ran.err
    assert path.read_text() == SLOW
    load = api.convert

    def remove(*given: Any, **more: Any) -> api.Conversion:
        path.unlink(missing_ok=True)
        return load(*given, **more)

    monkeypatch.setattr(api, "convert", remove)
    ran = cli("tune", "k.py", *QUICK, "--apply")
    assert ran.code == 1 and "TL813" in ran.err and not path.exists()


@proves
def test_a_file_that_changes_while_it_is_converted_is_left_as_it_is(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "k.py"
    path.write_text(SLOW)
    load = api.convert

    def change(*given: Any, **more: Any) -> api.Conversion:
        path.write_text(SLOW + "# more\n")
        return load(*given, **more)

    monkeypatch.setattr(api, "convert", change)
    ran = cli("tune", "k.py", *QUICK, "--apply")
    assert ran.code == 1 and "TL813" in ran.err and path.read_text() == SLOW + "# more\n"


@proves
def test_a_cache_that_cannot_be_written_is_told(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "k.py").write_text(ROWS)
    (tmp_path / "file").touch()
    monkeypatch.setenv("TL2HIP_CACHE", "file")
    ran = cli("tune", "k.py", *QUICK)
    told = f"{tmp_path / 'file'} cannot be written: what is judged is kept for this run only"
    assert ran.code == 0 and told in ran.err
    monkeypatch.delenv("TL2HIP_CACHE")
    monkeypatch.setattr(store, "folder", lambda: tmp_path / "file")
    ran = cli("tune", "k.py", *QUICK)
    assert ran.code == 2 and "judgements cannot be kept: [Errno 20] Not a directory" in ran.err


@proves
def test_a_judge_that_raises_is_told_and_not_kept(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_store: Path
) -> None:
    (tmp_path / "k.py").write_text(ROWS)
    count = 0

    def fail_once(one: Judged) -> Judged:
        nonlocal count
        count += 1
        if count == 3:
            raise ZeroDivisionError("planted")
        return one

    judging(monkeypatch, fail_once)
    ran = cli("tune", "k.py", *QUICK)
    assert ran.code == 3 and "tl2hip: internal error: ZeroDivisionError: planted\n  at " in ran.err
    assert "1 not judged: ZeroDivisionError: planted" in ran.out
    (kept,) = own_store.iterdir()
    lines = kept.read_bytes().splitlines(True)
    assert len(lines) == count - 1
    kept.write_bytes(lines[0].replace(b"0", b"1") + b"".join(lines[1:]))
    ran = cli("tune", "k.py", *QUICK)
    assert ran.code == 0 and f"1 damaged line of {kept} left out: judged again" in ran.err
    assert "not judged" not in ran.out


@proves
def test_an_interruption_ends_it_and_what_is_judged_stays(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_store: Path
) -> None:
    (tmp_path / "k.py").write_text(ROWS)
    seen: list[Judged] = []

    def interrupt(one: Judged) -> Judged:
        seen.append(one)
        if len(seen) == 4:
            raise KeyboardInterrupt
        return one

    judging(monkeypatch, interrupt)
    assert cli("tune", "k.py", *QUICK).code == 130
    (kept,) = own_store.iterdir()
    assert len(kept.read_bytes().splitlines()) == 3
    assert ", 3 known from before" in cli("tune", "k.py", *QUICK).out


@pytest.mark.parametrize(
    ("told", "argv"),
    [
        ("TL801: --for K is the extent of nothing in these kernels", ["k.py", *QUICK, "--for", "K=3"]),
        ("TL801: --for gives M the values 608 and 3", ["k.py", *QUICK, "--for", "M=3"]),
        ("TL801: argument --for: -3 in 'M=-3' is no size from 0 up", ["k.py", "--for", "M=-3"]),
        (f"TL801: argument --for: {2**63} in ", ["k.py", "--for", f"M={2**63}"]),
        ("TL801: tune searches tile sizes", ["k.py", "--tile", "i=3"]),
        ("TL801: --marks speed is no mark that is searched", ["k.py", "--marks", "tile,speed"]),
        ("TL801: --apply writes into a file", ["-", "--apply"]),
        ("TL801: --executor: 'slurm' names no cluster", ["k.py", "--executor", "slurm"]),
        ("TL801: argument --budget: '0' is no number from 1 up", ["k.py", "--budget", "0"]),
        ("TL103", ["nowhere.py"]),
    ],
)
@proves
def test_wrong_use(cli: Cli, tmp_path: Path, told: str, argv: list[str]) -> None:
    (tmp_path / "k.py").write_text(ROWS)
    ran = cli("tune", *argv)
    assert ran.code == 2 and told in ran.err and "Traceback" not in ran.err


@pytest.mark.parametrize("name", ["gemm_article", "gemm_tiles"])
@proves
def test_notations_without_loops_to_mark_are_refused(cli: Cli, name: str) -> None:
    ran = cli("tune", str(GOLDEN / name / "kernel.py"))
    assert ran.code == 1 and "TL812: `" in ran.err and "help: write it as loops over elements" in ran.err
    assert ran.out == ""


@proves
def test_sizes_that_asserts_do_not_admit_are_told(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(ROWS.replace("    for i", "    assert M == 2 * N\n    for i", 1))
    ran = cli("tune", "k.py", *QUICK)
    assert ran.code == 2 and "totals cannot be tuned: the kernel's asserts do not admit these sizes" in ran.err


@proves
def test_no_compiler_is_told(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "k.py").write_text(ROWS)

    def missing() -> Any:
        raise compiler.MissingCompiler("none is here")

    monkeypatch.setattr(compiler, "compiler", missing)
    ran = cli("tune", "k.py")
    assert ran.code == 2 and ran.err == "tl2hip: nothing can be judged here: none is here\n"


@proves
def test_a_cluster_that_goes_away_midway_is_told(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_store: Path
) -> None:
    """The scheduler ends after six texts: what is asked then fails, and a new client finds none."""
    (tmp_path / "k.py").write_text(ROWS)
    left = 6

    class Going(Here):
        def __init__(self, named: str) -> None:
            if not left:
                raise executors.NoCluster(f"no scheduler answers at {named}: it is gone")

        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
            nonlocal left
            if not left:
                raise RuntimeError("cannot schedule new futures after shutdown")
            left -= 1
            return super().submit(fn, *args, **kwargs)

    monkeypatch.setattr(executors, "Cluster", Going)
    ran = cli("tune", "k.py", *QUICK, "--executor", "dask:tcp://there:1")
    assert ran.code == 2 and "the cluster is gone: no scheduler answers at dask:tcp://there:1" in ran.err
    assert "internal error" not in ran.err
    assert len(next(own_store.iterdir()).read_text().splitlines()) == 1, "the text without marks was judged"


@proves
def test_nothing_that_can_be_ranked_is_told(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(ROWS)
    ran = cli("tune", "k.py", "--for", "M=0", "N=4", "--jobs", "1", "--marks", "waves", "--budget", "2")
    assert ran.code == 1 and "cannot be ranked: cannot be modelled: nothing is launched for these sizes" in ran.out
