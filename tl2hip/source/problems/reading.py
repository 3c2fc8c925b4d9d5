"""What the reader refuses: syntax, constructs, names of kernels (TL1xx)."""

from __future__ import annotations

from tl2hip.source.problems.reading_expressions import (
    BuiltContainer,
    FormattedText,
    GeneratorPlace,
    HashedContainer,
    Identity,
    Membership,
    OtherLiteral,
    Walrus,
)
from tl2hip.source.problems.reading_files import (
    AnnotationText,
    NotPython,
    TooDeep,
    Undecodable,
    UnknownSyntax,
    Unreadable,
)
from tl2hip.source.problems.reading_functions import (
    DefinedTwice,
    DefinitionInside,
    ImportInside,
    NotAtFileLevel,
    OpenParameters,
    OtherDecorator,
    Recursion,
    TypeParameters,
)
from tl2hip.source.problems.reading_statements import (
    Deletes,
    Exceptions,
    LoopElse,
    MatchInside,
    OtherContext,
    OtherTarget,
    OuterNames,
    Starred,
    Suspends,
)

__all__ = [
    "AnnotationText",
    "BuiltContainer",
    "DefinedTwice",
    "DefinitionInside",
    "Deletes",
    "Exceptions",
    "FormattedText",
    "GeneratorPlace",
    "HashedContainer",
    "Identity",
    "ImportInside",
    "LoopElse",
    "MatchInside",
    "Membership",
    "NotAtFileLevel",
    "NotPython",
    "OpenParameters",
    "OtherContext",
    "OtherDecorator",
    "OtherLiteral",
    "OtherTarget",
    "OuterNames",
    "Recursion",
    "Starred",
    "Suspends",
    "TooDeep",
    "TypeParameters",
    "Undecodable",
    "UnknownSyntax",
    "Unreadable",
    "Walrus",
]
