"""All math helpers compiled for the host in one shared object, and called on arrays."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

from tl2hip.hip.math import MathFunction, closure
from tl2hip.hip.math.table import ROWS

HOST = "-x c++ -std=c++17 -O2 -march=native -fPIC -fno-exceptions -fno-vectorize -fno-slp-vectorize -Wall -Werror"
DEVICE = "-x hip --offload-arch=gfx942 --offload-device-only -nogpulib -nogpuinc -O3 -Wall -Werror -S"
HEAD = "#pragma clang fp contract(off)\n"
UNIT = """
extern "C" double exp2(double);
extern "C" { int way = 0; }
static float __builtin_amdgcn_exp2f(float x) {
    const double y = exp2((double)x);
    const float near = (float)y;
    const bool moved = way > 0 ? near < y : way < 0 ? near > y : false;
    return moved ? __builtin_bit_cast(float, __builtin_bit_cast(int, near) + way) : near;
}
"""
"""v_exp_f32, rounded to the nearest number, down (`way` is -1) or up (1): all that one unit of error allows."""

NUMPY = {
    "float": "float32",
    "double": "float64",
    "long long": "int64",
    "int": "int32",
    "short": "int16",
    "signed char": "int8",
    "unsigned char": "uint8",
    "unsigned int": "uint32",
    "bool": "bool",
}


def signature(function: MathFunction) -> tuple[str, tuple[str, ...]] | None:
    """C types of the result and the parameters; None for a part that works on pairs or other structs."""
    found = re.search(rf"inline ([\w ]+?) {function.symbol}\(([^)]*)\)", function.text)
    if found is None:
        return None
    parameters = tuple(" ".join(p.split()[:-1]) for p in found[2].split(","))
    return (found[1], parameters) if {found[1], *parameters} <= set(NUMPY) else None


def callable_functions() -> list[MathFunction]:
    return [f for f in closure(ROWS) if signature(f) is not None]


def compiler(*arguments: str) -> None:
    done = subprocess.run([sys.executable, "-m", "ziglang", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


class Library:
    """The host build; `library("exp_f32", x)` gives exp_f32 of every element."""

    def __init__(self, folder: Path, *flags: str, more: str = "") -> None:
        self.types: dict[str, tuple[str, tuple[str, ...]]] = {}
        text = [HEAD, UNIT, "#define __device__\n", *(f.text for f in closure(ROWS)), more]
        for function in callable_functions():
            kinds = signature(function)
            assert kinds is not None
            self.types[function.symbol] = kinds
            inputs = "".join(f", const {kind}* a{i}" for i, kind in enumerate(kinds[1]))
            call = ", ".join(f"a{i}[i]" for i in range(len(kinds[1])))
            text.append(
                f'extern "C" void run_{function.symbol}(long n, {kinds[0]}* out{inputs}) {{\n'
                f"    for (long i = 0; i < n; i++) out[i] = {function.symbol}({call});\n}}\n"
            )
        source, made, shared = folder / "host.cpp", folder / "host.o", folder / "host.so"
        source.write_text("\n".join(text))
        compiler("clang", *HOST.split(), *flags, "-c", str(source), "-o", str(made))
        compiler("ld.lld", "-shared", str(made), "-o", str(shared))
        self.shared = ctypes.CDLL(str(shared))

    def unit(self, way: int) -> None:
        """From now on v_exp_f32 rounds to the nearest number (0), down (-1) or up (1)."""
        ctypes.c_int.in_dll(self.shared, "way").value = way

    def __call__(self, symbol: str, *arguments: np.ndarray) -> np.ndarray:
        result, parameters = self.types[symbol]
        arrays = [np.ascontiguousarray(a, NUMPY[kind]) for a, kind in zip(arguments, parameters, strict=True)]
        out = np.empty(arrays[0].shape, NUMPY[result])
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in (out, *arrays)]
        self.shared[f"run_{symbol}"](ctypes.c_long(out.size), *pointers)
        return out
