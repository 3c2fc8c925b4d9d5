"""One call of a printed launcher: its arrays in memory as the case asks for, its workspace, its sizes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from tl2hip.nest.ir import Nest
from tl2hip.nest.run.arithmetic import Values, numpy_type
from tl2hip.prove.draw import Data, Evaluator, Sizes
from tl2hip.prove.emulate import Run
from tl2hip.prove.place import NOISE, copies, noise, placed

if TYPE_CHECKING:
    from tl2hip.hip.launcher import Argument, LauncherInfo

CALLS, SPARE_TURNS = 64, 64
"""How many calls to HIP's functions a launcher may make for each turn of the nest's loops and each of its kernels,
and how many turns more. A loop until something converges may take other turns than the nest's: sums that are taken
in another order round differently."""


class Callee(Protocol):
    """What launchers are called through: a Library, or what stands before one."""

    def call(self, launcher: str, args: Sequence[Any], *, calls: int | None = None) -> Run:
        """Runs a launcher."""

    def value(self, function: str, args: Sequence[Any]) -> int:
        """The size that a host function of the text gives."""


def launch(
    nest: Nest,
    launcher: LauncherInfo,
    library: Callee,
    drawn: Data,
    sizes: Sizes,
    shifted: Collection[str],
    turns: int | None,
) -> tuple[dict[str, Values], Run]:
    """The arrays after a launch, and the run.

    Arrays that are `shifted` start one element into their memory. Where it is known how many `turns` the nest's
    loops took, a launcher whose own loops take far more is given up.
    """
    at = Evaluator(nest, sizes, drawn.scalars)
    buffers = copies(drawn.arrays, shifted, strides(nest, at))
    for argument in launcher.arguments:
        if argument.kind == "result":
            array = nest.array(argument.name)
            shape = tuple(int(n or 0) for n in at.extents(array))
            buffers[argument.name] = placed(noise(shape, array.dtype), argument.name in shifted)
    values = {**sizes, **drawn.scalars}
    space = _workspace(launcher, library, values)
    passed: list[Any] = []
    for a in launcher.arguments:
        if a.kind in ("array", "result"):
            passed.append(buffers[a.name])
        elif a.kind == "workspace":
            passed.append(space)
        elif a.kind != "stream":
            passed.append(_sized(a, values))
    calls = None if turns is None else (turns + SPARE_TURNS) * (len(launcher.kernels) + 1) * CALLS
    return buffers, library.call(launcher.name, passed, calls=calls)


def strides(nest: Nest, at: Evaluator) -> dict[str, tuple[int, ...]]:
    """The strides, in elements, of the arrays that are not row-major."""
    stated = {a.name: a.strides for a in nest.arrays if a.strides is not None}
    return {name: tuple(at.whole(s) or 0 for s in given) for name, given in stated.items()}


def _workspace(launcher: LauncherInfo, library: Callee, values: dict[str, Any]) -> Values:
    """The workspace the launcher asks for, full of noise."""
    if launcher.workspace is None:
        return np.zeros(0, np.uint8)
    arguments = [_sized(a, values) for a in launcher.workspace_arguments]
    return np.full(library.value(launcher.workspace, arguments), NOISE, np.uint8)


def _sized(argument: Argument, values: dict[str, Any]) -> Any:
    """A dim or scalar as the launcher's C type."""
    assert argument.dtype is not None
    return numpy_type(argument.dtype).type(values[argument.name])
