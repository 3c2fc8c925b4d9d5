"""An instruction of arithmetic as a record, by its line in the tables of meanings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tl2hip.prove.machine.facts import Facts, File, Flow, Reach, Use, fill, uses
from tl2hip.prove.machine.meanings.memory import PRIVATE_BASE, SHARED_BASE
from tl2hip.prove.machine.meanings.table import Meaning, Type, constant
from tl2hip.prove.machine.program import (
    EXEC,
    VCC,
    Constant,
    Instruction,
    NotUnderstood,
    Operand,
    Scalar,
    Scc,
    Vector,
    Word,
)
from tl2hip.prove.machine.records import Change, Code, Dpp, Halves, Kind, Pick, Source, Unused

INLINE = range(-16, 65)
"""Integers that take no room in the code."""

SDWA = frozenset({"src0_sel", "src1_sel", "dst_sel", "dst_unused"})
HALVES = frozenset({"op_sel", "op_sel_hi", "neg_lo", "neg_hi"})
SCALES = {("mul", 2): 1, ("mul", 4): 2, ("div", 2): 3}
DPP = {
    "quad_perm": Dpp.QUAD_PERM, "row_shl": Dpp.ROW_SHL, "row_shr": Dpp.ROW_SHR, "row_ror": Dpp.ROW_ROR,
    "row_mirror": Dpp.ROW_MIRROR, "row_half_mirror": Dpp.ROW_HALF_MIRROR, "row_bcast": Dpp.ROW_BCAST,
    "row_newbcast": Dpp.ROW_NEWBCAST, "wave_shl": Dpp.WAVE_SHL, "wave_shr": Dpp.WAVE_SHR,
    "wave_rol": Dpp.WAVE_ROL, "wave_ror": Dpp.WAVE_ROR,
}  # fmt: skip
SPECIAL = ("pair_f16", "pair_u16", "mix", "pick32")
"""Types of operands of which op_sel picks a part."""
BASES = {"src_shared_base": SHARED_BASE, "src_private_base": PRIVATE_BASE}
MASKS = frozenset({"row_mask", "bank_mask", "bound_ctrl"})


def encode_arithmetic(instruction: Instruction, meaning: Meaning, code: Code, facts: Facts) -> None:
    """Fill an instruction's records. Raises NotUnderstood."""
    operands = instruction.operands
    if not _has_encoding(instruction, meaning):
        raise _refuse(f"the encoding {instruction.encoding} of {instruction.name}", instruction)
    wanted = (*meaning.results, *meaning.sources)
    if len(operands) != len(wanted):
        raise _refuse(f"{len(operands)} operands, not {len(wanted)}", instruction)
    results, sources = operands[: len(meaning.results)], operands[len(meaning.results) :]
    for slot, kind, operand in zip("de", meaning.results, results, strict=False):
        setattr(code, slot, _result(instruction, meaning, kind, operand))
    for slot, kind, operand in zip("abc", meaning.sources, sources, strict=False):
        setattr(code, slot, _source(instruction, meaning, kind, operand))
    _modifiers(instruction, meaning, code)
    _facts(meaning, results, sources, code, facts)


def _has_encoding(instruction: Instruction, meaning: Meaning) -> bool:
    """Whether an instruction may have its suffix. Parts of registers and lanes of others are picked of up to two
    numbers of 32 bits or less; what is done once for a wave, and a swap, have one encoding."""
    if meaning.reads_second:
        return not instruction.encoding
    if instruction.encoding not in ("sdwa", "dpp"):
        return not (meaning.once and instruction.encoding)
    numbers = [kind for kind in (*meaning.results, *meaning.sources) if kind.name != "mask"]
    narrow = not any(kind.registers > 1 or kind.packed or kind.name in SPECIAL for kind in numbers)
    return not meaning.once and narrow and sum(kind.name != "mask" for kind in meaning.sources) <= 2


def _refuse(what: str, instruction: Instruction) -> NotUnderstood:
    return NotUnderstood(what, instruction.line, instruction.text)


def _result(instruction: Instruction, meaning: Meaning, kind: Type, operand: Operand) -> Source:
    value = operand.value
    on_scalar = meaning.scalar or kind.name in ("mask", "scalar") or (meaning.once and kind.name != "row")
    fits = isinstance(value, Scalar if on_scalar else Vector)
    if not fits or operand != Operand(value) or not _counts(kind, value):
        raise _refuse(f"the result, which is no {kind.name}", instruction)
    assert isinstance(value, (Scalar, Vector))
    return Source(Kind.SCALAR if on_scalar else Kind.ROW, 0, 0, 0, value.first, value.count, 0)


def _counts(kind: Type, value: object) -> bool:
    return isinstance(value, (Scalar, Vector)) and value.count == kind.registers


