"""Judgements on disk, damaged ones among them."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.tune.judgements import TASK, judged
from tl2hip.tune.judge import Judged
from tl2hip.tune.store import Store, sources, store_of

SOME = (judged("a", 100.0, launches=3), Judged("b", "cannot be modelled: no reason"), Judged("c", bound=7.5))


def written(path: Path) -> Store:
    store = Store(path)
    for one in SOME:
        store.add(one)
    return store


def test_what_was_added_is_there_again(tmp_path: Path) -> None:
    written(tmp_path / "of" / "one.jsonl")
    again = Store(tmp_path / "of" / "one.jsonl")
    assert again.known == {one.code: one for one in SOME} and again.damaged == 0


def test_a_damaged_line_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    written(path)
    lines = path.read_bytes().splitlines(True)
    for broken in (lines[0].replace(b"100.0", b"900.0"), lines[0].replace(b"{", b"", 1), b"\xff\xfe\n", b"x {}\n"):
        path.write_bytes(broken + b"".join(lines[1:]))
        store = Store(path)
        assert store.damaged == 1 and set(store.known) == {"b", "c"}


def test_a_line_that_was_cut_off_does_not_take_the_next_one_with_it(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    written(path)
    path.write_bytes(path.read_bytes()[:-9])
    store = Store(path)
    assert store.damaged == 1 and set(store.known) == {"a", "b"}
    store.add(SOME[2])
    store.add(judged("d", 5.0))
    again = Store(path)
    assert again.damaged == 1 and set(again.known) == {"a", "b", "c", "d"}


def test_searches_that_differ_have_stores_of_their_own() -> None:
    from dataclasses import replace

    other = replace(TASK, sizes=(("M", 609), ("N", 512)))
    named = replace(TASK, name="moved.py")
    assert store_of(TASK).path != store_of(other).path
    assert store_of(TASK).path == store_of(named).path


def test_judgements_are_of_the_sources_that_made_them(tmp_path: Path) -> None:
    package = Path(sources.__wrapped__.__code__.co_filename).parents[1]
    copy = tmp_path / "tl2hip"
    shutil.copytree(package, copy)
    before = sources.__wrapped__(copy)
    assert before == sources(package)
    for part in ("plan/gfx942.py", "prove/machine/runtime/lines.cpp", "tune/judge.py"):
        text = (copy / part).read_text()
        (copy / part).write_text(text + "\n")
        assert sources.__wrapped__(copy) != before, part
        (copy / part).write_text(text)
    assert sources.__wrapped__(copy) == before
