"""A kernel's instructions as the unit takes them: their costs, and the registers that make them wait."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tl2hip.prove.machine.accesses import LANE_MOVES
from tl2hip.prove.machine.meanings.memory import Counter
from tl2hip.prove.machine.model.facts import (
    ALONE_AFTER_MATRIX,
    BARRIER,
    LANE_MOVE_BYTES,
    LANE_MOVE_CLOCKS,
    MOST_OUTSTANDING,
    SLEEP,
    SLOT,
    Cost,
    Unit,
    cost,
)
from tl2hip.prove.machine.program import Constant, Instruction, Kernel, Vector

Rows = tuple[int, ...]


class Act(Enum):
    """What an instruction does besides taking its unit."""

    NOTHING, MATRIX, LDS, MEMORY, SCALAR, PAUSE, PRIORITY, BRANCH, BARRIER, END = range(10)


ACTS = {
    "s_nop": Act.PAUSE, "s_sleep": Act.PAUSE, "s_setprio": Act.PRIORITY, "s_barrier": Act.BARRIER,
    "s_endpgm": Act.END,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Decoded:
    """One instruction of a kernel. Times are in clocks.

    `busy` is how long its unit is taken; `vector` how long the vector unit then takes nothing, and `alone` nothing
    of what never goes beneath a matrix instruction. `touched` are the rows of late results that it needs; `chained`
    those that it adds to, for which it need not wait where one instruction made just them; `made` are its own rows,
    ready `late` after it starts. `vm` and `lgkm` are the most accesses that may be outstanding when it starts.
    `port` and `port_bytes` are of a move between lanes, which no access of a trace tells.
    """

    act: Act
    unit: int
    busy: int
    vector: int
    alone: int
    touched: Rows
    chained: Rows
    made: Rows
    late: int
    counter: Counter
    vm: int
    lgkm: int
    number: int
    port: int
    port_bytes: int
    vector_unit: bool


def decode(kernel: Kernel, transcendental_overlaps: bool) -> tuple[Decoded, ...]:
    """The instructions of a kernel, in order. Raises NotUnderstood for one whose cost is not known."""
    costs = [cost(one) for one in kernel.code]
    late = {row for one, its in zip(kernel.code, costs, strict=True) if its.late > 1 for row in _made(one, its)}
    return tuple(_one(one, its, late, transcendental_overlaps) for one, its in zip(kernel.code, costs, strict=True))


def _one(instruction: Instruction, its: Cost, late: set[int], overlaps: bool) -> Decoded:
    matrix = its.unit is Unit.MATRIX
    unit = Unit.VALU if its.transcendental and overlaps else its.unit
    waited = [operand.value for operand in instruction.operands]
    if matrix:
        waited = waited[1:3]
    chained = instruction.operands[3].value if matrix else None
    beneath = SLOT * (its.slots + ALONE_AFTER_MATRIX)
    own = SLOT * its.slots
    moves = instruction.name in LANE_MOVES
    vm, lgkm = _outstanding(instruction, its)
    return Decoded(
        act=_act(instruction, its),
        unit=unit.value,
        busy=own,
        vector=(beneath if its.holds_vector else SLOT) if matrix else own,
        alone=beneath if matrix else own,
        touched=tuple(row for value in waited if isinstance(value, Vector) for row in _rows(value) if row in late),
        chained=_rows(chained) if isinstance(chained, Vector) else (),
        made=_made(instruction, its) if its.late > 1 else (),
        late=SLOT * its.late,
        counter=its.counter,
        vm=vm,
        lgkm=lgkm,
        number=_number(instruction),
        port=LANE_MOVE_CLOCKS if moves else 0,
        port_bytes=LANE_MOVE_BYTES if moves else 0,
        vector_unit=unit in (Unit.VALU, Unit.ALONE),
    )


def _rows(value: Vector) -> Rows:
    return tuple(range(value.first, value.first + value.count))


def _made(instruction: Instruction, its: Cost) -> Rows:
    """The rows of a late result."""
    if its.late == 1 or not instruction.operands or not isinstance(value := instruction.operands[0].value, Vector):
        return ()
    return _rows(value)


def _act(instruction: Instruction, its: Cost) -> Act:
    if instruction.name in ACTS:
        return ACTS[instruction.name]
    by_unit = {Unit.MATRIX: Act.MATRIX, Unit.LDS: Act.LDS, Unit.VMEM: Act.MEMORY, Unit.BRANCH: Act.BRANCH}
    if its.counter is Counter.SCALAR_LOAD:
        return Act.SCALAR
    return by_unit.get(its.unit, Act.NOTHING)


def _outstanding(instruction: Instruction, its: Cost) -> tuple[int, int]:
    """The most accesses that may be outstanding: what a wait asks for, or what the counters have room for."""
    vm, lgkm = MOST_OUTSTANDING["vmcnt"], MOST_OUTSTANDING["lgkmcnt"]
    if instruction.waits:
        return instruction.waits.get("vmcnt", vm), instruction.waits.get("lgkmcnt", lgkm)
    by_vm = its.counter in (Counter.VECTOR_LOAD, Counter.VECTOR_STORE, Counter.FLAT_ACCESS)
    by_lgkm = its.counter in (Counter.LDS_ACCESS, Counter.SCALAR_LOAD, Counter.FLAT_ACCESS)
    return vm - by_vm, lgkm - by_lgkm


def _number(instruction: Instruction) -> int:
    """Of a pause the clocks until the wave goes on, of a priority itself, of a barrier the clocks it takes."""
    if instruction.name == "s_barrier":
        return SLOT * BARRIER
    if instruction.name not in ("s_nop", "s_sleep", "s_setprio"):
        return 0
    value = instruction.operands[0].value
    assert isinstance(value, Constant) and isinstance(value.value, int)
    if instruction.name == "s_nop":
        return SLOT * (value.value + 1)
    return SLOT * max(1, SLEEP * value.value) if instruction.name == "s_sleep" else value.value
