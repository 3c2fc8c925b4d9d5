"""The offline compiler: HIP text to gfx942 assembly, and the same text to host code.

A compiler is looked for in this order: the one named by `TL2HIP_CXX`, `clang++-22` or newer on the
path, the wheel `ziglang`. All are used the same way, and none needs ROCm: the few declarations
that printed HIP uses come from our own `hip/hip_runtime.h`, which is found before any other.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

TARGET = "gfx942"
OLDEST_CLANG = 22
ZIG_VERSIONS = "ziglang>=0.17,<0.18"
INCLUDE = Path(__file__).parent / "emulate" / "include"
ENTRIES_PER_SHARD = 64  # 256 shards, so that a cache never holds more than 16,384 results

HOW_TO_GET_ONE = (
    'install the extra: pip install "tl2hip[prove]" (it brings ziglang, a complete offline compiler), '
    "or put clang++-22 on PATH, or name a compiler in TL2HIP_CXX"
)

DEVICE_FLAGS = (
    "-x", "hip", f"--offload-arch={TARGET}", "--offload-device-only", "-nogpulib", "-nogpuinc",
    "-std=c++17", "-O3", "-S", "-fuse-cuid=none",
)  # fmt: skip

LINE_FLAGS = ("-gline-tables-only",)

# f16 and bf16 round after every operation, and a*b+c is never contracted, as in the printed text on the GPU.
# A fixed instruction set keeps numbers the same on every x86-64 machine of the last ten years.
HOST_FLAGS = (
    "--target=x86_64-linux-gnu", "-x", "c++", "-std=c++17", "-march=x86-64-v3", "-fPIC", "-fdeclspec",
    "-fno-exceptions", "-fno-rtti", "-fno-math-errno", "-fno-threadsafe-statics", "-fno-stack-protector",
    "-fstack-clash-protection",
    "-fno-vectorize", "-fno-slp-vectorize", "-ffp-contract=off",
    # As on the device: a call may hold a barrier, so no branch around one is folded into two copies of it.
    "-Xclang", "-fconvergent-functions",
    "-Xclang", "-ffloat16-excess-precision=none", "-Xclang", "-fbfloat16-excess-precision=none",
    "-fno-sanitize=all", "-Wno-unknown-attributes", "-Wno-ignored-attributes", "-Wno-unused-value", "-nostdinc",
)  # fmt: skip


class MissingCompiler(Exception):
    """No compiler was found, or the one the user named does not work; the text says how to get one."""


class CompileError(Exception):
    """The compiler refused a text. `log` is the compiler's own words, `command` what was run."""

    def __init__(self, what: str, command: Sequence[str], log: str) -> None:
        super().__init__(f"{what} did not compile:\n{log.strip()}")
        self.command = tuple(command)
        self.log = log


@dataclass(frozen=True, slots=True)
class Compiler:
    """A clang that knows gfx942 and this host: how to run it, and how to link."""

    name: str
    clang: tuple[str, ...]
    linker: tuple[str, ...]

    @property
    def identity(self) -> str:
        """What tells this compiler from another: its file, size and date."""
        facts = []
        for program in (self.clang[0], self.linker[0]):
            stat = os.stat(program)
            facts.append(f"{os.path.realpath(program)}:{stat.st_size}:{stat.st_mtime_ns}")
        return "|".join((*facts, *self.clang[1:], *self.linker[1:]))

    def linking(self, inputs: Sequence[str], output: str, soname: str = "") -> list[str]:
        """The command that makes a shared library."""
        name = ["-soname", soname] if soname else []
        if self.linker == self.clang:  # no lld was found: the driver calls the system's linker
            return [*self.clang, "-shared", "-nostdlib", *(f"-Wl,{word}" for word in name), *inputs, "-o", output]
        return [*self.linker, "-shared", *name, *inputs, "-o", output]


