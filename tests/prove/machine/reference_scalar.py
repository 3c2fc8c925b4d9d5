"""What scalar instructions mean, said again in Python: integers as unsigned bits, SCC and EXEC by name.

Each gives what it writes, by name. Types are said here too, so that a wrong one in a table is seen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.prove.machine.numbers import signed

Written = dict[str, int]
Statement = tuple[str, Callable[..., Any]]

REFERENCE: dict[str, Statement] = {}


def _with_zero(d: int, width: int) -> Written:
    d &= (1 << width) - 1
    return {"d": d, "scc": int(d != 0)}


def _sum(exact: int, unsigned: bool) -> Written:
    """A 32-bit sum; SCC is the carry, or whether a signed one does not fit."""
    lost = exact < 0 or exact >> 32 if unsigned else not -(2**31) <= exact < 2**31
    return {"d": exact & 0xFFFFFFFF, "scc": int(bool(lost))}


REFERENCE |= {
    "s_add_u32": ("u32 u32 : u32", lambda a, b: _sum(a + b, True)),
    "s_sub_u32": ("u32 u32 : u32", lambda a, b: _sum(a - b, True)),
    "s_addc_u32": ("u32 u32 : u32", lambda a, b, scc: _sum(a + b + scc, True)),
    "s_subb_u32": ("u32 u32 : u32", lambda a, b, scc: _sum(a - b - scc, True)),
    "s_add_i32": ("i32 i32 : i32", lambda a, b: _sum(a + b, False)),
    "s_sub_i32": ("i32 i32 : i32", lambda a, b: _sum(a - b, False)),
    "s_addk_i32": ("i16 d : i32", lambda a, d: _sum(d + a, False)),
    "s_mulk_i32": ("i16 d : i32", lambda a, d: {"d": d * a}),
    "s_mul_i32": ("i32 i32 : i32", lambda a, b: {"d": a * b}),
    "s_mul_hi_u32": ("u32 u32 : u32", lambda a, b: {"d": a * b >> 32}),
    "s_mul_hi_i32": ("i32 i32 : i32", lambda a, b: {"d": a * b >> 32}),
    "s_abs_i32": ("i32 : u32", lambda a: _with_zero(abs(a), 32)),
    "s_absdiff_i32": ("i32 i32 : u32", lambda a, b: _with_zero(abs(signed((a - b) % 2**32, 32)), 32)),
    "s_mov_b32": ("u32 : u32", lambda a: {"d": a}),
    "s_mov_b64": ("u64 : u64", lambda a: {"d": a}),
    "s_movk_i32": ("i16 : i32", lambda a: {"d": a}),
    "s_cmov_b32": ("u32 d : u32", lambda a, d, scc: {"d": a if scc else d}),
    "s_cmov_b64": ("u64 d : u64", lambda a, d, scc: {"d": a if scc else d}),
    "s_cmovk_i32": ("i16 d : i32", lambda a, d, scc: {"d": a if scc else d}),
    "s_cselect_b32": ("u32 u32 : u32", lambda a, b, scc: {"d": a if scc else b}),
    "s_cselect_b64": ("u64 u64 : u64", lambda a, b, scc: {"d": a if scc else b}),
    "s_pack_ll_b32_b16": ("u32 u32 : u32", lambda a, b: {"d": a % 65536 + b % 65536 * 65536}),
    "s_pack_lh_b32_b16": ("u32 u32 : u32", lambda a, b: {"d": a % 65536 + b // 65536 * 65536}),
    "s_pack_hh_b32_b16": ("u32 u32 : u32", lambda a, b: {"d": a // 65536 + b // 65536 * 65536}),
    "s_sext_i32_i8": ("u32 : i32", lambda a: {"d": signed(a, 8)}),
    "s_sext_i32_i16": ("u32 : i32", lambda a: {"d": signed(a, 16)}),
}

for _n in (1, 2, 3, 4):
    REFERENCE[f"s_lshl{_n}_add_u32"] = ("u32 u32 : u32", lambda a, b, n=_n: _sum(a * 2**n + b, True))

for _kind in ("i32", "u32"):
    REFERENCE[f"s_min_{_kind}"] = (f"{_kind} {_kind} : {_kind}", lambda a, b: {"d": min(a, b), "scc": int(a < b)})
    REFERENCE[f"s_max_{_kind}"] = (f"{_kind} {_kind} : {_kind}", lambda a, b: {"d": max(a, b), "scc": int(a >= b)})


# ---- bits, for both widths


def _string(x: int, width: int) -> str:
    return f"{x & ((1 << width) - 1):0{width}b}"


def _number(text: str) -> int:
    return int(text or "0", 2)


def _run(text: str) -> int:
    """How many bits at the start are alike, -1 when all are."""
    return next((i for i, bit in enumerate(text) if bit != text[0]), -1)


def _part(x: int, start: int, count: int) -> int:
    return x >> start & ((1 << count) - 1)


def _signed_part(x: int, start: int, count: int, width: int) -> int:
    """Bits of a number that goes on with its sign."""
    count = min(count, width)
    return signed(x >> start, count) if count else 0


for _w, _lg in ((32, 31), (64, 63)):
    _u, _i = f"u{_w}", f"i{_w}"
    REFERENCE |= {
        f"s_lshl_b{_w}": (f"{_u} u32 : {_u}", lambda a, b, w=_w, lg=_lg: _with_zero(a << (b & lg), w)),
        f"s_lshr_b{_w}": (f"{_u} u32 : {_u}", lambda a, b, w=_w, lg=_lg: _with_zero(a >> (b & lg), w)),
        f"s_ashr_i{_w}": (f"{_i} u32 : {_i}", lambda a, b, w=_w, lg=_lg: _with_zero(a >> (b & lg), w)),
        f"s_bfe_u{_w}": (
            f"{_u} u32 : {_u}", lambda a, b, w=_w, lg=_lg: _with_zero(_part(a, b & lg, b >> 16 & 127), w)
        ),
        f"s_bfe_i{_w}": (
            f"{_i} u32 : {_i}", lambda a, b, w=_w, lg=_lg: _with_zero(_signed_part(a, b & lg, b >> 16 & 127, w), w)
        ),
        f"s_bfm_b{_w}": (f"u32 u32 : {_u}", lambda a, b, lg=_lg: {"d": (2 ** (a & lg) - 1) * 2 ** (b & lg)}),
        f"s_brev_b{_w}": (f"{_u} : {_u}", lambda a, w=_w: {"d": _number(_string(a, w)[::-1])}),
        f"s_bcnt0_i32_b{_w}": (f"{_u} : u32", lambda a, w=_w: _with_zero(_string(a, w).count("0"), 32)),
        f"s_bcnt1_i32_b{_w}": (f"{_u} : u32", lambda a, w=_w: _with_zero(_string(a, w).count("1"), 32)),
        f"s_ff0_i32_b{_w}": (f"{_u} : i32", lambda a, w=_w: {"d": _string(a, w)[::-1].find("0")}),
        f"s_ff1_i32_b{_w}": (f"{_u} : i32", lambda a, w=_w: {"d": _string(a, w)[::-1].find("1")}),
        f"s_flbit_i32_b{_w}": (f"{_u} : i32", lambda a, w=_w: {"d": _string(a, w).find("1")}),
        f"s_bitset0_b{_w}": (f"u32 d : {_u}", lambda a, d, lg=_lg: {"d": d - (d & 1 << (a & lg))}),
        f"s_bitset1_b{_w}": (f"u32 d : {_u}", lambda a, d, lg=_lg: {"d": d | 2 ** (a & lg)}),
        f"s_bitcmp0_b{_w}": (f"{_u} u32 :", lambda a, b, lg=_lg: {"scc": 1 - (a >> (b & lg)) % 2}),
        f"s_bitcmp1_b{_w}": (f"{_u} u32 :", lambda a, b, lg=_lg: {"scc": (a >> (b & lg)) % 2}),
        f"s_not_b{_w}": (f"{_u} : {_u}", lambda a, w=_w: _with_zero(-1 - a, w)),
    }  # fmt: skip
REFERENCE["s_flbit_i32"] = ("u32 : i32", lambda a: {"d": _run(_string(a, 32))})
REFERENCE["s_flbit_i32_i64"] = ("u64 : i32", lambda a: {"d": _run(_string(a, 64))})


# ---- logic by truth tables: the result where both bits are 0, the second alone, the first alone, both are 1

TABLES = {
    "and": "0001", "or": "0111", "xor": "0110", "andn2": "0010", "orn2": "1011", "nand": "1110", "nor": "1000",
    "xnor": "1001", "andn1": "0100", "orn1": "1101",
}  # fmt: skip


def _logic(table: str, a: int, b: int, width: int) -> int:
    return sum(int(table[2 * (a >> i & 1) + (b >> i & 1)]) << i for i in range(width))


for _name, _table in TABLES.items():
    for _w in (32, 64):
        if not _name.endswith("n1"):
            REFERENCE[f"s_{_name}_b{_w}"] = (
                f"u{_w} u{_w} : u{_w}",
                lambda a, b, t=_table, w=_w: _with_zero(_logic(t, a, b, w), w),
            )

    def _saved(a: int, exec: int, t: str = _table) -> Written:
        new = _logic(t, a, exec, 64)
        return {"d": exec, "exec": new, "scc": int(new != 0)}

    REFERENCE[f"s_{_name}_saveexec_b64"] = ("u64 : u64", _saved)
    if _name.startswith("andn"):

        def _written(a: int, exec: int, t: str = _table) -> Written:
            new = _logic(t, a, exec, 64)
            return {"d": new, "exec": new, "scc": int(new != 0)}

        REFERENCE[f"s_{_name}_wrexec_b64"] = ("u64 : u64", _written)


COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: a == b,
    "lg": lambda a, b: a != b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
}
for _name, _holds in COMPARISONS.items():
    for _k in "iu":
        for _word, _second in (("cmp", 32), ("cmpk", 16)):
            REFERENCE[f"s_{_word}_{_name}_{_k}32"] = (
                f"{_k}32 {_k}{_second} :",
                lambda a, b, holds=_holds: {"scc": int(holds(a, b))},
            )
for _name in ("eq", "lg"):
    _holds = COMPARISONS[_name]
    REFERENCE[f"s_cmp_{_name}_u64"] = ("u64 u64 :", lambda a, b, holds=_holds: {"scc": int(holds(a, b))})
