"""A wave in plain Python: how operands are read and results written, and what an instruction should leave."""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from tests.prove.machine.numbers import bits_of, float_of, is_nan, signed
from tests.prove.machine.reference_scalar import Statement
from tl2hip.prove.machine.records import Change, Code, Dpp, Halves, Kind, Pick, Source, Unused

EXEC, VCC = 126, 106
WIDTHS = {Pick.BYTE_0: 8, Pick.BYTE_1: 8, Pick.BYTE_2: 8, Pick.BYTE_3: 8, Pick.WORD_0: 16, Pick.WORD_1: 16}
STARTS = {Pick.BYTE_0: 0, Pick.BYTE_1: 8, Pick.BYTE_2: 16, Pick.BYTE_3: 24, Pick.WORD_0: 0, Pick.WORD_1: 16}


@dataclass
class State:
    """Registers of a wave."""

    v: Any
    s: Any
    scc: int

    def copy(self) -> State:
        return State(self.v.copy(), self.s.copy(), self.scc)

    def pair(self, first: int) -> int:
        return int(self.s[first]) | int(self.s[first + 1]) << 32

    def set(self, first: int, bits: int, count: int) -> None:
        for i in range(count):
            self.s[first + i] = bits >> 32 * i & 0xFFFFFFFF


def width_of(kind: str) -> int:
    """How many bits a number of a type has."""
    digits = "".join(c for c in kind.removesuffix("x2") if c.isdigit())
    return int(digits) if digits else 64 if kind == "mask" else 32


def dpp_lane(code: Code, lane: int) -> int | None:
    """The lane that DPP reads for a lane; None where there is none."""
    n, row = code.dpp_number, lane // 16 * 16
    at = lane % 16
    if code.dpp == Dpp.QUAD_PERM:
        return lane // 4 * 4 + int(code.quad[lane % 4])
    if code.dpp in (Dpp.ROW_SHL, Dpp.ROW_SHR):
        to = at + n if code.dpp == Dpp.ROW_SHL else at - n
        return row + to if 0 <= to < 16 else None
    if code.dpp == Dpp.ROW_ROR:
        return row + (at - n) % 16
    if code.dpp in (Dpp.ROW_MIRROR, Dpp.ROW_HALF_MIRROR):
        return row + 15 - at if code.dpp == Dpp.ROW_MIRROR else lane // 8 * 8 + 7 - lane % 8
    if code.dpp == Dpp.ROW_BCAST:
        if n == 15:
            return row - 1 if row else None
        return 31 if lane >= 32 else None
    if code.dpp in (Dpp.WAVE_SHL, Dpp.WAVE_SHR):
        to = lane + 1 if code.dpp == Dpp.WAVE_SHL else lane - 1
        return to if 0 <= to < 64 else None
    if code.dpp in (Dpp.WAVE_ROL, Dpp.WAVE_ROR):
        return (lane + (1 if code.dpp == Dpp.WAVE_ROL else -1)) % 64
    assert code.dpp == Dpp.ROW_NEWBCAST
    return int(row + n)


def _register(state: State, source: Source, index: int, lane: int) -> int:
    if source.kind == Kind.ROW:
        return int(state.v[source.first + index][lane])
    if source.kind == Kind.SCALAR:
        return int(state.s[source.first + index])
    if source.kind == Kind.CONDITION:
        return 0 if index else state.scc
    return int(source.bits) >> 32 * index & 0xFFFFFFFF


def _changed(bits: int, source: Source, width: int) -> int:
    if source.change & Change.ABSOLUTE:
        bits &= ~(1 << (width - 1))
    return bits ^ 1 << (width - 1) if source.change & Change.NEGATE else bits


def _number(bits: int, kind: str) -> Any:
    """The number that bits are of a type: a float, an integer with or without a sign, or the bits."""
    width = width_of(kind)
    bits &= (1 << width) - 1
    if kind.startswith("f"):
        return float_of(bits, width)
    return signed(bits, width) if kind.startswith("i") else bits


