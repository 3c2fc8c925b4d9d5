"""Kernels that are right give no finding; each planted fault gives its own."""

from __future__ import annotations

import mmap
import threading

import numpy as np
import pytest

from tl2hip.prove.emulate import Buffer, Emulator, Library, Run

from . import kernels
from .kernels import planted

MAP_NORESERVE = 0x4000  # Linux; Python names it since 3.12


def kinds(run: Run) -> set[str]:
    return {finding.kind for finding in run.errors}


@pytest.fixture(scope="module")
def block_sum() -> Library:
    return Emulator.load(kernels.BLOCK_SUM)


def run_block_sum(library: Library, n: int) -> tuple[Run, np.ndarray, np.ndarray]:
    x = np.arange(1, n + 1, dtype=np.float32)
    y = np.full(3, -1, np.float32)
    return library.call("block_sum", [x, y, np.int32(n), np.int32(3)]), x, y


@pytest.mark.parametrize("n", [1, 63, 256, 257, 1000])
def test_block_sum_is_right(block_sum: Library, n: int) -> None:
    run, x, y = run_block_sum(block_sum, n)
    assert run.status == 0 and run.findings == ()
    assert y.sum() == x.sum()


def test_an_empty_call_runs_nothing(block_sum: Library) -> None:
    run, _, y = run_block_sum(block_sum, 0)
    assert run.status == 0 and run.findings == () and (y == -1).all()


def test_a_removed_barrier_is_a_race() -> None:
    library = Emulator.load(planted(kernels.BLOCK_SUM, "        __syncthreads();\n", ""))
    run, _, _ = run_block_sum(library, 1000)
    races = [finding for finding in run.errors if finding.kind == "race"]
    assert races and all(race.argument == -1 for race in races)
    assert any("part[t] += part[t + w]" in race.text for race in races)


def test_a_bare_barrier_does_not_order_lds() -> None:
    library = Emulator.load(planted(kernels.BLOCK_SUM, "__syncthreads();", "__builtin_amdgcn_s_barrier();"))
    assert "race" in kinds(run_block_sum(library, 1000)[0])
    fenced = '__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); __builtin_amdgcn_s_barrier();'
    library = Emulator.load(planted(kernels.BLOCK_SUM, "__syncthreads();", fenced))
    assert run_block_sum(library, 1000)[0].findings == ()


def test_a_dropped_tail_guard_is_out_of_bounds() -> None:
    library = Emulator.load(planted(kernels.SCALE, "if (i < n) y[i]", "y[i]"))
    x, y = np.ones(300, np.float32), np.zeros(300, np.float32)
    run = library.call("scale", [x, y, np.float32(2), np.int32(300)])
    (finding,) = run.errors
    assert finding.kind == "out_of_bounds" and finding.argument == 0 and finding.offset == 1200
    assert run.status == 719 and "by * x[i]" in finding.text
    assert "0 bytes past the end of argument 0 (1200 bytes)" in finding.message


def test_an_off_by_one_store_is_found_in_both_modes() -> None:
    text = planted(kernels.SCALE, "y[i] = by", "y[i + 1] = by")
    for detect, kind in ((True, "out_of_bounds"), (False, "guard_overwritten")):
        x, y = np.ones(300, np.float32), np.zeros(300, np.float32)
        run = Emulator.load(text, detect=detect).call("scale", [x, y, np.float32(2), np.int32(300)])
        (finding,) = run.errors
        assert (finding.kind, finding.argument, finding.offset) == (kind, 1, 1200)


def test_a_missing_atomic_is_a_race() -> None:
    values = (np.arange(2000) * 7 % 10).astype(np.int32)
    for text, expected in (
        (kernels.HISTOGRAM, set()),
        (planted(kernels.HISTOGRAM, "atomicAdd(&counts[values[i]], 1)", "counts[values[i]] += 1"), {"race"}),
    ):
        counts = np.full(10, 99, np.int32)
        run = Emulator.load(text).call("histogram", [values, counts, np.int32(2000), np.int32(10)])
        assert kinds(run) == expected
        if not expected:
            assert (counts == np.bincount(values)).all()


