"""Dependence analysis and index bounds (TL4xx)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from tl2hip.source.problems.base import Problem
from tl2hip.source.span import Span


class CarriedThing(Protocol):
    """What a problem needs to know of something that iterations hand on (`nest.dependence.Carried`)."""

    @property
    def name(self) -> str: ...
    @property
    def what(self) -> str: ...
    @property
    def how(self) -> str: ...
    @property
    def distance(self) -> int | None: ...
    @property
    def write(self) -> Span: ...
    @property
    def read(self) -> Span: ...
    @property
    def sentence(self) -> str: ...


class SerialKind(Protocol):
    """What a problem needs to know of an axis (`nest.dependence.AxisKind`)."""

    @property
    def carried(self) -> Sequence[CarriedThing]: ...
    @property
    def live_out(self) -> tuple[str, ...]: ...
    @property
    def no_scan(self) -> str: ...


def _in_one_thread(line: str) -> str:
    """The text of a kernel that carries `s` through its loop by that line, and says that it is meant."""
    return (
        "from tl2hip import Tensor, Tile, dims, f32, kernel, serial\n"
        "\n"
        '(N,) = dims("N")\n'
        "\n"
        "\n"
        "@kernel\n"
        "def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:\n"
        "    i: Tile[int, serial]\n"
        "    s = f32(0)\n"
        "    for i in range(N):\n"
        f"{line}"
        "        y[i] = s\n"
    )


@dataclass(frozen=True)
class CarriedValue(Problem):
    code: ClassVar[str] = "TL401"
    title: ClassVar[str] = "Value carried through a loop"
    message: ClassVar[str] = "the iterations of `{loop}` must run one after the other: {sentence}{places}"
    help: ClassVar[str] = (
        "rewrite it without the carried value, or run it in one thread with `{loop}: Tile[int, serial]`"
    )
    why: ClassVar[str] = (
        "A loop runs on many threads at once only where its iterations do not depend on each other. Here one"
        " iteration uses what another left behind, and no loop around or inside it is left to run in parallel."
        " One thread of a GPU is slow, so tl2hip does this only where the loop says that it is meant."
    )
    example: ClassVar[str] = (
        "@kernel\n"
        "def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:\n"
        "    s = f32(0)\n"
        "    for i in range(N):\n"
        "        s = s * f32(0.5) + x[i]\n"
        "        y[i] = s\n"
    )
    rewrite: ClassVar[str] = _in_one_thread("        s = s * f32(0.5) + x[i]\n")
    loop: str
    sentence: str
    places: str = ""

    @staticmethod
    def of(kind: SerialKind, loop: str, *, at: Span) -> Problem:
        """The problem of a serial axis: of the first thing it carries that keeps it from being a scan. `at` is the
        loop, told where the thing has no place of its own."""
        for carried in kind.carried:
            if carried.how != "running":
                return _of_carried(carried, loop, at)
        if kind.no_scan:
            first = kind.carried[0]
            place = first.write if first.write.line else at
            return RunningValue(loop=loop, name=first.name, reason=kind.no_scan, places=_places(first), at=place)
        return LastValue(loop=loop, name=kind.live_out[0] if kind.live_out else "a value", at=at)


@dataclass(frozen=True)
class CarriedElement(Problem):
    code: ClassVar[str] = "TL402"
    title: ClassVar[str] = "Array element carried through a loop"
    message: ClassVar[str] = "the iterations of `{loop}` must run one after the other: {sentence}{places}"
    help: ClassVar[str] = (
        "write to another array than the one that is read, or run it in one thread with `{loop}: Tile[int, serial]`"
    )
    why: ClassVar[str] = (
        "Two iterations use one element of the array, and at least one of them writes it, so that the result"
        " depends on which comes first. Where the subscripts are sums and multiples of loop variables tl2hip"
        " finds the distance: how many iterations lie between the two. Writing to a second array (and swapping"
        " the two outside the loop) takes the dependence away."
    )
    example: ClassVar[str] = (
        "@kernel\n"
        "def f(x: Tensor[f32, N]) -> None:\n"
        "    for i in range(1, N):\n"
        "        x[i] = (x[i - 1] + x[i]) / f32(2)\n"
    )
    rewrite: ClassVar[str] = (
        "@kernel\n"
        "def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:\n"
        "    for i in range(1, N):\n"
        "        y[i] = (x[i - 1] + x[i]) / f32(2)\n"
    )
    loop: str
    sentence: str
    places: str = ""


@dataclass(frozen=True)
class LastValue(Problem):
    code: ClassVar[str] = "TL403"
    title: ClassVar[str] = "Last value of a loop"
    message: ClassVar[str] = "`{name}` is read after `{loop}`, so that its last iteration must come last"
    help: ClassVar[str] = (
        "compute `{name}` after the loop, or run it in one thread with `{loop}: Tile[int, serial]`"
    )
    why: ClassVar[str] = (
        "A name that a loop sets and that is read after it keeps the value of the last iteration. Iterations"
        " that run at once have no last one. Sums, products, minima and maxima over the loop are fine."
    )
    example: ClassVar[str] = (
        "@kernel\n"
        "def f(x: Tensor[f32, N], y: Tensor[f32, 1]) -> None:\n"
        "    t = f32(0)\n"
        "    for i in range(N):\n"
        "        t = x[i]\n"
        "        x[i] = t + f32(1)\n"
        "    y[0] = t\n"
    )
    rewrite: ClassVar[str] = (
        "@kernel\n"
        "def f(x: Tensor[f32, N], y: Tensor[f32, 1]) -> None:\n"
        "    for i in range(N):\n"
        "        x[i] = x[i] + f32(1)\n"
        "    y[0] = x[N - 1] - f32(1)\n"
    )
    loop: str
    name: str


@dataclass(frozen=True)
class ConflictingStores(Problem):
    code: ClassVar[str] = "TL404"
    title: ClassVar[str] = "Stores of several iterations to one element"
    message: ClassVar[str] = (
        "iterations of `{loop}` may store to one element of `{name}`: which one is last counts{places}"
    )
    help: ClassVar[str] = (
        "give each iteration its own element, use `+=` or max, or say `assert distinct(…)` of an index array"
        " without repeats, `assert offsets(…)` of row starts that never fall, `assert step > 0` of a step"
    )
    why: ClassVar[str] = (
        "In Python the last store to an element wins. Iterations that run at once have no order, so such a"
        " store is only allowed where each iteration stores to elements of its own. A subscript that is read"
        " from an array may repeat; `assert distinct(index)` promises that it does not. Ranges between bounds from"
        " an array may overlap; `assert offsets(start)` promises that none starts before the last one ended."
    )
    example: ClassVar[str] = (
        "@kernel\n"
        "def f(index: Tensor[i32, M], y: Tensor[f32, N]) -> None:\n"
        "    for i in range(M):\n"
        "        y[index[i]] = f32(i)\n"
    )
    rewrite: ClassVar[str] = (
        "@kernel\n"
        "def f(index: Tensor[i32, M], y: Tensor[f32, N]) -> None:\n"
        "    for i in range(M):\n"
        "        y[index[i]] += f32(i)\n"
    )
    loop: str
    name: str
    places: str = ""


@dataclass(frozen=True)
class OrderedExtreme(Problem):
    code: ClassVar[str] = "TL405"
    title: ClassVar[str] = "Maximum or minimum whose order counts"
    message: ClassVar[str] = (
        "`{name}` stands on the right of `{op}`, so that a NaN makes the order of `{loop}` count"
    )
    help: ClassVar[str] = "write `{name} = {op}({name}, …)`, or np.{op}imum to let a NaN through"
    why: ClassVar[str] = (
        "Python's max(a, b) gives a unless b is greater, and a comparison with NaN is false. With the running"
        " value on the left a NaN of an element is skipped, whatever the order. With it on the right a NaN"
        " replaces the running value and is itself replaced by the next element: the result depends on the order."
    )
    example: ClassVar[str] = (
        "@kernel\n"
        "def f(x: Tensor[f32, N], y: Tensor[f32, 1]) -> None:\n"
        "    m = f32(0)\n"
        "    for i in range(N):\n"
        "        m = max(x[i], m)\n"
        "    y[0] = m\n"
    )
    rewrite: ClassVar[str] = (
        "@kernel\n"
        "def f(x: Tensor[f32, N], y: Tensor[f32, 1]) -> None:\n"
        "    m = f32(0)\n"
        "    for i in range(N):\n"
        "        m = max(m, x[i])\n"
        "    y[0] = m\n"
    )
    loop: str
    name: str
    op: str


@dataclass(frozen=True)
class RunningValue(Problem):
    code: ClassVar[str] = "TL406"
    title: ClassVar[str] = "Running value that is no scan"
    message: ClassVar[str] = (
        "`{name}` is used in `{loop}` while it is still being accumulated, and this is no scan: {reason}{places}"
    )
    help: ClassVar[str] = (
        "accumulate what can be known without it, or run it in one thread with `{loop}: Tile[int, serial]`"
    )
    why: ClassVar[str] = (
        "A loop that adds up and uses the total so far (a prefix sum, or scan) runs on many threads: each adds up"
        " a piece, and then starts from what the pieces before it came to. That takes pieces that can be added up"
        " without the total. Here what is accumulated, or whether it is, depends on the total so far."
    )
    example: ClassVar[str] = (
        "@kernel\n"
        "def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:\n"
        "    s = f32(0)\n"
        "    for i in range(N):\n"
        "        if s < f32(100):\n"
        "            s += x[i]\n"
        "        y[i] = s\n"
    )
    rewrite: ClassVar[str] = _in_one_thread("        if s < f32(100):\n            s += x[i]\n")
    loop: str
    name: str
    reason: str
    places: str = ""


@dataclass(frozen=True)
class EndsEarly(Problem):
    code: ClassVar[str] = "TL407"
    title: ClassVar[str] = "A loop that ends early"
    message: ClassVar[str] = (
        "`{loop}` ends early, at an iteration that the data decides: its iterations must run one after the other"
    )
    help: ClassVar[str] = (
        "let all iterations run, each with a test of its own, or run it in one thread with"
        " `{loop}: Tile[int, serial]`"
    )
    why: ClassVar[str] = (
        "The iterations of a loop may run at once, each on a thread of its own. A loop that ends at an iteration"
        " that the data decides would have run some that must not have run. Inside a loop that runs in parallel a"
        " loop may end early: each thread leaves its own."
    )
    example: ClassVar[str] = (
        "@kernel\n"
        "def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:\n"
        "    for i in range(N):\n"
        "        if x[i] < 0:\n"
        "            break\n"
        "        y[i] = x[i]\n"
    )
    rewrite: ClassVar[str] = (
        "from tl2hip import Tensor, Tile, dims, f32, kernel, serial\n"
        "\n"
        '(N,) = dims("N")\n'
        "\n"
        "\n"
        "@kernel\n"
        "def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:\n"
        "    i: Tile[int, serial]\n"
        "    for i in range(N):\n"
        "        if x[i] < 0:\n"
        "            break\n"
        "        y[i] = x[i]\n"
    )
    loop: str


def _of_carried(carried: CarriedThing, loop: str, at: Span) -> Problem:
    place = carried.write if carried.write.line else at
    places = _places(carried)
    if carried.how == "stores":
        return ConflictingStores(loop=loop, name=carried.name, places=places, at=place)
    if carried.what == "array":
        return CarriedElement(loop=loop, sentence=carried.sentence, places=places, at=place)
    if carried.how in ("max", "min"):
        return OrderedExtreme(loop=loop, name=carried.name, op=carried.how, at=place)
    if carried.how == "ending":
        return EndsEarly(loop=loop, at=place)
    return CarriedValue(loop=loop, sentence=carried.sentence, places=places, at=place)


def _places(carried: CarriedThing) -> str:
    """The lines of both places, where they are two."""
    write, read = carried.write.line, carried.read.line
    if not write or not read or write == read:
        return ""
    return f" (lines {min(write, read)} and {max(write, read)})"
