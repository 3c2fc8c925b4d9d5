"""Dependence analysis: what each axis of a nest may be (parallel, a reduction, a scan, serial), and why.

An axis is parallel where its iterations may run in any order or at once: every scalar it sets is set before it
is read in the same iteration and not read after the loop, every local array made inside is its own, and no
element of another array is written in one iteration and used in another, the axes around it being equal. It is
a reduction where only accumulations whose order is free stand against that, a scan where these are also read as
they run but take in nothing that depends on what they hold, else serial.

What is taken as given: sums and products of axes, extents and scalar arguments stay within i64; arrays do not
overlap (`in_place_ok` says where two may be one); elements of a `distinct` index array differ as elements they
mean, so that -1 and n - 1 are not both among them. A negative index may wrap unless it is shown to be 0 or more.
"""

from __future__ import annotations

from tl2hip.nest.analysis.in_place import in_place_ok
from tl2hip.nest.analysis.kinds import Analysis, ArrayUpdate, AxisKind, Carried, analyse
from tl2hip.nest.analysis.scans import feeding
from tl2hip.nest.analysis.variables import Reduction, flag_of

__all__ = [
    "Analysis",
    "ArrayUpdate",
    "AxisKind",
    "Carried",
    "Reduction",
    "analyse",
    "feeding",
    "flag_of",
    "in_place_ok",
]
