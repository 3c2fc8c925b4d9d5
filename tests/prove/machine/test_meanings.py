"""Every instruction with random and edge operands against an independent statement of its meaning."""

from __future__ import annotations

import ctypes
from dataclasses import replace

import pytest

from tests.prove.machine import reference_float, reference_scalar, reference_vector
from tests.prove.machine.compiled import Instructions, compiled, every
from tests.prove.machine.drawn import Draw, modes
from tests.prove.machine.model import EXEC, State, different, scalar, takes, vector, width_of
from tests.prove.machine.reference_scalar import Statement
from tl2hip.prove.machine import records
from tl2hip.prove.machine.executor import _check_layout, executor
from tl2hip.prove.machine.meanings import MEANINGS
from tl2hip.prove.machine.meanings.table import Meaning
from tl2hip.prove.machine.records import Code, Kind, Source

STATEMENTS: dict[str, Statement] = (
    reference_scalar.REFERENCE | reference_vector.REFERENCE | reference_float.REFERENCE
)
OF_LANES = ("v_readfirstlane_b32", "v_readlane_b32", "v_writelane_b32", "v_swap_b32")


def expected(meaning: Meaning, before: State, after: State, code: Code) -> State:
    if meaning.name in OF_LANES:
        return _of_lanes(meaning.name, before, code)
    statement = STATEMENTS[meaning.name]
    return scalar(before, code, statement) if meaning.scalar else vector(before, after, code, statement)


def _of_lanes(name: str, before: State, code: Code) -> State:
    """Reading and writing one lane, whatever EXEC says; the first is that of EXEC, or 0 when it is empty. And a
    swap, of the lanes of EXEC."""
    out = before.copy()
    if name == "v_swap_b32":
        for lane in (i for i in range(64) if takes(before, code, i)):
            for to, from_ in ((code.d, code.e), (code.e, code.d)):
                out.v[to.first][lane] = before.v[from_.first][lane]
        return out

    def value(source: Source) -> int:
        kinds = {Kind.SCALAR: lambda: int(before.s[source.first]), Kind.CONDITION: lambda: before.scc}
        return kinds.get(source.kind, lambda: int(source.bits) & 0xFFFFFFFF)()

    if name == "v_writelane_b32":
        out.v[code.d.first][value(code.b) % 64] = value(code.a)
        return out
    exec_ = before.pair(EXEC)
    first = next((i for i in range(64) if exec_ >> i & 1), 0)
    out.s[code.d.first] = before.v[code.a.first][first if name == "v_readfirstlane_b32" else value(code.b) % 64]
    return out


def wrong(instructions: Instructions, meaning: Meaning) -> str:
    """What an instruction does otherwise than its statement says; empty when nothing."""
    for mode, trials in modes(meaning):
        for trial in range(trials):
            draw = Draw(meaning, mode, trial)
            after = instructions.run(meaning.name, draw.state, draw.code)
            if found := different(expected(meaning, draw.state, after, draw.code), after):
                return f"{meaning.name}, {mode} {trial}: {found}"
    return ""


@pytest.mark.parametrize("name", MEANINGS)
def test_an_instruction_does_what_is_said_of_it(name: str) -> None:
    assert not wrong(every(), MEANINGS[name])


def test_every_instruction_has_a_statement() -> None:
    assert set(MEANINGS) == {*STATEMENTS, *OF_LANES}


def test_records_of_another_layout_than_the_runtimes_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    turned = type("Source", (ctypes.Structure,), {"_fields_": [*reversed(Source._fields_)]})
    assert ctypes.sizeof(turned) == ctypes.sizeof(Source)
    monkeypatch.setattr(records, "Source", turned)
    with pytest.raises(AssertionError, match="laid out"):
        _check_layout(executor().library)


@pytest.mark.parametrize("name", STATEMENTS)
def test_tables_and_statements_name_operands_of_the_same_size(name: str) -> None:
    meaning, (types, _) = MEANINGS[name], STATEMENTS[name]
    sources, results = (side.split() for side in types.split(":"))
    assert [width_of(t.name) for t in meaning.sources] == [width_of(t) for t in sources if t not in ("d", "vcc")]
    assert meaning.reads_result == ("d" in sources) and meaning.reads_vcc == ("vcc" in sources)
    assert meaning.writes_exec == ("exec" in results) and meaning.keeps == ("keep" in results)


PLANTED = {
    "v_sub_f32": "d = b - a",
    "v_subb_co_u32": "d = a - b - c; e = a < b",
    "v_cmp_nlt_f32": "d = a >= b",
    "v_bfe_u32": "d = a >> (b & 31) & ones(c & 15)",
    "v_fma_f32": "d = a * b + c",
    "v_min_f64": "d = a < b ? a : b",
    "s_min_i32": "scc = a <= b; d = scc ? a : b",
    "v_div_scale_f32": "d = div_scale(a, c, b, e)",
    "v_div_fmas_f32": "f32 f = fma(a, b, c); d = vcc ? ldexp(f, raw_exponent(c) > 127 ? 64 : -64) : f",
    "v_div_fmas_f64": "f64 f = fma(a, b, c); d = vcc ? ldexp(f, raw_exponent(c) > 1023 ? 128 : -128) : f",
    "v_rsq_f32": "d = 1.0f / square_root(a)",
    "v_exp_f32": "d = (f32)exp2_wide(a)",
}
"""Faults: a swapped difference, a lost borrow, a comparison that a NaN fails, two roundings for one …"""


def test_planted_faults_are_found() -> None:
    planted = [replace(MEANINGS[name], code=code) for name, code in PLANTED.items()]
    planted.append(replace(MEANINGS["v_fma_f16"], keeps=False))
    instructions = compiled(planted)
    assert [one.name for one in planted if not wrong(instructions, one)] == []
