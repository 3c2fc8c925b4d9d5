"""What blocks share in L2: lines counted in kernels whose answers are known, and in orders of a product's tiles."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tl2hip import api
from tl2hip.plan.gfx942 import COMPUTE_UNITS
from tl2hip.prove.emulate import unsupported
from tl2hip.prove.machine.library import MachineLibrary
from tl2hip.prove.machine.model import shared as sharing
from tl2hip.prove.machine.model.shared import XCDS, Lines, Shared, middle, shared
from tl2hip.source.span import Source

pytestmark = pytest.mark.skipif(unsupported() is not None, reason="no emulated compute unit here")

UNITS = COMPUTE_UNITS // XCDS
BODIES = {
    "own": "y[at] = x[at];",  # two lines a block, and two that are written
    "same": "y[at] = x[threadIdx.x];",
    "twice": "y[at] = x[at]; asm volatile(\"\" ::: \"memory\"); y[at] += x[at];",
    "written": "y[at] = at;",
    "updated": "atomicAdd(&y[at], 1.0f);",
    "scalar": "y[at] = x[64 * blockIdx.x];",  # one line, read by a scalar load
    "split": "y[at] = *(const volatile float *)(x + at + 16);",  # 64 bytes off a line: three of them
    "astride": "const float *from = x + 64 * blockIdx.x + 31; asm volatile(\"\" : \"+v\"(from));"
    " two pair = *(const two *)from; y[at] = pair[0] + pair[1];",  # four bytes of one line and four of the next
    "panels": "y[at] = x[64 * (blockIdx.x / 64)] + x[64 * (1000 + blockIdx.x % 64)];",
    "long_": "float s = 0; for (int k = 0; k < n; ++k) s += x[k * 64 + threadIdx.x]; y[at] = s;",
    "barriers": "float s = 0; for (int k = 0; k < n; ++k) { s += x[k * 64 + threadIdx.x]; __syncthreads(); }"
    " y[at] = s;",
}
TEXT = "\n".join(
    [
        "#include <hip/hip_runtime.h>\ntypedef float two __attribute__((ext_vector_type(2), aligned(4)));",
        *(
            f'extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(64, 64))) void {name}_kernel'
            "(const float *x, float *y, int n)\n"
            f"{{\n    const int at = 64 * blockIdx.x + threadIdx.x;\n    {body}\n}}\n"
            f'extern "C" hipError_t {name}(const float *x, float *y, int blocks, int n, hipStream_t stream)\n'
            f"{{\n    hipLaunchKernelGGL({name}_kernel, dim3(blocks), dim3(64), 0, stream, x, y, n);\n"
            "    return hipGetLastError();\n}"
            for name, body in BODIES.items()
        ),
    ]
)


@pytest.fixture(scope="module")
def made() -> Iterator[MachineLibrary]:
    with MachineLibrary(TEXT, detect=False) as library:
        assert isinstance(library, MachineLibrary)
        yield library


def arguments(blocks: int, n: int = 1) -> list[object]:
    return [np.ones(64 * 4096, np.float32), np.zeros(64 * 4096, np.float32), np.int32(blocks), np.int32(n)]


def of(made: MachineLibrary, name: str, blocks: int = COMPUTE_UNITS, n: int = 1) -> Shared | None:
    args = arguments(blocks, n)
    trace = made.trace(name, args, block=None, alone=True)
    return shared(made, name, args, trace, alone=True)


@pytest.mark.parametrize(
    ("name", "asked", "behind", "beyond"),
    [
        ("own", 256, 1, 1),
        ("same", 256, 1 / UNITS, 1 / COMPUTE_UNITS),
        ("twice", 512, 1, 1),  # of x and, what it wrote, of y
        ("updated", 256, 1, 1),
        ("scalar", 128, 1, 1),
        ("astride", 256, 1, 1),
        ("split", 384, 1, (2 * COMPUTE_UNITS + 1) / (3 * COMPUTE_UNITS)),
    ],
)
def test_kernels_whose_answer_is_known(
    made: MachineLibrary, name: str, asked: int, behind: float, beyond: float
) -> None:
    found = of(made, name)
    assert found is not None and found.steps == 0 and found.blocks == COMPUTE_UNITS
    assert found.asked == asked
    assert (found.share, found.share_beyond) == pytest.approx((behind, beyond))


def test_panels_of_a_tiling(made: MachineLibrary) -> None:
    """Block b reads the lines b // 64 and b % 64 of two panels: on XCD x, of 512 blocks, eight of either."""
    found = of(made, "panels", blocks=512)
    assert found is not None
    assert (found.asked, found.behind * 512, found.beyond * 512) == (256, 8 * (8 + 8) * 128, (8 + 64) * 128)
    assert found.a_clock(100) == pytest.approx(found.behind * 38 / 100)


def test_lines_of_each_xcd_and_of_a_part_of_the_blocks(made: MachineLibrary) -> None:
    found = made.lines("panels", arguments(512), "panels_kernel", range(3, 12), steps=100)
    assert found.asked == (2, 2, 2, 4, 2, 2, 2, 2)  # 3 and 11 are of XCD 3
    assert found.behind == (2, 2, 2, 3, 2, 2, 2, 2) and found.together == 1 + 9 and not found.cut
    args = arguments(512)
    made.lines("own", args, "own_kernel", range(3, 5), steps=100)
    assert np.flatnonzero(args[1]).tolist() == [*range(3 * 64, 5 * 64)], "no other block runs"
    ran = made.call("own", args)
    assert not ran.status and np.count_nonzero(args[1]) == 512 * 64, "later calls run all blocks"


