"""The program itself: streams, exit codes, and what it does not import."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import BAD, good


def run(*argv: str, cwd: Path, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tl2hip", *argv]
    where = str(Path(__file__).parents[2])
    return subprocess.run(
        command,
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": where, **env},
    )


def test_streams_and_codes(tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(good())
    ran = run("emit", "k.py", cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "") and ran.stdout.startswith("// Written by tl2hip")
    piped = run("emit", "-", cwd=tmp_path, stdin=BAD)
    assert piped.returncode == 1 and piped.stdout == "" and piped.stderr.startswith("<stdin>:8:14: TL132")
    assert "\x1b" not in piped.stderr


def test_the_same_bytes_under_any_hash_seed(tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(good())
    texts = {run("emit", "k.py", cwd=tmp_path, PYTHONHASHSEED=seed).stdout for seed in ("0", "1", "77")}
    assert len(texts) == 1


def test_help_and_version(tmp_path: Path) -> None:
    helped = run("--help", cwd=tmp_path)
    assert helped.returncode == 0 and "exit codes: " in helped.stdout
    bare = run(cwd=tmp_path)
    assert (bare.returncode, bare.stdout, bare.stderr) == (2, "", helped.stdout)
    for command in ("emit", "verify", "inspect", "tune", "explain", "test-rules", "doctor"):
        assert command in helped.stdout
    version = run("--version", cwd=tmp_path)
    assert version.returncode == 0 and version.stdout.startswith("tl2hip ") and "target gfx942" in version.stdout
    bare = run(cwd=tmp_path)
    assert bare.returncode == 2 and bare.stdout == "" and "usage: " in bare.stderr


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(good())
    reader, writer = os.pipe()
    os.close(reader)
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-m", "tl2hip", "emit", "k.py"],
        cwd=tmp_path,
        stdout=writer,
        stderr=subprocess.PIPE,
        env=env,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("command", ["emit", "explain", "inspect"])
def test_a_full_disk_is_told(tmp_path: Path, command: str) -> None:
    (tmp_path / "k.py").write_text(good())
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tl2hip", command, "k.py"],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            env=env,
        )
    assert done.returncode == 2 and b"stdout cannot be written" in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="closes a descriptor of a child")
@pytest.mark.parametrize(("argv", "code"), [(["emit", "k.py"], 2), (["emit", "k.py", "-o", "k.hip"], 0)])
def test_a_stdout_that_is_closed_is_told(tmp_path: Path, argv: list[str], code: int) -> None:
    (tmp_path / "k.py").write_text(good())
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        ["sh", "-c", 'exec "$0" -m tl2hip "$@" >&-', sys.executable, *argv],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        env=env,
    )
    assert done.returncode == code and b"internal error" not in done.stderr
    assert (b"stdout cannot be written: Bad file descriptor" in done.stderr) == (code == 2)


@pytest.mark.parametrize(
    "argv, never",
    [
        (["--help"], ("libcst", "jinja2", "numpy", "tl2hip.api", "dataclasses_json")),
        (["emit", "k.py"], ("numpy", "ml_dtypes", "islpy", "hypothesis", "tl2hip.prove.verify", "tl2hip.notation")),
    ],
)
def test_what_is_not_imported(tmp_path: Path, argv: list[str], never: tuple[str, ...]) -> None:
    (tmp_path / "k.py").write_text(good())
    code = (
        "import sys\nfrom tl2hip.cli import main\n"
        f"try:\n    main({argv!r})\nexcept SystemExit:\n    pass\n"
        f"print('\\n'.join(n for n in {never!r} if n in sys.modules), file=sys.stderr)"
    )
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, env=env)
    assert done.returncode == 0 and done.stderr.strip() == ""
