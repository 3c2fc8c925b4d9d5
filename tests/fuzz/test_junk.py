"""Junk through the command line: a documented exit code, a message with file and line, never a traceback."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import pytest

from tests.fuzz import junk
from tests.fuzz.junk import Junk
from tl2hip.cli import main


def told(arguments: list[str], capfd: pytest.CaptureFixture[str], name: str) -> tuple[int, str]:
    """The exit code of a command and what it says; it must be a documented one, and no fault of ours."""
    code = main(arguments)
    out, err = capfd.readouterr()
    assert code in (0, 1, 2), f"{name}: {code}: {err[:2000]}"
    assert "Traceback" not in err + out and "internal error" not in err, f"{name}: {err[:2000]}"
    return code, err


def tried(files: Iterable[Junk], folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Each file through `emit` and, where it is small, `explain`."""
    for number, one in enumerate(files):
        path = folder / f"junk{number}.py"
        path.write_bytes(one.content)
        code, err = told(["emit", str(path)], capfd, one.name)
        assert one.code in (None, code), f"{one.name}: {code} instead of {one.code}: {err[:2000]}"
        if code:
            assert re.search(rf"{re.escape(path.name)}(:\d+)?", err), f"{one.name}: no file in {err[:2000]}"
        if code == 1 and "no kernel" not in err:
            assert re.search(rf"{re.escape(path.name)}:\d+:\d+: (\w+ )?TL\d+", err), f"{one.name}: {err[:2000]}"
        if len(one.content) < 5000:
            assert bool(told(["explain", str(path)], capfd, one.name)[0]) == bool(code), one.name
        path.unlink()


def test_noise(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    tried(junk.noise(40), tmp_path, capfd)


def test_broken_kernels(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    tried(junk.broken(4), tmp_path, capfd)


def test_encodings(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    tried(junk.encoded(), tmp_path, capfd)


def test_lines(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    tried(junk.lines(), tmp_path, capfd)


def test_depth(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    tried(junk.deep(), tmp_path, capfd)


def test_size(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    tried(junk.huge(), tmp_path, capfd)


@pytest.mark.parametrize(
    "name",
    [
        "two words.py",
        "größe.py",
        "大.py",
        "line\nend.py",
        "tab\t.py",
        "'quoted' \"twice\".py",
        "-o.py",
        "100%.py",
        "a\u202e.py",
    ],
)
@pytest.mark.parametrize("good", [True, False])
def test_names(name: str, good: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / name
    path.write_text(junk.HEAD if good else junk.HEAD.replace("y[i] =", "y[i] +"), encoding="utf-8")
    code, err = told(["emit", str(path)], capfd, name)
    assert code == (0 if good else 1), err


def test_a_name_that_is_no_text(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe.py")
    Path(path).write_text(junk.HEAD)
    assert told(["emit", path], capfd, "no text")[0] == 0
    Path(path).write_text(junk.HEAD.replace("y[i] =", "y[i] +"))
    assert told(["emit", path], capfd, "no text")[0] == 1


@pytest.mark.parametrize("command", ["emit", "explain", "verify", "inspect"])
def test_what_is_no_file(command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "loop.py").symlink_to(tmp_path / "loop.py")
    (tmp_path / "one.py").symlink_to(tmp_path / "other.py")
    (tmp_path / "other.py").symlink_to(tmp_path / "one.py")
    (tmp_path / "dangling.py").symlink_to(tmp_path / "nowhere.py")
    for name in (
        "loop.py",
        "one.py",
        "dangling.py",
        "missing.py",
        "folder.py/inside.py",
        "x" * 300 + ".py",
    ):
        code, err = told([command, str(tmp_path / name)], capfd, name)
        assert code in (1, 2) and name.rpartition("/")[2][:40] in err, f"{name}: {code}: {err}"


def test_folders_with_all_of_these(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A folder is read to its end whatever stands in it."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "folder.py").mkdir()
    (folder / "loop.py").symlink_to(folder / "loop.py")
    (folder / "around").symlink_to(folder)
    (folder / "dangling.py").symlink_to(folder / "nowhere.py")
    for number, one in enumerate(islice(junk.noise(10), 30)):
        (folder / f"noise{number}.py").write_bytes(one.content)
    (folder / ".gitignore").write_bytes(b"\xff\xfe[\0!\n[a-\n" + b"z*" * 300)
    (folder / "good.py").write_text(junk.HEAD)
    code, err = told(["emit", str(folder), "-o", str(tmp_path / "out")], capfd, "folder")
    assert code in (1, 2), err
    assert [p.name for p in (tmp_path / "out").rglob("good*")], err


@pytest.mark.skipif(os.geteuid() == 0, reason="everything is readable to root")
def test_what_may_not_be_read(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "secret.py"
    path.write_text(junk.HEAD)
    path.chmod(0)
    code, err = told(["emit", str(path)], capfd, "unreadable")
    path.chmod(stat.S_IRUSR | stat.S_IWUSR)
    assert code in (1, 2) and "secret.py" in err
