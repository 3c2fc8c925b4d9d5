"""What a nest gives for some data is worked out once in a process.

Tests that plant faults in a printed text ask for it again for each of them, and it takes most of their time.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest

from tl2hip.nest.ir import Nest
from tl2hip.prove import verify

KEPT = 1 << 28
"""Bytes of the answers that are kept, the latest ones."""

Answers = OrderedDict[Hashable, tuple[Nest, Any]]


def remembered(function: Callable[..., Any], answers: Answers) -> Callable[..., Any]:
    """The function of a nest and its data, with the answers that it gave before. None of them can be written to."""

    def ask(nest: Nest, arrays: Mapping[str, np.ndarray[Any, Any]], *given: Any, **options: Any) -> Any:
        named = (*map(_items, given), _items(options))
        key = (function.__name__, id(nest), tuple(_data(arrays)), named)
        if key not in answers:
            answers[key] = nest, function(nest, arrays, *given, **options)  # kept, so that its id stays its own
            for array in _arrays(answers[key][1]):
                array.flags.writeable = False
            while len(answers) > 1 and sum(map(_bytes, answers.values())) > KEPT:
                answers.popitem(last=False)
        answers.move_to_end(key)
        return answers[key][1]

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


def _bytes(answer: tuple[Nest, Any]) -> int:
    return sum(array.nbytes for array in _arrays(answer[1]))


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
        for field in fields(answer):
            yield from _arrays(getattr(answer, field.name))


@pytest.fixture(autouse=True, scope="session")
def remembering() -> Iterator[None]:
    """Verify asks for the nest's answers through what is remembered."""
    answers: Answers = OrderedDict()
    with pytest.MonkeyPatch.context() as patch:
        for name in ("counted", "reference"):
            patch.setattr(verify, name, remembered(getattr(verify, name), answers))
        yield