@dataclass(frozen=True, slots=True)
class Assembly:
    """gfx942 assembly of one text, with the compiler's warnings."""

    text: str
    warnings: str
    compiler: str


def compiler() -> Compiler:
    """The compiler in use. Raises MissingCompiler with the way to get one."""
    return _find(os.environ.get("TL2HIP_CXX", ""), os.environ.get("PATH", ""))


def compilers() -> tuple[Compiler, ...]:
    """Every compiler that can be found, the preferred one first."""
    named = os.environ.get("TL2HIP_CXX", "")
    found = [_named(named)] if named else []
    return tuple(one for one in (*found, _on_path(), _in_wheel()) if one is not None)


def version(which: Compiler) -> str:
    """The first line of the compiler's own `--version`. Raises MissingCompiler when it does not run."""
    try:
        done = subprocess.run([*which.clang, "--version"], capture_output=True, text=True, check=False)
    except OSError as error:
        raise MissingCompiler(f"{which.name} cannot be run ({error}); {HOW_TO_GET_ONE}") from error
    if done.returncode or "clang version" not in done.stdout:
        raise MissingCompiler(f"{which.name} does not answer as a clang; {HOW_TO_GET_ONE}")
    return done.stdout.splitlines()[0]


def compile_device(text: str, *, lines: bool = False) -> Assembly:
    """gfx942 assembly of a HIP text, every kernel and no host code. Raises MissingCompiler, CompileError.

    With `lines` it says which line of the text each instruction is from; the instructions are the same.
    """
    which = compiler()
    flags = (*DEVICE_FLAGS, *LINE_FLAGS) if lines else DEVICE_FLAGS

    def build(folder: Path) -> bytes:
        (folder / "kernel.hip").write_text(text, encoding="utf-8")
        command = [*which.clang, *flags, "-I", str(INCLUDE), "kernel.hip", "-o", "kernel.s"]
        log = _run(command, folder, "the HIP text")
        # One file holds both, so that a cached result keeps its warnings.
        return log.encode() + b"\0" + (folder / "kernel.s").read_bytes()

    made = cached(_key("device", which, flags, text), build).read_bytes()
    warnings, _, assembly = made.partition(b"\0")
    return Assembly(assembly.decode(), warnings.decode(), which.name)


def compile_host(text: str, flags: Sequence[str] = (), libraries: Sequence[Path] = (), *, soname: str = "") -> Path:
    """Path of a shared library for this x86-64 Linux host, made from a C++ or HIP text.

    `flags` come after the usual ones; `libraries` are linked by name. The file lives in the cache and
    must not be changed. Raises MissingCompiler, CompileError.
    """
    which = compiler()

    def build(folder: Path) -> bytes:
        (folder / "kernel.hip").write_text(text, encoding="utf-8")
        compiling = [*which.clang, *HOST_FLAGS, *flags, "-I", str(INCLUDE), "-c", "kernel.hip", "-o", "host.o"]
        _run(compiling, folder, "the text, for the host,")
        _run(which.linking(["host.o", *map(str, libraries)], "host.so", soname), folder, "host code")
        return (folder / "host.so").read_bytes()

    parts = (*HOST_FLAGS, *flags, *map(str, libraries), soname)
    return cached(_key("host", which, parts, text), build)


def cache_folder() -> Path:
    """Where compiled results are kept: `TL2HIP_CACHE`, else the user's cache folder."""
    if named := os.environ.get("TL2HIP_CACHE"):
        return Path(named).absolute()  # the compiler runs in folders of its own
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "tl2hip" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "tl2hip"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "tl2hip"


