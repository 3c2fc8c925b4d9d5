"""Operands drawn for an instruction: edges and random numbers, in every way that an operand can be given."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from tests.prove.machine.model import EXEC, VCC, State
from tests.prove.machine.numbers import FORMATS, bits_of, infinity_bits, narrowed
from tl2hip.prove.machine.meanings.table import Meaning, Type
from tl2hip.prove.machine.records import Change, Code, Dpp, Halves, Kind, Pick, Source, Unused

FULL = (1 << 64) - 1
ROWS = {"d": 40, "e": 45, "a": 50, "b": 60, "c": 70}
PAIRS = {"d": 4, "e": 8, "a": 12, "b": 16, "c": 20}


def float_edges(width: int) -> list[int]:
    mantissa, bias = FORMATS[width]
    infinity, one = infinity_bits(width), bias << mantissa
    sizes = [
        0, 1, 2, (1 << mantissa) - 1, 1 << mantissa, (1 << mantissa) + 1, one - 1, one, one + 1,
        one + (1 << mantissa), one + (1 << mantissa - 1), one - (1 << mantissa), infinity - 1, infinity,
        infinity + 1, infinity | 1 << mantissa - 1, one + ((31 if width > 16 else 15) << mantissa),
        one + (5 << mantissa) + (1 << mantissa - 6),
    ]  # fmt: skip
    return [size | sign << (width - 1) for size in sizes for sign in (0, 1)]


def integer_edges(width: int) -> list[int]:
    some = [0, 1, 2, 3, 7, 8, 15, 16, 24, 31, 32, 33, 63, 64, 255, 256, 32767, 32768, 65535, 65536]
    some += [1 << 23, 1 << 24]
    some += [1 << (width - 1), (1 << (width - 1)) - 1, (1 << width) - 1, (1 << width) - 2]
    return [x & ((1 << width) - 1) for x in some]


FAVOURED = {
    "v_exp_f32": (-126.0, -126.5, -127.0, -130.25, -148.5, -149.5, -151.0, 127.75, 128.0),
    "v_exp_f16": (-13.5, -15.0, -23.75, -24.5, -26.0, 15.875, 16.0),
    "v_cvt_i32_f64": (2147483647.5, 2147483648.0, -2147483648.5, -2147483649.0, -0.5),
    "v_cvt_u32_f64": (4294967295.5, 4294967296.0, -0.5, -1.0),
    "v_cvt_i32_f32": (2147483520.0, 2147483648.0, -2147483648.0, -2147483904.0, -0.5),
    "v_cvt_u32_f32": (4294967040.0, 4294967296.0, -0.5, -1.0, 2147483648.0),
    "v_cvt_i16_f16": (32752.0, 32768.0, -32768.0, -32800.0),
    "v_cvt_f16_f32": (65504.0, 65519.0, 65520.0, 2.0**-24, 2.0**-25, 1.5 * 2.0**-25, 1.0 + 2.0**-11),
    "v_cvt_pkrtz_f16_f32": (65504.0, 65519.0, 65536.0, 2.0**-24, 2.0**-25, 1.0 + 2.0**-11),
    "v_cvt_pk_fp8_f32": (240.0, 247.9, 248.0, 248.1, 2.0**-10, 2.0**-11, 1.5 * 2.0**-11, 17.0, 19.0),
    "v_cvt_pk_bf8_f32": (57344.0, 61439.0, 61440.0, 2.0**-17, 2.0**-18, 1.5 * 2.0**-18, 9.0, 11.0),
    "v_cvt_rpi_i32_f32": (0.49999997, 2.5, -2.5, 8388609.0),
}
"""Where what an instruction does changes."""


def favoured(meaning: Meaning, kind: Type) -> list[int]:
    if not kind.floating or kind.packed:
        return []
    near = [narrowed(x, kind.bits) for x in FAVOURED.get(meaning.name, ())]
    return [bits_of(sign * x, kind.bits) for x in near for sign in (1, -1)]


def numbers(kind: Type, rng: np.random.Generator, count: int, more: Sequence[int] = ()) -> list[int]:
    """Bits for `count` lanes, as wide as the operand's registers; now and then one of `more`."""
    width = {"f32x2": 32, "pick32": 32}.get(kind.name, 16 if kind.halves and kind.name != "mix" else kind.bits)
    floating = kind.floating
    edges = float_edges(width) if floating else integer_edges(width)
    if kind.name == "mix":
        halves = float_edges(16)
        edges = edges + [low | high << 16 for low, high in zip(halves, reversed(halves), strict=True)]
    total = 64 if kind.registers == 2 else 32
    pieces = max(1, total // width) if kind.halves or width == 64 else 1
    mantissa, bias = FORMATS[width]

    def one() -> int:
        how = rng.random()
        if more and how < 0.25:
            return more[rng.integers(len(more))]
        if how < 0.4:
            return int(edges[rng.integers(len(edges))])
        random = int.from_bytes(rng.bytes(8), "little") & ((1 << width) - 1)
        if how < 0.75 or not floating:
            return random >> int(rng.integers(width)) if how < 0.6 and not floating else random
        near = (bias + int(rng.integers(-4, 5))) << mantissa  # a number near 1
        return (random & ~(infinity_bits(width))) | near

    return [sum(one() << width * i for i in range(pieces)) for _ in range(count)]


def _source(kind: Kind, first: int = 0, count: int = 1, bits: int = 0) -> Source:
    return Source(kind, 0, 0, 0, first, count, bits)


class Draw:
    """A wave and an instruction on it."""

    def __init__(self, meaning: Meaning, mode: str, trial: int) -> None:
        self.meaning, self.mode = meaning, mode
        self.rng = np.random.default_rng(zlib.crc32(f"{meaning.name} {mode} {trial}".encode()))
        rng = self.rng
        v = rng.integers(0, 1 << 32, (512, 64), dtype=np.uint32)
        s = rng.integers(0, 1 << 32, 128, dtype=np.uint32)
        self.state = State(v, s, int(rng.integers(2)))
        self.code = Code()
        full = mode in ("rows", "same") and trial % 2 == 0
        bits = FULL if full else int.from_bytes(rng.bytes(8), "little")
        self.state.set(EXEC, 0 if mode == "rows" and trial == 1 else bits, 2)
        for name, kind in zip("abc", meaning.sources, strict=False):
            setattr(self.code, name, self._operand(name, kind))
        for name, kind in zip("de", meaning.results, strict=False):
            pair = kind.name in ("mask", "scalar") or meaning.scalar
            at = PAIRS[name] if pair else ROWS[name]
            setattr(self.code, name, _source(Kind.SCALAR if pair else Kind.ROW, at, kind.registers))
        if meaning.reads_result and not meaning.scalar:
            self._fill(ROWS["d"], meaning.results[0], 64)
        self._relate()
        if not meaning.once:
            getattr(self, f"_{mode}")()

    def _operand(self, name: str, kind: Type) -> Source:
        """One operand: a row, a scalar register or a constant."""
        rng, scalar = self.rng, self.meaning.scalar or kind.name == "scalar"
        if kind.name == "mask":
            at = VCC if rng.random() < 0.3 else PAIRS[name]
            return _source(Kind.SCALAR, at, 2)
        if kind.name == "row":
            return _source(Kind.ROW, ROWS[name])
        how = rng.random()
        if scalar or self.mode == "scalars":
            bits = numbers(kind, rng, 1, favoured(self.meaning, kind))[0]
            if how < 0.45 or (scalar and kind.bits == 16):
                return _source(Kind.CONSTANT, 0, kind.registers, bits)
            if how < 0.9:
                self.state.set(PAIRS[name], bits, 2 if kind.registers == 2 else 1)
                return _source(Kind.SCALAR, PAIRS[name], kind.registers)
            if scalar and not kind.floating:
                return _source(Kind.CONDITION)
        at = ROWS[name] + (256 if how > 0.97 else 0)
        self._fill(at, kind, 64)
        return _source(Kind.ROW, at, kind.registers)

    def _fill(self, row: int, kind: Type, count: int) -> None:
        bits = numbers(kind, self.rng, count, favoured(self.meaning, kind))
        for i in range(max(1, kind.registers)):
            self.state.v[row + i] = [b >> 32 * i & 0xFFFFFFFF for b in bits]

    def _relate(self) -> None:
        """Equal operands in some lanes: what they are to one another matters to comparisons and divisions."""
        pairs = zip("abc", self.meaning.sources, strict=False)
        given = [getattr(self.code, name) for name, kind in pairs if kind.name != "row"]
        if self.meaning.scalar and len(given) == 2 and self.rng.random() < 0.3:
            self.code.b = self.code.a
        rows = [one for one in given if one.kind == Kind.ROW]
        for other in rows[1:]:
            same = self.rng.random(64) < 0.3
            for i in range(min(other.count, rows[0].count)):
                self.state.v[rows[0].first + i][same] = self.state.v[other.first + i][same]

    def _rows(self) -> None:
        for name, kind in zip("abc", self.meaning.sources, strict=False):
            if kind.packed:
                getattr(self.code, name).halves = Halves.HIGH_FROM_HIGH

    def _scalars(self) -> None:
        self._rows()

    def _same(self) -> None:
        """The result's registers are a source's, or reach into them."""
        self._rows()
        rows = [getattr(self.code, n) for n in "abc" if getattr(self.code, n).kind == Kind.ROW]
        if rows and self.code.d.kind == Kind.ROW:
            chosen = rows[self.rng.integers(len(rows))]
            self.code.d.first = chosen.first - (self.code.d.count == 2 and self.rng.random() < 0.4)

    def _modifiers(self) -> None:
        self._rows()
        for name, kind in zip("abc", self.meaning.sources, strict=False):
            if kind.floating and not kind.packed and not kind.name.startswith("pair"):
                getattr(self.code, name).change = int(self.rng.integers(4))
            if kind.name == "mix":
                getattr(self.code, name).halves = int(self.rng.integers(4))
        if self.meaning.clamps:
            self.code.clamp = int(self.rng.random() < 0.6)

    def _halves(self) -> None:
        for name, kind in zip("abc", self.meaning.sources, strict=False):
            if kind.halves:
                single = kind.name == "pick32" or (kind.bits == 16 and not kind.packed)
                most = 2 if single else 4 if kind.name == "mix" else 16
                getattr(self.code, name).halves = int(self.rng.integers(most))
        if self.meaning.halved:
            self.code.high = int(self.rng.integers(2))

    def _sdwa(self) -> None:
        for name, kind in zip("abc", self.meaning.sources, strict=False):
            if kind.name == "mask":
                continue
            source = getattr(self.code, name)
            source.pick = int(self.rng.integers(7))
            source.change = int(self.rng.integers(4)) if kind.floating else int(self.rng.choice([0, Change.EXTEND]))
        result = self.meaning.results[0]
        if result.name != "mask":
            whole = result.floating and result.bits == 32 or self.meaning.name == "v_cvt_pkrtz_f16_f32"
            parts = [Pick.DWORD] if whole else list(Pick)
            parts = [Pick.DWORD, Pick.WORD_0, Pick.WORD_1] if result.floating and result.bits == 16 else parts
            self.code.pick = int(self.rng.choice(parts))
            self.code.unused = int(self.rng.choice(list(Unused))) if self.code.pick else 0

    def _dpp(self) -> None:
        rng, code = self.rng, self.code
        code.dpp = int(rng.integers(1, len(Dpp)))
        code.dpp_number = 15 if code.dpp == Dpp.ROW_NEWBCAST else int(rng.integers(1, 16))
        if code.dpp == Dpp.ROW_BCAST:
            code.dpp_number = int(rng.choice([15, 31]))
        code.quad[:] = [int(x) for x in rng.integers(0, 4, 4)]
        masks = [15, 15] if rng.random() < 0.5 else rng.integers(0, 16, 2)
        code.row_mask, code.bank_mask = (int(mask) for mask in masks)
        code.bound_control = int(rng.integers(2))
        if rng.random() < 0.5:
            self.state.set(EXEC, FULL, 2)


def modes(meaning: Meaning) -> Iterator[tuple[str, int]]:
    """The ways to give an instruction its operands, and how many trials of each."""
    if meaning.once:
        yield "rows", 24
        return
    kinds = (*meaning.sources, *meaning.results)
    yield "rows", 4
    yield "scalars", 2
    yield "same", 2
    if any(t.floating for t in kinds) or meaning.clamps:
        yield "modifiers", 3
    if any(t.halves for t in kinds) or meaning.halved:
        yield "halves", 3
    words = all(t.name == "mask" or (t.registers == 1 and t.bits <= 32 and not t.packed and t.name != "mix")
                and not t.name.startswith("pair") for t in kinds)  # fmt: skip
    given = sum(t.name != "mask" for t in meaning.sources)
    if words and 0 < given <= 2 and not meaning.name.startswith("v_accvgpr"):
        yield "sdwa", 4
        yield "dpp", 4
