"""Instructions that touch memory or LDS, or move values between lanes by way of it: their operands and counters.

One form an instruction: what it writes, what it reads, what counts it. A number is so many vector registers. The
other words are

    address   a pair of rows with `off` after the data, or one row of offsets with a scalar pair there
    flat      a pair of rows, which may be an address of LDS
    offset    a row of offsets of a buffer, or `off`
    buffer    its descriptor, four scalars; then the scalar offset
    pair      two scalars, a base; then an offset, a number or a scalar
    private   a row of offsets in the lane's own memory, or `off`; after the data a scalar one, or `off`
    s2        so many scalars, as a result

The functions are written out in runtime/memory.cpp, lds.cpp and atomics.cpp. Register counts are those of the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum


class Counter(IntEnum):
    """What counts an instruction until it is done, as in runtime/launch.h."""

    UNCOUNTED, VECTOR_LOAD, VECTOR_STORE, LDS_ACCESS, SCALAR_LOAD, FLAT_ACCESS = range(6)


@dataclass(frozen=True, slots=True)
class Form:
    """The operands of one instruction that touches memory, as words of the table."""

    name: str
    results: tuple[str, ...]
    sources: tuple[str, ...]
    counter: Counter
    modifiers: frozenset[str]

    @property
    def family(self) -> str:
        """`ds`, `global`, `flat`, `scratch`, `buffer` or `s`."""
        return self.name.partition("_")[0]

    @property
    def bytes(self) -> int:
        """How many a lane moves, of loads and stores of memory."""
        what = self.name.split("_")[2]
        return 4 * WORDS[what] if what in WORDS else 1 if what.endswith("byte") else 2


WORDS = {"dword": 1, "dwordx2": 2, "dwordx3": 3, "dwordx4": 4}
SMALL_LOADS = (
    "ubyte", "sbyte", "ushort", "sshort", "ubyte_d16", "ubyte_d16_hi", "sbyte_d16", "sbyte_d16_hi", "short_d16",
    "short_d16_hi",
)  # fmt: skip
SMALL_STORES = ("byte", "byte_d16_hi", "short", "short_d16_hi")
TO_LDS = ("ubyte", "sbyte", "ushort", "sshort", "dword")
"""What a load that goes to LDS may read; each lane writes 32 bits."""
UPDATES = ("add", "sub", "smin", "umin", "smax", "umax", "and", "or", "xor", "swap")
FLOAT_UPDATES = {"add_f32": 1, "add_f64": 2, "min_f64": 2, "max_f64": 2}

SHARED_BASE, PRIVATE_BASE = 1 << 48, 1 << 49
"""Where LDS and scratch memory begin among the addresses of flat instructions, `src_shared_base` and
`src_private_base`: no process has anything there."""
CACHE = ("sc0", "sc1", "nt")
"""What caches do about an access. Nothing is cached here."""
OFFSETS = {
    "ds": range(1 << 16), "global": range(-(1 << 12), 1 << 12), "flat": range(1 << 12), "buffer": range(1 << 12),
    "s": range(-(1 << 20), 1 << 20), "scratch": range(-(1 << 12), 1 << 12),
}  # fmt: skip
"""The offsets in bytes that an instruction has room for, by its family; each of two has 8 bits."""
MODIFIERS = {
    "ds": frozenset({"offset"}),
    "global": frozenset({"offset", *CACHE}),
    "flat": frozenset({"offset", *CACHE}),
    "scratch": frozenset({"offset", *CACHE}),
    "buffer": frozenset({"offset", "offen", *CACHE}),
    "s": frozenset({"offset"}),
}
TWO_OFFSETS = frozenset({"offset0", "offset1"})

LDS = """
ds_read_u8 1 = 1
ds_read_i8 1 = 1
ds_read_u16 1 = 1
ds_read_i16 1 = 1
ds_read_u8_d16 1 = 1
ds_read_u8_d16_hi 1 = 1
ds_read_i8_d16 1 = 1
ds_read_i8_d16_hi 1 = 1
ds_read_u16_d16 1 = 1
ds_read_u16_d16_hi 1 = 1
ds_read_b32 1 = 1
ds_read_b64 2 = 1
ds_read_b96 3 = 1
ds_read_b128 4 = 1
ds_read2_b32 2 = 1
ds_read2_b64 4 = 1
ds_read2st64_b32 2 = 1
ds_read2st64_b64 4 = 1
ds_write_b8 = 1 1
ds_write_b8_d16_hi = 1 1
ds_write_b16 = 1 1
ds_write_b16_d16_hi = 1 1
ds_write_b32 = 1 1
ds_write_b64 = 1 2
ds_write_b96 = 1 3
ds_write_b128 = 1 4
ds_write2_b32 = 1 1 1
ds_write2_b64 = 1 2 2
ds_write2st64_b32 = 1 1 1
ds_write2st64_b64 = 1 2 2
ds_bpermute_b32 1 = 1 1
ds_permute_b32 1 = 1 1
ds_swizzle_b32 1 = 1
ds_wrxchg_rtn_b32 1 = 1 1
ds_wrxchg_rtn_b64 2 = 1 2
ds_cmpst_b32 = 1 1 1
ds_cmpst_b64 = 1 2 2
ds_cmpst_rtn_b32 1 = 1 1 1
ds_cmpst_rtn_b64 2 = 1 2 2
"""

LDS_UPDATES = {
    "add": ("u32", "u64", "f32", "f64"),
    "sub": ("u32", "u64"),
    **dict.fromkeys(("min", "max"), ("i32", "i64", "u32", "u64")),
    **dict.fromkeys(("and", "or", "xor"), ("b32", "b64")),
}

SCALAR = {"s_load_dword": 1, "s_load_dwordx2": 2, "s_load_dwordx4": 4, "s_load_dwordx8": 8, "s_load_dwordx16": 16}


def _form(name: str, results: tuple[str, ...], sources: tuple[str, ...], counter: Counter) -> Form:
    family = name.partition("_")[0]
    two = family == "ds" and name.startswith(("ds_read2", "ds_write2"))
    return Form(name, results, sources, counter, TWO_OFFSETS if two else MODIFIERS[family])


def _lds() -> Iterator[Form]:
    for line in LDS.strip().splitlines():
        left, _, right = line.partition("=")
        name, *results = left.split()
        yield _form(name, tuple(results), tuple(right.split()), Counter.LDS_ACCESS)
    for operation, types in LDS_UPDATES.items():
        for one in types:
            wide = "2" if one.endswith("64") else "1"
            yield _form(f"ds_{operation}_{one}", (), ("1", wide), Counter.LDS_ACCESS)
            yield _form(f"ds_{operation}_rtn_{one}", (wide,), ("1", wide), Counter.LDS_ACCESS)


def _moves() -> Iterator[Form]:
    """Loads and stores of global and of scratch memory."""
    loads = {**dict.fromkeys(SMALL_LOADS, 1), **WORDS}
    stores = {**dict.fromkeys(SMALL_STORES, 1), **WORDS}
    places = {
        "global": ("address",), "flat": ("flat",), "scratch": ("private",), "buffer": ("offset", "buffer"),
    }  # fmt: skip
    for family, place in places.items():
        counted = family == "flat"
        load = Counter.FLAT_ACCESS if counted else Counter.VECTOR_LOAD
        store = Counter.FLAT_ACCESS if counted else Counter.VECTOR_STORE
        for what, registers in loads.items():
            yield _form(f"{family}_load_{what}", (str(registers),), place, load)
        for what, registers in stores.items():
            # The data stands before a buffer's place, and after any other one's.
            data = (str(registers),)
            sources = (*data, *place) if family == "buffer" else (*place, *data)
            yield _form(f"{family}_store_{what}", (), sources, store)
    for what in TO_LDS:
        yield _form(f"global_load_lds_{what}", (), ("address",), Counter.VECTOR_LOAD)
        yield _form(f"buffer_load_{what}_lds", (), ("offset", "buffer"), Counter.VECTOR_LOAD)


def _updates() -> Iterator[Form]:
    """Updates of global memory. The result is there with sc0 alone."""
    data = {**FLOAT_UPDATES, "cmpswap": 2, "cmpswap_x2": 4}
    for name in UPDATES:
        data |= {name: 1, f"{name}_x2": 2}
    for family, place, counter in (
        ("global", "address", Counter.VECTOR_STORE),
        ("flat", "flat", Counter.FLAT_ACCESS),
    ):
        for name, registers in data.items():
            result = registers // 2 if name.startswith("cmpswap") else registers
            yield _form(f"{family}_atomic_{name}", (str(result),), (place, str(registers)), counter)


def _scalar() -> Iterator[Form]:
    for name, registers in SCALAR.items():
        yield _form(name, (f"s{registers}",), ("pair",), Counter.SCALAR_LOAD)


FORMS: Mapping[str, Form] = {one.name: one for one in (*_lds(), *_moves(), *_updates(), *_scalar())}
"""Every instruction that touches memory, by the name of its function."""
