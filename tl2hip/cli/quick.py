"""Quicker making of frozen dataclasses, while the program runs.

A cold start makes several hundred frozen dataclasses, libcst's and our own, and the standard library compiles six
functions for each, one by one before Python 3.13: a third to a half of the time to the first text. Inside
`quick_dataclasses()` the decorator compiles one, `__init__`, and takes the rest from closures that do the same.
Everything but plain `frozen=True` with or without `slots=True` goes to the standard library's own.
"""

from __future__ import annotations

import dataclasses
import operator
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import KW_ONLY, MISSING, Field, FrozenInstanceError, InitVar
from typing import Any, ClassVar

_original = dataclasses.dataclass
_INNER = getattr(dataclasses, "_FIELD", None)
_set = object.__setattr__
BY_FIELD = sys.version_info >= (3, 13)
"""Whether instances are compared field by field, so that one NaN object is no other, and can be `copy.replace`d."""


@_original(frozen=True)
class _Model:
    """A dataclass whose parameters stand for those of all that are made here."""


@contextmanager
def quick_dataclasses() -> Iterator[None]:
    """`dataclasses.dataclass` is the quicker one inside, for whoever imports it there; from Python 3.14 on nothing
    changes, since classes keep their annotations in another way."""
    if _INNER is None or sys.version_info >= (3, 14):
        yield
        return
    dataclasses.dataclass = _dataclass
    try:
        yield
    finally:
        dataclasses.dataclass = _original


def _dataclass(cls: type | None = None, /, **options: Any) -> Any:
    if cls is None:
        return lambda given: _dataclass(given, **options)
    slots = options.get("slots", False)
    plain = options.get("frozen") is True and options.keys() <= {"frozen", "slots"}
    if not plain or not _is_plain(cls):
        return _original(cls, **options)
    return _made(cls, slots)


def _is_plain(cls: type) -> bool:
    """Whether every annotation is a field or a ClassVar, and every base that is a dataclass is frozen."""
    annotations = cls.__dict__.get("__annotations__", {}).values()
    if any(_is_special(a) for a in annotations):
        return False
    params = (b.__dict__.get("__dataclass_params__") for b in cls.__mro__[1:])
    return all(p.frozen for p in params if p is not None) and "__slots__" not in cls.__dict__


def _is_special(annotation: object) -> bool:
    """Whether an annotation makes something else than a field or a class variable."""
    if isinstance(annotation, str):
        return "InitVar" in annotation or "KW_ONLY" in annotation
    return annotation in (InitVar, KW_ONLY) or isinstance(annotation, InitVar)


def _is_class_variable(annotation: object) -> bool:
    if isinstance(annotation, str):
        return annotation.startswith(("ClassVar", "typing.ClassVar", "t.ClassVar"))
    return annotation is ClassVar or getattr(annotation, "__origin__", None) is ClassVar


def _made(cls: type, slots: bool) -> type:
    fields = _inherited(cls)
    own = _own(cls)
    fields.update(own)
    each = tuple(fields.values())
    space = cls.__dict__
    added: dict[str, Any] = {
        "__dataclass_fields__": fields,
        "__dataclass_params__": _Model.__dict__["__dataclass_params__"],
        "__init__": space.get("__init__") or _init(cls, each),
        "__setattr__": _no_set,
        "__delattr__": _no_delete,
    }
    compared = tuple(f.name for f in each if f.compare)
    hashed = tuple(f.name for f in each if (f.compare if f.hash is None else f.hash))
    named = tuple(f.name for f in each if f.repr)
    added["__repr__"] = space.get("__repr__") or _repr(named)
    added["__eq__"] = space.get("__eq__") or (_eq_each if BY_FIELD else _eq)(_values(compared))
    explicit = "__hash__" in space and not (space["__hash__"] is None and "__eq__" in space)
    added["__hash__"] = space["__hash__"] if explicit else _hash(_values(hashed))
    positional = tuple(f.name for f in each if f.init and not f.kw_only)
    if BY_FIELD:
        added["__replace__"] = space.get("__replace__") or dataclasses._replace  # type: ignore[attr-defined]
    added["__match_args__"] = space.get("__match_args__", positional)
    if not slots:
        for name, value in added.items():
            setattr(cls, name, value)
        return cls
    return _slotted(cls, tuple(own), tuple(fields), added)


