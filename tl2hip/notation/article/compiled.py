"""`CompileKernel`: an article kernel's function as a kernel object, from inside the function or outside."""

from __future__ import annotations

import inspect
import operator
import sys
from collections.abc import Callable, Mapping
from types import FrameType, FunctionType
from typing import Any

from tl2hip.notation.article.runs import Run, Size, current, running
from tl2hip.notation.article.tensors import Declared
from tl2hip.notation.bind import bind
from tl2hip.notation.compiler import Compilable
from tl2hip.notation.elements import Element
from tl2hip.notation.extents import Dim, Extent, value_at
from tl2hip.notation.marks import checked_marks
from tl2hip.notation.tensors import TensorType


class ArticleKernel(Compilable):
    """A kernel in the article's notation: call it with the inputs for its outputs, or ask for its HIP."""

    def __init__(
        self,
        function: FunctionType,
        arguments: Mapping[str, Any],
        declared: Mapping[str, tuple[Size, ...]],
        options: Mapping[str, int] | None = None,
    ) -> None:
        sets = {"unroll": 0, "prefetch": 0, **(options or {}), **arguments}
        super().__init__(function, {name: _plain(value) for name, value in sets.items()})
        self.arguments = dict(arguments)
        self.declared = dict(declared)

    def __call__(self, *arrays: Any, **named: Any) -> Any:
        """Runs the function on NumPy arrays, one for each input in order or by name.

        Gives the output, or a tuple of them in the order they were declared. TypeError or ValueError where an
        array does not fit its declaration.
        """
        name = self.function.__name__
        dry, dims = self._dry_run()
        inputs = _by_name(name, list(dry.inputs), arrays, named)
        types = {key: TensorType(kind, shape) for key, (kind, shape) in dry.inputs.items()}
        bound = bind(name, types, inputs)
        run = Run(self, inputs, frozenset(dry.stored))
        with running(run):
            self.function(**self.arguments, **_values(name, dims, bound, dry.loops))
        outputs = tuple(run.outputs.values())
        return outputs[0] if len(outputs) == 1 else outputs

    def tensors(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of the inputs and of the outputs, each in the order they are declared."""
        run, _ = self._dry_run()
        return tuple(run.inputs), tuple(run.outputs)

    def _dry_run(self) -> tuple[Run, list[str]]:
        """A run without arrays, each parameter that has no value yet standing for a dim; and their names."""
        dims = [name for name in inspect.signature(self.function).parameters if name not in self.arguments]
        run = Run(self)
        with running(run):
            self.function(**self.arguments, **{name: Dim(name) for name in dims})
        for name, shape in self.declared.items():
            if name in run.inputs and run.inputs[name][1] != shape:
                raise ValueError(
                    f"{self.function.__name__}: {name} was {list(shape)} when compiled and is"
                    f" {list(run.inputs[name][1])} now; a parameter that is changed needs a name of its own"
                )
        return run, dims

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"<kernel {self.function.__name__}({given})>"


def CompileKernel(
    function: Callable[..., Any], *, unroll: int | None = None, prefetch: int | None = None, **sizes: Any
) -> ArticleKernel:
    """The function as a kernel.

    Inside the function (`return tl.CompileKernel(f)`) its arguments are those of the call in progress, and
    the function is not called again. Outside, sizes come from the arrays of each call; blocks, and whatever
    else no shape gives, from `sizes` or the parameters' defaults; a block given nowhere is the whole extent.
    `unroll` and `prefetch` are the loop's unroll count and how many tiles are fetched ahead.
    """
    if not isinstance(function, FunctionType):
        raise TypeError(f"CompileKernel takes the kernel's function, not {function!r}")
    options = {name: n for name, n in (("unroll", unroll), ("prefetch", prefetch)) if n is not None}
    for what, count in options.items():
        checked_marks(what, (count,))
    run = current()
    if isinstance(run.of, ArticleKernel) and run.of.function is function:
        return run.of
    parameters = inspect.signature(function).parameters
    for name in sizes:
        if name not in parameters:
            raise TypeError(f"CompileKernel: {function.__name__} has no parameter {name}")
    frame = _frame_of(function)
    if frame is None:
        defaults = {name: p.default for name, p in parameters.items() if p.default is not p.empty}
        return ArticleKernel(function, defaults | sizes, {}, options)
    local = frame.f_locals
    declared = {t.name: t.shape for t in local.values() if isinstance(t, Declared)}
    return ArticleKernel(function, {name: local[name] for name in parameters} | sizes, declared, options)


def _plain(value: Any) -> Any:
    """An argument as the compiler takes it: a Python number, or the name of a dtype; others as they are."""
    if isinstance(value, (bool, float, str)):
        return value
    if hasattr(value, "__index__"):
        return operator.index(value)
    if isinstance(value, Element):
        return value.name
    return value.__name__ if isinstance(value, type) else getattr(value, "name", value)


def _frame_of(function: FunctionType) -> FrameType | None:
    """The innermost call of `function` in progress, if there is one."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code is not function.__code__:
        frame = frame.f_back
    return frame


def _by_name(name: str, inputs: list[str], arrays: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    """The arrays of a call by the names of the inputs they are for, in the inputs' order."""
    if len(arrays) > len(inputs):
        raise TypeError(f"{name} takes {len(inputs)} arrays ({', '.join(inputs)}), not {len(arrays)}")
    given = dict(zip(inputs, arrays, strict=False))
    for key, array in named.items():
        if key not in inputs:
            raise TypeError(f"{name} has no input {key}; its inputs are {', '.join(inputs)}")
        if key in given:
            raise TypeError(f"{name}: {key} is given twice")
        given[key] = array
    missing = [key for key in inputs if key not in given]
    if missing:
        raise TypeError(f"{name}: no array is given for {', '.join(missing)}")
    return {key: given[key] for key in inputs}


def _values(name: str, dims: list[str], bound: Mapping[str, int], loops: list[tuple[Size, Size]]) -> dict[str, int]:
    """A value for each open parameter: from the arrays' shapes, for a block the extent of its loop."""
    values = {dim: bound[dim] for dim in dims if dim in bound}
    for extent, block in loops:
        open_block = isinstance(block, Dim) and block.name not in values
        if open_block and (not isinstance(extent, Extent) or extent.names() <= values.keys()):
            values[str(block)] = max(1, value_at(extent, values))
    missing = [dim for dim in dims if dim not in values]
    if missing:
        raise TypeError(
            f"{name}: no array's shape gives {', '.join(missing)};"
            f" say so where the kernel is compiled: tl.CompileKernel({name}, {missing[0]}=…)"
        )
    return values
