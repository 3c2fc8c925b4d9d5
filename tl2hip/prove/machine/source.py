"""C++ of the instructions' functions, out of the tables of what they mean.

A function of the vector unit is one loop over the lanes: what it reads are rows (operands.h), what it writes goes
straight into its rows when every lane takes it. One of the scalar unit is a few assignments.
"""

from __future__ import annotations

from collections.abc import Iterable

from tl2hip.prove.machine.meanings.table import Meaning, Type

FORMS = {
    "pair_f16": "PACKED_FLOAT", "pair_u16": "PACKED", "mix": "MIXED", "f16x2": "PACKED_FLOAT", "u16x2": "PACKED",
    "i16x2": "PACKED",
}  # fmt: skip
"""How a register of a type is read where it is not as one number of the type's width."""


def functions(meanings: Iterable[Meaning]) -> str:
    """All functions, in the order given."""
    return "\n".join(function(one) for one in meanings)


def function(meaning: Meaning) -> str:
    """The function of one instruction.

    >>> from tl2hip.prove.machine.meanings.table import read
    >>> print(function(read("s_and_b32 u32 = u32 u32 : d = a & b; scc = d != 0")["s_and_b32"]))
    static void s_and_b32(Wave& wave, const Code& code) {
        const u32 a = (u32)read_scalar(wave, code.a);
        const u32 b = (u32)read_scalar(wave, code.b);
        u32 scc = wave.scc;
        u32 d;
        d = a & b; scc = d != 0;
        wave.s[code.d.first] = (u32)d;
        wave.scc = scc;
    }
    <BLANKLINE>
    """
    body = _once(meaning) if meaning.once else _lanes(meaning)
    lines = "\n".join(f"    {line}" for line in body)
    return f"static void {meaning.function}(Wave& wave, const Code& code) {{\n{lines}\n}}\n"


def _once(meaning: Meaning) -> list[str]:
    """What is done once for the wave."""
    lines = [_read_once(kind, name) for name, kind in zip("abc", meaning.sources, strict=False)]
    scc, exec_ = meaning.uses("scc"), meaning.uses("exec")
    lines += ["u32 scc = wave.scc;"] if scc else []
    lines += ["u64 exec = wave.exec();"] if exec_ else []
    after = []
    for name, kind in zip("de", meaning.results, strict=False):
        if kind.name == "row":
            lines.append(f"u32* {name} = wave.v[code.{name}.first];")
            continue
        old = f" = {_old_scalar(kind)}" if meaning.reads_result and name == "d" else ""
        lines.append(f"{kind.cpp} {name}{old};")
        place = f"code.{name}.first"
        pair = f"wave.set_pair({place}, (u64){name});"
        after.append(pair if kind.bits == 64 else f"wave.s[{place}] = (u32){name};")
    after += ["wave.scc = scc;"] if meaning.sets("scc") else []
    after += ["wave.set_pair(EXEC, exec);"] if meaning.sets("exec") else []
    return [*lines, f"{meaning.code};", *after]


def _read_once(kind: Type, name: str) -> str:
    if kind.name == "row":
        return f"const u32* {name} = wave.v[code.{name}.first];"
    wide = "_wide" if kind.bits == 64 else ""
    return f"const {kind.cpp} {name} = ({kind.cpp})read_scalar{wide}(wave, code.{name});"


def _old_scalar(kind: Type) -> str:
    return "(u64)wave.pair(code.d.first)" if kind.bits == 64 else f"({kind.cpp})wave.s[code.d.first]"


def _lanes(meaning: Meaning) -> list[str]:
    """What is done for each lane."""
    sources = list(zip("abc", meaning.sources, strict=False))
    results = list(zip("de", meaning.results, strict=False))
    before, after = [], []
    for name, kind in sources:
        before += _rows(kind, name)
    if meaning.reads_vcc:
        before += ["u32 vccs[WAVE];", "made_flags(vccs, wave, Source{SCALAR, 0, 0, 0, VCC, 2, 0});"]
    for name, kind in results:
        if kind.name == "mask":
            before.append(f"alignas(64) u32 {name}s[WAVE];")
            after.append(f"const u64 {name}_bits = flagged({name}s, wave, code);")
        else:
            what = f"code.{name}.first, {_result(kind, meaning.keeps)}"
            before += [f"Room {name}_room;", f"const Written {name}s = place({name}_room, wave, code, {what});"]
            after.append(f"finish({name}s, {name}_room, wave, code, {what});")
    if meaning.writes_exec:
        before.append("alignas(64) u32 es[WAVE];")
        after.append("const u64 e_bits = flagged(es, wave, code);")
    before += [f"const bool {word} = code.{word};" for word in ("clamp", "high") if meaning.uses(word)]
    after += [f"wave.set_pair(code.{name}.first, {name}_bits);" for name, kind in results if kind.name == "mask"]
    after += ["wave.set_pair(EXEC, e_bits);"] if meaning.writes_exec else []
    packed = any(kind.packed for _, kind in results)
    loop = _two(meaning) if packed else _one(meaning)
    return [*before, "EACH_LANE {", *(f"    {line}" for line in loop), "}", *after]


