"""The calls of inlined functions, as a compiled library tells them."""

from __future__ import annotations

import pytest

from tl2hip.prove.compiler import compile_host
from tl2hip.prove.emulate import unsupported
from tl2hip.prove.emulate.inlined import read_calls
from tl2hip.prove.emulate.lines import read_lines

pytestmark = pytest.mark.skipif(unsupported() is not None, reason="no emulated compute unit here")

TEXT = """\
static inline __attribute__((always_inline)) int inner(int *x)
{
    return *x + 1;
}
static inline __attribute__((always_inline)) int outer(int *x)
{
    return 3 * inner(x);
}
extern "C" int first(int *x)
{
    if (x[1])
        return outer(x);
    return outer(x + 2) - inner(x + 4);
}
extern "C" int second(int *x)
{
    return *x;
}
"""


def test_lines_of_calls_around_an_instruction() -> None:
    library = compile_host(TEXT, ("-O1", "-gdwarf-4", "-gline-tables-only"))
    table, calls = read_lines(library), read_calls(library)
    found = {(table.line(at + 1), calls.lines(at + 1)) for at in table.offsets}
    assert {(3, (12, 7)), (3, (13, 7)), (3, (13,)), (17, ())} <= found
    assert all(its == () for line, its in found if line > 9)


def test_a_library_without_debug_information_has_no_calls() -> None:
    assert read_calls(compile_host(TEXT, ("-O1",))).lines(4096) == ()
