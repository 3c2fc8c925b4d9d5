"""Faults that are planted in the compiler, one at a time: the fuzzers must find each."""

from __future__ import annotations

from tests.fuzz.faults import moving, planning, reading
from tests.fuzz.faults.table import FAULTS, Fault

__all__ = ["FAULTS", "Fault", "moving", "planning", "reading"]