def test_a_plain_read_beside_atomics_is_a_race() -> None:
    text = planted(kernels.HISTOGRAM, "if (i < n) atomic", "if (i < n && counts[0] >= 0) atomic")
    values, counts = np.zeros(600, np.int32), np.zeros(10, np.int32)
    run = Emulator.load(text).call("histogram", [values, counts, np.int32(600), np.int32(10)])
    assert kinds(run) == {"race"}


def test_two_blocks_writing_one_element_race() -> None:
    text = planted(kernels.SCALE, "y[i] = by * x[i]", "y[i % 256] = by * x[i]")
    x, y = np.ones(300, np.float32), np.zeros(300, np.float32)
    run = Emulator.load(text).call("scale", [x, y, np.float32(2), np.int32(300)])
    (finding,) = run.errors
    assert finding.kind == "race" and "another block" in finding.message and finding.argument == 1


def test_unwritten_lds_is_found() -> None:
    text = planted(kernels.BLOCK_SUM, "    part[t] = s;\n", "    if (t != 77) part[t] = s;\n")
    run, _, y = run_block_sum(Emulator.load(text), 1000)
    assert "lds_uninitialised" in kinds(run) and np.isnan(y).all()


def test_lds_that_nobody_writes_is_no_zero() -> None:
    text = planted(kernels.BLOCK_SUM, "    part[t] = s;\n", "")
    text = planted(text, "if (t < w) part[t] += part[t + w];", "s += part[t];")
    text = planted(text, "y[blockIdx.x] = part[0]", "y[blockIdx.x] = s")
    run, _, y = run_block_sum(Emulator.load(text), 1000)
    assert kinds(run) == {"lds_uninitialised"} and np.isnan(y).all()


def test_a_divergent_barrier_is_found() -> None:
    text = planted(kernels.BLOCK_SUM, "        __syncthreads();\n", "        if (t < 128) __syncthreads();\n")
    run, _, _ = run_block_sum(Emulator.load(text), 1000)
    assert "divergent_barrier" in kinds(run) and run.status == 719


def test_a_wave_operation_in_a_branch_is_found() -> None:
    text = planted(kernels.SHUFFLE, "if (how == 0) v = __shfl(v, lane ^ 5);",
                   "if (how == 0) { if (lane < 32) v = __shfl(v, lane ^ 5); else v = __shfl(v, lane ^ 6); }")
    x, y = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    run = Emulator.load(text).call("shuffle", [x, y, np.int32(0), np.int32(64)])
    assert kinds(run) == {"divergent_wave_op"} and run.status == 719


def test_reading_a_lane_that_is_not_there_is_found() -> None:
    x, y = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    run = Emulator.load(kernels.SHUFFLE).call("shuffle", [x, y, np.int32(1), np.int32(40)])
    assert kinds(run) == {"inactive_lane"} and "__shfl_xor(v, 32)" in run.errors[0].text


def test_a_swapped_lane_gives_wrong_values_and_no_finding() -> None:
    rng = np.random.default_rng(1)
    a = (rng.integers(-8, 9, (32, 48)) / 8).astype(np.float16)
    b = (rng.integers(-8, 9, (48, 16)) / 8).astype(np.float16)
    expected = a.astype(np.float32) @ b.astype(np.float32)
    for text, right in (
        (kernels.GEMM, True),
        (planted(kernels.GEMM, "C[(row + 4 * (lane / 16) + r)", "C[(row + 4 * (lane / 16) + (r ^ 1))"), False),
    ):
        c = np.full((32, 16), np.nan, np.float32)
        run = Emulator.load(text).call("gemm", [a, b, c, np.int32(32), np.int32(16), np.int32(48)])
        assert run.status == 0 and run.findings == ()
        assert np.array_equal(c, expected) == right


