"""Traces of a block: what the executor records of each instruction, against counts made by hand."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from tests.prove.machine.assembled import library
from tests.prove.machine.modelled import only
from tl2hip.prove.machine.library import MachineLibrary
from tl2hip.prove.machine.model import Lanes, Step, Trace
from tl2hip.prove.machine.tracing import Starved

LANE = "v_and_b32_e32 v1, 63, v0\n"
CODE = 3
"""Instructions of the start, which reads the arguments."""


def traced(lines: str, given: Any = None, n: int = 0, *, blocks: int = 1, threads: int = 64, **how: Any) -> Trace:
    shape = np.ones((2, 3), np.uint32)
    shape[0, 0], shape[1, 0] = blocks, threads
    given = np.zeros(4096, np.uint32) if given is None else given
    with library(lines, detect=False) as made:
        found: Trace = made.trace("launch", [given, np.zeros(4096, np.uint32), np.uint32(n), shape], **how)
    return found


def steps_of(lines: str, name: str, **how: Any) -> list[Step]:
    """What the only wave's instructions of that name are recorded as."""
    trace = traced(lines, **how)
    return [one for one in only(trace.waves) if trace.kernel.code[one.at].name == name]


@pytest.mark.parametrize(
    ("access", "stride", "clocks", "moved"),
    [
        ("ds_read_b32 v2, v1", 4, 2, 256),  # 64 lanes side by side: 32 banks twice
        ("ds_read_b32 v2, v1", 8, 4, 256),  # every second bank
        ("ds_read_b32 v2, v1", 128, 64, 256),  # one bank
        ("ds_read_b32 v2, v1", 0, 2, 256),  # one word, given to all
        ("ds_read_b64 v[2:3], v1", 8, 4, 512),
        ("ds_read_b64 v[2:3], v1", 16, 8, 512),
        ("ds_read_b128 v[2:5], v1", 16, 8, 1024),
        ("ds_read_b128 v[2:5], v1", 144, 8, 1024),  # a row of 128 bytes and 16: no conflict within a phase
        ("ds_read_b128 v[2:5], v1", 128, 64, 1024),
        ("ds_write_b128 v1, v[2:5]", 16, 8, 1024),
        ("ds_write_b128 v1, v[2:5]", 32, 16, 1024),
        ("ds_write_b32 v1, v2", 4, 2, 256),
        ("ds_read2_b32 v[2:3], v1 offset0:0 offset1:64", 4, 4, 512),  # two accesses
        ("ds_write2_b64 v1, v[2:3], v[4:5] offset0:0 offset1:64", 8, 8, 1024),
        ("ds_add_u32 v1, v2", 4, 2, 256),
        ("ds_add_u32 v1, v2", 0, 64, 256),  # one word, updated by one lane after the other
        ("ds_add_u32 v1, v2", 128, 64, 256),
    ],
)
def test_clocks_of_the_banks(access: str, stride: int, clocks: int, moved: int) -> None:
    lines = f"{LANE}v_mov_b32_e32 v2, 0\nv_mul_u32_u24_e32 v1, {stride}, v1\n{access}"
    (step,) = steps_of(lines, access.split()[0])
    assert (step.lds, step.bytes, step.requests) == (clocks, moved, 0)


@pytest.mark.parametrize(
    ("access", "stride", "free", "used"),
    [
        ("ds_read_b32 v2, v1", 128, 2, 0),
        ("ds_read_b64 v[2:3], v1", 16, 4, 0),
        ("ds_read_b128 v[2:5], v1", 128, 8, 0),
        ("ds_read2_b32 v[2:3], v1 offset0:0 offset1:64", 8, 4, 0),
        ("global_load_dword v2, v1, s[4:5]", 4, 0, 256),
        ("global_load_dword v2, v1, s[4:5]", 256, 0, 256),
        ("global_load_dword v2, v1, s[4:5]", 0, 0, 4),  # all lanes want the same
        ("global_load_dwordx4 v[2:5], v1, s[4:5]", 32, 0, 1024),
    ],
)
def test_what_an_access_needs_at_least(access: str, stride: int, free: int, used: int) -> None:
    lines = f"{LANE}v_mul_u32_u24_e32 v1, {stride}, v1\n{access}"
    (step,) = steps_of(lines, access.split()[0])
    assert (step.lds_free, step.used) == (free, used)


