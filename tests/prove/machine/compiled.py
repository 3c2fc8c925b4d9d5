"""The instructions' functions, the executor's own or some that are compiled here, run on a prepared wave."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np

from tests.prove.machine.model import State
from tl2hip.prove.compiler import compile_host
from tl2hip.prove.emulate.library import RUNTIME, RUNTIME_FLAGS
from tl2hip.prove.machine import source
from tl2hip.prove.machine.executor import executor
from tl2hip.prove.machine.meanings.table import Meaning
from tl2hip.prove.machine.records import Code, Wave

MACHINE = Path(source.__file__).parent / "runtime"
Instruction = ctypes.CFUNCTYPE(None, ctypes.POINTER(Wave), ctypes.POINTER(Code))


class Instructions:
    """Functions by mnemonic, given their addresses."""

    def __init__(self, functions: Mapping[str, int]) -> None:
        self._functions = {name: Instruction(at) for name, at in functions.items()}

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
    """All that the executor has."""
    return Instructions(executor().functions)


def compiled(instructions: Iterable[Meaning]) -> Instructions:
    """Some instructions, compiled with the parts of the runtime that they need."""
    given = tuple(instructions)
    files = [RUNTIME / "runtime.h", RUNTIME / "soft_float.cpp"]
    parts_of = ("machine.h", "operands.h", "operands.cpp", "arithmetic.h", "approximate.h")
    files += [MACHINE / name for name in parts_of]
    names = ", ".join(one.function for one in given)
    directory = f"EXPORT const Run tl2hip_instructions[] = {{{names}}};"
    parts = [*(path.read_text() for path in files), source.functions(given), directory]
    text = re.sub(r'#include "[^"]*"|#pragma once', "", "\n".join(parts))
    library = ctypes.CDLL(str(compile_host(text, RUNTIME_FLAGS)))
    addresses = (ctypes.c_void_p * len(given)).in_dll(library, "tl2hip_instructions")
    return Instructions({one.name: at for one, at in zip(given, addresses, strict=True) if at})
