"""What verify finds (TL7xx)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tl2hip.source.problems.base import Problem


@dataclass(frozen=True)
class NestDiffers(Problem):
    """What tl2hip read gives another value than the Python function."""

    code: ClassVar[str] = "TL701"
    title: ClassVar[str] = "the nest differs from Python"
    message: ClassVar[str] = "{element} is {got} as tl2hip read the kernel, {expected} in Python ({case})"
    help: ClassVar[str] = "this is a fault of tl2hip; please report it with the kernel and the case"
    why: ClassVar[str] = (
        "Before any HIP is run, verify runs the loop nest that tl2hip made of the function on NumPy and compares it"
        " with the function itself. Both must agree bit for bit; where a function of `math` is computed in"
        " f32, within"
        " the running bound."
    )

    element: str
    got: str
    expected: str
    case: str


@dataclass(frozen=True)
class WrongValue(Problem):
    """The printed HIP computes another value."""

    code: ClassVar[str] = "TL702"
    title: ClassVar[str] = "a wrong value"
    message: ClassVar[str] = (
        "{element} is {got} where {expected} is right, {within} ({case}; {wrong} of {total} wrong)"
    )
    help: ClassVar[str] = "this is a fault of tl2hip, or of a printed text that was changed by hand"
    why: ClassVar[str] = (
        "The printed HIP ran on the emulated compute unit, and an element lies outside its running bound. The bound"
        " follows each operation through the kernel and adds its rounding; a sum may lose no more than its longest"
        " chain of additions does. Nobody chooses a tolerance, and no element may miss."
    )

    element: str
    got: str
    expected: str
    within: str
    case: str
    wrong: int
    total: int


@dataclass(frozen=True)
class RunFinding(Problem):
    """The emulated compute unit found a race, an access out of range, or the like."""

    code: ClassVar[str] = "TL703"
    title: ClassVar[str] = "a finding of the emulated compute unit"
    message: ClassVar[str] = "{finding} ({case})"
    help: ClassVar[str] = "this is a fault of tl2hip, or of a printed text that was changed by hand"
    why: ClassVar[str] = (
        "Right numbers do not show that a kernel is free of races and stays inside its arrays: with a"
        " barrier removed"
        " a product still came out right on three executors. So each access is watched while the text runs. A run"
        " that does not come to an end is given up: a kernel after a minute, a launcher also where its loops take"
        " far more turns than the function's."
    )

    finding: str
    case: str


@dataclass(frozen=True)
class LauncherFailed(Problem):
    """The launcher gave an error, or could not be called."""

    code: ClassVar[str] = "TL705"
    title: ClassVar[str] = "the launcher failed"
    message: ClassVar[str] = "{launcher} gave hipError_t {status} on arguments that fit the kernel ({case})"
    help: ClassVar[str] = "this is a fault of tl2hip, or of a printed text that was changed by hand"
    why: ClassVar[str] = (
        "A launcher returns an error where sizes, asserts or overlapping arrays forbid the call. The drawn"
        " arguments"
        " keep all of these, so it must launch."
    )

    launcher: str
    status: int
    case: str


@dataclass(frozen=True)
class TextRefused(Problem):
    """The host compiler refuses the printed text."""

    code: ClassVar[str] = "TL706"
    title: ClassVar[str] = "the printed text does not compile"
    message: ClassVar[str] = "the text does not compile for the emulated compute unit: {reason}"
    help: ClassVar[str] = "this is a fault of tl2hip, or of a printed text that was changed by hand"
    why: ClassVar[str] = (
        "verify compiles the printed text for this host with the offline compiler before it runs it."
    )

    reason: str


@dataclass(frozen=True)
class PythonFailed(Problem):
    """The user's function raised something that is not arithmetic."""

    code: ClassVar[str] = "TL707"
    title: ClassVar[str] = "the Python function raised an exception"
    message: ClassVar[str] = "{name} raised {error} ({case})"
    help: ClassVar[str] = "run the function on NumPy arrays of that shape, and mend it"
    why: ClassVar[str] = (
        "The function itself is the oracle. Where it raises for an index out of range or for its arithmetic,"
        " the kernel"
        " stays in bounds and is compared with the nest alone; any other exception means that there is no oracle."
    )

    name: str
    error: str
    case: str


