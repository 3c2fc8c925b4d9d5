"""An instruction as the rules of hazards see it: what kinds it is of, and which registers it has in which role."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tl2hip.prove.machine.meanings import MEANINGS, control, matrix, memory
from tl2hip.prove.machine.meanings.memory import Form
from tl2hip.prove.machine.meanings.table import Meaning
from tl2hip.prove.machine.model.facts import PASSES_OF, TRANSCENDENTAL
from tl2hip.prove.machine.program import (
    EXEC,
    M0,
    VCC,
    Constant,
    Instruction,
    NotUnderstood,
    Operand,
    Scalar,
    Vector,
)
from tl2hip.prove.machine.records import ROWS

Cells = frozenset[int]
"""Registers as runtime/launch.h numbers them: rows of vector registers, then scalar ones."""

NOTHING: Cells = frozenset()
OF_VCC, OF_EXEC, OF_M0 = (
    frozenset(range(ROWS + first, ROWS + first + count)) for first, count in ((VCC, 2), (EXEC, 2), (M0, 1))
)
VECTOR_MEMORY = frozenset(["global", "flat", "buffer", "scratch"])
READ_LANES = ("v_readlane_b32", "v_readfirstlane_b32")
LANE_MOVES = (*READ_LANES, "v_writelane_b32")
F64_SUMS = ("v_fma_f64", "v_fmac_f64")


@dataclass(frozen=True, slots=True)
class Part:
    """What an instruction does in a hazard. `passes` is how long it keeps the matrix unit, `states` how many wait
    states pass with it.

    Kinds: `valu` and `salu`, `matrix` and of it `xdl`, `sgemm`, `dgemm_4`, `dgemm_16` and `two_pass`, `plain` (of
    the vector unit but no matrix instruction), `trans`, `dot`, `dpp`, `shifted` (the result does not begin at bit 0
    of its register), `div_fmas`, `sum_f64`, `reads_lane`, `lane_move`; `memory` and of it `vmem`, `wide_store`,
    `offset_store` (wide, of a buffer whose offset is in a scalar register) and `to_lds`; `user` (plain or memory).

    Roles: `rows` and `scalars` are written, `reads` read, by name or as VCC; of a matrix instruction they are
    `factors` and `sum`; `data` is what a wide store stores, `lane` what says which lane; `vcc`, `exec`, `m0` are
    those registers.
    """

    name: str
    kinds: frozenset[str]
    roles: Mapping[str, Cells] = field(default_factory=dict)
    passes: int = 0
    states: int = 1

    def cells(self, role: str) -> Cells:
        """The registers in a role."""
        return self.roles.get(role, NOTHING)


def part(instruction: Instruction) -> Part:
    """What an instruction does. Raises NotUnderstood for one that is in no table."""
    name = f"{instruction.name}_lds" if "lds" in instruction.modifiers else instruction.name
    if name in control.NAMES:
        return _control(instruction)
    if form := memory.FORMS.get(name):
        return _access(instruction, form)
    if name in matrix.FORMS:
        return _matrix(instruction)
    if meaning := MEANINGS.get(name):
        return _arithmetic(instruction, meaning)
    raise NotUnderstood(f"the instruction {instruction.name}", instruction.line, instruction.text)


def _cells(operands: Iterable[Operand]) -> Cells:
    found: set[int] = set()
    for operand in operands:
        value = operand.value
        if isinstance(value, Vector):
            found.update(range(value.first, value.first + value.count))
        elif isinstance(value, Scalar):
            found.update(range(ROWS + value.first, ROWS + value.first + value.count))
    return frozenset(found)


def _written(cells: Cells) -> dict[str, Cells]:
    """What is written, by file."""
    rows = frozenset(cell for cell in cells if cell < ROWS)
    return {"rows": rows, "scalars": cells - rows}


def _control(instruction: Instruction) -> Part:
    states = 1
    if instruction.name == "s_nop":
        (operand,) = instruction.operands
        assert isinstance(operand.value, Constant) and isinstance(operand.value.value, int)
        states += operand.value.value
    roles = _written(_cells(instruction.operands)) if instruction.name == control.PROGRAM_COUNTER else {}
    if instruction.name == control.INDEX_ON:
        roles = _written(OF_M0)
    return Part(instruction.name, frozenset(["salu"] if roles else []), roles, states=states)


def _access(instruction: Instruction, form: Form) -> Part:
    returns = "_atomic_" not in form.name or instruction.modifiers.get("sc0", 0) == 1
    results = len(form.results) if returns else 0
    operands = instruction.operands
    roles = {**_written(_cells(operands[:results])), "reads": _cells(operands[results:])}
    if form.family == "s":
        return Part(instruction.name, NO_KINDS, roles)
    kinds = {"memory", "user"}
    if form.family in VECTOR_MEMORY:
        kinds.add("vmem")
        data = [one for one in operands[results:] if isinstance(one.value, Vector) and one.value.count > 2]
        if data:
            placed = form.family == "buffer" and isinstance(operands[-1].value, Scalar)
            kinds.add("offset_store" if placed else "wide_store")
            roles["data"] = _cells(data)
    if form.name.endswith("_lds") or "_load_lds_" in form.name:
        kinds.add("to_lds")
        roles["m0"] = OF_M0
    return Part(instruction.name, frozenset(kinds), roles)


def _matrix(instruction: Instruction) -> Part:
    matrix.check(instruction)
    shape = instruction.name.split("_", 3)[3]
    passes = PASSES_OF[shape]
    result, *factors, added = instruction.operands
    kinds = {"valu", "matrix"} | ({"two_pass"} if passes == 2 else set())
    if shape.endswith("_f64"):
        kinds |= {"dgemm", "dgemm_4" if shape.startswith("4x4") else "dgemm_16"}
    else:
        kinds.add("sgemm" if shape.endswith("_f32") else "xdl")
    roles = {
        **_written(_cells([result])), "factors": _cells(factors), "sum": _cells([added]),
        "reads": _cells([*factors, added]), "exec": OF_EXEC,
    }  # fmt: skip
    return Part(instruction.name, frozenset(kinds), roles, passes)


def _arithmetic(instruction: Instruction, meaning: Meaning) -> Part:
    count, operands = len(meaning.results), instruction.operands
    written, read = _cells(operands[:count]), _cells(operands[count:])
    if meaning.writes_exec or meaning.sets("exec"):
        written |= OF_EXEC
    if meaning.reads_vcc:
        read |= OF_VCC
    if meaning.scalar:
        return Part(instruction.name, frozenset(["salu"]), {**_written(written), "reads": read})
    factors = read
    if meaning.reads_result or _keeps(instruction):
        read |= _cells(operands[:1])
    if meaning.reads_second:
        read |= _cells(operands[1:2])
    if meaning.name.startswith("v_dot"):
        factors = _cells(operands[count : count + 2])
    roles = {**_written(written), "reads": read, "factors": factors, "vcc": OF_VCC, "exec": OF_EXEC}
    if meaning.name in LANE_MOVES:
        roles["lane"] = _cells(operands[2:])
    return Part(instruction.name, _kinds(instruction, meaning), roles)


NO_KINDS: frozenset[str] = frozenset()


def _kinds(instruction: Instruction, meaning: Meaning) -> frozenset[str]:
    name = instruction.name
    holds = {
        "valu": True,
        "plain": True,
        "user": True,
        "trans": name in TRANSCENDENTAL,
        "dot": name.startswith("v_dot"),
        "dpp": instruction.encoding == "dpp",
        "shifted": _shifted(instruction, meaning),
        "div_fmas": name.startswith("v_div_fmas"),
        "sum_f64": name in F64_SUMS,
        "reads_lane": name in READ_LANES,
        "lane_move": name in LANE_MOVES,
    }
    return frozenset(kind for kind, it_is in holds.items() if it_is)


def _keeps(instruction: Instruction) -> bool:
    """Whether a part of the result's register, or some lane of EXEC, stays as it was."""
    given = instruction.modifiers
    return instruction.encoding == "dpp" or given.get("dst_unused") == "UNUSED_PRESERVE"


def _shifted(instruction: Instruction, meaning: Meaning) -> bool:
    given = instruction.modifiers
    picked = given.get("op_sel", ())
    high = isinstance(picked, tuple) and len(picked) > len(meaning.sources) and picked[-1] == 1
    return high or given.get("dst_sel", "DWORD") != "DWORD"
