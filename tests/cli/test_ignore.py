"""`.gitignore` read as git reads it."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from tl2hip.cli.inputs import Files

PATTERNS = (
    *("build/", "/build", "*.py", "!keep.py", "a/**/b", "**/c.py", "a/*", "!a/b/", "x?.py", "[ab].py", "[!a].py"),
    *(
        "a/b",
        "/a/b/c.py",
        "b/**",
        "# comment",
        "",
        "c.py ",
        "\\!odd.py",
        "**/b/",
        "a*",
        "!*/",
        "*",
        "!/c.py",
        "b/*.py",
    ),
)
FILES = [
    f"{folder}{name}.py"
    for folder in ("", "a/", "b/", "a/b/", "a/b/c/", "build/", "c/build/")
    for name in ("a", "b", "c", "keep", "x1", "!odd")
]


def kept_by_git(folder: Path) -> list[str]:
    listed = ["git", "ls-files", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(listed, cwd=folder, capture_output=True, check=True)
    return sorted(name for name in done.stdout.decode().split("\0") if name.endswith(".py"))


def kept_here(folder: Path) -> list[str]:
    return sorted(one.place.as_posix() for one in Files([str(folder)]))


@pytest.mark.skipif(shutil.which("git") is None, reason="git is the oracle")
def test_random_patterns_leave_out_what_git_leaves_out(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    drawn = random.Random(7)
    counts = set()
    for _ in range(60):
        for place in ("", "a", "a/b"):
            lines = drawn.choices(PATTERNS, k=drawn.randint(0, 4 if place else 5))
            (tmp_path / place / ".gitignore").write_text("\n".join(lines) + "\n")
        kept = kept_by_git(tmp_path)
        counts.add(len(kept))
        assert kept_here(tmp_path) == kept, [
            (p, (tmp_path / p / ".gitignore").read_text()) for p in ("", "a", "a/b")
        ]
        if subprocess.run(["git", "check-ignore", "-q", "a"], cwd=tmp_path, check=False).returncode:
            inside = [name[2:] for name in kept if name.startswith("a/")]
            assert kept_here(tmp_path / "a") == inside, "a folder of the repository by itself"
    assert len(counts) > 10


def test_what_is_never_read(tmp_path: Path) -> None:
    for name in ("a.py", ".hidden/b.py", "__pycache__/c.py", "env/pyvenv.cfg", "env/lib/d.py", ".e.py", "f.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert kept_here(tmp_path) == ["a.py"]


def test_each_file_is_taken_once_in_a_fixed_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("b.py", "a.py", "sub/c.py"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("")
    assert [one.name for one in Files(["sub/c.py", ".", "a.py"])] == ["sub/c.py", "a.py", "b.py"]
