"""What the reader refuses: syntax, constructs, names of kernels (TL1xx).

The classes stand in four modules beside this one; each is imported when a class of it is first asked for, since
most files are refused nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tl2hip.source.problems.reading_expressions import BuiltContainer as BuiltContainer
    from tl2hip.source.problems.reading_expressions import FormattedText as FormattedText
    from tl2hip.source.problems.reading_expressions import GeneratorPlace as GeneratorPlace
    from tl2hip.source.problems.reading_expressions import HashedContainer as HashedContainer
    from tl2hip.source.problems.reading_expressions import Identity as Identity
    from tl2hip.source.problems.reading_expressions import Membership as Membership
    from tl2hip.source.problems.reading_expressions import OtherLiteral as OtherLiteral
    from tl2hip.source.problems.reading_expressions import Walrus as Walrus
    from tl2hip.source.problems.reading_files import AnnotationText as AnnotationText
    from tl2hip.source.problems.reading_files import BracketedTarget as BracketedTarget
    from tl2hip.source.problems.reading_files import NotPython as NotPython
    from tl2hip.source.problems.reading_files import TooDeep as TooDeep
    from tl2hip.source.problems.reading_files import Undecodable as Undecodable
    from tl2hip.source.problems.reading_files import UnknownSyntax as UnknownSyntax
    from tl2hip.source.problems.reading_files import Unreadable as Unreadable
    from tl2hip.source.problems.reading_functions import DefinedTwice as DefinedTwice
    from tl2hip.source.problems.reading_functions import DefinitionInside as DefinitionInside
    from tl2hip.source.problems.reading_functions import ImportInside as ImportInside
    from tl2hip.source.problems.reading_functions import NotAtFileLevel as NotAtFileLevel
    from tl2hip.source.problems.reading_functions import OpenParameters as OpenParameters
    from tl2hip.source.problems.reading_functions import OtherDecorator as OtherDecorator
    from tl2hip.source.problems.reading_functions import Recursion as Recursion
    from tl2hip.source.problems.reading_functions import TypeParameters as TypeParameters
    from tl2hip.source.problems.reading_statements import Deletes as Deletes
    from tl2hip.source.problems.reading_statements import Exceptions as Exceptions
    from tl2hip.source.problems.reading_statements import LoopElse as LoopElse
    from tl2hip.source.problems.reading_statements import MatchInside as MatchInside
    from tl2hip.source.problems.reading_statements import OtherContext as OtherContext
    from tl2hip.source.problems.reading_statements import OtherTarget as OtherTarget
    from tl2hip.source.problems.reading_statements import OuterNames as OuterNames
    from tl2hip.source.problems.reading_statements import Starred as Starred
    from tl2hip.source.problems.reading_statements import Suspends as Suspends

_HOMES = {
    "files": (
        "AnnotationText",
        "BracketedTarget",
        "NotPython",
        "TooDeep",
        "Undecodable",
        "UnknownSyntax",
        "Unreadable",
    ),
    "functions": (
        "DefinedTwice",
        "DefinitionInside",
        "ImportInside",
        "NotAtFileLevel",
        "OpenParameters",
        "OtherDecorator",
        "Recursion",
        "TypeParameters",
    ),
    "statements": (
        "Deletes",
        "Exceptions",
        "LoopElse",
        "MatchInside",
        "OtherContext",
        "OtherTarget",
        "OuterNames",
        "Starred",
        "Suspends",
    ),
    "expressions": (
        "BuiltContainer",
        "FormattedText",
        "GeneratorPlace",
        "HashedContainer",
        "Identity",
        "Membership",
        "OtherLiteral",
        "Walrus",
    ),
}
_HOME = {name: f"tl2hip.source.problems.reading_{part}" for part, names in _HOMES.items() for name in names}

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
