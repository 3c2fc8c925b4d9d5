"""The race detector against a comparison of all pairs of accesses, on programs drawn at random."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest

from tl2hip.prove.emulate import Emulator, Library

from .kernels import HEAD

BLOCKS, THREADS, EPOCHS, SLOTS, BYTES = 3, 160, 3, 2, 32
READ, WRITE, ATOMIC = 1, 2, 3

# A thread does what its row of the table says: kind, whether in LDS, width in bytes, offset.
TEXT = HEAD + f"""
template <class T>
__device__ __forceinline__ void access(char* at, int kind) {{
    if (kind == {READ}) (void)*(volatile T*)at;
    if (kind == {WRITE}) *(volatile T*)at = (T)1;
}}

__global__ __attribute__((amdgpu_flat_work_group_size({THREADS}, {THREADS})))
void program_kernel(const int* table, char* memory) {{
    __shared__ __attribute__((aligned(16))) char room[{BYTES}];
    if (threadIdx.x < {BYTES}) room[threadIdx.x] = 0;
    __syncthreads();
    for (int epoch = 0; epoch < {EPOCHS}; ++epoch) {{
        for (int slot = 0; slot < {SLOTS}; ++slot) {{
            const int thread = (blockIdx.x * {EPOCHS} + epoch) * {THREADS} + threadIdx.x;
            const int* row = table + (thread * {SLOTS} + slot) * 4;
            char* at = (row[1] ? room : memory) + row[3];
            if (row[0] == {ATOMIC}) atomicAdd((int*)at, 1);
            else if (row[2] == 1) access<char>(at, row[0]);
            else if (row[2] == 2) access<short>(at, row[0]);
            else if (row[2] == 4) access<int>(at, row[0]);
            else if (row[2] == 8) access<long>(at, row[0]);
        }}
        __syncthreads();
    }}
}}

extern "C" hipError_t program(const int* table, char* memory, hipStream_t stream) {{
    hipLaunchKernelGGL(program_kernel, dim3({BLOCKS}), dim3({THREADS}), 0, stream, table, memory);
    return hipGetLastError();
}}
"""


@dataclass(frozen=True)
class Access:
    block: int
    epoch: int
    thread: int
    kind: int
    lds: bool
    width: int
    offset: int


def draw(random: np.random.Generator, threads: int) -> list[Access]:
    """Accesses of a few threads to a few bytes, so that some programs race and some do not."""
    found = []
    shift = int(random.integers(0, 3))
    kinds = random.choice([READ, READ, READ, WRITE, ATOMIC], 4)
    for block in range(BLOCKS):
        for thread in np.repeat(random.choice(THREADS, threads, replace=False), SLOTS):
            epoch, lds = int(random.integers(EPOCHS)), bool(random.integers(2))
            kind = int(random.choice(kinds))
            width = 4 if kind == ATOMIC else int(random.choice([1, 2, 4, 8]))
            place = int(random.integers(BYTES // width)) if shift else int(thread) * 8 % BYTES // width
            found.append(Access(block, epoch, int(thread), kind, lds, width, place * width))
    return found


def expected(accesses: list[Access]) -> set[str]:
    """Severities of the races among all pairs."""
    found = set()
    for a, b in combinations(accesses, 2):
        if a.lds != b.lds or (a.block, a.thread) == (b.block, b.thread):
            continue
        if a.kind == b.kind != WRITE or a.offset >= b.offset + b.width or b.offset >= a.offset + a.width:
            continue
        if a.block != b.block:
            if not a.lds:
                found.add("error")
        elif a.epoch == b.epoch:
            found.add("warning" if a.thread // 64 == b.thread // 64 else "error")
    return found


@pytest.fixture(scope="module")
def library() -> Library:
    return Emulator.load(TEXT)


@pytest.mark.parametrize("threads", [2, 3, 5])
def test_errors_are_found_exactly_when_there_are_any(library: Library, threads: int) -> None:
    random = np.random.default_rng(threads)
    outcomes = []
    for _ in range(60):
        accesses = draw(random, threads)
        table = np.zeros((BLOCKS, EPOCHS, THREADS, SLOTS, 4), np.int32)
        for a in accesses:
            slot = int(table[a.block, a.epoch, a.thread, 0, 0] != 0)
            table[a.block, a.epoch, a.thread, slot] = (a.kind, a.lds, a.width, a.offset)
        run = library.call("program", [table, np.zeros(BYTES, np.int8)])
        assert run.status == 0 and {finding.kind for finding in run.findings} <= {"race"}
        severities, right = {finding.severity for finding in run.findings}, expected(accesses)
        assert ("error" in severities) == ("error" in right), accesses
        # A warning may be hidden behind an error at the same bytes, but never appears from nothing.
        assert severities <= right and bool(severities) == bool(right), accesses
        outcomes.append("error" in right)
    assert 0 < sum(outcomes) < len(outcomes)
