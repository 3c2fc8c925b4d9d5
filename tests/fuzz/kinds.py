"""The dtypes that programs are made of, and which pairs of them promote to which: what the generator aims by.

Where this table errs, tl2hip refuses a program or NumPy computes in another type: neither makes a wrong program.
"""

from __future__ import annotations

FLOATS = ("f16", "bf16", "f32", "f64")
SIGNED = ("i8", "i16", "i32", "i64")
UNSIGNED = ("u8", "u32")
INTEGERS = (*SIGNED, *UNSIGNED)

NUMPY = {
    "f64": "np.float64",
    "f32": "np.float32",
    "f16": "np.float16",
    "i64": "np.int64",
    "i32": "np.int32",
    "i16": "np.int16",
    "i8": "np.int8",
    "u8": "np.uint8",
    "u32": "np.uint32",
    "bool": "np.bool_",
}
"""How NumPy calls a dtype; bf16 it does not know."""

COMMON = (
    ("f32", 8),
    ("f64", 4),
    ("i32", 5),
    ("i64", 4),
    ("f16", 4),
    ("bf16", 5),
    ("i8", 4),
    ("i16", 4),
    ("u8", 4),
    ("u32", 4),
)
"""How often each dtype is drawn."""

MIXED: dict[str, tuple[tuple[str, str], ...]] = {
    "f64": (("f32", "i32"), ("f64", "f32"), ("f64", "i64"), ("f32", "u32"), ("f16", "i32"), ("bf16", "f64")),
    "f32": (("f16", "f32"), ("bf16", "f32"), ("f32", "i8"), ("f32", "u8"), ("f16", "i16")),
    "f16": (("f16", "i8"), ("f16", "u8")),
    "bf16": (("bf16", "i8"), ("bf16", "u8")),
    "i64": (("i64", "i32"), ("i32", "u32"), ("u32", "i8"), ("i64", "u8"), ("i64", "u32")),
    "i32": (("i32", "i8"), ("i32", "u8"), ("i16", "i32")),
    "i16": (("i8", "u8"), ("i16", "i8")),
    "u32": (("u32", "u8"),),
}
"""For a dtype, pairs of strong operands whose sum has it."""

CLASHING = (
    *("new", "half", "do", "this", "template", "auto", "short", "signed", "float4", "warpSize", "threadIdx"),
    *("stream", "workspace", "thread_x", "block_x", "NULL", "INFINITY", "exp", "double", "delete", "I", "α"),
    *("const", "union", "register", "part", "i64_", "grid", "k_tile", "s_part", "min_f32", "__x", "M_PI"),
)
"""Names that C++, HIP or the printed text use for something else."""


def is_float(tag: str) -> bool:
    return tag in FLOATS