def fetch(state: State, code: Code, source: Source, kind: str, lane: int, first: bool) -> Any:
    """What a lane reads of an operand; two numbers of a packed one."""
    if kind == "mask":
        bits = state.pair(source.first) if source.kind == Kind.SCALAR else source.bits
        return bits >> lane & 1
    there: int | None = lane
    if first and code.dpp:
        there = dpp_lane(code, lane)
        if there is not None and not state.pair(EXEC) >> there & 1:
            there = None

    def register(index: int) -> int:
        return 0 if there is None else _register(state, source, index, there)

    if kind == "pick32":
        return register(1 if source.halves & Halves.LOW_FROM_HIGH else 0)
    if kind == "f32x2":
        low = register(1 if source.halves & Halves.LOW_FROM_HIGH else 0)
        high = register(1 if source.halves & Halves.HIGH_FROM_HIGH else 0)
        low ^= 1 << 31 if source.halves & Halves.NEGATE_LOW else 0
        high ^= 1 << 31 if source.halves & Halves.NEGATE_HIGH else 0
        return float_of(low, 32), float_of(high, 32)
    width = width_of(kind)
    if width == 64:
        return _number(_changed(register(0) | register(1) << 32, source, 64), kind)
    bits = register(0)
    if source.pick != Pick.DWORD:
        part = bits >> STARTS[source.pick] & ((1 << WIDTHS[source.pick]) - 1)
        bits = signed(part, WIDTHS[source.pick]) & 0xFFFFFFFF if source.change & Change.EXTEND else part
    if kind.endswith("x2") or kind.startswith("pair"):
        low = bits >> 16 if source.halves & Halves.LOW_FROM_HIGH else bits & 0xFFFF
        high = bits >> 16 if source.halves & Halves.HIGH_FROM_HIGH else bits & 0xFFFF
        if kind[0] in "fb" or kind == "pair_f16":
            low ^= 0x8000 if source.halves & Halves.NEGATE_LOW else 0
            high ^= 0x8000 if source.halves & Halves.NEGATE_HIGH else 0
        if kind.startswith("pair"):
            return low | high << 16
        return _number(low, kind[:-2]), _number(high, kind[:-2])
    if kind == "mix":
        if source.halves & Halves.HIGH_FROM_HIGH:
            bits = bits_of(float_of(bits >> 16 if source.halves & Halves.LOW_FROM_HIGH else bits & 0xFFFF, 16), 32)
        return float_of(_changed(bits, source, 32), 32)
    if width == 16 and source.halves & Halves.LOW_FROM_HIGH:
        bits >>= 16
    return _number(_changed(bits & ((1 << width) - 1), source, width), kind)


def takes(state: State, code: Code, lane: int) -> bool:
    """Whether a lane takes a result."""
    exec_ = state.pair(EXEC)
    if not exec_ >> lane & 1:
        return False
    if not code.dpp:
        return True
    there = dpp_lane(code, lane)
    valid = there is not None and exec_ >> there & 1
    rows, banks = code.row_mask >> lane // 16 & 1, code.bank_mask >> lane % 16 // 4 & 1
    return bool(rows and banks and (code.bound_control or valid))


def _bits(value: Any, width: int, clamp: bool, actual: int) -> int:
    """The bits of a result; of a NaN those that there are, if they are one's."""
    if isinstance(value, float):
        if clamp:
            value = 0.0 if math.isnan(value) or value <= 0 else min(value, 1.0)
        if math.isnan(value) and is_nan(actual & ((1 << width) - 1), width):
            return actual & ((1 << width) - 1)
        return bits_of(value, width)
    return int(value) & ((1 << width) - 1)


@cache
def _extras(function: Any) -> tuple[str, ...]:
    try:
        names = inspect.signature(function).parameters
    except ValueError:  # min, max and float say nothing
        return ()
    return tuple(name for name in ("lane", "clamp", "high", "scc", "exec") if name in names)


def vector(before: State, after: State, code: Code, statement: Statement) -> State:
    """What a vector instruction should leave of `before`; `after` is what it left, asked only which NaN it is."""
    types, function = statement
    sources, results = (side.split() for side in types.split(":"))
    out = before.copy()
    masks = [0, 0]
    for lane in range(64):
        if not takes(before, code, lane):
            continue
        given = [fetch(before, code, getattr(code, "abc"[i]), kind, lane, i == 0)
                 for i, kind in enumerate(sources) if kind not in ("d", "vcc")]  # fmt: skip
        if "d" in sources:
            old = Source(Kind.ROW, 0, 0, 0, code.d.first, code.d.count, 0)
            given.append(fetch(before, Code(), old, results[-1] if results[0] != "above" else "u32", lane, False))
        if "vcc" in sources:
            given.append(before.pair(VCC) >> lane & 1)
        named = {"lane": lane, "clamp": bool(code.clamp), "high": bool(code.high)}
        extra = {name: named[name] for name in _extras(function)}
        if results[0].endswith("x2"):
            value = tuple(function(*(x[i] for x in given), **extra) for i in (0, 1))
        else:
            value = function(*given, **extra)
        _write(before, after, out, code, results, value if isinstance(value, tuple) else (value,), lane, masks)
    for i, name in enumerate("de"):
        if "mask" in results and results.index("mask") == i:
            out.set(getattr(code, name).first, masks[i], 2)
    if "exec" in results:
        out.set(EXEC, masks[0], 2)
    return out