def test_the_launchers_refusal_comes_back() -> None:
    a = np.zeros((4, 4), np.float16)
    c = np.zeros((4, 4), np.float32)
    run = Emulator.load(kernels.GEMM).call("gemm", [a, a, c, np.int32(4), np.int32(4), np.int32(4)])
    assert run.status == 1 and run.findings == ()


def test_an_offset_that_wraps_at_32_bits() -> None:
    """A sparse array of 5 GiB, used in place: element 1.2 G is past 4 GiB."""
    elements, far = 5 << 28, 1_200_000_000
    room = mmap.mmap(-1, elements * 4, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE)
    x = np.frombuffer(room, np.int32)
    step = np.int64(1000)
    run = Emulator.load(kernels.LONG).call("mark", [Buffer(x, in_place=True), np.int64(far), step])
    assert run.findings == ()
    assert (x[far : far + 64_000 : 1000] == np.arange(1, 65)).all()
    wrapping = planted(kernels.LONG, "x[i] =", "*(int*)((char*)x + (int)(i * 4)) =")
    run = Emulator.load(wrapping).call("mark", [Buffer(x, in_place=True), np.int64(3 << 28), step])
    (finding,) = run.errors
    assert finding.kind == "out_of_bounds" and finding.offset == -(1 << 30)
    assert (x[: 1 << 20] == 0).all()


def test_a_wild_store_ends_the_run_and_not_the_process() -> None:
    text = planted(kernels.SCALE, "y[i] = by", "y[i * 1000000000l] = by")
    for detect, kind in ((True, "out_of_bounds"), (False, "crash")):
        x, y = np.ones(300, np.float32), np.zeros(300, np.float32)
        library = Emulator.load(text, detect=detect)
        for _ in range(2):
            run = library.call("scale", [x, y, np.float32(2), np.int32(300)])
            assert kinds(run) == {kind} and run.status == 719


def test_a_thread_with_more_private_memory_than_a_stack_ends_the_run() -> None:
    text = planted(kernels.SCALE, "y[i] = by * x[i];",
                   "{ volatile float big[100000]; big[n * 300] = x[i]; y[i] = big[n * 300] + big[0] * 0.0f; }")
    for detect in (True, False):
        x, y = np.ones(300, np.float32), np.zeros(300, np.float32)
        library = Emulator.load(text, detect=detect)
        for _ in range(2):
            run = library.call("scale", [x, y, np.float32(2), np.int32(300)])
            assert "crash" in kinds(run) and run.status == 719


def test_a_loop_without_end_is_found() -> None:
    text = planted(kernels.SCALE, "y[i] = by * x[i];", "while (((volatile const float*)x)[i] > 0.0f) y[i] += by;")
    for detect in (True, False):
        x, y = np.ones(300, np.float32), np.zeros(300, np.float32)
        library = Emulator.load(text, detect=detect)
        run = library.call("scale", [x, y, np.float32(2), np.int32(300)], seconds=1)
        assert kinds(run) == {"hang"} and run.status == 719
        run = library.call("scale", [-x, y, np.float32(2), np.int32(300)])
        assert run.status == 0 and run.findings == ()


REPEATED = kernels.HEAD + """
__global__ void count_kernel(int* x) { x[0] += 1; }

extern "C" hipError_t count(int* x, int turns, hipStream_t stream) {
    for (int t = 0; t < turns || turns < 0; ++t) {
        if (turns == -2) continue;
        hipLaunchKernelGGL(count_kernel, dim3(1), dim3(1), 0, stream, x);
        int now;
        if (const hipError_t error = hipMemcpyAsync(&now, x, 4, hipMemcpyDeviceToHost, stream)) return error;
    }
    return hipGetLastError();
}"""
"""Launches as often as it is told, without end where that is below 0; -2: without a launch."""