def _source(instruction: Instruction, meaning: Meaning, kind: Type, operand: Operand) -> Source:
    value = operand.value
    change = Change.NEGATE * operand.negate | Change.ABSOLUTE * operand.absolute | Change.EXTEND * operand.extend
    signed = kind.floating and not kind.packed and not kind.name.startswith("pair_")
    if change and (meaning.once or kind.name == "mask" or (not signed and not operand.extend)):
        raise _refuse("the change of an operand", instruction)
    if operand.extend and instruction.encoding != "sdwa":
        raise _refuse("sext", instruction)
    # Two numbers are read from both halves of a register where op_sel_hi does not say otherwise.
    halves = Halves.HIGH_FROM_HIGH if kind.packed or kind.name.startswith("pair_") else 0
    if isinstance(value, (Constant, Scc)) and kind.name in ("row", "mask"):
        raise _refuse(f"an operand that is no {kind.name}", instruction)
    if isinstance(value, Constant):
        try:
            bits = constant(kind, value.value, _literal(value))
        except ValueError as error:
            raise _refuse(str(error), instruction) from None
        return Source(Kind.CONSTANT, change, 0, halves, 0, 0, bits)
    if isinstance(value, Word) and value.text in BASES and kind.name == "u64" and not change:
        return Source(Kind.CONSTANT, bits=BASES[value.text])
    if isinstance(value, Scc):
        return Source(Kind.CONDITION, change, 0, halves, 0, 1, 0)
    on_row = isinstance(value, Vector)
    misplaced = on_row and (meaning.scalar or kind.name in ("mask", "scalar")) or not on_row and kind.name == "row"
    if misplaced or not _counts(kind, value):
        raise _refuse(f"an operand that is no {kind.name}", instruction)
    assert isinstance(value, (Scalar, Vector))
    return Source(Kind.ROW if on_row else Kind.SCALAR, change, 0, halves, value.first, value.count, 0)


def _literal(value: Constant) -> bool:
    """Whether the number stands behind the instruction, in 32 bits."""
    if isinstance(value.value, float):
        return False
    return value.value not in INLINE


# ---- modifiers


def _modifiers(instruction: Instruction, meaning: Meaning, code: Code) -> None:
    given = instruction.modifiers
    known: set[str] = set()
    if instruction.encoding == "sdwa":
        if "dst_unused" not in given and any(kind.name != "mask" for kind in meaning.results):
            raise _refuse("what becomes of the rest of the result", instruction)
        known |= _sdwa(given, code)
    elif instruction.encoding == "dpp":
        known |= _dpp(instruction, code)
    if "clamp" in given:
        if not meaning.clamps:
            raise _refuse("the modifier clamp here", instruction)
        code.clamp = 1
        known.add("clamp")
    if {"mul", "div"} <= given.keys():
        raise _refuse("two scales", instruction)
    for (name, setting), scale in SCALES.items():
        if given.get(name) == setting and meaning.results and meaning.results[0].floating:
            code.scale = scale
            known.add(name)
    known |= _halves(instruction, meaning, code)
    if unknown := set(given) - known:
        raise _refuse(f"the modifier {min(unknown)} here", instruction)


def _sdwa(given: Mapping[str, object], code: Code) -> frozenset[str]:
    code.a.pick = Pick[str(given.get("src0_sel", "DWORD"))]
    code.b.pick = Pick[str(given.get("src1_sel", "DWORD"))]
    code.pick = Pick[str(given.get("dst_sel", "DWORD"))]
    code.unused = Unused[str(given.get("dst_unused", "UNUSED_PAD")).removeprefix("UNUSED_")]
    return SDWA


def _dpp(instruction: Instruction, code: Code) -> set[str]:
    given = instruction.modifiers
    named = [name for name in given if name in DPP]
    if len(named) != 1:
        raise _refuse("not one permutation of lanes", instruction)
    setting = given[named[0]]
    code.dpp = DPP[named[0]]
    if isinstance(setting, tuple):
        code.quad[:] = setting
    else:
        code.dpp_number = int(setting)
    code.row_mask, code.bank_mask = int(str(given.get("row_mask", 15))), int(str(given.get("bank_mask", 15)))
    code.bound_control = "bound_ctrl" in given
    return {named[0], *MASKS}


def _halves(instruction: Instruction, meaning: Meaning, code: Code) -> set[str]:
    """op_sel and its kin: the halves that operands are read from, and the half that the result goes to."""
    given = {name: setting for name, setting in instruction.modifiers.items() if name in HALVES}
    sources = [getattr(code, slot) for slot, _ in zip("abc", meaning.sources, strict=False)]
    bits = {
        "op_sel": Halves.LOW_FROM_HIGH, "op_sel_hi": Halves.HIGH_FROM_HIGH, "neg_lo": Halves.NEGATE_LOW,
        "neg_hi": Halves.NEGATE_HIGH,
    }  # fmt: skip
    for name, setting in given.items():
        if not isinstance(setting, tuple) or not _may(meaning, name, setting, len(sources)):
            raise _refuse(f"the modifier {name} here", instruction)
        for source, on in zip(sources, setting, strict=False):
            source.halves = source.halves & ~bits[name] | (bits[name] if on else 0)
        if len(setting) > len(sources):
            code.high = setting[-1]
    for kind, source in zip(meaning.sources, sources, strict=False):
        if kind.name.startswith("mix") and source.kind == Kind.CONSTANT and source.halves & Halves.HIGH_FROM_HIGH:
            raise _refuse("a constant that is read as f16", instruction)
    return set(given)