def _write(
    before: State, after: State, out: State, code: Code, results: list[str], value: Any, lane: int, masks: list[int]
) -> None:
    """One lane's results."""
    first = code.d.first
    old, actual = int(before.v[first][lane]), int(after.v[first][lane])
    plain = [kind for kind in results if kind not in ("keep", "above", "two", "exec")]
    for i, kind in enumerate(plain):
        if kind == "mask":
            masks[i] |= (int(value[i]) & 1) << lane
    kind = plain[0]
    if kind == "mask":
        return
    width = width_of(kind)
    clamp = bool(code.clamp) and (kind.startswith("f"))
    if results[0] == "two" or kind.endswith("x2"):
        if width == 32:
            for i in (0, 1):
                out.v[first + i][lane] = _bits(value[i], 32, clamp, int(after.v[first + i][lane]))
        else:
            halves = [_bits(value[i], 16, clamp, actual >> 16 * i) for i in (0, 1)]
            out.v[first][lane] = halves[0] | halves[1] << 16
        return
    if width == 64:
        bits = _bits(value[0], 64, clamp, actual | int(after.v[first + 1][lane]) << 32)
        out.v[first][lane], out.v[first + 1][lane] = bits & 0xFFFFFFFF, bits >> 32
        return
    above = results[0] == "above" or (width == 16 and code.high)
    start = 16 if above else STARTS.get(code.pick, 0)
    bits = _bits(value[0], width, clamp, actual >> start)
    if code.pick != Pick.DWORD:
        size = WIDTHS[code.pick]
        mask = ((1 << size) - 1) << start
        part = bits << start & mask
        rest = {Unused.PAD: 0, Unused.PRESERVE: old & ~mask}.get(code.unused)
        out.v[first][lane] = signed(bits, size) << start & 0xFFFFFFFF if rest is None else part | rest
    elif above:
        out.v[first][lane] = bits << 16 | old & 0xFFFF
    elif results[0] == "keep":
        out.v[first][lane] = bits | old & 0xFFFF0000
    else:
        out.v[first][lane] = bits


def scalar(before: State, code: Code, statement: Statement) -> State:
    """What a scalar instruction should leave."""
    types, function = statement
    sources, results = (side.split() for side in types.split(":"))
    given = [fetch(before, Code(), getattr(code, "abc"[i]), kind, 0, False)
             for i, kind in enumerate(sources) if kind != "d"]  # fmt: skip
    if "d" in sources:
        given.append(fetch(before, Code(), code.d, results[0], 0, False))
    named = {"scc": before.scc, "exec": before.pair(EXEC)}
    written = function(*given, **{name: named[name] for name in _extras(function)})
    out = before.copy()
    if "d" in written:
        out.set(code.d.first, written["d"] & ((1 << width_of(results[0])) - 1), width_of(results[0]) // 32)
    if "exec" in written:
        out.set(EXEC, written["exec"], 2)
    out.scc = written.get("scc", before.scc)
    return out


def different(expected: State, after: State) -> str:
    """The first places where two states are not the same; empty when there are none."""
    found = [f"v{row}[{lane}]: {expected.v[row][lane]:#x} expected, {after.v[row][lane]:#x} found"
             for row, lane in np.argwhere(expected.v != after.v)[:4]]  # fmt: skip
    found += [f"s{i}: {expected.s[i]:#x} expected, {after.s[i]:#x} found"
              for i in np.flatnonzero(expected.s != after.s)[:4]]  # fmt: skip
    if expected.scc != after.scc:
        found.append(f"scc: {expected.scc} expected, {after.scc} found")
    return "; ".join(found)
