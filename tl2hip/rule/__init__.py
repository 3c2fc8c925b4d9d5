"""Rules: what rule files are written with, and the engine that finds them in nests.

Rule files import from here: `rule`, the holes, `combine` and the marking words. `load_rules`, `apply` and
`check_rules` are the compiler's side; they are imported when they are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tl2hip.rule.holes import Axis, Const, Extent, Fn, Op, Rounding, Rule, Value, rule
from tl2hip.rule.meaning import combine, contract, elementwise, row_reduce

if TYPE_CHECKING:
    from tl2hip.rule.check import RuleReport as RuleReport
    from tl2hip.rule.check import check_rules as check_rules
    from tl2hip.rule.fits import Match as Match
    from tl2hip.rule.load import BadRules as BadRules
    from tl2hip.rule.load import load_rules as load_rules
    from tl2hip.rule.recognise import Applied as Applied
    from tl2hip.rule.recognise import NearMiss as NearMiss
    from tl2hip.rule.recognise import Verdict as Verdict
    from tl2hip.rule.recognise import apply as apply

__all__ = [
    "Axis",
    "Const",
    "Extent",
    "Fn",
    "Op",
    "Rounding",
    "Rule",
    "Value",
    "combine",
    "contract",
    "elementwise",
    "row_reduce",
    "rule",
]

_HOMES = {
    "tl2hip.rule.recognise": ("Applied", "NearMiss", "Verdict", "apply"),
    "tl2hip.rule.check": ("RuleReport", "check_rules"),
    "tl2hip.rule.load": ("BadRules", "load_rules"),
    "tl2hip.rule.fits": ("Match",),
}

_MODULES = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """The compiler's side, from the module it lives in."""
    if name not in _MODULES:
        raise AttributeError(f"module 'tl2hip.rule' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_MODULES[name]), name)
