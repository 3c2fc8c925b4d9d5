"""The texts: one gfx942 compile of everything without a call or a spill, order, laziness and table."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hip.math.library import DEVICE, HEAD, callable_functions, compiler, signature
from tl2hip.hip import math as helpers
from tl2hip.hip.math import closure, has, lookup, ulp
from tl2hip.hip.math.table import BY_NAME, NAMES, ROWS
from tl2hip.nest.ir import FUNCTIONS


def device_text() -> str:
    """A kernel per helper; for gfx942."""
    text = [HEAD, *(f"#define __{word}__ __attribute__(({word}))\n" for word in ("device", "global"))]
    text += [f.text for f in closure(ROWS)]
    for function in callable_functions():
        kinds = signature(function)
        assert kinds is not None
        inputs = "".join(f", const {kind}* a{i}" for i, kind in enumerate(kinds[1]))
        call = ", ".join(f"a{i}[lane]" for i in range(len(kinds[1])))
        text.append(
            f'extern "C" __global__ void run_{function.symbol}({kinds[0]}* out{inputs}) {{\n'
            f"    const int lane = __builtin_amdgcn_workitem_id_x();\n"
            f"    out[lane] = {function.symbol}({call});\n}}\n"
        )
    return "\n".join(text)


def test_gfx942_needs_no_call_no_scratch_and_no_outside_symbol(tmp_path: Path) -> None:
    source, assembly, made = tmp_path / "all.hip", tmp_path / "all.s", tmp_path / "all.o"
    source.write_text(device_text())
    compiler("clang", *DEVICE.split(), str(source), "-o", str(assembly))
    text = assembly.read_text()
    kernels = re.findall(r"^run_(\w+):", text, re.M)
    assert sorted(kernels) == sorted(f.symbol for f in callable_functions())
    assert "s_swappc" not in text
    assert re.findall(r"; ScratchSize: (\d+)", text) == ["0"] * len(kernels)
    assert set(re.findall(r"\.vgpr_spill_count: +(\d+)", text)) == {"0"}
    assert set(re.findall(r"\.sgpr_spill_count: +(\d+)", text)) == {"0"}
    target = "-target amdgcn-amd-amdhsa -mcpu=gfx942 -x assembler -c"
    compiler("clang", *target.split(), str(assembly), "-o", str(made))
    compiler("ld.lld", "-shared", "--no-undefined", str(made), "-o", str(tmp_path / "all.hsaco"))


NAME_DEFINED = r"^static .*? (\w+)\(|^struct (\w+)|^typedef .* (\w+);|^static .* (\w+)\["


def defined(text: str) -> set[str]:
    return {name for found in re.findall(NAME_DEFINED, text, re.M) for name in found if name}


def called(text: str) -> set[str]:
    code = re.sub(r"//.*", "", text)
    return set(re.findall(r"\b[a-z_][a-z0-9_]*\b", code))


@pytest.fixture(scope="module")
def every_name() -> set[str]:
    return set().union(*(defined(f.text) for f in closure(ROWS)))


@pytest.mark.parametrize("symbol", ROWS)
def test_each_closure_stands_alone(symbol: str, every_name: set[str]) -> None:
    """Every helper called in a text comes earlier in its closure, each text once and only where needed."""
    known: set[str] = set()
    wanted: set[str] = set()
    functions = closure([symbol])
    assert functions[-1].symbol == symbol
    for function in functions:
        assert not defined(function.text) & known
        known |= defined(function.text)
        used = called(function.text) & every_name
        assert used <= known
        wanted |= used - defined(function.text)
    assert all(defined(f.text) & wanted for f in functions[:-1])


def test_the_closure_check_would_see_a_missing_helper(every_name: set[str]) -> None:
    assert {"exp_pair", "pair_f64", "two_over_pi_bits_f64", "wide_u128"} <= every_name
    assert "erfc_tail" in called(lookup("erf", "f64").text)


def test_order_does_not_depend_on_the_order_of_asking() -> None:
    keys = ["pow_f64", "erf_f32", "mod_f32", "log_f64"]
    assert closure(keys) == closure(reversed(keys)) == closure(keys * 2)


def test_no_text_has_a_placeholder_left_or_a_long_line() -> None:
    for function in closure(ROWS):
        assert not re.search(r"\b(REAL|INT|UINT|WIDE|ONE|ZERO|HALF|BITS)\b|TYPE|NAME|LIMIT|F\(", function.text)
        assert max(map(len, function.text.splitlines())) <= 110
        assert function.text.startswith("//")


def test_everything_asked_for_is_there() -> None:
    real = "sqrt exp exp2 log log2 log10 log1p expm1 sin cos tan asin acos atan atan2 sinh cosh tanh erf erfc"
    real += " pow hypot cbrt rsqrt floor ceil trunc rint copysign fmod isnan isinf isfinite floordiv mod"
    real += " cast_i64 cast_i32 cast_i16 cast_i8 cast_u8 to_f8e4m3 to_f8e5m2"
    assert all(has(name, dtype) for name in real.split() for dtype in ("f32", "f64"))
    whole = "floordiv mod shl shr ipow"
    assert all(has(name, dtype) for name in whole.split() for dtype in ["i64", "i32", "i16", "i8", "u8", "u32"])
    assert has("from_f8e4m3", "f32") and has("from_f8e5m2", "f32")
    assert not has("exp", "i32") and not has("cast_u32", "f32")
    with pytest.raises(KeyError, match="no math helper exp for i32"):
        lookup("exp", "i32")


def test_nothing_is_there_that_nothing_asks_for() -> None:
    asked = {*FUNCTIONS, *"floordiv mod shl shr ipow cast_i64 cast_i32 cast_i16 cast_i8 cast_u8".split()}
    asked |= {f"{way}_{dtype}" for way in ("to", "from") for dtype in ("f8e4m3", "f8e5m2")}
    needed = {need for row in ROWS.values() for need in row.needs}
    assert [row.symbol for row in ROWS.values() if row.name not in asked and row.symbol not in needed] == []


def test_names_and_symbols_are_unique(every_name: set[str]) -> None:
    assert len(BY_NAME) == len(ROWS)
    assert every_name | set(ROWS) == NAMES


def test_the_error_is_known_without_reading_a_text() -> None:
    code = (
        "import pathlib\n"
        "def refuse(*a, **k): raise AssertionError('a text was read')\n"
        "pathlib.Path.read_text = refuse\n"
        "from tl2hip.hip.math import ulp\n"
        "print(ulp('exp', 'f32'))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout) == ulp("exp", "f32")


def test_the_documented_table_is_the_stated_one() -> None:
    """Each line of the package's table: name, measured and stated error for f32, then for f64."""
    lines = re.findall(r"^ +([a-z0-9]+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)$", helpers.__doc__ or "", re.M)
    listed = {name: (float(b), float(d)) for name, _, b, _, d in lines}
    inexact = {row.name for row in ROWS.values() if row.ulp > 0}
    assert listed == {name: (ulp(name, "f32"), ulp(name, "f64")) for name in inexact}
    assert all(float(a) <= float(b) and float(c) <= float(d) for _, a, b, c, d in lines)
