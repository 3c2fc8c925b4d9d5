"""The instructions' functions compiled for this host, and run on a prepared wave."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import numpy as np

from tests.prove.machine.model import State
from tl2hip.prove.compiler import compile_host
from tl2hip.prove.emulate.library import RUNTIME, RUNTIME_FLAGS
from tl2hip.prove.machine import meanings, source
from tl2hip.prove.machine.meanings.table import Meaning
from tl2hip.prove.machine.records import Code, Wave

MACHINE = Path(source.__file__).parent / "runtime"
Instruction = ctypes.CFUNCTYPE(None, ctypes.POINTER(Wave), ctypes.POINTER(Code))


def text(instructions: Iterable[Meaning]) -> str:
    """C++ of some instructions with the parts of the runtime that they need."""
    given = tuple(instructions)
    files = [RUNTIME / "runtime.h", RUNTIME / "soft_float.cpp"]
    files += [MACHINE / name for name in ("machine.h", "operands.h", "operands.cpp", "arithmetic.h")]
    parts = [*(path.read_text() for path in files), source.functions(given), source.directory(given)]
    sizes = "EXPORT const u64 tl2hip_sizes[] = {sizeof(Source), sizeof(Code), sizeof(Wave)};"
    return re.sub(r'#include "[^"]*"|#pragma once', "", "\n".join((*parts, sizes)))


class Instructions:
    """Functions by mnemonic."""

    def __init__(self, instructions: Iterable[Meaning]) -> None:
        given = tuple(instructions)
        self.library = ctypes.CDLL(str(compile_host(text(given), RUNTIME_FLAGS)))
        functions = (ctypes.c_void_p * len(given)).in_dll(self.library, "tl2hip_instructions")
        self._functions = {one.name: Instruction(at) for one, at in zip(given, functions, strict=True)}

    def run(self, name: str, before: State, code: Code) -> State:
        """The wave that an instruction leaves."""
        wave = Wave()
        v = np.ctypeslib.as_array(wave.v)
        s = np.ctypeslib.as_array(wave.s)
        v[:], s[:], wave.scc = before.v, before.s, before.scc
        self._functions[name](ctypes.byref(wave), ctypes.byref(code))
        return State(v.copy(), s.copy(), int(wave.scc))


@lru_cache(maxsize=1)
def every() -> Instructions:
    """All that there are, compiled once."""
    return Instructions(meanings.MEANINGS.values())
