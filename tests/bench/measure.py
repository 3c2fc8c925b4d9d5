"""The figures of one compiled kernel, and the rows of the list of checks that it fails.

The checks G1 to G12 are of a product's steady loop, M1 to M6 of a kernel bound by memory. G3, G6, G8, G9 and G11
are counted for each step of the tile's k; G7 allows one matrix instruction of a step (or of a pair of barriers)
that waits for all of LDS.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from tests.bench.aims import Figure, number
from tests.bench.sources import Tile
from tl2hip.prove.counters import KernelCounters, Loop, Mix, mix
from tl2hip.prove.matrix import Pipeline, pipeline

WIDE_ADDRESS = re.compile(r"^v_(lshl_add_u64|addc?_co_u32|mad_[iu]64|lshlrev_b64|ashrrev_i64)")
"""Vector arithmetic on 64-bit addresses."""
LDS_CLOCKS = {"b128": 8, "b96": 6, "b64": 4, "2xb64": 8, "2xb32": 4, "b32": 2}
"""Clocks that an access of a wave keeps the LDS of a compute unit busy: 128 bytes a clock."""


def figures(c: KernelCounters, conflicts: float | None) -> dict[str, Figure]:
    """The figures of a kernel by name; those of a steady loop only where it has matrix instructions."""
    whole = c.whole
    found: dict[str, Figure] = {
        "inst": whole.total,
        "spills": c.vgpr_spills + c.sgpr_spills + c.scratch_bytes,
        "waves": c.occupancy,
        "LDS": c.lds_bytes,
        "conflicts": conflicts,
        "branches": whole.branches,
        "MFMA": whole.mfma,
    }
    loop = product_loop(c)
    if loop is None:
        return found
    p, own = pipeline(loop.code), loop.own
    return found | {
        "inst": own.total,
        "MFMA": p.mfma,
        "per 1024": p.per_1024,
        "VALU/MFMA": own.valu / p.mfma,
        "MFMA share": p.share,
        "FLOP/inst": p.operations_per_instruction,
        "wide loads": set(own.global_loads) == {"dwordx4"},
        "wide LDS": set(own.lds_reads) | set(own.lds_writes) == {"b128"},
        "in flight": p.covered / p.mfma,
        "load to use": p.distance,
        "branches": own.branches,
    }


def product_loop(c: KernelCounters) -> Loop | None:
    """The loop of a kernel with the most matrix instructions; None where it has none."""
    return c.hot if c.hot is not None and c.hot.own.mfma else None


def mixed(c: KernelCounters) -> tuple[Mix, tuple[str, ...]]:
    """What a kernel's accesses are counted in: its hot loop where that has any, else all of it. Straight code that
    loads and stores 16 bytes with more under way than in the loop is where the time goes: the loop takes what is
    left."""
    if c.hot is None or not c.hot.own.global_loads:
        return c.whole, c.code
    both = all(any(_wide(way, line) for line in c.straight) for way in ("load", "store"))
    if both and before_the_first_wait(c.straight) > before_the_first_wait(c.hot.code):
        return mix(c.straight), c.straight
    return c.hot.own, c.hot.code


def _wide(way: str, line: str) -> bool:
    return line.startswith(f"global_{way}_dwordx4")


def failed(c: KernelCounters, tile: Tile | None, conflicts: float | None) -> tuple[str, ...]:
    """The rows that a kernel fails, each with its figure."""
    loop = product_loop(c)
    checks = dict(_memory(c)) if tile is None else {"MFMA": "none"}
    if tile is not None and loop is not None:
        checks = dict(_product(c, loop, pipeline(loop.code), tile, conflicts))
    if c.vgpr_spills + c.sgpr_spills + c.scratch_bytes:
        checks["spills"] = f"{c.vgpr_spills + c.sgpr_spills}, {c.scratch_bytes} bytes of scratch"
    return tuple(f"{name}: {why}" for name, why in checks.items() if why)


def _product(
    c: KernelCounters, loop: Loop, p: Pipeline, t: Tile, conflicts: float | None
) -> Iterator[tuple[str, str]]:
    own = loop.own
    steps = p.operations * t.waves / (2 * t.m * t.n * t.k)
    large, square = t.m * t.n >= 256 * 256, any("_32x32x" in line for line in loop.code)
    least = {(False, False): 0.50, (True, False): 0.60, (False, True): 0.35, (True, True): 0.45}[(large, square)]
    yield "G1", _least(p.share, least)
    yield "G2", _most(own.valu / p.mfma, (0.16 if large else 0.30) if t.nn else 0.05)
    pieces = steps * (t.m + t.n) * t.k * t.bytes / (1024 * t.waves)
    loads = own.global_loads
    yield "G3", _only(loads, ("dwordx4",)) or _exactly(sum(loads.values()), pieces)
    writes = ("b128", "b64") if t.nn else ("b128",)
    yield "G4", _only(own.lds_reads, ("b128",)) or _only(own.lds_writes, writes)
    yield "G5", "not run" if conflicts is None else _most(conflicts, 0)
    yield "G6", _most(p.drains / steps, 1)
    yield "G7", _most(waiting_for_lds(loop.code) / steps, max(1, own.barriers / steps / 2))
    far = 0.75 * p.clocks / steps
    yield "G8", "no load is waited for" if p.distance is None else _least(p.distance, far)
    barriers = own.barriers / steps
    yield "G9", "" if 1 <= barriers <= 2 or (t.waves == 8 and barriers <= 8) else number(barriers)
    yield "G10", _most(own.nops, 0)
    wide = sum(bool(WIDE_ADDRESS.match(line)) for line in loop.code)
    yield "G11", _most(wide, 0) or _most(own.salu / steps, 12)
    busy = 4 * (_lds_clocks(own.lds_reads) + _lds_clocks(own.lds_writes)) / p.clocks
    yield "G12", _most(busy, 0.60 if large else 0.75)


def _lds_clocks(widths: Mapping[str, int]) -> int:
    return sum(n * LDS_CLOCKS.get(width, 2) for width, n in widths.items())


def _memory(c: KernelCounters) -> Iterator[tuple[str, str]]:
    code = mixed(c)[1]
    yield "M1", narrow(c.code)
    yield "M2", _in_flight(c, before_the_first_wait(code))
    moved = [line for line in c.code if re.match(r"(global|buffer)_(load|store)_dwordx4", line)]
    plain_stores = [line for line in moved if "store" in line and not line.endswith(" nt")]
    yield "M3", "" if moved and not plain_stores else f"{len(plain_stores)} plain stores of {len(moved)} accesses"
    yield "M4", _most(c.whole.exchanges, 0) if c.whole.barriers else ""
    yield "M5", _least(c.occupancy, 6) or _most(c.vgprs, 80)
    wide = sum(bool(WIDE_ADDRESS.match(line)) for line in code)
    accesses = sum(bool(re.match(r"(global|buffer)_(load|store)", line)) for line in code)
    yield "M6", _most(wide, max(1, accesses))


def narrow(code: Sequence[str]) -> str:
    """Accesses narrower than 16 bytes that stand with wide ones in one piece of straight code; others are a tail,
    or the one result of a row."""
    pieces: list[list[str]] = [[]]
    for line in code:
        if found := re.match(r"(?:global|buffer)_(?:load|store)_(\w+)", line):
            pieces[-1].append(found[1])
        elif line.startswith(("s_branch", "s_cbranch")):
            pieces.append([])
    beside = [width for p in pieces if "dwordx4" in p for width in p if width != "dwordx4"]
    if not any("dwordx4" in p for p in pieces):
        return "no access of 16 bytes"
    return f"{len(beside)} beside wide ones: {', '.join(dict.fromkeys(beside))}" if beside else ""


def _in_flight(c: KernelCounters, loads: int) -> str:
    """Why too little is on its way at once: four loads of a lane are enough, and so is a whole row of fewer where
    the waves of a compute unit have 12 KiB on the way together."""
    row = c.hot is None or not c.hot.own.global_loads
    together = loads * 16 * 64 * 4 * c.occupancy
    return "" if loads >= 4 or (row and together >= 12 * 1024) else f"{loads} < 4"


def before_the_first_wait(code: Sequence[str]) -> int:
    """Loads from memory that are issued before one of them is waited for."""
    most = since = 0
    for line in code:
        if re.match(r"(global|buffer)_load", line):
            since += 1
        elif line.startswith("s_waitcnt") and "vmcnt" in line:
            most, since = max(most, since), 0
    return max(most, since)


def waiting_for_lds(code: Sequence[str]) -> int:
    """Waits for all LDS accesses right before a matrix instruction, not before a barrier."""
    count, waits = 0, False
    for line in code:
        if line.startswith("s_waitcnt"):
            waits = waits or "lgkmcnt(0)" in line
        elif line.startswith(("v_mfma", "s_barrier")):
            count += waits and line.startswith("v_mfma")
            waits = False
    return count


def _most(value: float, bound: float) -> str:
    return "" if value <= bound else f"{number(value)} > {number(bound)}"


def _least(value: float, bound: float) -> str:
    return "" if value >= bound else f"{number(value)} < {number(bound)}"


def _exactly(value: float, wanted: float) -> str:
    return "" if value == wanted else f"{number(value)}, not {number(wanted)}"


def _only(widths: Mapping[str, int], allowed: tuple[str, ...]) -> str:
    """The widths that are not allowed; "none" where there is no access at all."""
    other = [f"{n} {width}" for width, n in widths.items() if width not in allowed]
    return ", ".join(other) if widths else "none"
