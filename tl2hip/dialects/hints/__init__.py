"""Types of parameters as other tools write them, read as `Tensor[…]` and our scalars.

`NDArray[np.float32]`, jaxtyping's `Float32[np.ndarray, "M N"]`, Pyccel's `"float32[:,:]"`, a signature of Numba,
and types that the caller gives beside the file.

>>> from tl2hip.source.problems.base import Report
>>> from tl2hip.source.read import read
>>> from tl2hip.source.span import Source
>>> source = Source("k.py", '''
... def twice(x: "float32[:]", y: "float32[:]"):
...     for i in range(len(x)):
...         y[i] = 2 * x[i]
... ''')
>>> report = Report(source)
>>> module = read(source, report, every=True)
>>> typed = expand(module.functions[0], module, report)
>>> typed.function.parameters[0].annotation.value.name
'Tensor'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl2hip.source import nodes
from tl2hip.source.problems.base import Report

if TYPE_CHECKING:
    from tl2hip.dialects.hints.spelling import Typed

_WORDS = ("NDArray", "ndarray", "jaxtyping", "numba", "[:")


def may_have_hints(module: nodes.Module) -> bool:
    """Whether a file may have types of another notation, told quickly."""
    return any(word in module.source.text for word in _WORDS)


def expand(function: nodes.Function, module: nodes.Module, report: Report, types: str = "") -> Typed | None:
    """The function with its types in our notation, and the module that knows their dims; None where something was
    refused. `types` are its parameters' types as a caller gives them: `x=f32[N], y=f32[M, N]`."""
    from tl2hip.dialects.hints.spelling import spell

    return spell(function, module, report, types)
