"""Kernels of hand-written instructions, run on the machine-level executor."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tl2hip.prove.emulate import Run
from tl2hip.prove.machine import operands
from tl2hip.prove.machine.library import MachineLibrary
from tl2hip.prove.machine.program import Argument, Instruction, Kernel, Program

LAUNCHER = """
#include <hip/hip_runtime.h>
extern "C" __global__ void k(const void *in, void *out, unsigned n);
extern "C" hipError_t launch(const void *in, void *out, unsigned n, dim3 *shape, hipStream_t stream)
{
    hipLaunchKernelGGL(k, shape[0], shape[1], 0, stream, in, out, n);
    return hipGetLastError();
}
"""

START = """
s_load_dwordx4 s[4:7], s[0:1], 0x0
s_load_dword s8, s[0:1], 0x10
s_waitcnt lgkmcnt(0)
"""
"""`in` is in s[4:5], `out` in s[6:7], n in s8; the block's index is in s2, the thread's in v0."""

GIVEN = (Argument(0, 8, "global_buffer"), Argument(8, 8, "global_buffer"), Argument(16, 4, "by_value"))


def program(lines: str, constants: Mapping[str, bytes] | None = None, **facts: Any) -> Program:
    """A program of one kernel `k`. A line that ends in a colon is a label; `facts` are more of the kernel's."""
    code: list[Instruction] = []
    labels: dict[str, int] = {}
    for number, line in enumerate(lines.strip().splitlines(), 1):
        if match := re.fullmatch(r"\s*(\.L\w+):", line):
            labels[match[1]] = len(code)
        elif line.strip():
            code.append(operands.read(line.strip(), number))
    usual: dict[str, Any] = {
        "group_ids": (True, False, False), "thread_ids": 0, "vgprs": 128, "sgprs": 102, "agprs": 8, "lds": 65536,
        "scratch": 0, "arguments": GIVEN, "arguments_size": 20, "most_threads": 1024,
    }  # fmt: skip
    return Program((Kernel(name="k", code=tuple(code), labels=labels, **{**usual, **facts}),), constants or {})


def library(lines: str, *, detect: bool = True, constants: Mapping[str, bytes] | None = None, **facts: Any) -> Any:
    """The library of a program of those lines, between the usual start and the end."""
    made = program(f"{START.strip()}\n{lines.strip()}\ns_endpgm", constants, **facts)
    return MachineLibrary(LAUNCHER, detect=detect, program=made)


def run(
    lines: str,
    given: NDArray[Any],
    out: NDArray[Any],
    n: int = 0,
    *,
    blocks: tuple[int, ...] = (1,),
    threads: tuple[int, ...] = (64,),
    detect: bool = True,
    constants: Mapping[str, bytes] | None = None,
    seconds: int = 60,
    **facts: Any,
) -> Run:
    """Run lines on two arrays; the second one is written."""
    shape = np.ones((2, 3), np.uint32)
    shape[0, : len(blocks)] = blocks
    shape[1, : len(threads)] = threads
    with library(lines, detect=detect, constants=constants, **facts) as made:
        found: Run = made.call("launch", [given, out, np.uint32(n), shape], seconds=seconds)
    return found


def clean(lines: str, given: NDArray[Any], out: NDArray[Any], n: int = 0, **how: Any) -> NDArray[Any]:
    """Run lines with detection and without: nothing is found, and both give the same. What was written."""
    plain = out.copy()
    ran = run(lines, given, out, n, **how)
    assert ran.status == 0 and not ran.findings, [str(one) for one in ran.findings]
    ran = run(lines, given, plain, n, detect=False, **how)
    assert ran.status == 0 and not ran.findings, [str(one) for one in ran.findings]
    assert out.tobytes() == plain.tobytes()
    return out


def kinds(ran: Run) -> list[str]:
    """The kinds of what a run found."""
    return [one.kind for one in ran.findings]


def lanes(*, seed: int = 0) -> NDArray[np.uint32]:
    """The 64 lanes in another order."""
    return np.random.default_rng(seed).permutation(64).astype(np.uint32)
