"""Comparisons: one bit a lane, and with `v_cmpx` in EXEC too. A lane that EXEC leaves out gives 0."""

from __future__ import annotations

FLOATS = {
    "f": "0", "lt": "a < b", "eq": "a == b", "le": "a <= b", "gt": "a > b", "lg": "(a < b) | (a > b)",
    "ge": "a >= b", "o": "(a == a) & (b == b)", "u": "(a != a) | (b != b)", "nge": "!(a >= b)",
    "nlg": "!((a < b) | (a > b))", "ngt": "!(a > b)", "nle": "!(a <= b)", "neq": "a != b", "nlt": "!(a < b)",
    "tru": "1",
}  # fmt: skip
"""Those with `n` are true of a NaN."""

INTEGERS = {
    "f": "0", "lt": "a < b", "eq": "a == b", "le": "a <= b", "gt": "a > b", "ne": "a != b", "ge": "a >= b",
    "t": "1",
}  # fmt: skip


def _lines(prefix: str, results: str, to: str) -> list[str]:
    lines = []
    for bits in (16, 32, 64):
        lines += [
            f"{prefix}_{name}_f{bits} {results} = f{bits} f{bits} : {to} = {code}" for name, code in FLOATS.items()
        ]
        for kind in ("i", "u"):
            lines += [
                f"{prefix}_{name}_{kind}{bits} {results} = {kind}{bits} {kind}{bits} : {to} = {code}"
                for name, code in INTEGERS.items()
            ]
        lines.append(f"{prefix}_class_f{bits} {results} = f{bits} u32 : {to} = b >> class_of(a) & 1")
    return lines


TABLE = "\n".join((*_lines("v_cmp", "mask", "d"), *_lines("v_cmpx", "mask exec", "d = e")))