def cached(key: str, build: Callable[[Path], bytes]) -> Path:
    """The cache's file for a key; `build` makes its bytes in a scratch folder when it is not there."""
    shard = usable_folder(cache_folder()) / key[:2]
    path = shard / key[2:]
    if path.exists():
        os.utime(path)  # the ones in use stay longest
        return path
    with tempfile.TemporaryDirectory(prefix="tl2hip-") as scratch:
        made = build(Path(scratch))
    shard.mkdir(parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(dir=shard, prefix="partial-")
    with os.fdopen(handle, "wb") as file:
        file.write(made)
    os.replace(partial, path)
    _prune(shard)
    return path


@lru_cache(maxsize=8)
def usable_folder(folder: Path) -> Path:
    """The folder when it can be written, else one that lasts as long as this process."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return _own_folder()
    return folder if os.access(folder, os.W_OK) else _own_folder()


@lru_cache(maxsize=1)
def _own_folder() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="tl2hip-cache-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


def _prune(shard: Path) -> None:
    """Keep the newest results of a shard."""
    dated = []
    for entry in shard.iterdir():
        try:
            dated.append((entry.stat().st_mtime_ns, entry))
        except FileNotFoundError:  # another process pruned it
            continue
    for _, entry in sorted(dated)[:-ENTRIES_PER_SHARD]:
        entry.unlink(missing_ok=True)


def _key(kind: str, which: Compiler, parts: Sequence[str], text: str) -> str:
    sha = hashlib.sha256()
    for part in (kind, which.identity, _headers(), *parts, text):
        sha.update(part.encode())
        sha.update(b"\0")
    return sha.hexdigest()


@lru_cache(maxsize=1)
def _headers() -> str:
    """A digest of our own headers, which every text includes."""
    sha = hashlib.sha256()
    for path in sorted(INCLUDE.rglob("*.h")):
        sha.update(path.read_bytes())
    return sha.hexdigest()


def _run(command: Sequence[str], folder: Path, what: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise CompileError(what, command, done.stderr or done.stdout)
    return done.stderr


@lru_cache(maxsize=8)
def _find(named: str, path: str) -> Compiler:
    """The preferred compiler, remembered for as long as the environment says the same."""
    if named:
        found = _named(named)
        if found is None:
            raise MissingCompiler(f"TL2HIP_CXX names {named}, which is not there; {HOW_TO_GET_ONE}")
        return found
    found = _on_path() or _in_wheel()
    if found is None:
        raise MissingCompiler(f"no compiler for {TARGET} was found; {HOW_TO_GET_ONE}")
    return found


def _named(program: str) -> Compiler | None:
    path = shutil.which(program)
    return None if path is None else Compiler(program, (path,), _linker_near(path, ""))


def _on_path() -> Compiler | None:
    """The newest versioned clang++ on PATH that is at least OLDEST_CLANG; of two as new the first on PATH."""
    found: list[tuple[int, str]] = []
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if not os.path.isdir(folder):
            continue
        for name in os.listdir(folder):
            match = re.fullmatch(r"clang\+\+-(\d+)", name)
            if match and int(match[1]) >= OLDEST_CLANG and os.access(os.path.join(folder, name), os.X_OK):
                found.append((int(match[1]), os.path.join(folder, name)))
    if not found:
        return None
    number, path = max(found, key=lambda one: one[0])
    return Compiler(f"clang++-{number}", (path,), _linker_near(path, f"-{number}"))


def _in_wheel() -> Compiler | None:
    spec = importlib.util.find_spec("ziglang")
    if spec is None or spec.origin is None:
        return None
    zig = Path(spec.origin).parent / ("zig.exe" if sys.platform == "win32" else "zig")
    if not zig.exists():
        return None
    return Compiler("ziglang", (str(zig), "clang"), (str(zig), "ld.lld"))


def _linker_near(clang: str, suffix: str) -> tuple[str, ...]:
    """lld beside a clang or on PATH, else that clang itself as the driver of another linker."""
    beside = Path(os.path.realpath(clang)).parent / "ld.lld"
    if beside.exists():
        return (str(beside),)
    found = shutil.which(f"ld.lld{suffix}") or shutil.which("ld.lld")
    return (found,) if found else (clang,)