@dataclass(frozen=True)
class Undecided(Problem):
    """Some elements could not be judged."""

    code: ClassVar[str] = "TL708"
    severity: ClassVar[str] = "warning"
    title: ClassVar[str] = "undecided elements"
    message: ClassVar[str] = (
        "{count} of {total} elements are undecided: a decision on their way is within its rounding"
    )
    help: ClassVar[str] = "where this is most of them, a comparison or int() of rounded values decides the result"
    why: ClassVar[str] = (
        "Where a comparison, a floor or a conversion to int takes values whose bounds overlap, either"
        " outcome is right,"
        " and everything that depends on it may differ. Such elements are counted and told, never passed"
        " silently; so"
        " are elements that nobody writes, and sums near the largest finite value."
    )

    count: int
    total: int


@dataclass(frozen=True)
class NotTried(Problem):
    """Cases were left out because they take too long."""

    code: ClassVar[str] = "TL709"
    severity: ClassVar[str] = "warning"
    title: ClassVar[str] = "cases left out"
    message: ClassVar[str] = "{count} of {total} cases were left out: {why_not}"
    help: ClassVar[str] = "give more time, or smaller shapes"
    why: ClassVar[str] = "verify bounds the iterations of each case and the seconds it takes in all."

    count: int
    total: int
    why_not: str


@dataclass(frozen=True)
class NothingDrawn(Problem):
    """No shape was found that can be run and leaves something to compare."""

    code: ClassVar[str] = "TL710"
    title: ClassVar[str] = "no shape to try"
    message: ClassVar[str] = (
        "{name} was not tried: no shape was found that is small enough to run, that its asserts admit, and that "
        "leaves an element to compare"
    )
    help: ClassVar[str] = (
        "name the large extents with `dims`, so that smaller ones can be tried, or loosen the asserts"
    )
    why: ClassVar[str] = (
        "Shapes are drawn at random and kept where every assert holds, no extent is negative, and neither the "
        "iterations nor the elements are too many for an emulated run."
    )

    name: str


@dataclass(frozen=True)
class InputChanged(Problem):
    """The printed HIP wrote to an array that the kernel only reads."""

    code: ClassVar[str] = "TL711"
    title: ClassVar[str] = "an input was changed"
    message: ClassVar[str] = "{array} was changed, which the kernel only reads ({case})"
    help: ClassVar[str] = "this is a fault of tl2hip, or of a printed text that was changed by hand"
    why: ClassVar[str] = "Arrays that the kernel does not store to must come back byte for byte as they were given."

    array: str
    case: str


@dataclass(frozen=True)
class KernelNotRun(Problem):
    """A kernel that a planned case launches never ran."""

    code: ClassVar[str] = "TL712"
    title: ClassVar[str] = "a kernel that never ran"
    message: ClassVar[str] = "{kernel} ran in no case, and should have where {case}"
    help: ClassVar[str] = "give more time; where there was enough, the launcher takes another kernel than planned"
    why: ClassVar[str] = (
        "A plan may have several kernels for one nest, of which the launcher picks one by sizes and alignment. What"
        " never ran is not proven, so each kernel that a shape within the budget of work reaches must run."
    )

    kernel: str
    case: str


@dataclass(frozen=True)
class KernelNotTried(Problem):
    """No shape that is small enough to run launches a kernel."""

    code: ClassVar[str] = "TL713"
    severity: ClassVar[str] = "warning"
    title: ClassVar[str] = "a kernel that was not tried"
    message: ClassVar[str] = "{kernel} ran in no case: none of the shapes that were drawn or given reaches it"
    help: ClassVar[str] = "give a shape that does; kernels for more blocks than a grid has need too large ones"
    why: ClassVar[str] = (
        "The launcher picks kernels by sizes and alignment. Some are for sizes that an emulated run cannot take,"
        " such as more than 2**23 blocks; what is told of the others says nothing about them."
    )

    kernel: str


