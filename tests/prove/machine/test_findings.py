"""What is found in machine code beyond wrong numbers, and what is no fault."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.prove.machine.assembled import LAUNCHER, START, clean, kinds, library, program, run
from tl2hip.prove.compiler import compile_device
from tl2hip.prove.machine.library import MachineLibrary

NUMBERS = np.arange(1024, dtype=np.uint32)
LOAD = "global_load_dword v1, v4, s[4:5]"
LOW = "v_mov_b32_e32 v2, 0\n"
"""Of v[2:3] the low half is written."""
PLACE = "v_lshlrev_b32_e32 v4, 2, v0\n"


def found(lines: str, threads: int = 64, **how: int) -> list[str]:
    """Kinds and lines of what is found; line 4 is the first one."""
    ran = run(PLACE + lines, NUMBERS, np.zeros(1024, np.uint32), threads=(threads,), **how)
    return [f"{one.kind} {one.code_line}" for one in ran.findings]


# ---- registers that are being loaded


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        # a load is used before it is waited for
        ("global_load_dword v1, v4, s[4:5]\nv_mov_b32_e32 v2, v1", ["pending_register 6"]),
        ("global_load_dwordx2 v[2:3], v4, s[4:5]\nv_mov_b32_e32 v5, v3", ["pending_register 6"]),
        ("ds_write_b32 v4, v4\nds_read_b32 v1, v4\nv_mov_b32_e32 v2, v1", ["pending_register 7"]),
        ("s_load_dword s10, s[4:5], 0x0\ns_mov_b32 s11, s10", ["pending_register 6"]),
        ("s_load_dwordx2 s[10:11], s[4:5], 0x0\nv_mov_b32_e32 v1, s11", ["pending_register 6"]),
        ("global_load_dword a1, v4, s[4:5]\nv_accvgpr_read_b32 v2, a1", ["pending_register 6"]),
        ("global_atomic_add v1, v4, v0, s[6:7] sc0\nv_mov_b32_e32 v2, v1", ["pending_register 6"]),
        ("ds_bpermute_b32 v1, v4, v0\nv_mov_b32_e32 v2, v1", ["pending_register 6"]),
        ("s_load_dwordx2 vcc, s[4:5], 0x0\ns_cbranch_vccz .L1\n.L1:", ["pending_register 6"]),
        # … or overwritten
        ("global_load_dword v1, v4, s[4:5]\nv_mov_b32_e32 v1, 0", ["pending_register 6"]),
        ("s_load_dword s10, s[4:5], 0x0\ns_mov_b32 s10, 0", ["pending_register 6"]),
        ("ds_write_b32 v4, v4\nds_read_b32 v1, v4\nglobal_load_dword v1, v4, s[4:5]", ["pending_register 7"]),
        # waiting for another counter, or for too few
        ("global_load_dword v1, v4, s[4:5]\ns_waitcnt lgkmcnt(0)\nv_mov_b32_e32 v2, v1", ["pending_register 7"]),
        (
            "global_load_dword v1, v4, s[4:5]\nglobal_load_dword v2, v4, s[4:5]\ns_waitcnt vmcnt(1)\n"
            "v_mov_b32_e32 v5, v1\nv_mov_b32_e32 v6, v2",
            ["pending_register 9"],
        ),
        (
            f"{LOAD}\nglobal_store_dword v4, v0, s[6:7]\ns_waitcnt vmcnt(1)\nv_mov_b32_e32 v5, v1",
            [],  # stores are counted too, in their turn
        ),
        (
            f"global_store_dword v4, v0, s[6:7]\n{LOAD}\ns_waitcnt vmcnt(1)\nv_mov_b32_e32 v5, v1",
            ["pending_register 8"],
        ),
        # scalar loads end in no order: only zero says anything while one is under way
        (
            "s_load_dword s10, s[4:5], 0x0\ns_load_dword s11, s[4:5], 0x0\n"
            "s_waitcnt lgkmcnt(1)\ns_mov_b32 s12, s10",
            ["pending_register 8"],
        ),
        (
            "ds_write_b32 v4, v4\nds_read_b32 v1, v4\ns_load_dword s11, s[4:5], 0x0\n"
            "s_waitcnt lgkmcnt(1)\nv_mov_b32_e32 v2, v1",
            ["pending_register 9"],
        ),
        (
            "ds_write_b32 v4, v4\nds_read_b32 v1, v4\nds_read_b32 v2, v4\n"
            "s_waitcnt lgkmcnt(1)\nv_mov_b32_e32 v3, v1",
            [],
        ),
        # no fault: data of a store may be overwritten, loads of one kind end in order, waits that suffice
        ("global_store_dword v4, v0, s[6:7]\nv_mov_b32_e32 v0, 0", []),
        ("ds_write_b32 v4, v0\nv_mov_b32_e32 v0, 0", []),
        ("global_load_dword v1, v4, s[4:5]\nglobal_load_dword v1, v4, s[4:5]", []),
        ("global_load_dword v1, v4, s[4:5]\ns_waitcnt vmcnt(0)\nv_mov_b32_e32 v2, v1", []),
        ("s_load_dword s10, s[4:5], 0x0\ns_waitcnt vmcnt(63) expcnt(7) lgkmcnt(0)\ns_mov_b32 s11, s10", []),
    ],
)
def test_registers_that_are_being_loaded(lines: str, expected: list[str]) -> None:
    assert found(lines) == expected


def test_a_flat_access_is_waited_for_by_both_counters() -> None:
    start = "v_mov_b32_e32 v2, s4\nv_mov_b32_e32 v3, s5\nflat_load_dword v1, v[2:3]\n"
    use = "\nv_mov_b32_e32 v5, v1"
    assert found(f"{start}s_waitcnt vmcnt(0){use}") == ["pending_register 9"]
    assert found(f"{start}s_waitcnt lgkmcnt(0){use}") == ["pending_register 9"]
    assert found(f"{start}s_waitcnt vmcnt(0) lgkmcnt(0){use}") == []


def test_a_counter_that_is_full_makes_later_instructions_wait() -> None:
    many = "\n".join(["global_load_dword v1, v4, s[4:5]", *["global_store_dword v4, v0, s[6:7]"] * 63])
    assert found(f"{many}\nv_mov_b32_e32 v5, v1") == []


def test_what_a_finding_says() -> None:
    ran = run(f"{PLACE}global_load_dword v1, v4, s[4:5]\nv_mov_b32_e32 v2, v1", NUMBERS, np.zeros(64, np.uint32))
    assert str(ran.findings[0]) == (
        "pending_register (error): wave 0 of block (0, 0, 0) reads v1; that line 5 loads it is not waited for: "
        "global_load_dword v1, v4, s[4:5]\n    assembly line 6: v_mov_b32_e32 v2, v1"
    )
    ran = run(f"{PLACE}global_store_dword v4, v9, s[6:7]", NUMBERS, np.zeros(64, np.uint32), threads=(2,))
    assert str(ran.findings[0]) == (
        "unwritten_register (warning): wave 0 of block (0, 0, 0) uses v9 in lane 0, which comes of what nothing "
        "has written\n    assembly line 5: global_store_dword v4, v9, s[6:7]"
    )


# ---- scalar loads, and stores under way


OWN = "v_mov_b32_e32 v1, 7\nglobal_store_dword v4, v1, s[6:7]\ns_waitcnt vmcnt(0)\n"
SCALAR = "s_load_dwordx2 s[10:11], s[6:7], 0x8\ns_waitcnt lgkmcnt(0)"


@pytest.mark.parametrize(
    ("lines", "threads", "expected"),
    [
        (f"{OWN}{SCALAR}", 64, ["stale_scalar 8"]),
        (f"{OWN}s_barrier\n{SCALAR}", 128, ["stale_scalar 9"]),
        (f"global_atomic_add v4, v0, s[6:7]\ns_waitcnt vmcnt(0)\n{SCALAR}", 64, ["stale_scalar 7"]),
        (f"{SCALAR}\n{OWN}", 64, []),
        (f"{OWN}{SCALAR.replace('0x8', '0x100')}", 64, []),
        (f"{OWN}{SCALAR.replace('s[6:7]', 's[4:5]')}", 64, []),
        (f"{OWN}global_load_dword v1, v4, s[6:7]", 64, []),
    ],
)
def test_scalar_loads_of_what_the_launch_has_written(lines: str, threads: int, expected: list[str]) -> None:
    assert found(lines, threads) == expected


def test_what_is_said_of_a_scalar_load() -> None:
    ran = run(PLACE + OWN + SCALAR, NUMBERS, np.zeros(64, np.uint32))
    assert str(ran.findings[0]) == (
        "stale_scalar (error): wave 0 of block (0, 0, 0) reads what thread 2 wrote in this launch by a scalar "
        "load, whose cache does not see it\n    assembly line 8: s_load_dwordx2 s[10:11], s[6:7], 0x8"
    )


def test_what_an_earlier_launch_wrote_may_be_loaded_by_the_scalar_unit() -> None:
    launch = "    hipLaunchKernelGGL(k, shape[0], shape[1], 0, stream, in, out, n);\n"
    text = LAUNCHER.replace(launch, launch + launch)
    lines = f"{START}{PLACE}{SCALAR}\n{OWN}s_endpgm"
    with MachineLibrary(text, program=program(lines)) as made:
        shape = np.array([[1, 1, 1], [64, 1, 1]], np.uint32)
        ran = made.call("launch", [NUMBERS, np.zeros(64, np.uint32), np.uint32(0), shape])
    assert ran.launches == {"k": 2} and not ran.findings


def test_stores_under_way_are_seen_by_the_waves_behind_a_barrier() -> None:
    """All waves of a block reach memory through one cache, in order: the compiler waits for none of them there."""
    turn = "v_xor_b32_e32 v5, 0x100, v4\n"
    read = "global_load_dword v1, v5, s[6:7]\ns_waitcnt vmcnt(0)\nglobal_store_dword v5, v1, s[6:7]"
    assert found(f"{turn}global_store_dword v4, v0, s[6:7]\ns_barrier\n{read}", 128) == []
    assert set(found(f"{turn}global_store_dword v4, v0, s[6:7]\n{read}", 128)) == {"race 6", "race 7", "race 9"}
    # … and LDS that is read before a barrier must have been before others write it
    read = "ds_write_b32 v4, v0\ns_waitcnt lgkmcnt(0)\ns_barrier\nds_read_b32 v1, v5\n"
    assert found(f"{turn}{read}s_waitcnt lgkmcnt(0)\ns_barrier\nds_write_b32 v4, v4", 128) == []
    assert found(f"{turn}{read}s_barrier\nds_write_b32 v4, v4", 128) == ["race 11"]


def test_the_compiler_does_not_wait_for_stores_before_a_barrier() -> None:
    text = """
    #include <hip/hip_runtime.h>
    extern "C" __global__ __launch_bounds__(128) void k(int *a, int *b)
    {
        a[threadIdx.x] = threadIdx.x;
        __syncthreads();
        b[threadIdx.x] = a[127 - threadIdx.x];
    }
    extern "C" hipError_t launch(int *a, int *b, hipStream_t stream)
    {
        hipLaunchKernelGGL(k, dim3(1), dim3(128), 0, stream, a, b);
        return hipGetLastError();
    }
    """
    assert re.search(r"global_store_dword(?:(?!vmcnt).)*\ts_barrier", compile_device(text).text, re.DOTALL)
    a, b = np.zeros(128, np.int32), np.zeros(128, np.int32)
    with MachineLibrary(text) as made:
        assert not made.call("launch", [a, b]).findings
    assert np.array_equal(b, np.arange(128)[::-1])


# ---- values that nothing has written

STORE = "global_store_dword v4, v1, s[6:7]"
HALF = "s_mov_b64 s[20:21], exec\ns_mov_b32 exec_hi, 0\nv_mov_b32_e32 v1, 5\ns_mov_b64 exec, s[20:21]\n"
"""v1 is written in the first 32 lanes."""


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (STORE, 5),
        (f"v_mov_b32_e32 v1, v2\n{STORE}", 6),
        (f"v_add_f32_e32 v1, v2, v4\n{STORE}", 6),
        (f"v_mov_b32_e32 v1, s30\n{STORE}", 6),
        ("ds_write_b32 v9, v4", 5),
        ("global_load_dword v1, v9, s[4:5]", 5),
        ("s_load_dword s10, s[20:21], 0x0", 5),
        ("s_cbranch_vccnz .L1\n.L1:", 5),
        ("s_cmp_eq_u32 s30, 0\ns_cbranch_scc1 .L1\n.L1:", 6),
        ("v_cmp_eq_u32_e32 vcc, v4, v9\ns_cbranch_vccnz .L1\n.L1:", 6),
        ("v_cmp_eq_u32_e32 vcc, v4, v9\ns_and_saveexec_b64 s[20:21], vcc", 6),
        (f"{HALF}{STORE}", 9),
        (f"v_readlane_b32 s10, v4, 3\nv_readlane_b32 s11, v9, 3\nv_mov_b32_e32 v1, s11\n{STORE}", 8),
        # no fault
        (f"{HALF}s_mov_b32 exec_hi, 0\n{STORE}", 0),
        (f"v_mov_b32_e32 v2, v9\nv_mov_b32_e32 v1, 0\n{STORE}", 0),
        (f"v_writelane_b32 v9, s4, 7\nv_readlane_b32 s11, v9, 7\nv_mov_b32_e32 v1, s11\n{STORE}", 0),
        # halves: the low one of a sum depends on low ones alone
        (f"{LOW}v_mad_u64_u32 v[2:3], s[20:21], v4, v4, v[2:3]\nv_mov_b32_e32 v1, v2\n{STORE}", 0),
        (f"{LOW}v_mad_u64_u32 v[2:3], s[20:21], v4, v4, v[2:3]\nv_mov_b32_e32 v1, v3\n{STORE}", 8),
        (f"{LOW}v_mov_b64_e32 v[10:11], v[2:3]\nv_mov_b32_e32 v1, v10\n{STORE}", 0),
        (f"{LOW}v_pk_add_f32 v[10:11], v[2:3], v[2:3]\nv_mov_b32_e32 v1, v10\n{STORE}", 0),
        (f"{LOW}v_pk_add_f32 v[10:11], v[2:3], v[2:3]\nv_mov_b32_e32 v1, v11\n{STORE}", 8),
        (f"{LOW}v_pk_add_f32 v[10:11], v[2:3], v[2:3] op_sel_hi:[0,0]\nv_mov_b32_e32 v1, v11\n{STORE}", 0),
        # bits of lanes: those of an OR with ones, of an AND with zeros, of lanes that do not take part
        ("s_or_b64 s[20:21], s[20:21], exec\ns_and_b64 vcc, s[20:21], exec\ns_cbranch_vccnz .L1\n.L1:", 0),
        ("s_andn2_b64 vcc, s[20:21], exec\ns_cbranch_vccnz .L1\n.L1:", 0),
        (f"s_mov_b64 vcc, 1\nv_cndmask_b32_e32 v1, v4, v4, vcc\n{STORE}", 0),
        (f"{HALF}s_mov_b32 vcc_lo, 0\ns_mov_b32 vcc_hi, -1\nv_cndmask_b32_e32 v1, v1, v4, vcc\n{STORE}", 0),
        (f"{HALF}s_mov_b32 vcc_lo, 0\ns_mov_b32 vcc_hi, -2\nv_cndmask_b32_e32 v1, v1, v4, vcc\n{STORE}", 12),
    ],
)
def test_values_that_nothing_has_written(lines: str, expected: int) -> None:
    # An access to the place that such a value says may be told too.
    assert found(lines)[:1] == ([f"unwritten_register {expected}"] if expected else [])


# ---- LDS

EXCHANGE = """
ds_write_b32 v4, v0
s_waitcnt lgkmcnt(0)
s_barrier
v_xor_b32_e32 v5, 0x100, v4
ds_read_b32 v1, v5
s_waitcnt lgkmcnt(0)
global_store_dword v4, v1, s[6:7]
"""


def test_an_exchange_between_waves_needs_its_barrier_and_its_wait() -> None:
    out = clean(PLACE + EXCHANGE, NUMBERS, np.zeros(128, np.uint32), threads=(128,))
    assert np.array_equal(out, np.arange(128) ^ 64)
    ran = run(PLACE + EXCHANGE.replace("s_barrier\n", ""), NUMBERS, np.zeros(128, np.uint32), threads=(128,))
    assert "lds_uninitialised" in kinds(ran)
    lines = PLACE + EXCHANGE.replace("s_waitcnt lgkmcnt(0)\ns_b", "s_b")
    ran = run(lines, NUMBERS, np.zeros(128, np.uint32), threads=(128,))
    assert kinds(ran) == ["race"] and ran.errors and ran.findings[0].code == "ds_read_b32 v1, v5"


def test_a_wave_that_has_ended_leaves_the_barriers_of_the_others_in_force() -> None:
    lines = f"""
    v_lshlrev_b32_e32 v6, 2, v0
    ds_write_b32 v6, v0 offset:1024
    v_readfirstlane_b32 s10, v0
    s_cmp_lt_u32 s10, 64
    s_cbranch_scc1 .Lend
    v_subrev_u32_e32 v7, 64, v0
    v_lshlrev_b32_e32 v4, 2, v7
    {EXCHANGE.replace("ds_write_b32 v4, v0", "ds_write_b32 v4, v7")}
    .Lend:
    """
    out = clean(lines, NUMBERS, np.zeros(128, np.uint32), threads=(192,))
    assert np.array_equal(out, np.arange(128) ^ 64)


def test_lanes_of_one_wave_need_no_barrier() -> None:
    lines = PLACE + EXCHANGE.replace("s_barrier\n", "").replace("0x100", "0x80")
    out = clean(lines, NUMBERS, np.zeros(64, np.uint32))
    assert np.array_equal(out, np.arange(64) ^ 32)


def test_a_load_that_goes_to_lds_is_waited_for_by_vmcnt() -> None:
    load = "s_mov_b32 m0, 0\nglobal_load_lds_dword v4, s[4:5]\n"
    read = "ds_read_b32 v1, v4\ns_waitcnt lgkmcnt(0)\nglobal_store_dword v4, v1, s[6:7]"
    assert found(f"{load}s_waitcnt vmcnt(0)\n{read}") == []
    assert found(f"{load}s_waitcnt lgkmcnt(0)\n{read}") == ["pending_register 8"]
    # … and before a barrier, for other waves
    meet = "v_cmp_gt_u32_e32 vcc, 64, v0\ns_cbranch_vccz .Lmeet\n" + load
    rest = ".Lmeet:\ns_barrier\nv_and_b32_e32 v5, 0xfc, v4\n" + read.replace("v1, v4\n", "v1, v5\n")
    waited = "s_waitcnt vmcnt(0)\n"
    assert found(f"{meet}{waited}{rest}", 128) == []
    assert "race" in {one.partition(" ")[0] for one in found(meet + rest, 128)}


def test_bank_conflicts_and_requests_are_counted_by_instruction() -> None:
    lines = "v_lshlrev_b32_e32 v5, 7, v0\nds_write_b32 v5, v0\nglobal_load_dword v1, v5, s[4:5]\n"
    lines += "global_store_dword v4, v0, s[6:7]"
    ran = run(PLACE + lines, np.zeros(4096, np.uint32), np.zeros(64, np.uint32))
    (banks,) = ran.bank_conflicts
    assert (banks.ways, banks.store, banks.text) == (32.0, True, "assembly line 6: ds_write_b32 v5, v0")
    load, store = sorted(ran.coalescing, key=lambda one: one.store)
    assert (load.requests, load.ideal, load.lines, store.requests, store.efficiency) == (64, 4, 64, 4, 1.0)


def test_without_detection_nothing_but_values_and_ranges_is_looked_at() -> None:
    with library(f"{PLACE}{STORE}", detect=False) as made:
        shape = np.array([[1, 1, 1], [64, 1, 1]], np.uint32)
        ran = made.call("launch", [NUMBERS, np.zeros(64, np.uint32), np.uint32(0), shape])
    assert ran.status == 0 and not ran.findings and not ran.coalescing