def test_where_lanes_went() -> None:
    lines = f"{LANE}v_mul_u32_u24_e32 v1, 48, v1\ns_mov_b64 exec, 0x7\nds_read_b64 v[2:3], v1 offset:8\n"
    lines += "global_load_dword v2, v1, s[4:5] offset:4\nglobal_load_dword v3, v1, s[4:5]"
    trace = traced(lines)
    found = {**trace.in_memory, **trace.in_lds}
    names = {trace.kernel.code[at].text: lanes for at, lanes in found.items()}
    there = (0, 48, 96, *[None] * 61)
    assert names == {
        "ds_read_b64 v[2:3], v1 offset:8": Lanes(8, there),
        "global_load_dword v2, v1, s[4:5] offset:4": Lanes(4, there),
        "global_load_dword v3, v1, s[4:5]": Lanes(4, there),
    }


def test_the_dearest_time_is_kept() -> None:
    """A loop in which lanes are 4, 8, 16 … bytes apart, and at last at one place again."""
    lines = f"{LANE}s_mov_b32 s9, 4\n.Lmore:\nv_mul_u32_u24_e32 v2, s9, v1\nds_read_b32 v3, v2\n"
    lines += "s_lshl_b32 s9, s9, 1\ns_cmp_le_u32 s9, 64\ns_cbranch_scc1 .Lmore\nds_read_b32 v3, v1"
    trace = traced(lines)
    (first, second) = trace.in_lds.values()
    assert first == Lanes(4, tuple(range(0, 64 * 64, 64))) and second == Lanes(4, tuple(range(64)))


@pytest.mark.parametrize(
    ("access", "stride", "requests", "lines", "moved"),
    [
        ("global_load_dword v2, v1, s[4:5]", 4, 4, 2, 256),
        ("global_load_dword v2, v1, s[4:5]", 64, 64, 32, 256),
        ("global_load_dword v2, v1, s[4:5]", 0, 1, 1, 256),
        ("global_load_dword v2, v1, s[4:5] offset:32", 4, 5, 3, 256),
        ("global_load_dwordx4 v[2:5], v1, s[4:5]", 16, 16, 8, 1024),
        ("global_load_ubyte v2, v1, s[4:5]", 1, 1, 1, 64),
        ("global_store_dwordx2 v1, v[2:3], s[6:7]", 8, 8, 4, 512),
        ("global_atomic_add v1, v2, s[6:7]", 4, 4, 2, 256),
    ],
)
def test_requests_and_lines_of_memory(access: str, stride: int, requests: int, lines: int, moved: int) -> None:
    # Buffers begin at a page.
    (step,) = steps_of(f"{LANE}v_mul_u32_u24_e32 v1, {stride}, v1\n{access}", access.split()[0])
    assert (step.requests, step.lines, step.bytes, step.lds) == (requests, lines, moved, 0)


def test_lanes_that_do_not_take_part() -> None:
    lines = f"{LANE}v_lshlrev_b32_e32 v2, 2, v1\ns_mov_b64 exec, 0xf\n"
    lines += "ds_read_b32 v3, v2\nglobal_load_dword v4, v2, s[4:5]"
    (step,) = steps_of(lines, "ds_read_b32")
    assert (step.lds, step.bytes, step.idle) == (1, 16, False)
    (step,) = steps_of(lines, "global_load_dword")
    assert (step.requests, step.bytes) == (1, 16)
    (step,) = steps_of(lines.replace("0xf", "0"), "ds_read_b32")
    assert (step.lds, step.bytes, step.idle) == (0, 0, True)


