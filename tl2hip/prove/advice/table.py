"""A kernel's figures as a short table, and below it what there is to say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from tl2hip.prove.advice import MOST, limit, remarks
from tl2hip.prove.advice.figures import Figures
from tl2hip.prove.advice.memory import wasteful
from tl2hip.prove.advice.remark import count
from tl2hip.prove.advice.uses import Group, place_of
from tl2hip.prove.counters import LDS_LIMIT, Mix
from tl2hip.prove.machine.model.result import Cause, LoopResult

WIDTH, NAME, COLUMN = 112, 15, 26
"""Characters of a line, of a row's name, and of a column."""
TOLD = 0.05
"""The part of a unit's or of the waves' time from which it has a row."""

UNITS = ("MFMA busy", "mfma"), ("VALU busy", "valu"), ("LDS busy", "lds"), ("memory busy", "memory")

Row = tuple[str, str]


def table(f: Figures, block: str, everything: bool = False) -> Iterator[str]:
    """The lines of a kernel: its resources, its hot loop, its accesses, the model at each setting, and sentences.
    `block` says its size in words. `everything`: every access, by its line."""
    launched = f", {count(f.launched, 'block')}" if f.launched else ""
    yield f"  {f.counters.name}: {block}{launched}"
    for name, text in (*_resources(f), *_loop(f), *_accesses(f, everything), *_model(f)):
        rows = wrap(text, WIDTH - NAME - 4, break_on_hyphens=False) if len(text) > WIDTH - NAME - 4 else [text]
        yield from (f"    {(name if not n else '').ljust(NAME)}{row}".rstrip() for n, row in enumerate(rows))
    said = [one.text for one in remarks(f)[:MOST]]
    if f.results and not said:
        said = [f"nothing stands out: {limit(f)}"]
    if said:
        yield "    What an expert would say:"
        for one in said:
            yield from wrap(one, WIDTH, initial_indent="    - ", subsequent_indent="      ", break_on_hyphens=False)


def line(f: Figures, why: str) -> str:
    """A kernel that is not modelled, and why, in one line."""
    c = f.counters
    told = f"{c.registers} registers, {c.lds_bytes:,} bytes of LDS, {count(c.occupancy, 'wave')} a SIMD"
    return f"  {c.name}: {why}; {told}"


def _resources(f: Figures) -> Iterator[Row]:
    c = f.counters
    spills = c.vgpr_spills + c.sgpr_spills
    scratch = f", {c.scratch_bytes:,} bytes of scratch a thread" if c.scratch_bytes else ""
    yield "registers", f"{c.vgprs} VGPRs, {c.agprs} AGPRs, {c.sgprs} SGPRs, {spills} spilled{scratch}"
    yield "LDS", f"{c.lds_bytes:,} of {LDS_LIMIT:,} bytes"
    resident = f", {count(f.results[0].resident, 'block')} a compute unit" if f.results else ""
    yield "occupancy", f"{count(c.occupancy, 'wave')} a SIMD{resident}"


def _loop(f: Figures) -> Iterator[Row]:
    if f.loop is None:
        yield "no hot loop", f"all code has {mix(f.counters.whole)}"
        return
    part = f.parts[0] if f.parts else None
    place = ""
    if isinstance(part, LoopResult):
        lines = {one.line for one in part.places}
        code = [one for one in f.results[0].kernel.code if one.line in lines]
        place = f"{place_of(next((one for one in code if one.within), code[0]), f.origins)}: "
    yield "hot loop", f"{place}{mix(f.loop.own)}"


def mix(m: Mix) -> str:
    """How many instructions of each kind there are."""
    by_width = (
        ("global loads", m.global_loads),
        ("global stores", m.global_stores),
        ("LDS reads", m.lds_reads),
        ("LDS writes", m.lds_writes),
    )
    counts = (
        (m.mfma, "MFMA"),
        (m.valu, "VALU"),
        (m.salu, "SALU"),
        (m.scalar_loads, "scalar loads"),
        (m.global_atomics, "atomics"),
        (m.exchanges, "exchanges"),
        (m.scratch, "scratch"),
        (m.waits, "waits"),
        (m.barriers, "barriers"),
        (m.branches, "branches"),
    )
    told = [f"{n} {name}" for n, name in counts if n]
    for name, its in by_width:
        if its:
            told.append(f"{sum(its.values())} {name} ({', '.join(f'{n} {width}' for width, n in its.items())})")
    return f"{m.total} instructions: {', '.join(told)}"


