"""Forms of HIP text that a printer may use: each is legal on gfx942 and seen by the emulated unit's detectors."""

from __future__ import annotations

import numpy as np

from tl2hip.prove.compiler import compile_device
from tl2hip.prove.counters import read_counters
from tl2hip.prove.emulate import Emulator, Run

from .kernels import HEAD

COPY = HEAD + """
typedef unsigned words __attribute__((ext_vector_type(4)));
typedef words loose __attribute__((aligned(2)));
struct four { int a, b, c, d; };

__global__ __attribute__((amdgpu_flat_work_group_size(64, 64)))
void copy_kernel(const int* x, int* y, int n) {
    const int i = threadIdx.x;
    if (i >= n) return;
    BODY;
}

extern "C" hipError_t copy(const int* x, int* y, int n, hipStream_t stream) {
    hipLaunchKernelGGL(copy_kernel, dim3(1), dim3(64), 0, stream, x, y, n);
    return hipGetLastError();
}
"""

BODIES = {
    "nontemporal": "__builtin_nontemporal_store(__builtin_nontemporal_load((const words*)x + i), (words*)y + i)",
    "unaligned": "*(loose*)((short*)y + 8 * i) = *(const loose*)((const short*)x + 8 * i)",
    "struct": "((four*)y)[i] = ((const four*)x)[i]",
    "memcpy": "__builtin_memcpy(y + 4 * i, x + 4 * i, 16)",
    "bytes": "for (int b = 0; b < 16; ++b) ((char*)y)[16 * i + b] = ((const char*)x)[16 * i + b]",
    "buffer": """__amdgpu_buffer_rsrc_t from = __builtin_amdgcn_make_buffer_rsrc((void*)x, 0, 4096, 0x27000);
    __amdgpu_buffer_rsrc_t to = __builtin_amdgcn_make_buffer_rsrc((void*)y, 0, 4096, 0x27000);
    words w = __builtin_amdgcn_raw_buffer_load_b128(from, 16 * i, 0, 0);
    __builtin_amdgcn_raw_buffer_store_b128(w, to, 16 * i, 0, 0)""",
}


def run_copy(body: str, elements: int, threads: int) -> tuple[Run, np.ndarray, np.ndarray]:
    x, y = np.arange(1, elements + 1, dtype=np.int32), np.zeros(elements, np.int32)
    return Emulator.load(COPY.replace("BODY", body)).call("copy", [x, y, np.int32(threads)]), x, y


def test_every_form_compiles_copies_and_is_checked() -> None:
    for name, body in BODIES.items():
        (kernel,) = read_counters(compile_device(COPY.replace("BODY", body)).text)
        assert kernel.problems() == (), name
        run, x, y = run_copy(body, 256, 64)
        assert run.findings == () and (x == y).all(), name
        run, _, _ = run_copy(body, 252, 64)
        assert [finding.kind for finding in run.errors] == ["out_of_bounds"], name
        assert run.errors[0].argument == 0 and run.errors[0].offset >= 1008, name


def test_a_buffer_past_its_records_reads_zero_and_drops_stores() -> None:
    body = BODIES["buffer"].replace("4096", "1000")
    run, x, y = run_copy(body, 256, 64)
    assert run.findings == () and (y[:250] == x[:250]).all() and (y[250:] == 0).all()


def test_templates_and_helpers_with_lds() -> None:
    text = HEAD + """
template <class T, int N>
__device__ __forceinline__ T turned(T value) {
    __shared__ T room[N];
    room[threadIdx.x] = value;
    __syncthreads();
    return room[N - 1 - threadIdx.x];
}

template <class T, int N>
__global__ __launch_bounds__(N) void turn_kernel(const T* x, T* y) {
    const int i = blockIdx.x * N + threadIdx.x;
    y[i] = turned<T, N>(x[i]);
}

extern "C" hipError_t turn(const float* x, float* y, const char* u, char* v, hipStream_t stream) {
    hipLaunchKernelGGL((turn_kernel<float, 128>), dim3(2), dim3(128), 0, stream, x, y);
    hipLaunchKernelGGL((turn_kernel<char, 256>), dim3(1), dim3(256), 0, stream, u, v);
    return hipGetLastError();
}"""
    kernels = read_counters(compile_device(text).text)
    assert [(kernel.name, kernel.lds_bytes, kernel.threads) for kernel in kernels] == [
        ("turn_kernel", 512, 128),
        ("turn_kernel", 256, 256),
    ]
    x, u = np.arange(256, dtype=np.float32), np.arange(256).astype(np.int8)
    y, v = np.zeros_like(x), np.zeros_like(u)
    run = Emulator.load(text).call("turn", [x, y, u, v])
    assert run.findings == ()
    assert (y == x.reshape(2, 128)[:, ::-1].ravel()).all() and (v == u[::-1]).all()


