"""Matrix instructions in assembly: their size, their clocks, and what is in flight while they run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MFMA = re.compile(r"v_mfma_[fi]\d+_(\d+)x(\d+)x(\d+)_(?:(\d+)b_)?([a-z0-9]+?)(?:_[a-z0-9]+)?(?:_1k)?(?:_e64)?$")
RATE = {
    **dict.fromkeys(("f64", "f32"), 256),
    "xf32": 1024,
    **dict.fromkeys(("f16", "bf16"), 2048),
    **dict.fromkeys(("fp8", "bf8", "i8"), 4096),
}
"""Operations a clock of a compute unit, by the type of the operands (AMD CDNA 3 white paper)."""
SIMDS = 4
HALF_RATE = ("f16", "bf16", "i8", "f64")
"""Types whose instructions of several small blocks run at half the rate (AMD matrix instruction calculator)."""
VMEM = re.compile(r"^(?:global|flat|buffer)_(load|store|atomic)")
WAIT = re.compile(r"(vmcnt|lgkmcnt)\((\d+)\)")


@dataclass(frozen=True, slots=True)
class Matrix:
    """One matrix instruction: multiplications and additions of a wave, and clocks from issue to issue."""

    operations: int
    clocks: int


def matrix(line: str) -> Matrix | None:
    """The matrix instruction of a line of assembly, None for any other. ValueError for one that is not known."""
    operation = line.split(None, 1)[0]
    if not operation.startswith(("v_mfma_", "v_smfmac_")):
        return None
    found = MFMA.match(operation)
    if found is None or found[5] not in RATE:
        raise ValueError(f"unknown matrix instruction {operation}")
    rows, columns, depth, blocks = (int(n or 1) for n in found.groups()[:4])
    operations = 2 * rows * columns * depth * blocks
    halved = 2 if blocks > 1 and found[5] in HALF_RATE else 1
    return Matrix(operations, operations * SIMDS // RATE[found[5]] * halved)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A loop in its steady state, one wave, one turn.

    `clocks` are those of its matrix instructions, `operations` what they compute. `drains` and `lds_drains` count
    the waits for all memory accesses and for all LDS accesses, `waits` every count that is waited for. `distance`
    is the fewest matrix clocks between a global load and the wait that it ends in (None: no load is waited for);
    `covered` counts the matrix instructions issued while a global load is in flight.
    """

    instructions: int
    mfma: int
    clocks: int
    operations: int
    waits: Mapping[str, int]
    distance: int | None
    covered: int

    @property
    def drains(self) -> int:
        return self.waits.get("vmcnt(0)", 0)

    @property
    def lds_drains(self) -> int:
        return self.waits.get("lgkmcnt(0)", 0)

    @property
    def per_1024(self) -> float:
        """Instructions for each 1,024 matrix clocks. ZeroDivisionError without matrix instructions."""
        return self.instructions * 1024 / self.clocks

    @property
    def share(self) -> float:
        """Matrix instructions among all."""
        return self.mfma / self.instructions

    @property
    def operations_per_instruction(self) -> float:
        """Multiplications and additions of a wave for each of its instructions."""
        return self.operations / self.instructions


def pipeline(code: Sequence[str]) -> Pipeline:
    """The steady state of a loop whose body is this straight code: labels and branches are passed over.

    Loads and stores of memory end in the order of their issue (CDNA3 ISA guide, vmcnt).
    """
    lines = [line for line in code if not line.endswith(":")]
    multiplied = [m for line in lines if (m := matrix(line))]
    clocks = sum(m.clocks for m in multiplied)
    stops = [line for line in lines if line.startswith("s_waitcnt")]
    waits = Counter(f"{w[1]}({w[2]})" for line in stops for w in WAIT.finditer(line))
    distance, covered = _in_flight(lines)
    return Pipeline(
        len(lines), len(multiplied), clocks, sum(m.operations for m in multiplied), dict(sorted(waits.items())),
        distance, covered,
    )  # fmt: skip


def _in_flight(lines: Sequence[str]) -> tuple[int | None, int]:
    """The least distance of loads issued in the second of four turns, and the matrix instructions of that turn that
    run while a load is in flight."""
    flying: list[tuple[int, int, bool]] = []  # turn and clock of the issue, and whether it is a load
    distances: list[int] = []
    clock = covered = 0
    for turn in range(4):
        for line in lines:
            made = matrix(line)
            if made:
                covered += turn == 1 and any(load for _, _, load in flying)
                clock += made.clocks
            elif kind := VMEM.match(line):
                flying.append((turn, clock, kind[1] == "load"))
            elif line.startswith("s_waitcnt"):
                left = next((int(w[2]) for w in WAIT.finditer(line) if w[1] == "vmcnt"), len(flying))
                ended = flying[: max(0, len(flying) - left)]
                distances += [clock - at for then, at, load in ended if then == 1 and load]
                flying = flying[len(ended) :]
    return min(distances, default=None), covered
