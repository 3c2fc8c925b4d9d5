"""Which of the user's lines each line of a printed text is from."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tl2hip import api
from tl2hip.hip import PrintedFile
from tl2hip.prove.emulate import Emulator, unsupported
from tl2hip.prove.machine.library import MachineLibrary

GOLDEN = Path(__file__).parents[2] / "golden"
QUOTE = re.compile(r"\s*// kernel\.py:(\d+): ")


def printed(name: str) -> PrintedFile:
    return api.convert(api.source_of(GOLDEN / name / "kernel.py")).printed


def lines_with(file: PrintedFile, part: str) -> set[str]:
    """The user's lines that those of the text with a part are from."""
    found = [n for n, line in enumerate(file.text.splitlines(), 1) if part in line]
    assert found
    return {str(file.origins.of(n)) for n in found}


@pytest.mark.parametrize("name", ["gemm", "attention_naive", "two_mm", "transpose", "scan"])
def test_a_quote_is_from_the_line_that_it_quotes(name: str) -> None:
    file = printed(name)
    text = file.text.splitlines()
    first_helper = next(n for n, line in enumerate(text) if "ifndef" in line)
    head, body = text[:first_helper], text[first_helper:]
    quotes = [(n, int(m[1])) for n, line in enumerate(body, len(head) + 1) if (m := QUOTE.match(line))]
    device = [(n, at) for n, at in quotes if file.origins.lines[n - 1]]
    assert len(device) > 2 and all(file.origins.lines[n - 1] == at for n, at in device)
    assert len(file.origins.lines) == len(text)


def test_lines_of_a_product_and_of_its_twin() -> None:
    file = printed("gemm")
    assert lines_with(file, "= mfma_f32_16x16x16f16(") == {"kernel.py:18"}  # those that are not quoted too
    assert lines_with(file, "f32x4_any *)&C[") == {"kernel.py:19"}
    assert lines_with(file, "next * step_B") == {"kernel.py:17"}  # the loop around it
    assert lines_with(file, "= first_f16x8") == {"kernel.py:9"}  # no statement of the user's: the function
    assert lines_with(file, "#pragma clang fp") == lines_with(file, "hipLaunchKernelGGL") == {"None"}
    assert file.origins.of(0) is None and file.origins.of(10**6) is None


def test_a_file_of_several_functions_has_the_lines_of_each() -> None:
    text = "from tl2hip import Tensor, dims, f32, kernel\nN = dims('N')\n"
    for name in ("one", "two"):
        text += f"@kernel\ndef {name}(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:\n"
        text += "    for i in range(N):\n        y[i] = x[i] * x[i]\n"
    file = api.convert(api.Source("k.py", text)).printed
    assert {file.origins.lines[n] for n, one in enumerate(file.text.splitlines()) if "__global__" in one} == {4, 8}
    assert {"k.py:6", "k.py:10"} <= lines_with(file, "[i]") | lines_with(file, "x_vector")


@pytest.mark.skipif(unsupported() is not None, reason="no emulated compute unit here")
def test_a_finding_tells_the_line_of_the_user() -> None:
    """A fault that is planted in the text, found in it and in its machine code."""
    file = printed("add")
    text = file.text.replace("        out[i] = a[i] + b[i];", "        out[i] = a[i + 4096] + b[i];")
    assert text != file.text
    for library in (Emulator.load(text, origins=file.origins), MachineLibrary(text, origins=file.origins)):
        with library:
            found, *_ = library.call("add", [*(np.ones(5, np.float32) for _ in range(3)), np.int64(5)]).findings
        assert found.kind == "out_of_bounds" and str(found.user) == "kernel.py:13"
        assert "\n    kernel.py:13: out[i] = a[i] + b[i]" in str(found)
    # Where the origins are not of that text, none is told.
    with MachineLibrary(text) as library:
        found, *_ = library.call("add", [*(np.ones(5, np.float32) for _ in range(3)), np.int64(5)]).findings
    assert found.user is None and "kernel.py" not in str(found)


@pytest.mark.skipif(unsupported() is not None, reason="no emulated compute unit here")
def test_a_finding_in_a_helper_tells_the_line_that_calls_it() -> None:
    file = printed("gemm")
    text = file.text.replace("load_b128(from, offset, ahead, 0)", "load_b128(from, offset + (1 << 24), ahead, 0)")
    assert text != file.text
    lines = text.splitlines()
    A, C = np.ones((128, 128), np.float16), np.zeros((128, 128), np.float32)
    for library in (Emulator.load(text, origins=file.origins), MachineLibrary(text, origins=file.origins)):
        with library:
            found, *_ = library.call("gemm", [A, A, C, *[np.int64(128)] * 3]).findings
        assert found.kind == "out_of_bounds"
        assert "raw_buffer_load" in lines[found.line - 1] and "fetch_f16x8(" in lines[found.kernel_line - 1]
        assert str(found.user) == "kernel.py:9" and f", by way of line {found.kernel_line}" in str(found)
