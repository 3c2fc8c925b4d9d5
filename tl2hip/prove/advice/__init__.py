"""What an expert would say of a kernel, each sentence by a rule of its own from figures that are measured, counted
or modelled."""

from __future__ import annotations

from tl2hip.prove.advice.figures import Figures, figures
from tl2hip.prove.advice.memory import bank_conflicts, behind_l2, narrow_accesses, uncoalesced
from tl2hip.prove.advice.remark import Remark, percent
from tl2hip.prove.advice.resources import few_blocks, few_waves, scratch
from tl2hip.prove.advice.waiting import (
    lds_busier_than_matrix,
    vector_beside_matrix,
    waits_at_barriers,
    waits_on_lds,
    waits_on_loads,
)
from tl2hip.prove.machine.model.result import Busy

__all__ = ["MOST", "RULES", "Figures", "Remark", "figures", "limit", "remarks"]

RULES = (
    scratch, bank_conflicts, uncoalesced, waits_on_loads, waits_on_lds, waits_at_barriers, lds_busier_than_matrix,
    vector_beside_matrix, behind_l2, few_waves, few_blocks, narrow_accesses,
)  # fmt: skip
"""Every rule: a function of the figures that says one thing, or nothing where it is well."""
MOST = 4
"""How many sentences people are told."""

UNITS = {"mfma": "the matrix units", "valu": "the vector units", "lds": "LDS", "memory": "memory's bandwidth"}


def remarks(f: Figures) -> tuple[Remark, ...]:
    """What there is to say of a kernel, the weightiest first."""
    found = [one for rule in RULES if (one := rule(f)) is not None]
    return tuple(sorted(found, key=lambda one: -one.weight))


def limit(f: Figures) -> str:
    """The unit that is busiest at each setting, in words: what a modelled kernel without faults is bound by."""
    busiest = [max(UNITS, key=lambda unit: _part(one, unit)) for one in f.busy]
    most = max(_part(one, unit) for one, unit in zip(f.busy, busiest, strict=True))
    if most < 0.5:
        return f"no unit is busy for more than {percent([most])} of the time"
    told = []
    for unit in dict.fromkeys(busiest):
        shares = [_part(one, unit) for one, its in zip(f.busy, busiest, strict=True) if its == unit]
        told.append(f"{UNITS[unit]} (busy {percent(shares)})")
    return f"its limit is {' or '.join(told)}"


def _part(busy: Busy, unit: str) -> float:
    part: float = getattr(busy, unit)
    return part