def test_a_load_that_goes_to_lds_touches_both() -> None:
    lines = f"{LANE}v_lshlrev_b32_e32 v1, 2, v1\ns_mov_b32 m0, 0\nglobal_load_lds_dword v1, s[4:5]"
    (step,) = steps_of(lines, "global_load_lds_dword")
    assert (step.lds, step.requests, step.bytes) == (2, 4, 512)


def test_a_loop_is_recorded_as_it_was_run_by_each_wave() -> None:
    # As many times round as the wave's number and one.
    lines = "v_readfirstlane_b32 s9, v0\n.Lmore:\ns_sub_i32 s9, s9, 64\ns_cmp_ge_i32 s9, 0\ns_cbranch_scc1 .Lmore"
    trace = traced(lines, threads=200)
    assert [len(wave) for wave in trace.waves] == [CODE + 1 + 3 * (k + 1) + 1 for k in range(4)]
    assert [one.at for one in trace.waves[1]] == [*range(7), *range(4, 8)]
    assert trace.steps == 3 * 10 + 4 * 5


def test_one_block_of_one_launch_is_recorded() -> None:
    lines = "s_mov_b32 s9, s2\n.Lmore:\ns_sub_i32 s9, s9, 1\ns_cmp_ge_i32 s9, 0\ns_cbranch_scc1 .Lmore"
    third = traced(lines, blocks=5, block=2)
    assert (third.block, third.grid, third.blocks) == ((2, 0, 0), (5, 1, 1), 5)
    assert third.steps == traced(lines, blocks=5).steps + 2 * 3
    assert [traced(lines, blocks=n, block=None).block[0] for n in (1, 2, 4, 5)] == [0, 1, 2, 2]
    for how in ({"block": 5}, {"launch": 1}, {"kernel": "other"}):
        with pytest.raises(ValueError, match="does not launch that block"):
            traced(lines, blocks=5, **how)


def test_a_run_that_is_given_up_has_no_trace() -> None:
    with pytest.raises(ValueError, match="given up: .* past the end of argument 0") as told:
        traced(f"{LANE}v_lshlrev_b32_e32 v1, 10, v1\nglobal_load_dword v2, v1, s[4:5]")
    assert told.type is ValueError, "no want of this machine's"


def test_a_run_that_takes_too_long_is_starved() -> None:
    with pytest.raises(Starved, match="the run that is traced is given up"):
        traced(".Lmore:\ns_branch .Lmore", launch=1, seconds=1)


def test_a_block_that_executes_too_much_is_told() -> None:
    with pytest.raises(ValueError, match="more than the 4,194,304"):
        traced("s_mov_b32 s9, 0x300000\n.Lmore:\ns_sub_i32 s9, s9, 1\ns_cmp_ge_i32 s9, 0\ns_cbranch_scc1 .Lmore")


def test_where_lanes_went_is_kept_of_every_instruction() -> None:
    many, too_many = 5_000, (1 << 15) + 1
    trace = traced("v_mov_b32_e32 v1, 0\n" + "ds_read_b32 v2, v1\n" * many)
    assert len(trace.in_lds) == many and not trace.in_memory
    with pytest.raises(ValueError, match="more memory instructions than there is room for"):
        traced("v_mov_b32_e32 v1, 0\n" + "ds_read_b32 v2, v1\n" * too_many)


