"""Faults planted in the compiler, one stage at a time: a few dozen of the fuzzer's programs find each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from tests.fuzz.__main__ import failure
from tests.fuzz.check import Outcome, check
from tests.fuzz.generate import Program, program
from tl2hip.dtypes import F64, I64, DType
from tl2hip.hip import expressions, helpers, text
from tl2hip.hip.text import infix
from tl2hip.nest import dependence
from tl2hip.nest.build import loops as build_loops
from tl2hip.nest.build import types
from tl2hip.nest.index import add, number
from tl2hip.nest.ir import Const, Update
from tl2hip.plan import block, loops, reduce, threads

Patch = pytest.MonkeyPatch

BATCH = 8
"""Programs to a translation unit."""
BATCHES = 6
"""Units that a fault has until it must be found."""
SEEDS = 4000
"""The seeds that programs are taken from."""


@dataclass(frozen=True, slots=True)
class Fault:
    """How to plant a fault, in which programs to look for it, and whether the detectors are needed."""

    plant: Callable[[Patch], None]
    features: frozenset[str]
    detect: bool = False
    most: bool = False
    """Whether more than half of the accepted programs must find it, not just one."""


FAULTS: dict[str, Fault] = {}


def fault(
    name: str, *features: str, detect: bool = False, most: bool = False
) -> Callable[[Callable[[Patch], None]], None]:
    """Adds a fault to the table."""

    def keep(plant: Callable[[Patch], None]) -> None:
        FAULTS[name] = Fault(plant, frozenset(features), detect, most)

    return keep


# --- reading into the nest -------------------------------------------------------------------------------


@fault("a weak float makes an f32 an f64", "weak operand")
def _weak(patch: Patch) -> None:
    right = types._weak_with_strong
    patch.setattr(types, "_weak_with_strong", lambda w, s: F64 if w.level == 2 else right(w, s))


@fault("a loop stops one early", "negative step", "strided bounds")
def _stops_early(patch: Patch) -> None:
    right = build_loops._marked_axis

    def wrong(*arguments: Any) -> Any:
        axis = right(*arguments)
        return replace(axis, stop=add(axis.stop, number(1))) if axis.step < 0 else axis

    patch.setattr(build_loops, "_marked_axis", wrong)


# --- dependence ------------------------------------------------------------------------------------------


@fault(
    "a carried axis is said to be parallel", "host loop", "scan", "serial axis around parallel ones", detect=True
)
def _carried(patch: Patch) -> None:
    right = dependence.analyse

    def wrong(nest: Any) -> Any:
        found = right(nest)
        kinds = {
            a: replace(k, kind="parallel", carried=(), live_out=()) if k.kind == "serial" else k
            for a, k in found.kinds.items()
        }
        return replace(found, kinds=kinds)

    patch.setattr(dependence, "analyse", wrong)


# --- planning --------------------------------------------------------------------------------------------


@fault("no update is atomic", "scatter", "reduced axis is outermost", detect=True)
def _not_atomic(patch: Patch) -> None:
    right = threads.ThreadCode._one

    def wrong(self: Any, *rest: Any) -> Any:
        return tuple(replace(x, atomic=False) if isinstance(x, Update) else x for x in right(self, *rest))

    patch.setattr(threads.ThreadCode, "_one", wrong)


@fault("a block never waits", "private array", "row slice", "scalar between nests", detect=True)
def _no_barrier(patch: Patch) -> None:
    patch.setattr(block.BlockCode, "_meet", lambda self, reads, writes: ())


@fault("a sum starts from one", "reduction by +=")
def _identity(patch: Patch) -> None:
    right = reduce.identity
    patch.setattr(
        reduce, "identity", lambda op, t: Const(1.0 if t.is_float else 1, t) if op == "+" else right(op, t)
    )


@fault("loops over lanes and blocks leave the last element out", "2 axes")
def _tail(patch: Patch) -> None:
    right = loops.spread

    def wrong(axis: Any, *rest: Any) -> Any:
        return right(replace(axis, stop=add(axis.stop, number(-axis.step))), *rest)

    patch.setattr(loops, "spread", wrong)


# --- printing --------------------------------------------------------------------------------------------


@fault("a - (b - c) loses its parentheses", "nested difference")
def _parentheses(patch: Patch) -> None:
    right = text.infix

    def wrong(op: str, a: text.Text, b: text.Text) -> text.Text:
        return right(op, a, b._replace(strength=text.MUL) if op == "-" and b.strength == text.ADD else b)

    patch.setattr(expressions, "infix", wrong)


@fault("floor division is C's", "operator // of ints")
def _floor(patch: Patch) -> None:
    patch.setitem(expressions._BINARY, "//", _c_division("//"))


@fault("modulo is C's", "operator % of ints")
def _modulo(patch: Patch) -> None:
    patch.setitem(expressions._BINARY, "%", _c_division("%"))


def _c_division(op: str) -> Callable[..., text.Text]:
    def wrong(_: str, a: Any, b: Any, ctx: Any) -> text.Text:
        dtype: DType = a.dtype
        if dtype.is_float or dtype is I64 or not isinstance(b, Const):
            return expressions._floor(op, a, b, ctx)
        return expressions._back(infix(op[0], *expressions._operands(a, b, ctx)), dtype, ctx)

    return wrong


@fault("an index below 0 does not wrap", "index that wraps below 0", "negative constant index")
def _wrap(patch: Patch) -> None:
    wrong = helpers.WRAPPED.text.replace("i < 0 ? i + n : i", "i")
    patch.setattr(helpers, "WRAPPED", replace(helpers.WRAPPED, text=wrong))


@fault("Python's max takes a NaN from the right", "max of floats, kept", most=True)
def _python_max(patch: Patch) -> None:
    patch.setitem(helpers.CHOICE, "max", ("py_max", "a > b ? a : b"))


@fault("NumPy's maximum drops a NaN", "np.maximum of floats, kept", most=True)
def _numpy_max(patch: Patch) -> None:
    patch.setitem(helpers.CHOICE, "maximum", ("np_max", "a > b ? a : b"))


@fault("narrow integers do not wrap", "narrow integers overflow")
def _narrow(patch: Patch) -> None:
    patch.setattr(expressions, "_back", lambda found, dtype, ctx: found)


# --- the test --------------------------------------------------------------------------------------------


def batches(planted: Fault) -> Iterator[list[Program]]:
    """Programs in which a fault could show, a unit at a time."""
    fitting = (p for p in map(program, range(SEEDS)) if p.features & planted.features)
    for _ in range(BATCHES):
        yield [next(fitting) for _ in range(BATCH)]


def first_failure(planted: Fault) -> Outcome | None:
    """The first program that gives a wrong value or a finding."""
    for batch in batches(planted):
        for o in check(batch, detect=planted.detect):
            if o.verdict == "failed":
                return o
    return None


@pytest.mark.parametrize("name", [n for n, f in FAULTS.items() if not f.most])
def test_planted_fault_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    FAULTS[name].plant(monkeypatch)
    found = first_failure(FAULTS[name])
    assert found is not None, f"{name}: not found in {BATCH * BATCHES} programs"
    assert found.code.startswith("TL7"), failure(found, shrink=False)


@pytest.mark.parametrize("name", [n for n, f in FAULTS.items() if f.most])
def test_most_programs_find_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    FAULTS[name].plant(monkeypatch)
    outcomes = [o for batch in batches(FAULTS[name]) for o in check(batch)]
    accepted = sum(o.verdict != "refused" for o in outcomes)
    found = sum(o.code.startswith("TL7") for o in outcomes)
    assert accepted > 0.8 * len(outcomes), f"{accepted} of {len(outcomes)} are accepted"
    assert found > 0.5 * accepted, f"{found} of {accepted} find it"