def test_atomics_of_every_type() -> None:
    cases = [
        ("int", "Add", np.int32, -3, 5), ("unsigned", "Sub", np.uint32, 3, 100), ("int", "Xor", np.int32, 1, 6),
        ("long long", "Min", np.int64, -7, 1), ("unsigned long long", "Max", np.uint64, 9, 1),
        ("float", "Add", np.float32, 0.5, 1), ("float", "Min", np.float32, -2, 1), ("int", "Min", np.int32, -9, 1),
        ("double", "Add", np.float64, 0.25, 1), ("double", "Max", np.float64, 3, 1), ("int", "And", np.int32, 3, 6),
        ("unsigned", "Or", np.uint32, 8, 1),
    ]  # fmt: skip
    text = HEAD
    for n, (c, name, _, value, _) in enumerate(cases):
        text += f"""
__global__ void update{n}_kernel({c}* y) {{ atomic{name}(y, ({c}){value}); }}
extern "C" hipError_t update{n}({c}* y, hipStream_t stream) {{
    hipLaunchKernelGGL(update{n}_kernel, dim3(2), dim3(65), 0, stream, y);
    return hipGetLastError();
}}"""
    assert all(kernel.problems() == () for kernel in read_counters(compile_device(text).text))
    library = Emulator.load(text)
    apply = {
        "Add": lambda s, v: s + 130 * v, "Sub": lambda s, v: s - 130 * v, "Max": max, "Min": min,
        "Xor": lambda s, v: s, "Or": lambda s, v: s | v, "And": lambda s, v: s & v,
    }  # fmt: skip
    for n, (_, name, dtype, value, start) in enumerate(cases):
        y = np.array([start], dtype)
        run = library.call(f"update{n}", [y])
        assert run.status == 0 and run.findings == ()
        expected = apply[name](start, value)
        assert y[0] == (expected % 2**32 if dtype is np.uint32 else expected)


def test_an_atomic_word_may_reach_past_the_end_of_small_elements() -> None:
    text = HEAD + """
__global__ void last_kernel(short* y, int n) {
    unsigned* word = (unsigned*)((size_t)(y + n) & ~(size_t)3);
    atomicAdd(word, 1u);
}
extern "C" hipError_t last(short* y, int n, hipStream_t stream) {
    hipLaunchKernelGGL(last_kernel, dim3(1), dim3(64), 0, stream, y, n);
    return hipGetLastError();
}"""
    library = Emulator.load(text)
    y = np.zeros(3, np.int16)
    assert library.call("last", [y, np.int32(2)]).findings == () and y[2] == 64
    (finding,) = library.call("last", [y, np.int32(4)]).errors
    assert finding.kind == "out_of_bounds" and finding.offset == 8


def test_compare_and_swap_and_exchange() -> None:
    text = HEAD + """
__global__ void swap_kernel(int* lock, float* sum, int* last) {
    float old = __hip_atomic_load(sum, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    for (;;) {
        const float seen = atomicCAS(sum, old, old + 2.0f);
        if (__float_as_int(seen) == __float_as_int(old)) break;
        old = seen;
    }
    atomicExch(last, (int)threadIdx.x);
    if (atomicCAS(lock, 0, 1) == 0) lock[1] = 7;
}
extern "C" hipError_t swap(int* lock, float* sum, int* last, hipStream_t stream) {
    hipLaunchKernelGGL(swap_kernel, dim3(3), dim3(70), 0, stream, lock, sum, last);
    return hipGetLastError();
}"""
    assert read_counters(compile_device(text).text)[0].problems() == ()
    lock, total, last = np.zeros(2, np.int32), np.zeros(1, np.float32), np.full(1, -1, np.int32)
    run = Emulator.load(text).call("swap", [lock, total, last])
    assert run.findings == () and total[0] == 420 and (lock == [1, 7]).all() and 0 <= last[0] < 70


def test_launches_are_counted_by_name() -> None:
    text = """
__global__ void first_kernel(int* y) { y[threadIdx.x] = 1; }
template <int N> __global__ void second_kernel(int* y) { y[threadIdx.x] += N; }

extern "C" hipError_t both(int* y, hipStream_t stream) {
    hipLaunchKernelGGL(second_kernel<2>, dim3(1), dim3(64), 0, stream, y);
    for (int n = 0; n < 3; ++n)
        hipLaunchKernelGGL(first_kernel, dim3(1), dim3(64), 0, stream, y);
    hipLaunchKernelGGL((second_kernel<2>), dim3(1), dim3(64), 0, stream, y);
    hipLaunchKernelGGL(first_kernel, dim3(0), dim3(64), 0, stream, y);
    return hipGetLastError();
}
"""
    with Emulator.load(HEAD + text) as library:
        run = library.call("both", [np.zeros(64, np.int32)])
        assert run.launches == {"second_kernel<2>": 1, "first_kernel": 3, "(second_kernel<2>)": 1}
        assert [f.kind for f in run.findings] == ["invalid_launch"], "a launch without blocks is none"
        assert library.call("both", [np.zeros(64, np.int32)]).launches == run.launches