def test_a_launcher_of_too_many_calls_is_given_up() -> None:
    for detect in (True, False):
        library, x = Emulator.load(REPEATED, detect=detect), np.zeros(1, np.int32)
        for _ in range(2):
            run = library.call("count", [x, np.int32(-1)], calls=60)
            (finding,) = run.errors
            assert (finding.kind, run.status, finding.count) == ("hang", 719, 30)
            assert finding.message == "the launcher does not come to an end: it was given up after 30 kernels"
            assert not detect or "hipLaunchKernelGGL(count_kernel" in finding.text
        assert x[0] == 60
        run = library.call("count", [x, np.int32(30)], calls=60)
        assert (run.status, run.findings, x[0]) == (0, (), 90)


@pytest.mark.parametrize("turns", [-1, -2])
@pytest.mark.parametrize("detect", [True, False])
def test_a_launcher_of_too_much_time_is_given_up(detect: bool, turns: int) -> None:
    library, x = Emulator.load(REPEATED, detect=detect), np.zeros(1, np.int32)
    runs: list[Run] = []

    def call() -> None:
        runs.append(library.call("count", [x, np.int32(turns)], seconds=1))

    call()
    other = threading.Thread(target=call)  # the timer tells the main one
    other.start()
    other.join()
    for run in runs:
        (finding,) = run.errors
        assert (finding.kind, run.status) == ("hang", 719) and "the launcher does not come" in finding.message
    assert library.call("count", [x, np.int32(1)]).findings == ()


def test_lanes_of_one_wave_racing_is_a_warning() -> None:
    text = kernels.HEAD + """
__global__ void turn_kernel(int* y) {
    __shared__ int room[128];
    const int t = threadIdx.x;
    room[t] = t;
    ORDER;
    y[t] = room[t ^ 1];
}
extern "C" hipError_t turn(int* y, int threads, hipStream_t stream) {
    hipLaunchKernelGGL(turn_kernel, dim3(1), dim3(threads), 0, stream, y);
    return hipGetLastError();
}"""
    barrier = "__builtin_amdgcn_wave_barrier()"
    for order, threads, expected in ((barrier, 64, []), (barrier, 128, ["warning"]), ("__syncthreads()", 128, [])):
        y = np.zeros(threads, np.int32)
        run = Emulator.load(text.replace("ORDER", order)).call("turn", [y, np.int32(threads)])
        assert (y == np.arange(threads) ^ 1).all()
        assert [finding.severity for finding in run.findings] == expected


def test_an_invalid_launch_is_found() -> None:
    x, y = np.ones(64, np.int32), np.zeros(64, np.int32)
    run = Emulator.load(kernels.SHUFFLE).call("shuffle", [x, y, np.int32(0), np.int32(0)])
    assert run.status == 9 and kinds(run) == {"invalid_launch"}


def test_a_block_size_the_kernel_is_not_compiled_for_is_found() -> None:
    for right, wrong in (("dim3(256), 0", "dim3(128), 0"), ("_size(256, 256)", "_size(64, 128)")):
        x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
        run = Emulator.load(planted(kernels.SCALE, right, wrong)).call("scale", [x, y, np.float32(2), np.int32(64)])
        assert run.status == 9 and kinds(run) == {"invalid_launch"} and (y == 0).all()


def test_a_read_only_array_may_not_be_written() -> None:
    x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
    y.flags.writeable = False
    run = Emulator.load(kernels.SCALE).call("scale", [x, y, np.float32(2), np.int32(64)])
    assert kinds(run) == {"read_only_written"} and (y == 0).all()


def test_an_index_past_a_local_array_is_undefined() -> None:
    text = planted(kernels.BLOCK_SUM, "part[t + w];", "part[t + w + 100];")
    assert "undefined" in kinds(run_block_sum(Emulator.load(text), 1000)[0])
