"""What vector instructions on integers mean, and comparisons, said again in Python on one lane's values.

A statement is its types and a function of the lane's sources (then the old result, and the lane's bit of vcc, where
the types say `d` and `vcc`; by name `lane`, `clamp` and `high`). It gives the results in order.
"""

from __future__ import annotations

from typing import Any

from tests.prove.machine.numbers import FORMATS, infinity_bits, is_nan, signals, signed
from tests.prove.machine.reference_scalar import Statement

REFERENCE: dict[str, Statement] = {}


def _add(types: str, **statements: Any) -> None:
    for name, function in statements.items():
        REFERENCE[name] = (types, function)


def _bounded(exact: int, least: int, most: int, clamp: bool) -> int:
    return min(max(exact, least), most) if clamp else exact


U32, U16 = (0, 2**32 - 1), (0, 2**16 - 1)
I32, I16 = (-(2**31), 2**31 - 1), (-(2**15), 2**15 - 1)

_add(
    "u32 u32 : u32",
    v_add_u32=lambda a, b, clamp: _bounded(a + b, *U32, clamp),
    v_sub_u32=lambda a, b, clamp: _bounded(a - b, *U32, clamp),
    v_subrev_u32=lambda a, b, clamp: _bounded(b - a, *U32, clamp),
    v_mul_lo_u32=lambda a, b: a * b,
    v_mul_hi_u32=lambda a, b: a * b >> 32,
    v_mul_u32_u24=lambda a, b: (a % 2**24) * (b % 2**24),
    v_mul_hi_u32_u24=lambda a, b: (a % 2**24) * (b % 2**24) >> 32,
    v_mul_i32_i24=lambda a, b: signed(a, 24) * signed(b, 24),
    v_mul_hi_i32_i24=lambda a, b: signed(a, 24) * signed(b, 24) >> 32,
    v_min_u32=min,
    v_max_u32=max,
    v_and_b32=lambda a, b: a & b,
    v_or_b32=lambda a, b: a + b - (a & b),
    v_xor_b32=lambda a, b: a + b - 2 * (a & b),
    v_xnor_b32=lambda a, b: -1 - (a + b - 2 * (a & b)),
    v_lshlrev_b32=lambda a, b: b * 2 ** (a % 32),
    v_lshrrev_b32=lambda a, b: b // 2 ** (a % 32),
    v_bfm_b32=lambda a, b: (2 ** (a % 32) - 1) * 2 ** (b % 32),
    v_bcnt_u32_b32=lambda a, b: bin(a).count("1") + b,
    v_mbcnt_lo_u32_b32=lambda a, b, lane: sum(a >> i & 1 for i in range(32) if i < lane) + b,
    v_mbcnt_hi_u32_b32=lambda a, b, lane: sum(a >> i & 1 for i in range(32) if i + 32 < lane) + b,
)
_add(
    "i32 i32 : i32",
    v_add_i32=lambda a, b, clamp: _bounded(a + b, *I32, clamp),
    v_sub_i32=lambda a, b, clamp: _bounded(a - b, *I32, clamp),
    v_mul_hi_i32=lambda a, b: a * b >> 32,
    v_min_i32=min,
    v_max_i32=max,
)
_add("u32 i32 : i32", v_ashrrev_i32=lambda a, b: b // 2 ** (a % 32))
_add("u32 u64 : u64", v_lshlrev_b64=lambda a, b: b << a % 64, v_lshrrev_b64=lambda a, b: b >> a % 64)
_add("u32 i64 : i64", v_ashrrev_i64=lambda a, b: b >> a % 64)
_add(
    "u32 u32 : u32 mask",
    v_add_co_u32=lambda a, b: (a + b, a + b >> 32),
    v_sub_co_u32=lambda a, b: (a - b, a < b),
    v_subrev_co_u32=lambda a, b: (b - a, b < a),
)
_add(
    "u32 u32 mask : u32 mask",
    v_addc_co_u32=lambda a, b, c: (a + b + c, a + b + c >> 32),
    v_subb_co_u32=lambda a, b, c: (a - b - c, a - b - c < 0),
    v_subbrev_co_u32=lambda a, b, c: (b - a - c, b - a - c < 0),
)


def _middle(a: int, b: int, c: int) -> int:
    return sorted((a, b, c))[1]


def _permuted(a: int, b: int, c: int) -> int:
    """Bytes of b, then of a, chosen by a number in each byte of c."""
    given = [*b.to_bytes(4, "little"), *a.to_bytes(4, "little")]
    signs = [255 * (given[i] >> 7) for i in (1, 3, 5, 7)]
    choice = [*given, *signs, 0, *[255] * 243]
    return int.from_bytes(bytes(choice[number] for number in c.to_bytes(4, "little")), "little")


_add(
    "u32 u32 u32 : u32",
    v_add3_u32=lambda a, b, c: a + b + c,
    v_mad_u32_u24=lambda a, b, c: (a % 2**24) * (b % 2**24) + c,
    v_mad_i32_i24=lambda a, b, c: signed(a, 24) * signed(b, 24) + c,
    v_lshl_add_u32=lambda a, b, c: (a << b % 32) + c,
    v_add_lshl_u32=lambda a, b, c: (a + b) % 2**32 << c % 32,
    v_xad_u32=lambda a, b, c: (a ^ b) + c,
    v_sad_u32=lambda a, b, c: abs(a - b) + c,
    v_min3_u32=min,
    v_max3_u32=max,
    v_med3_u32=_middle,
    v_and_or_b32=lambda a, b, c: a & b | c,
    v_or3_b32=lambda a, b, c: a | b | c,
    v_lshl_or_b32=lambda a, b, c: a << b % 32 | c,
    v_bfe_u32=lambda a, b, c: a // 2 ** (b % 32) % 2 ** (c % 32),
    v_bfi_b32=lambda a, b, c: sum((b if a >> i & 1 else c) & 1 << i for i in range(32)),
    v_alignbit_b32=lambda a, b, c: (a << 32 | b) >> c % 32,
    v_alignbyte_b32=lambda a, b, c: (a << 32 | b) >> 8 * (c % 4),
    v_perm_b32=_permuted,
)
_add("i32 i32 i32 : i32", v_min3_i32=min, v_max3_i32=max, v_med3_i32=_middle)
_add("i32 u32 u32 : i32", v_bfe_i32=lambda a, b, c: signed(a >> b % 32, c % 32) if c % 32 else 0)
_add("u64 u32 u64 : u64", v_lshl_add_u64=lambda a, b, c: (a << b % 8) + c)
_add("u32 u32 u64 : u64 mask", v_mad_u64_u32=lambda a, b, c: (a * b + c, a * b + c >> 64))
_add("i32 i32 i64 : i64 mask", v_mad_i64_i32=lambda a, b, c: (a * b + c, a * b + c >> 64 & 1))

_add(
    "u16 u16 : u16",
    v_add_u16=lambda a, b, clamp: _bounded(a + b, *U16, clamp),
    v_sub_u16=lambda a, b, clamp: _bounded(a - b, *U16, clamp),
    v_subrev_u16=lambda a, b, clamp: _bounded(b - a, *U16, clamp),
    v_mul_lo_u16=lambda a, b: a * b,
    v_min_u16=min,
    v_max_u16=max,
    v_lshlrev_b16=lambda a, b: b << a % 16,
    v_lshrrev_b16=lambda a, b: b >> a % 16,
)
_add("i16 i16 : i16", v_min_i16=min, v_max_i16=max)
_add("u16 i16 : i16", v_ashrrev_i16=lambda a, b: b >> a % 16)
_add(
    "i16 i16 : keep i16",
    v_add_i16=lambda a, b, clamp: _bounded(a + b, *I16, clamp),
    v_sub_i16=lambda a, b, clamp: _bounded(a - b, *I16, clamp),
)
_add(
    "u16 u16 u16 : u16", v_mad_legacy_u16=lambda a, b, c: a * b + c, v_mad_legacy_i16=lambda a, b, c: a * b + c
)
_add("u16 u16 u32 : u32", v_mad_u32_u16=lambda a, b, c: a * b + c)
_add("i16 i16 i32 : i32", v_mad_i32_i16=lambda a, b, c: a * b + c)
_add(
    "u16 u16 u16 : keep u16",
    v_mad_u16=lambda a, b, c: a * b + c,
    v_mad_i16=lambda a, b, c: a * b + c,
    v_min3_u16=min,
    v_max3_u16=max,
    v_med3_u16=_middle,
)
_add("i16 i16 i16 : keep i16", v_min3_i16=min, v_max3_i16=max, v_med3_i16=_middle)

_add(
    "u32 : u32",
    v_mov_b32=lambda a: a,
    v_accvgpr_read_b32=lambda a: a,
    v_accvgpr_write_b32=lambda a: a,
    v_accvgpr_mov_b32=lambda a: a,
    v_not_b32=lambda a: -1 - a,
    v_bfrev_b32=lambda a: int(f"{a:032b}"[::-1], 2),
    v_ffbh_u32=lambda a: f"{a:032b}".find("1"),
    v_ffbl_b32=lambda a: f"{a:032b}"[::-1].find("1"),
    v_ffbh_i32=lambda a: f"{a:032b}".find("10"[int(f"{a:032b}"[0])]),
)
_add("u64 : u64", v_mov_b64=lambda a: a)
_add("bits32 bits32 mask : u32", v_cndmask_b32=lambda a, b, c: b if c else a)

# ---- sums of products of parts


def _dot(bits: int, sign: bool) -> Any:
    def whole(a: int, b: int, c: int) -> int:
        for i in range(0, 32, bits):
            x, y = a >> i & ((1 << bits) - 1), b >> i & ((1 << bits) - 1)
            c += signed(x, bits) * signed(y, bits) if sign else x * y
        return c

    return whole


_add("pair_u16 pair_u16 u32 : u32", v_dot2_i32_i16=_dot(16, True), v_dot2_u32_u16=_dot(16, False))
_add(
    "u32 u32 u32 : u32",
    v_dot4_i32_i8=_dot(8, True),
    v_dot4_u32_u8=_dot(8, False),
    v_dot8_i32_i4=_dot(4, True),
    v_dot8_u32_u4=_dot(4, False),
)
_add(
    "u32 u32 d : u32", v_dot2c_i32_i16=_dot(16, True), v_dot4c_i32_i8=_dot(8, True), v_dot8c_i32_i4=_dot(4, True)
)
_add("pick32 pick32 : u64", v_pk_mov_b32=lambda a, b: a | b << 32)
_add(
    "u16x2 u16x2 : u16x2",
    v_pk_add_u16=lambda a, b, clamp: _bounded(a + b, *U16, clamp),
    v_pk_sub_u16=lambda a, b, clamp: _bounded(a - b, *U16, clamp),
    v_pk_mul_lo_u16=lambda a, b: a * b,
    v_pk_min_u16=min,
    v_pk_max_u16=max,
    v_pk_lshlrev_b16=lambda a, b: b << a % 16,
    v_pk_lshrrev_b16=lambda a, b: b >> a % 16,
)
_add(
    "i16x2 i16x2 : i16x2",
    v_pk_add_i16=lambda a, b, clamp: _bounded(a + b, *I16, clamp),
    v_pk_sub_i16=lambda a, b, clamp: _bounded(a - b, *I16, clamp),
    v_pk_min_i16=min,
    v_pk_max_i16=max,
    v_pk_ashrrev_i16=lambda a, b: b >> a % 16,
)
_add(
    "u16x2 u16x2 u16x2 : u16x2", v_pk_mad_u16=lambda a, b, c: a * b + c, v_pk_mad_i16=lambda a, b, c: a * b + c
)

# ---- comparisons: of a NaN, only those with `n` and `u` hold



ORDERED = {
    "f": "", "lt": "<", "eq": "=", "le": "<=", "gt": ">", "lg": "<>", "ge": ">=", "o": "<=>",
    "u": "?", "nge": "?<", "nlg": "?=", "ngt": "?<=", "nle": "?>", "neq": "?<>", "nlt": "?>=", "tru": "?<=>",
    "t": "<=>", "ne": "<>",
}  # fmt: skip
"""In which of the four relations that two numbers can be each comparison holds; `?` is unordered."""


def _relation(a: float, b: float) -> str:
    return "?" if a != a or b != b else "<" if a < b else ">" if a > b else "="


def _class(width: int) -> Any:
    def holds(a: int, b: int) -> int:
        mantissa = FORMATS[width][0]
        size = a & ((1 << (width - 1)) - 1)
        if is_nan(a, width):
            return b >> (0 if signals(a, width) else 1) & 1
        kind = 3 if size == infinity_bits(width) else 0 if size == 0 else 2 if size >> mantissa else 1
        return b >> (5 - kind if a >> (width - 1) else 6 + kind) & 1

    return holds


for _prefix, _result in (("v_cmp", "mask"), ("v_cmpx", "mask exec")):
    for _w in (16, 32, 64):
        for _name, _when in ORDERED.items():
            for _kind in "fiu":
                if (_name in ("f", "lt", "eq", "le", "gt", "ge")) or (_name in ("t", "ne")) != (_kind == "f"):
                    REFERENCE[f"{_prefix}_{_name}_{_kind}{_w}"] = (
                        f"{_kind}{_w} {_kind}{_w} : {_result}",
                        lambda a, b, when=_when: _relation(a, b) in when,
                    )
        REFERENCE[f"{_prefix}_class_f{_w}"] = (f"bits{_w} u32 : {_result}", _class(_w))


def _distance(width: int, masked: bool = False) -> Any:
    def distance(a: int, b: int) -> int:
        parts = [(a >> at & (1 << width) - 1, b >> at & (1 << width) - 1) for at in range(0, 32, width)]
        return sum(abs(x - y) for x, y in parts if y or not masked)

    return distance


_add(
    "u32 u32 u32 : u32",
    v_sad_u8=lambda a, b, c: _distance(8)(a, b) + c,
    v_sad_hi_u8=lambda a, b, c: _distance(8)(a, b) * 65536 + c,
    v_sad_u16=lambda a, b, c: _distance(16)(a, b) + c,
    v_msad_u8=lambda a, b, c: _distance(8, True)(a, b) + c,
)