def test_a_trace_that_there_is_no_memory_for_is_told() -> None:
    """In a process of its own: the room stays once it is there."""
    code = """
import re, resource, sys
import numpy as np
from tests.prove.machine.assembled import library
from tl2hip.prove.machine.tracing import Starved
shape = np.ones((2, 3), np.uint32)
args = [np.zeros(4, np.uint32), np.zeros(4, np.uint32), np.uint32(0), shape]
with library("s_nop 0", detect=False) as made:
    assert made.call("launch", args).status == 0
    has = int(re.search(r"VmSize:\\s+(\\d+)", open("/proc/self/status").read())[1]) * 1024
    resource.setrlimit(resource.RLIMIT_AS, (has + (16 << 20), resource.RLIM_INFINITY))
    try:
        made.trace("launch", args)
    except Starved as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "there is no memory for a trace\n", done.stderr


def test_nothing_of_a_program_is_kept_by_the_runtime_after_a_call() -> None:
    class Told:
        """A runtime that writes down what is called."""

        def __init__(self, runtime: Any) -> None:
            self.runtime, self.calls = runtime, []

        def __getattr__(self, name: str) -> Any:
            def call(*args: Any) -> Any:
                self.calls.append((name, args))
                return getattr(self.runtime, name)(*args)

            return call if name in ("tl2hip_program", "tl2hip_end") else getattr(self.runtime, name)

        def __getitem__(self, name: str) -> Any:
            return self.runtime[name]

    given = [np.zeros(4, np.uint32), np.zeros(4, np.uint32), np.uint32(0), np.ones((2, 3), np.uint32)]
    with library("s_nop 0") as made:
        made._runtime = told = Told(made._runtime)
        made.call("launch", given)
    assert [name for name, _ in told.calls] == ["tl2hip_program", "tl2hip_end", "tl2hip_program"]
    assert told.calls[-1][1] == (None, 0, None, 0)


def test_calls_after_a_trace_run_all_blocks() -> None:
    shape = np.array([[3, 1, 1], [64, 1, 1]], np.uint32)
    out = np.zeros(4, np.uint32)
    lines = "v_mov_b32_e32 v1, s2\ns_lshl_b32 s9, s2, 2\nv_mov_b32_e32 v2, s9\nglobal_store_dword v2, v1, s[6:7]"
    with library(lines, detect=False) as made:
        args = [np.zeros(4, np.uint32), out, np.uint32(0), shape]
        trace = made.trace("launch", args, block=1)
        assert list(out) == [0, 1, 0, 0]
        ran = made.call("launch", args)
        assert ran.status == 0 and list(out) == [0, 1, 2, 0]
        again = made.trace("launch", args, block=1)
    assert trace == again


def test_launches_are_counted_and_traced_alone() -> None:
    text = (
        "#include <hip/hip_runtime.h>\ntypedef long long i64;\n"
        '#define KERNEL extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(64, 64))) void\n'
        "KERNEL one(int *x) { x[threadIdx.x] = 1; }\n"
        "KERNEL two(int *x) { for (int k = 0; k < x[0]; ++k) x[1 + k] += 2; }\n"
        'extern "C" hipError_t both(int *x, i64 n, hipStream_t stream) {\n'
        "    for (i64 k = 0; k < n; ++k) hipLaunchKernelGGL(one, dim3(3), dim3(64), 0, stream, x);\n"
        "    if (n > 1) hipLaunchKernelGGL(two, dim3(1), dim3(64), 0, stream, x);\n"
        "    return hipGetLastError();\n}\n"
    )
    x = np.zeros(64, np.int32)
    with MachineLibrary(text, detect=False) as made:
        assert made.launches("both", [x, np.int64(3)]) == {"one": 3, "two": 1}
        assert made.launches("both", [x, np.int64(1)]) == {"one": 1} and not x.any()
        short = made.trace("both", [x, np.int64(3)], kernel="two", alone=True)
        assert not x.any()
        long = made.trace("both", [x, np.int64(3)], kernel="two")
        assert long.steps > short.steps and x[:3].tolist() == [1, 3, 1]
        with pytest.raises(ValueError, match="launches cannot be counted: the launcher does not come to an end"):
            made.launches("both", [x, np.int64(1 << 40)])
        made.call("both", [x, np.int64(1)])
        assert x.tolist() == [1] * 64