# --- accesses --------------------------------------------------------------------------------------------


def _accesses(f: Figures, everything: bool) -> Iterator[Row]:
    """Those of the hot loop and those that waste, alike ones together; or every one by its line."""
    if everything:
        rows = [f"{one} at {one.first.place}: {_verdict(one)}" for one in f.groups]
    else:
        rows = [_alike(its) for its in _together(_that_matter(f))]
    yield from (("accesses" if not n else "", row) for n, row in enumerate(rows))


def _that_matter(f: Figures) -> list[Group]:
    if f.loop is None:
        return [*f.groups]
    return [one for one in f.groups if one.first.hot or wasteful(one)]


def _together(groups: Iterable[Group]) -> list[list[Group]]:
    """Groups of one instruction and one verdict."""
    found: dict[tuple[str, str, bool], list[Group]] = {}
    for one in groups:
        found.setdefault((one.first.name, _verdict(one), one.first.hot), []).append(one)
    return [*found.values()]


def _alike(its: Sequence[Group]) -> str:
    all_ = Group(tuple(use for one in its for use in one.uses))
    lines = sorted({use.place.kernel for use in all_.uses} - {0})
    users = dict.fromkeys(str(use.place.user) for use in all_.uses if use.place.user)
    where = f" at line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}" if lines else ""
    told = f" ({', '.join(users)})" if users else ""
    return f"{all_}{where}{told}: {_verdict(all_)}"


def _verdict(one: Group) -> str:
    if one.first.lds:
        clocks, free = one.total("clocks"), one.total("free")
        return "conflict-free" if clocks == free else f"conflicts, {clocks / free:.2f} x the clocks without them"
    requested, used = one.total("requested"), one.total("used")
    if used >= requested:
        return "all bytes requested are used"
    return f"{used / requested:.0%} of the bytes requested are used".replace("%", " %", 1)


# --- the model -------------------------------------------------------------------------------------------


def _model(f: Figures) -> Iterator[Row]:
    """A column for each setting of memory."""
    if not f.results:
        return
    if f.shared:
        share, beyond = (f"{100 * part:.0f} %" for part in (f.shared.share, f.shared.share_beyond))
        yield "L2", f"{share} of what blocks ask for comes from behind it, {beyond} from HBM or Infinity Cache"
    yield "model", _columns(str(one.settings) for one in f.results)
    if all(isinstance(part, LoopResult) for part in f.parts):
        yield "clocks a turn", _columns(f"{p.clocks:,.0f}" for p in f.parts if isinstance(p, LoopResult))
    else:
        yield "clocks a block", _columns(f"{one.clocks_a_block:,.0f}" for one in f.results)
    for name, unit in UNITS:
        yield from _shares(name, [getattr(busy, unit) for busy in f.busy])
    waits = sorted(Cause, key=lambda cause: -max(f.shares(cause)))
    rows = [row for cause in waits for row in _shares("", f.shares(cause), f" {cause.value}")]
    yield from (("waves wait" if not n else "", text) for n, (_, text) in enumerate(rows))
    most = [max(Cause, key=part.share).value for part in f.parts]
    if len(set(most)) > 1:
        yield "wait most for", f"{_columns(most)}  (it changes with the setting)"


def _shares(name: str, shares: Sequence[float], what: str = "") -> Iterator[Row]:
    if max(shares) >= TOLD:
        yield name, _columns(f"{100 * share:.0f} %{what}" for share in shares)


def _columns(texts: Iterable[str]) -> str:
    return "".join(text.ljust(COLUMN) for text in texts).rstrip()