@dataclass(frozen=True)
class CodeNotUnderstood(Problem):
    """The executor does not know something in the machine code."""

    code: ClassVar[str] = "TL714"
    title: ClassVar[str] = "machine code that the executor does not know"
    message: ClassVar[str] = "the machine code cannot be run: {reason}"
    help: ClassVar[str] = "leave --machine out to prove the printed text; the instruction is missing in tl2hip"
    why: ClassVar[str] = (
        "`verify --machine` runs the instructions that the compiler makes of the printed text. One that it has no"
        " exact meaning for is never guessed."
    )

    reason: str


@dataclass(frozen=True)
class DeviceRefused(Problem):
    """The compiler for gfx942 refuses the printed text."""

    code: ClassVar[str] = "TL720"
    title: ClassVar[str] = "the printed text does not compile for gfx942"
    message: ClassVar[str] = "the text does not compile for gfx942: {reason}"
    help: ClassVar[str] = "this is a fault of tl2hip, or of a printed text that was changed by hand"
    why: ClassVar[str] = "Before anything runs, verify compiles the printed text for gfx942."

    reason: str


@dataclass(frozen=True)
class BadCode(Problem):
    """What the compiler made of a kernel breaks a rule."""

    code: ClassVar[str] = "TL721"
    title: ClassVar[str] = "a finding in the compiled kernel"
    message: ClassVar[str] = "{finding}"
    help: ClassVar[str] = "smaller tiles need fewer registers and less LDS; else this is a fault of tl2hip"
    why: ClassVar[str] = (
        "verify reads what the compiler says of each kernel: it has the threads of its plan, spills no register,"
        " keeps nothing in scratch memory that the plan did not put there, calls no function that does not exist,"
        " and stays within the LDS that gfx942 has."
    )

    finding: str


@dataclass(frozen=True)
class TooNear(BadCode):
    """Two instructions stand too near each other."""

    code: ClassVar[str] = "TL724"
    title: ClassVar[str] = "instructions that stand too near each other"
    help: ClassVar[str] = "this is a fault of the compiler, or of assembly in a text that was changed by hand"
    why: ClassVar[str] = (
        "gfx942 does not wait for everything that an instruction needs: some results are there only after so many"
        " wait states, which the compiler has to leave between two instructions. verify looks for pairs that stand"
        " nearer, on every way through the code."
    )


@dataclass(frozen=True)
class LostSign(BadCode):
    """A product is rounded together with an addition of +0."""

    code: ClassVar[str] = "TL726"
    title: ClassVar[str] = "a product that loses the sign of a zero"
    help: ClassVar[str] = "this is a fault of the compiler, which a text changed by hand may bring out"
    why: ClassVar[str] = (
        "clang before LLVM 23 makes v_fma_mixlo_f16 with an addend of +0 of a product that is rounded to f16, and"
        " -0 becomes 0. tl2hip rounds by f16_from_f32, which keeps it from that; verify looks that none is left."
    )


@dataclass(frozen=True)
class NotLookedAt(BadCode):
    """The machine code has something in it that is not known, so hazards were not looked for."""

    code: ClassVar[str] = "TL725"
    severity: ClassVar[str] = "warning"
    title: ClassVar[str] = "machine code that was not looked at"
    message: ClassVar[str] = "hazards of the machine code were not looked for: {finding}"
    help: ClassVar[str] = "the instruction is missing in tl2hip, or the compiler is another than it knows"
    why: ClassVar[str] = (
        "verify looks in the compiled kernel for instructions that stand too near each other. It does so only where"
        " it knows every one of them."
    )


@dataclass(frozen=True)
class CostlyCode(BadCode):
    """What costs speed in a compiled kernel, and comes from the source."""

    code: ClassVar[str] = "TL722"
    severity: ClassVar[str] = "warning"
    title: ClassVar[str] = "scratch memory for arrays of a thread"
    help: ClassVar[str] = "an array that a loop indexes cannot be in registers; unroll that loop or use scalars"


@dataclass(frozen=True)
class Uncounted(BadCode):
    """A compiled kernel takes other registers than its plan counts on, which breaks no promise."""

    code: ClassVar[str] = "TL723"
    severity: ClassVar[str] = "warning"
    title: ClassVar[str] = "registers that the plan did not count on"
    help: ClassVar[str] = "long functions of mathematics in a vectored loop take many; the kernel is right"
