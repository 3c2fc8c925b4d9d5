"""Names, dtypes, shapes and expressions (TL3xx).

The classes stand in modules beside this one; each is imported when a class of it is first asked for, since most
kernels are refused nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tl2hip.source.problems.types_choices import PowerSign as PowerSign
    from tl2hip.source.problems.types_choices import StillPython as StillPython
    from tl2hip.source.problems.types_choices import TwoTypes as TwoTypes
    from tl2hip.source.problems.types_forms import AssertNotSizes as AssertNotSizes
    from tl2hip.source.problems.types_forms import BadReturn as BadReturn
    from tl2hip.source.problems.types_forms import BadStep as BadStep
    from tl2hip.source.problems.types_forms import ChangesInside as ChangesInside
    from tl2hip.source.problems.types_forms import NeverTrue as NeverTrue
    from tl2hip.source.problems.types_forms import NotARange as NotARange
    from tl2hip.source.problems.types_forms import NotSupported as NotSupported
    from tl2hip.source.problems.types_forms import ReturnHint as ReturnHint
    from tl2hip.source.problems.types_forms import UnknownAttribute as UnknownAttribute
    from tl2hip.source.problems.types_forms import UnknownFunction as UnknownFunction
    from tl2hip.source.problems.types_forms import WrongArguments as WrongArguments
    from tl2hip.source.problems.types_names import BadExtent as BadExtent
    from tl2hip.source.problems.types_names import BadSetting as BadSetting
    from tl2hip.source.problems.types_names import BadTypes as BadTypes
    from tl2hip.source.problems.types_names import ConstantWithoutValue as ConstantWithoutValue
    from tl2hip.source.problems.types_names import DimWithoutExtent as DimWithoutExtent
    from tl2hip.source.problems.types_names import ForeignType as ForeignType
    from tl2hip.source.problems.types_names import HintNotUnderstood as HintNotUnderstood
    from tl2hip.source.problems.types_names import LocalHint as LocalHint
    from tl2hip.source.problems.types_names import MaybeUndefined as MaybeUndefined
    from tl2hip.source.problems.types_names import NoHint as NoHint
    from tl2hip.source.problems.types_names import NotANumber as NotANumber
    from tl2hip.source.problems.types_names import TypeChanges as TypeChanges
    from tl2hip.source.problems.types_names import UndefinedName as UndefinedName
    from tl2hip.source.problems.types_names import UnknownDType as UnknownDType
    from tl2hip.source.problems.types_names import UnknownSetting as UnknownSetting
    from tl2hip.source.problems.types_values import ArrayAsTest as ArrayAsTest
    from tl2hip.source.problems.types_values import ElementNeedsOneValue as ElementNeedsOneValue
    from tl2hip.source.problems.types_values import FoldedStore as FoldedStore
    from tl2hip.source.problems.types_values import IndexNotInteger as IndexNotInteger
    from tl2hip.source.problems.types_values import LiteralOutOfRange as LiteralOutOfRange
    from tl2hip.source.problems.types_values import NeedsArray as NeedsArray
    from tl2hip.source.problems.types_values import NoCommonType as NoCommonType
    from tl2hip.source.problems.types_values import NotBoolean as NotBoolean
    from tl2hip.source.problems.types_values import NotDefinedFor as NotDefinedFor
    from tl2hip.source.problems.types_values import ShapesDiffer as ShapesDiffer
    from tl2hip.source.problems.types_values import WrongAxis as WrongAxis
    from tl2hip.source.problems.types_values import WrongRank as WrongRank
    from tl2hip.source.problems.types_warnings import HeldInF32 as HeldInF32
    from tl2hip.source.problems.types_warnings import NarrowAccumulator as NarrowAccumulator

_HOMES = {
    "choices": (
        "PowerSign",
        "StillPython",
        "TwoTypes",
    ),
    "names": (
        "BadExtent",
        "BadSetting",
        "BadTypes",
        "ConstantWithoutValue",
        "DimWithoutExtent",
        "ForeignType",
        "HintNotUnderstood",
        "LocalHint",
        "MaybeUndefined",
        "NoHint",
        "NotANumber",
        "TypeChanges",
        "UndefinedName",
        "UnknownDType",
        "UnknownSetting",
    ),
    "values": (
        "ArrayAsTest",
        "ElementNeedsOneValue",
        "FoldedStore",
        "IndexNotInteger",
        "LiteralOutOfRange",
        "NeedsArray",
        "NoCommonType",
        "NotBoolean",
        "NotDefinedFor",
        "ShapesDiffer",
        "WrongAxis",
        "WrongRank",
    ),
    "forms": (
        "AssertNotSizes",
        "BadReturn",
        "ChangesInside",
        "BadStep",
        "NeverTrue",
        "NotARange",
        "NotSupported",
        "ReturnHint",
        "UnknownAttribute",
        "UnknownFunction",
        "WrongArguments",
    ),
    "warnings": (
        "HeldInF32",
        "NarrowAccumulator",
    ),
}
_HOME = {name: f"tl2hip.source.problems.types_{part}" for part, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> object:
    """A class of the catalogue, from the module it lives in."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(_HOME[name]), name)
    globals()[name] = found
    return found


def load_all() -> None:
    """Import every class, so that the catalogue is whole."""
    for module in dict.fromkeys(_HOME.values()):
        import_module(module)
