"""The executor: its C++ as one text, compiled for this host once per machine, and its functions by name."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tl2hip.prove.compiler import compile_host
from tl2hip.prove.emulate.library import RUNTIME, RUNTIME_FLAGS, declare
from tl2hip.prove.machine import facts, records, source
from tl2hip.prove.machine.meanings import MEANINGS, control, matrix, memory

OWN = Path(__file__).parent / "runtime"
HEADERS = ("machine", "operands", "arithmetic", "approximate", "launch", "access")


@dataclass(frozen=True, slots=True)
class Executor:
    """The executor, loaded: its library, the library's file, and the addresses of its instructions' functions."""

    library: ctypes.CDLL
    path: Path
    functions: Mapping[str, int]


class _Named(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("run", ctypes.c_void_p)]


@lru_cache(maxsize=1)
def executor() -> Executor:
    """The executor. Raises MissingCompiler, CompileError."""
    path = compile_host(text(), RUNTIME_FLAGS, soname="tl2hip-machine.so")
    library = ctypes.CDLL(str(path))
    declare(library)
    library.tl2hip_functions.restype = ctypes.POINTER(_Named)
    library.tl2hip_program.restype = ctypes.c_bool
    library.tl2hip_program.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint32]
    _check_layout(library)
    named, functions = library.tl2hip_functions(), {}
    for at in range(len(names())):
        functions[named[at].name.decode()] = named[at].run
    return Executor(library, path, functions)


def _check_layout(library: ctypes.CDLL) -> None:
    """The records here and there are of one size, and a late field of each in one place, or nothing would run
    right."""
    shared: dict[type[ctypes.Structure], str] = {
        records.Source: "bits",
        records.Code: "high",
        records.Wave: "scc",
        facts.Facts: "indexed",
        facts.Hidden: "bytes",
        facts.KernelRecord: "scratch",
    }
    found = (ctypes.c_uint32 * (2 * len(shared)))()
    library.tl2hip_layout(found)
    own = [*map(ctypes.sizeof, shared), *(getattr(one, late).offset for one, late in shared.items())]
    assert own == list(found), f"records are laid out as {own} here, {list(found)} there"


def names() -> tuple[str, ...]:
    """The instructions that the executor has a function for."""
    return (*control.NAMES, *memory.FORMS, *matrix.FORMS, *MEANINGS)


def text() -> str:
    """All sources as one text, so that the cache's key covers them."""
    parts = [(RUNTIME / "runtime.h").read_text()]
    parts += [path.read_text() for path in sorted(RUNTIME.glob("*.cpp"))]
    parts += [(OWN / f"{name}.h").read_text() for name in HEADERS]
    parts += [path.read_text() for path in sorted(OWN.glob("*.cpp"))]
    parts.append(source.functions(MEANINGS.values()))
    table = ",\n".join(f'    {{"{name}", {name}}}' for name in names())
    parts.append(
        "struct Named {\n    const char* name;\n    Run run;\n};\n"
        f"static const Named named[] = {{\n{table}\n}};\n"
        "EXPORT const Named* tl2hip_functions() { return named; }\n"
    )
    lines = "\n".join(parts).splitlines()
    return "\n".join(line for line in lines if not line.startswith(('#include "', "#pragma once")))
