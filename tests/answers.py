"""What a nest gives for some data is worked out once in a process.

Tests that plant faults in a printed text ask for it again for each of them, and it takes most of their time.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np
import pytest

from tl2hip.nest.ir import Nest
from tl2hip.prove import verify

KEPT, MOST = 1 << 28, 1000
"""Bytes of the answers that are kept, the latest ones, and how many: with each its nest is kept."""



@dataclass(slots=True)
class Answers:
    """What was answered, by what was asked: the nest (its id is its own as long as it is kept), the answer, and the
    bytes of that."""

    kept: OrderedDict[Hashable, tuple[Nest, Any, int]] = field(default_factory=OrderedDict)
    bytes: int = 0

    def add(self, key: Hashable, nest: Nest, answer: Any) -> None:
        """Keeps an answer, which nothing may write to from now on; the oldest ones go."""
        size = 0
        for array in _arrays(answer):
            array.flags.writeable = False
            size += array.nbytes
        self.kept[key] = nest, answer, size
        self.bytes += size
        while (self.bytes > KEPT or len(self.kept) > MOST) and len(self.kept) > 1:
            self.bytes -= self.kept.popitem(last=False)[1][2]


def remembered(function: Callable[..., Any], answers: Answers) -> Callable[..., Any]:
    """The function of a nest and its data, with the answers that it gave before."""

    def ask(nest: Nest, arrays: Mapping[str, np.ndarray[Any, Any]], *given: Any, **options: Any) -> Any:
        named = (*map(_items, given), _items(options))
        key = (function.__name__, id(nest), tuple(_data(arrays)), named)
        if key not in answers.kept:
            answers.add(key, nest, function(nest, arrays, *given, **options))
        return answers.kept[key][1]

    return ask


def _items(one: Any) -> Hashable:
    """A mapping, or what else is given, as something to look up by."""
    if isinstance(one, Mapping):
        return tuple((name, _items(value)) for name, value in sorted(one.items()))
    return one if isinstance(one, Hashable) else tuple(one)


def _data(arrays: Mapping[str, np.ndarray[Any, Any]]) -> Iterator[Hashable]:
    """Arrays by what they hold; `same` says which of them are one array."""
    names: dict[int, str] = {}
    for name, array in arrays.items():
        same = names.setdefault(id(array), name)
        yield name, same, array.shape, str(array.dtype), hashlib.blake2b(array.tobytes()).digest()


def _arrays(answer: Any) -> Iterator[np.ndarray[Any, Any]]:
    """All arrays in an answer."""
    if isinstance(answer, np.ndarray):
        yield answer
    elif isinstance(answer, Mapping):
        for value in answer.values():
            yield from _arrays(value)
    elif isinstance(answer, tuple):
        for value in answer:
            yield from _arrays(value)
    elif is_dataclass(answer):
        for one in fields(answer):
            yield from _arrays(getattr(answer, one.name))


@pytest.fixture(autouse=True, scope="session")
def remembering() -> Iterator[None]:
    """Verify asks for the nest's answers through what is remembered."""
    answers = Answers()
    with pytest.MonkeyPatch.context() as patch:
        for name in ("counted", "reference"):
            patch.setattr(verify, name, remembered(getattr(verify, name), answers))
        yield
