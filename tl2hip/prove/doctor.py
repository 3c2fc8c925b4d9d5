"""What this machine can prove: the compilers that are there, and whether the emulated compute unit runs."""

from __future__ import annotations

import os
from dataclasses import dataclass

from tl2hip.prove.compiler import HOW_TO_GET_ONE, MissingCompiler, cache_folder, compilers, version
from tl2hip.prove.emulate.library import unsupported


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of the report: what it is about, whether it is as it should be, and the words."""

    about: str
    good: bool
    text: str


def report() -> list[Fact]:
    """The facts that `tl2hip doctor` prints, in order. Never raises for a machine that lacks something."""
    return [*_compiler_facts(), _emulator_fact(), _cache_fact()]


def _compiler_facts() -> list[Fact]:
    facts = []
    named = os.environ.get("TL2HIP_CXX")
    found = compilers()
    if named and not any(one.name == named for one in found):
        facts.append(Fact("compiler", False, f"TL2HIP_CXX names {named}, which is not there"))
    for position, one in enumerate(found):
        use = "in use" if position == 0 and not facts else "also there"
        try:
            facts.append(Fact("compiler", True, f"{one.name} ({use}): {version(one)}"))
        except MissingCompiler as error:
            facts.append(Fact("compiler", False, str(error)))
    if not found:
        facts.append(Fact("compiler", False, f"none: {HOW_TO_GET_ONE}"))
    return facts


def _emulator_fact() -> Fact:
    why = unsupported()
    if why is None:
        return Fact("emulated compute unit", True, "runs here")
    return Fact("emulated compute unit", False, f"does not run here: {why}")


def _cache_fact() -> Fact:
    folder = cache_folder()
    place = folder
    while not place.exists() and place != place.parent:
        place = place.parent
    if place.is_dir() and os.access(place, os.W_OK):
        return Fact("cache", True, str(folder))
    return Fact("cache", False, f"{folder} cannot be written, so nothing is kept; set TL2HIP_CACHE")
