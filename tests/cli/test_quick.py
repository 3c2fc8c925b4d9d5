"""Quickly made dataclasses behave as the standard library's."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import sys
import weakref
from dataclasses import FrozenInstanceError, dataclass, field, replace
from typing import Any, ClassVar

import pytest

from tl2hip.cli.quick import _dataclass, quick_dataclasses

pytestmark = pytest.mark.skipif(sys.version_info >= (3, 14), reason="not used there")


def family(decorator: Any) -> dict[str, type]:
    """Classes of many shapes, made by one decorator."""

    @decorator(frozen=True, slots=True)
    class Leaf:
        x: int
        y: float = 2.0
        tags: ClassVar[tuple[str, ...]] = ("a",)
        z: int = field(default=3, compare=False)

    @decorator(frozen=True, slots=True)
    class Child(Leaf):
        w: list[int] = field(default_factory=list, hash=False)
        at: int = field(default=0, kw_only=True, repr=False)

    @decorator(frozen=True)
    class Open:
        """With words."""

        a: int
        b: tuple[int, ...] = ()

        def __post_init__(self) -> None:
            if self.a < 0:
                raise ValueError("negative")

        def __repr__(self) -> str:
            return "an Open"

    @decorator(frozen=True)
    class Inner(Open):
        a: int = 7
        hidden: int = field(default=1, init=False)

        def __eq__(self, other: object) -> bool:
            return self is other

        def __hash__(self) -> int:
            return 5

    @decorator(frozen=True, slots=True)
    class Empty:
        pass

    @decorator(frozen=True, slots=True)
    class One:
        only: float

    @decorator(frozen=True, slots=True, order=True)
    class Ordered:
        n: int

    @decorator(slots=True)
    class Loose:
        n: int

    return {c.__name__: c for c in (Leaf, Child, Open, Inner, Empty, One, Ordered, Loose)}


THEIRS, OURS = family(dataclass), family(_dataclass)
CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    *(("Leaf", a, k) for a, k in [((1,), {}), ((1, 5.0), {"z": 9}), ((1, 5.0), {}), ((), {}), ((1, 2, 3, 4), {})]),
    *(("Child", a, k) for a, k in [((1,), {"at": 4}), ((1, 2.0, 3, [1]), {}), ((1, 2.0, 3, [1], 9), {})]),
    *(("Open", a, {}) for a in [(1,), (2, (3,)), (-1,)]),
    *(("Inner", a, {}) for a in [(), (4, (1,)), (1, (), 2)]),
    *(
        (n, a, {})
        for n, a in [("Empty", ()), ("One", (float("nan"),)), ("One", (1.0,)), ("Ordered", (1,)), ("Loose", (1,))]
    ),
]


def tried(of: dict[str, type], name: str, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, Any]:
    try:
        return of[name](*args, **named), None
    except (TypeError, ValueError) as error:
        return None, type(error)


def referred(instance: Any) -> bool:
    """Whether there are weak references to an instance."""
    try:
        return weakref.ref(instance)() is instance
    except TypeError:
        return False


@pytest.mark.parametrize("name, args, named", CALLS)
def test_instances_are_alike(name: str, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    (ours, raised), (theirs, expected) = tried(OURS, name, args, named), tried(THEIRS, name, args, named)
    assert raised is expected
    if theirs is None:
        return
    strip = "family.<locals>."
    assert repr(ours).replace(strip, "") == repr(theirs).replace(strip, "")
    assert dataclasses.asdict(ours) == dataclasses.asdict(theirs) or name == "One"
    again, _ = tried(OURS, name, args, named)
    same, _ = tried(THEIRS, name, args, named)
    assert (ours == ours) is (theirs == theirs)  # noqa: PLR0124
    assert (ours == again) is (theirs == same) and (ours != again) is (theirs != same) and ours != theirs
    try:
        expected_hash: int | None = hash(theirs)
    except TypeError:
        expected_hash = None
    assert expected_hash is None or hash(ours) == expected_hash
    assert (copy.copy(ours) == ours) is (copy.copy(theirs) == theirs)
    assert referred(ours) is referred(theirs)


@pytest.mark.parametrize("name", list(THEIRS))
def test_classes_are_alike(name: str) -> None:
    ours, theirs = OURS[name], THEIRS[name]
    assert list(inspect.signature(ours).parameters) == list(inspect.signature(theirs).parameters)
    kept = ("name", "type", "init", "repr", "hash", "compare", "kw_only")
    assert [[getattr(f, k) for k in kept] for f in dataclasses.fields(ours)] == [
        [getattr(f, k) for k in kept] for f in dataclasses.fields(theirs)
    ]
    assert ours.__match_args__ == theirs.__match_args__  # type: ignore[attr-defined]
    again: set[str] = set()
    if sys.version_info >= (3, 11):
        assert getattr(ours, "__slots__", None) == getattr(theirs, "__slots__", None)
    else:  # a slot was made again for each field of a base, and what the class had for weak references was kept
        again = {"__weakref__", *(f.name for f in dataclasses.fields(theirs))}
    assert dataclasses.is_dataclass(ours) and ours.__qualname__ == theirs.__qualname__
    assert (ours.__hash__ is None) == (theirs.__hash__ is None)
    assert set(vars(theirs)) - set(vars(ours)) <= {"__doc__", "__annotations__", *ADDED, *again}


ADDED = {"__static_attributes__", "__firstlineno__"}
"""What Python itself puts into a class."""


def test_frozen_replaced_and_inherited() -> None:
    one = OURS["Child"](1, at=4)
    with pytest.raises(FrozenInstanceError):
        one.x = 2
    with pytest.raises(FrozenInstanceError):
        del one.x
    assert replace(one, x=5).x == 5 and replace(one, x=5).at == 4
    if sys.version_info >= (3, 13):
        assert copy.replace(one, x=5) == replace(one, x=5)
    base = OURS["Open"]

    @dataclass(frozen=True)
    class Later(base):  # type: ignore[misc, valid-type]
        c: int = 0

    assert Later(1, (), 3) == Later(1, (), 3) != Later(1, (), 4)
    with pytest.raises(ValueError, match="mutable default"):

        @_dataclass(frozen=True)
        class Wrong:
            a: list[int] = []  # noqa: RUF012


Made: Any = _dataclass


@Made(frozen=True, slots=True)
class Packed:
    a: int
    b: tuple[int, ...] = (1,)


def test_pickled() -> None:
    one: Any = Packed
    assert pickle.loads(pickle.dumps(one(3))) == one(3, (1,))


def test_only_while_it_lasts() -> None:
    kept = dataclasses.dataclass
    with quick_dataclasses():
        assert dataclasses.dataclass is not kept
    assert dataclasses.dataclass is kept
