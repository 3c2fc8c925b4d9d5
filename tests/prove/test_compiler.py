"""The offline compiler: found in order, cached by content, its errors passed on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tl2hip.prove import compiler
from tl2hip.prove.compiler import CompileError, Compiler, MissingCompiler, compile_device, compile_host

from .emulate import kernels


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TL2HIP_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def stored(cache: Path) -> list[Path]:
    return sorted(cache.glob("*/*"))


def test_the_wheels_compiler_answers_to_its_undocumented_names() -> None:
    found = compiler._in_wheel()
    assert found is not None, f"{compiler.ZIG_VERSIONS} is not installed"
    assert "clang version" in compiler.version(found)


def test_device_code_is_cached_by_content(cache: Path) -> None:
    first = compile_device(kernels.SCALE)
    assert "amdgcn-amd-amdhsa--gfx942" in first.text and "scale_kernel" in first.text and first.warnings == ""
    assert len(stored(cache)) == 1
    file = stored(cache)[0].stat().st_ino
    assert compile_device(kernels.SCALE) == first
    assert stored(cache)[0].stat().st_ino == file
    compile_device(kernels.SCALE + "// another text\n")
    assert len(stored(cache)) == 2


def test_device_code_is_the_same_every_time(cache: Path) -> None:
    first = compile_device(kernels.GEMM)
    for path in stored(cache):
        path.unlink()
    assert compile_device(kernels.GEMM) == first


def test_warnings_are_kept_with_the_cached_result(cache: Path) -> None:
    text = kernels.SCALE + "#warning told\n"
    assert "told" in compile_device(text).warnings
    assert "told" in compile_device(text).warnings


def test_an_error_carries_the_compilers_words(cache: Path) -> None:
    text = kernels.planted(kernels.SCALE, "by * x[i]", "by * z[i]")
    for compile_ in (compile_device, compile_host):
        with pytest.raises(CompileError, match="undeclared identifier 'z'") as caught:
            compile_(text)
        assert "kernel.hip:" in caught.value.log and caught.value.command
    assert stored(cache) == []


def test_too_much_lds_is_a_compile_error(cache: Path) -> None:
    with pytest.raises(CompileError, match="local memory"):
        compile_device(kernels.planted(kernels.BLOCK_SUM, "part[256]", "part[16385]"))


def test_a_missing_compiler_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TL2HIP_CXX", "no-such-compiler")
    with pytest.raises(MissingCompiler, match=r"TL2HIP_CXX names no-such-compiler.*tl2hip\[prove\]"):
        compiler.compiler()
    monkeypatch.delenv("TL2HIP_CXX")
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(compiler, "_in_wheel", lambda: None)
    compiler._find.cache_clear()
    with pytest.raises(MissingCompiler, match=r"pip install .tl2hip\[prove\]"):
        compiler.compiler()
    compiler._find.cache_clear()


def test_the_order_of_preference(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("clang++-21", "clang++-22", "clang++-23", "ld.lld", "named"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("TL2HIP_CXX", raising=False)
    compiler._find.cache_clear()
    lld = (str(tmp_path / "ld.lld"),)
    assert compiler.compiler() == Compiler("clang++-23", (str(tmp_path / "clang++-23"),), lld)
    assert [one.name for one in compiler.compilers()] == ["clang++-23", "ziglang"]
    monkeypatch.setenv("TL2HIP_CXX", "named")
    assert compiler.compiler().clang == (str(tmp_path / "named"),)
    with pytest.raises(MissingCompiler, match="does not answer as a clang"):
        compiler.version(compiler.compiler())
    compiler._find.cache_clear()


def test_linking_with_lld_and_through_the_driver() -> None:
    lld = Compiler("c", ("clang",), ("ld.lld",))
    assert lld.linking(["a.o"], "a.so", "name") == ["ld.lld", "-shared", "-soname", "name", "a.o", "-o", "a.so"]
    driver = Compiler("c", ("clang",), ("clang",))
    assert driver.linking(["a.o"], "a.so", "name") == [
        "clang", "-shared", "-nostdlib", "-Wl,-soname", "-Wl,name", "a.o", "-o", "a.so",
    ]  # fmt: skip


def test_a_shard_keeps_only_its_newest_results(cache: Path) -> None:
    for n in range(compiler.ENTRIES_PER_SHARD + 3):
        path = compiler.cached(f"aa{n:04}", lambda _, n=n: b"%d" % n)
        os.utime(path, ns=(n, n))
    assert len(stored(cache)) == compiler.ENTRIES_PER_SHARD
    assert not (cache / "aa" / "0000").exists()


def test_a_cache_that_cannot_be_written_is_done_without(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TL2HIP_CACHE", str(tmp_path / "file" / "cache"))
    first = compiler.cached("ccdd", lambda _: b"made")
    assert first.read_bytes() == b"made" and compiler.cached("ccdd", lambda _: b"not again") == first


def test_a_failed_build_leaves_nothing(cache: Path) -> None:
    def fail(_: Path) -> bytes:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        compiler.cached("aabb", fail)
    assert stored(cache) == []


def test_of_two_compilers_as_new_the_first_on_the_path_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [tmp_path / name for name in "ab"]
    for folder in folders:
        folder.mkdir()
        for name in ("clang++-22", "clang++-23"):
            (folder / name).write_text("#!/bin/sh\n", encoding="utf-8")
            (folder / name).chmod(0o755)
    for order in (folders, folders[::-1]):
        monkeypatch.setenv("PATH", os.pathsep.join(map(str, order)))
        found = compiler._on_path()
        assert found is not None and found.clang == (str(order[0] / "clang++-23"),)