def _inherited(cls: type) -> dict[str, Field[Any]]:
    found: dict[str, Field[Any]] = {}
    for base in reversed(cls.__mro__[1:]):
        found.update(base.__dict__.get("__dataclass_fields__", {}))
    return {n: f for n, f in found.items() if f._field_type is _INNER}  # type: ignore[attr-defined]


def _own(cls: type) -> dict[str, Field[Any]]:
    """The fields that the class itself annotates; their defaults are left as class attributes."""
    found: dict[str, Field[Any]] = {}
    for name, annotation in cls.__dict__.get("__annotations__", {}).items():
        if _is_class_variable(annotation):
            continue
        default = cls.__dict__.get(name, MISSING)
        one: Field[Any] = default if isinstance(default, Field) else dataclasses.field(default=default)
        if one.default is not MISSING and one.default.__class__.__hash__ is None:
            raise ValueError(
                f"mutable default {type(one.default)} for field {name} is not allowed: use default_factory"
            )
        if isinstance(default, Field):
            if one.default is MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, one.default)
        one.name, one.type, one._field_type = name, annotation, _INNER  # type: ignore[attr-defined]
        if one.kw_only is MISSING:
            one.kw_only = False
        found[name] = one
    return found


def _init(cls: type, fields: tuple[Field[Any], ...]) -> Callable[..., None]:
    """`__init__`, the one function that is compiled."""
    given: dict[str, Any] = {"_set": _set, "_missing": MISSING}
    plain: list[str] = []
    only: list[str] = []
    body: list[str] = []
    for f in fields:
        value = f.name
        if f.default_factory is not MISSING:
            given[f"_make_{f.name}"] = f.default_factory
            value = f"_make_{f.name}() if {f.name} is _missing else {f.name}" if f.init else f"_make_{f.name}()"
        if f.init:
            has_default = f.default is not MISSING or f.default_factory is not MISSING
            given[f"_default_{f.name}"] = f.default
            word = f"{f.name}=_default_{f.name}" if has_default else f.name
            (only if f.kw_only else plain).append(word)
        if f.init or f.default_factory is not MISSING:
            body.append(f" _set(self, {f.name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append(" self.__post_init__()")
    head = ", ".join(["self", *plain, *(["*", *only] if only else [])])
    exec("def __init__(" + head + "):\n" + ("\n".join(body) or " pass"), given)
    made: Callable[..., None] = given["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _values(names: tuple[str, ...]) -> Callable[[Any], Any]:
    """What an instance is compared by: a tuple of its fields."""
    if not names:
        return lambda self: ()
    if len(names) == 1:
        one = operator.attrgetter(names[0])
        return lambda self: (one(self),)
    return operator.attrgetter(*names)


def _eq(values: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    def __eq__(self: Any, other: Any) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _eq_each(values: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    def __eq__(self: Any, other: Any) -> Any:
        if self is other:
            return True
        same = other.__class__ is self.__class__
        return all(map(operator.eq, values(self), values(other))) if same else NotImplemented

    return __eq__


def _hash(values: Callable[[Any], Any]) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:
        return hash(values(self))

    return __hash__


def _repr(names: tuple[str, ...]) -> Callable[[Any], str]:
    def __repr__(self: Any) -> str:
        inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({inside})"

    return __repr__


def _no_set(self: Any, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _no_delete(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _slotted(cls: type, own: tuple[str, ...], names: tuple[str, ...], added: dict[str, Any]) -> type:
    """The class once more, with slots for the fields that no base has one for."""
    taken = {s for base in cls.__mro__[1:-1] for s in base.__dict__.get("__slots__", ())}
    space = {n: v for n, v in cls.__dict__.items() if n not in own and n not in ("__dict__", "__weakref__")}
    space.update(added)
    space["__slots__"] = tuple(n for n in names if n not in taken)
    space.setdefault("__getstate__", lambda self: [getattr(self, n) for n in names])
    space.setdefault("__setstate__", lambda self, state: _restore(self, names, state))
    made = type(cls)(cls.__name__, cls.__bases__, space)
    made.__qualname__ = cls.__qualname__
    return made


def _restore(self: Any, names: tuple[str, ...], state: list[Any]) -> None:
    for name, value in zip(names, state, strict=True):
        _set(self, name, value)
