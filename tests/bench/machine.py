"""How fast machine code is executed: `python -m tests.bench.machine` prints a table of the golden product at 512³.

A lane-instruction is an instruction that a wave executes, 64 times; those of one block are counted by its trace.
The executor itself is compiled before, once for a machine. The compiler's time is the clock's, all other is
processor time, which other work on the machine changes less.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tests.bench.aims import Aim, number
from tests.bench.emit import GEMM, REPEATS
from tl2hip import api
from tl2hip.prove.compiler import compile_device
from tl2hip.prove.machine import assembly
from tl2hip.prove.machine.encode import encode
from tl2hip.prove.machine.executor import executor
from tl2hip.prove.machine.library import MachineLibrary
from tl2hip.prove.machine.meanings import MEANINGS

SIZE, LANES = 512, 64
AIMS = (
    Aim("plain", 0.5, "G lane-instructions/s", least=True),
    Aim("run", 50, "ms of a run"),
    Aim("translation", 1500, "ms of translation"),
)


Clock = Callable[[], float]


def best(run: Callable[[], object], repeats: int = REPEATS, clock: Clock = time.process_time) -> float:
    """The least time of several runs, in ms."""
    taken = []
    for _ in range(repeats):
        start = clock()
        run()
        taken.append(clock() - start)
    return 1e3 * min(taken)


def figures() -> dict[str, float]:
    """What is measured, by name: times in ms, speeds in G lane-instructions a second."""
    text = api.convert(api.source_of(Path(GEMM))).text
    functions = executor().functions
    made = compile_device(text, lines=True).text
    program = assembly.read(made)
    draw = np.random.default_rng(0)
    a, b = ((draw.integers(-8, 9, (SIZE, SIZE)) / 8).astype(np.float16) for _ in range(2))
    c = np.zeros((SIZE, SIZE), np.float32)
    args = [a, b, c, *(np.int64(SIZE) for _ in range(3))]
    now = time.perf_counter
    found = {
        "compile": best(lambda: compile_device(f"{text}// {now()}", lines=True), 3, now),
        "read": best(lambda: assembly.read(made)),
        "encode": best(lambda: encode(program, functions, MEANINGS)),
    }
    found["translation"] = sum(found.values())
    with MachineLibrary(text, detect=False) as library:
        trace = library.trace("gemm", args)
        found["run"] = best(lambda: library.call("gemm", args))
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
    with MachineLibrary(text) as library:
        found["detecting run"] = best(lambda: library.call("gemm", args), 3)
    executed = LANES * trace.steps * trace.blocks / 1e6
    return found | {"plain": executed / found["run"], "detecting": executed / found["detecting run"]}


ROWS = {
    "compile": "compiler, text to assembly (ms)",
    "read": "assembly to a program (ms)",
    "encode": "program to records (ms)",
    "translation": "all of these (ms)",
    "run": "a run without detection (ms)",
    "plain": "  G lane-instructions/s",
    "detecting run": "a run with detection (ms)",
    "detecting": "  G lane-instructions/s",
}


def main() -> None:
    """Print the table."""
    found = figures()
    aims = {aim.name: aim for aim in AIMS}
    for name, words in ROWS.items():
        told = ""
        if aim := aims.get(name):
            told = f"aim {'at least' if aim.least else 'at most'} {number(aim.bound)}"
            told += ", missed" if aim.missed(found) else ""
        print(f"{words:<36}{found[name]:>10.2f}  {told}")


if __name__ == "__main__":
    main()