def _may(meaning: Meaning, name: str, setting: Sequence[int], sources: int) -> bool:
    """Whether the instruction has such a modifier, with so many numbers."""
    every = all(kind.halves for kind in meaning.sources)
    if not any(kind.packed or kind.name in SPECIAL for kind in meaning.sources):
        # one half of each source, and behind them that of the result
        own, result = setting[:sources], setting[sources:]
        fits = len(own) == sources and len(result) <= 1 and (every or (meaning.halved and not any(own)))
        return name == "op_sel" and fits and (meaning.halved or not any(result))
    if any(kind.name == "pick32" for kind in meaning.sources) and name != "op_sel":
        return name == "op_sel_hi" and all(setting)
    signs = name not in ("neg_lo", "neg_hi") or all(kind.packed and kind.floating for kind in meaning.sources)
    return every and signs and len(setting) == sources


# ---- what the checks are told

BITWISE = {
    "and": Flow.AND, "nand": Flow.AND, "or": Flow.OR, "nor": Flow.OR, "andn2": Flow.AND_NOT, "andn1": Flow.NOT_AND,
    "orn2": Flow.OR_NOT, "orn1": Flow.NOT_OR, "xor": Flow.BITS, "xnor": Flow.BITS, "not": Flow.BITS,
    "mov": Flow.BITS, "cselect": Flow.SELECT_BITS,
}  # fmt: skip
"""Scalar instructions of which a bit of the result depends on that bit of the sources alone."""
CARRIES = ("v_mad_u64_u32", "v_mad_i64_i32", "v_lshl_add_u64")
"""Vector instructions on 64 bits of which the low half depends on low halves alone."""
BITWISE_NAME = re.compile(rf"s_({'|'.join(BITWISE)})_(?:b32|b64|saveexec_b64|wrexec_b64)")


def _facts(
    meaning: Meaning, results: Sequence[Operand], sources: Sequence[Operand], code: Code, facts: Facts
) -> None:
    reads, writes = _uses(meaning.sources, sources, code), _uses(meaning.results, results)
    if meaning.reads_result or _keeps_some(meaning, code):
        reads += uses(results[:1])
    if meaning.reads_second:
        reads += uses(results[1:2])
    if meaning.reads_vcc:
        reads.append(Use(VCC, 2, File.MASK))
    if meaning.writes_exec or meaning.sets("exec"):
        writes.append(Use(EXEC, 2, File.MASK))
    fill(facts, reads, writes)
    facts.sets_condition = meaning.sets("scc")
    facts.reads_condition = _reads_condition(meaning) or any(isinstance(one.value, Scc) for one in sources)
    if match := BITWISE_NAME.fullmatch(meaning.name):
        facts.flow = BITWISE[match[1]]
    elif meaning.name == "v_cndmask_b32" and not code.dpp and not (code.a.pick or code.b.pick):
        facts.flow = Flow.SELECT_LANES
    elif code.dpp:
        facts.flow = Flow.ACROSS
    elif meaning.name in CARRIES:
        facts.flow = Flow.CARRIES
    elif meaning.name == "v_mov_b64":
        facts.flow = Flow.PAIR
    elif meaning.results and meaning.results[0].name == "f32x2":
        facts.flow = Flow.HALVES
    if meaning.scalar:
        facts.reach = Reach.WAVE_WIDE
    elif meaning.once:
        written = any(kind.name == "row" for kind in meaning.results)
        facts.reach = Reach.WRITES_ONE if written else Reach.READS_ONE


def _uses(kinds: Sequence[Type], operands: Sequence[Operand], code: Code | None = None) -> list[Use]:
    """The registers of operands; of sources, which the record has too, those of a pair that op_sel picks."""
    found = []
    for slot, kind, operand in zip("abc", kinds, operands, strict=False):
        for use in uses([operand]):
            if kind.name == "mask":
                use.file = File.MASK
            if code is not None and kind.name == "f32x2":
                halves = getattr(code, slot).halves
                low, high = bool(halves & Halves.LOW_FROM_HIGH), bool(halves & Halves.HIGH_FROM_HIGH)
                use = Use(use.first + (low and high), 1 + (low != high), use.file)
            found.append(use)
    return found


def _reads_condition(meaning: Meaning) -> bool:
    """Whether SCC is read before it is set."""
    return re.match(r"(?:(?!\bscc\b).)*\bscc\b(?!\s*=[^=])", meaning.code) is not None


def _keeps_some(meaning: Meaning, code: Code) -> bool:
    """Whether a part of the result's register, or some lane of EXEC, stays as it was."""
    if code.unused == Unused.PRESERVE and code.pick != Pick.DWORD:
        return True
    return bool(code.dpp) and not (code.bound_control and code.row_mask == 15 and code.bank_mask == 15)
