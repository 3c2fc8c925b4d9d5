"""The executor knows every instruction that the compiler makes of random programs, and none lacks a wait state."""

from __future__ import annotations

import pytest

from tests.fuzz.check import unit_text
from tests.fuzz.generate import program
from tl2hip import api
from tl2hip.prove.compiler import compile_device
from tl2hip.prove.machine import assembly, hazards
from tl2hip.prove.machine.encode import encode
from tl2hip.prove.machine.executor import executor
from tl2hip.prove.machine.meanings import MEANINGS
from tl2hip.source.span import Source

PROGRAMS, UNIT, BOUNDED = 320, 40, 80
UNITS = range(0, PROGRAMS, UNIT)


@pytest.mark.slow
def test_llvm_leaves_out_wait_states_that_the_printed_text_puts_in() -> None:
    """Where a branch skips the end of an f64 product: LLVM looks at a block once, on the first way leading to it,
    which here is the longer one."""
    text = api.convert(Source("fuzz.py", unit_text([program(94)]))).text
    assert "settle_18();" in text
    found = hazards.find(assembly.read(compile_device(text.replace("    settle_18();\n", "")).text))
    assert {one.first.name for one in found} == {"v_mfma_f64_16x16x4_f64"}


@pytest.mark.parametrize("first", [n if n < BOUNDED else pytest.param(n, marks=pytest.mark.slow) for n in UNITS])
def test_no_instruction_is_unknown(first: int) -> None:
    text = unit_text([program(seed) for seed in range(first, first + UNIT)])
    done = api.convert(Source("fuzz.py", text))
    printed = [k for k in done.kernels if k.printed]
    code = assembly.read(compile_device(done.text).text)
    assert len(code.kernels) >= len(printed) >= 0.8 * UNIT
    encoded = encode(code, executor().functions, MEANINGS)
    assert len(encoded.kernels) == len(code.kernels)
    assert [str(one) for one in hazards.find(code)] == []
