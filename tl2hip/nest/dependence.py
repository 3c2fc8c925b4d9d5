"""Dependence analysis: what each axis of a nest may be (parallel, a reduction, serial), and why."""

from __future__ import annotations

from tl2hip.nest.analysis.in_place import in_place_ok
from tl2hip.nest.analysis.kinds import Analysis, ArrayUpdate, AxisKind, Carried, analyse
from tl2hip.nest.analysis.variables import Reduction

__all__ = ["Analysis", "ArrayUpdate", "AxisKind", "Carried", "Reduction", "analyse", "in_place_ok"]