def test_blocks_that_are_few_or_read_nothing(made: MachineLibrary) -> None:
    assert of(made, "own", blocks=COMPUTE_UNITS - 1) is None
    assert of(made, "written") is None


@pytest.mark.parametrize("name", ["long_", "barriers"])
def test_long_blocks_are_cut_and_told_in_proportion(
    made: MachineLibrary, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = of(made, name, n=512)
    assert whole is not None and not whole.steps and whole.asked == 512 * 256
    monkeypatch.setattr(sharing, "MOST_STEPS", 1)
    monkeypatch.setattr(sharing, "LEAST_STEPS", 300)
    cut = of(made, name, n=512)
    assert cut is not None and cut.steps == 300 and cut.share == pytest.approx(whole.share)
    assert cut.asked == pytest.approx(whole.asked, rel=0.05)
    found = made.lines(name, arguments(304, 512), f"{name}_kernel", range(304), steps=300)
    assert found.cut and found.asked[0] < whole.asked / 128 * UNITS / 2


def test_the_round_in_the_middle(made: MachineLibrary) -> None:
    trace = made.trace("own", arguments(304))
    places = 304 * 32  # of one wave each, eight a SIMD
    for blocks, round_ in (
        (304, range(304)),
        (places, range(places)),
        (places + 1, range(places)),
        (2 * places + 1, range(places, 2 * places)),
        (3 * places, range(places, 2 * places)),
    ):
        assert middle(replace(trace, grid=(blocks, 1, 1))) == round_
    assert middle(replace(trace, grid=(19, 16, 1))) == range(304)
    assert middle(replace(trace, grid=(303, 1, 1))) is None


def test_what_cannot_be_counted_is_told(made: MachineLibrary) -> None:
    with pytest.raises(ValueError, match="does not launch those blocks"):
        made.lines("own", arguments(8), "own_kernel", range(4, 9), steps=10)
    with pytest.raises(ValueError, match="does not launch those blocks"):
        made.lines("own", arguments(8), "same_kernel", range(4), steps=10)
    with pytest.raises(ValueError, match="is given up: .* past the end of argument 0"):
        made.lines("own", arguments(4097), "own_kernel", range(4090, 4097), steps=100)
    again = made.lines("own", arguments(8), "own_kernel", range(8), steps=100)
    assert again == Lines((2,) * 8, (2,) * 8, 16, False)


def test_lines_that_there_is_no_memory_for_are_told() -> None:
    """In a process of its own."""
    code = """
import re, resource
import numpy as np
from tests.prove.machine.test_shared import TEXT, MachineLibrary
from tl2hip.prove.machine.tracing import Starved
args = [np.ones(1 << 24, np.float32), np.zeros(1 << 24, np.float32), np.int32(8), np.int32(1)]
with MachineLibrary(TEXT, detect=False) as made:
    made.call("own", args)
    has = int(re.search(r"VmPeak:\\s+(\\d+)", open("/proc/self/status").read())[1]) * 1024
    resource.setrlimit(resource.RLIMIT_AS, (has + (2 << 20), resource.RLIM_INFINITY))
    try:
        made.lines("own", args, "own_kernel", range(8), steps=100)
    except Starved as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "there is no memory to count lines\n", done.stderr


# --- the order of a product's tiles ------------------------------------------------------------------------

GEMM = Path(__file__).parents[3] / "golden" / "gemm" / "kernel.py"


def product(group: int, planted: str = "") -> Shared:
    """What blocks share of a product of 8192 by 8192 in tiles of 256 by 256. The sum is short: each step of it
    reads as the others do. `planted` says what stands in the text in place of the printed order."""
    text = GEMM.read_text().replace("import Tensor", "import group, Tensor")
    text = text.replace("i: Tile[int, 128, waves(2)]", f"i: Tile[int, 256, waves(2), group({group})]")
    text = text.replace("j: Tile[int, 128, waves(2)]", "j: Tile[int, 256, waves(4)]")
    done = api.convert(Source("gemm.py", text), api.Options())
    hip = done.printed.text
    start, grouped = hip.index("    const int share = group"), hip.index("    const int first = block / (group")
    if planted == "without the remapping":
        hip = hip[:start] + hip[grouped:]
    elif planted == "row after row":
        end = hip.index("}", grouped)
        hip = f"{hip[:start]}    row = block / columns;\n    column = block % columns;\n{hip[end:]}"
    m, k = 8192, 64
    args = [
        np.ones((m, k), np.float16), np.ones((k, m), np.float16), np.zeros((m, m), np.float32),
        np.int64(m), np.int64(k), np.int64(m),
    ]  # fmt: skip
    with MachineLibrary(hip, detect=False) as made:
        assert isinstance(made, MachineLibrary)
        trace = made.trace("gemm", args, block=None, alone=True)
        found = shared(made, "gemm", args, trace, alone=True)
    assert found is not None
    return found


def test_orders_of_a_products_tiles() -> None:
    """An earlier count of sets of our own says: groups of 8 without the remapping are the worst, 0.46;
    groups of 4 with it 0.22; row after row 0.20, where the blocks of a row are a multiple of eight."""
    grouped, row_major = product(4), product(4, "row after row")
    assert grouped.blocks == COMPUTE_UNITS and grouped.share == pytest.approx(0.22, abs=0.015)
    assert row_major.share == pytest.approx(0.20, abs=0.02)
    eight, without = product(8), product(8, "without the remapping")
    assert without.share == pytest.approx(0.46, abs=0.02)
    assert without.share > 1.4 * eight.share > 1.4 * grouped.share