def _rows(kind: Type, name: str) -> list[str]:
    """The rows of a source."""
    first = "true" if name == "a" else "false"
    if kind.name == "mask":
        return [f"alignas(64) u32 {name}s[WAVE];", f"made_flags({name}s, wave, code.{name});"]
    room = f"Room {name}_room;"
    if kind.name in ("f32x2", "pick32"):
        return [room, f"const Rows {name}s = read_two({name}_room, wave, code.{name});"]
    if kind.registers == 2:
        return [room, f"const Rows {name}s = read_wide({name}_room, wave, code, code.{name}, {first});"]
    form = FORMS.get(kind.name, "HALF" if kind.bits == 16 else "WHOLE")
    return [room, f"const u32* {name}s = read({name}_room, wave, code, code.{name}, {form}, {first});"]


def _result(kind: Type, keeps: bool) -> str:
    """The flags of a result, as operands.h has them."""
    flags = [
        (kind.floating, "FLOAT"), (kind.bits == 16, "BITS_16"), (kind.bits == 64, "BITS_64"), (kind.packed, "BOTH"),
        (keeps, "KEEPS"),
    ]  # fmt: skip
    return " | ".join(name for holds, name in flags if holds) or "INTEGER"


def _value(kind: Type, rows: str) -> str:
    """One lane's number of plain rows."""
    if kind.name in ("mask", "pair_f16", "pair_u16"):
        return f"{rows}[lane]"
    if kind.name == "pick32":
        return f"{rows}.low[lane]"
    if kind.bits == 64:
        bits = f"both({rows}.low[lane], {rows}.high[lane])"
        return f"f64_of({bits})" if kind.floating else f"({kind.cpp}){bits}"
    return _number(kind, f"{rows}[lane]")


def _number(kind: Type, bits: str) -> str:
    return f"{kind.cpp}_of({bits})" if kind.floating else f"({kind.cpp}){bits}"


def _bits(kind: Type, name: str) -> str:
    """The bits of a result, as an unsigned number."""
    if kind.floating:
        return f"bits_of({name})"
    return f"(u{kind.bits}){name}"


def _one(meaning: Meaning) -> list[str]:
    """The loop's body of an instruction on one number a lane."""
    lines = [
        f"const {kind.cpp} {name} = {_value(kind, name + 's')};"
        for name, kind in zip("abc", meaning.sources, strict=False)
    ]
    lines += ["const u32 vcc = vccs[lane];"] if meaning.reads_vcc else []
    stored = []
    for name, kind in zip("de", meaning.results, strict=False):
        if kind.name == "mask":
            lines.append(f"u32 {name};")
            stored.append(f"{name}s[lane] = {name};")
            continue
        reads = meaning.reads_result if name == "d" else meaning.reads_second
        lines.append(f"{kind.cpp} {name}{_old(name, kind) if reads else ''};")
        if kind.bits == 64:
            lines_of = [f"const u64 {name}_bits = {_bits(kind, name)};", f"{name}s.low[lane] = (u32){name}_bits;"]
            stored += [*lines_of, f"{name}s.high[lane] = (u32)({name}_bits >> 32);"]
        else:
            stored.append(f"{name}s.low[lane] = {_bits(kind, name)};")
    if meaning.writes_exec:
        lines.append("u32 e;")
        stored.append("es[lane] = e;")
    return [*lines, f"{meaning.code};", *stored]


def _old(name: str, kind: Type) -> str:
    """The old value of a result."""
    row = f"code.{name}.first"
    if kind.bits == 64:
        bits = f"both(wave.v[{row}][lane], wave.v[{row} + 1][lane])"
        return f" = f64_of({bits})" if kind.floating else f" = ({kind.cpp}){bits}"
    return f" = {_number(kind, f'wave.v[{row}][lane]')}"


def _two(meaning: Meaning) -> list[str]:
    """The loop's body of an instruction on two numbers a lane: all is read before anything is written."""
    result = meaning.results[0]
    lines = []
    for half in ("low", "high"):
        lines.append(f"{result.cpp} {half};")
        lines.append("{")
        for name, kind in zip("abc", meaning.sources, strict=False):
            lines.append(f"    const {kind.cpp} {name} = {_number(kind, _half(kind, name, half))};")
        lines += [f"    {result.cpp} d;", f"    {meaning.code};", f"    {half} = d;", "}"]
    if result.bits == 32:
        return [*lines, f"ds.low[lane] = {_bits(result, 'low')};", f"ds.high[lane] = {_bits(result, 'high')};"]
    return [*lines, f"ds.low[lane] = (u32){_bits(result, 'low')} | (u32){_bits(result, 'high')} << 16;"]


def _half(kind: Type, name: str, half: str) -> str:
    """The bits of one of two numbers."""
    if kind.bits == 32:
        return f"{name}s.{half}[lane]"
    return f"{name}s[lane] {'& 0xFFFF' if half == 'low' else '>> 16'}".join("()")
