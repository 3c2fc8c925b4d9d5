"""An article kernel as a function of loops, in a module that knows its sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tl2hip.dialects.article import calls
from tl2hip.dialects.article.loops import Speller
from tl2hip.dialects.article.names import OURS, Fresh, ours, words
from tl2hip.dialects.article.parameters import Given, given
from tl2hip.dialects.article.reading import Reader
from tl2hip.dialects.article.tiles import Tensor
from tl2hip.dtypes import BOOL
from tl2hip.source import nodes
from tl2hip.source.names import dims_bound, local_names, origin
from tl2hip.source.problems.article import BadDeclaration, NothingToMark, NotInArticle, NoValue
from tl2hip.source.problems.base import Refused, Report
from tl2hip.source.walk import target_names, walk


@dataclass(frozen=True, slots=True)
class Spelled:
    """A kernel spelled as loops, the module that its dims are in, and what is left to set of these."""

    function: nodes.Function
    module: nodes.Module
    sets: Mapping[str, int]


def spell(
    function: nodes.Function, module: nodes.Module, report: Report, sets: Mapping[str, Any]
) -> Spelled | None:
    """The kernel as loops over elements, every node at the user's place; None where something was refused.

    `sets` are values of parameters: sizes, blocks, other numbers and texts; and CompileKernel's own options.
    """
    errors = len(report.errors)
    dims = _file_dims(module)
    values = given(function, module, report, sets, dims)
    _check_decorators(function, module, report)
    reader = _read(function, module, values, dims)
    for problem in reader.problems:
        report.add(problem)
    if len(report.errors) > errors:
        return None
    found = _spelled(function, module, reader, report)
    if found is None or len(report.errors) > errors:
        return None
    return Spelled(*found, {name: value for name, value in sets.items() if name in dims})


def _read(function: nodes.Function, module: nodes.Module, values: Given, dims: frozenset[str]) -> Reader:
    """The reading of a kernel in which it is known which indices are stored."""
    local = local_names(function)
    unset = {p.name for p in function.parameters} - values.values.keys() - values.inside.keys()
    kept: frozenset[int] = frozenset()
    for _ in range(2):
        file = Reader(module, frozenset(), dims, frozenset(), function.name)
        reader = Reader(module, local, frozenset(unset) | (dims - local), kept, function.name)
        _fill(reader, file, values)
        _read_options(reader, values)
        reader.body(function.body)
        kept = frozenset(reader.stored)
    for marking in reader.everywhere:
        if not marking.used:
            way = "no index of this kernel is summed over: take it out"
            reader.problems.append(NothingToMark(marking.mark.word, way, at=marking.mark.at))
    return reader


def _fill(reader: Reader, file: Reader, values: Given) -> None:
    """Gives the parameters their values."""
    for source, given_values in ((file, values.values), (reader, values.inside)):
        for name, expr in given_values.items():
            try:
                reader.names[name] = source.value(expr)
            except Refused as refused:
                reader.names[name] = None
                reader.problems.append(refused.problem)


def _read_options(reader: Reader, values: Given) -> None:
    """`unroll=…` and `prefetch=…` of CompileKernel, as marks; n tiles fetched ahead are n + 1 in flight."""
    for option in values.options:
        try:
            more = 1 if option.name == "prefetch" else 0
            reader.everywhere.append(calls.marking(reader, option.name, option.value, option.at, more))
        except Refused as refused:
            reader.problems.append(refused.problem)


# --- the function and its module -------------------------------------------------------------------------


def _spelled(
    function: nodes.Function, module: nodes.Module, reader: Reader, report: Report
) -> tuple[nodes.Function, nodes.Module] | None:
    """The function in loops, with a module that knows its dims. What cannot be is reported."""
    sizes = [size for t in reader.tensors for size in t.shape] + [i.extent for i in reader.indices]
    dims = [name for name in dict.fromkeys(n for size in sizes for n in words(size.expr)) if name in reader.open]
    names = [t.name for t in reader.tensors]
    for tensor in reader.tensors:
        if tensor.name in dims:
            reason = f"{tensor.name} is the name of a tensor and of a size"
            report.add(BadDeclaration(reason, "give the tensor another name", at=tensor.at))
    if not any(t.output for t in reader.tensors):
        way = "declare what the kernel gives with tl.OutputTensor"
        report.add(NotInArticle("a kernel without outputs", way, at=function.at))
    body = Speller(Fresh({*names, *dims, *_known(reader)})).statements(
        reader.stores, [t for t in reader.tensors if t.output]
    )
    made = nodes.Function(
        function.name,
        tuple(map(_parameter, reader.tensors)),
        (*reader.asserts, *body),
        (),
        nodes.Nothing(at=function.at),
        function.doc,
        at=function.at,
    )
    _check_indices(reader, made, report)
    for one in walk(made):
        if isinstance(one, nodes.Name) and one.id in reader.open and one.id not in dims:
            report.add(NoValue(one.id, at=one.at))
    return made, _module(module, dims)


def _known(reader: Reader) -> frozenset[str]:
    """The names of the file that the kernel may speak of."""
    return frozenset(reader.module.origins) - reader.local


def _check_indices(reader: Reader, made: nodes.Function, report: Report) -> None:
    """Each index must have met a loop: its block would be ignored otherwise."""
    places = {one.at for one in walk(made) if isinstance(one, nodes.For)}
    for index in reader.indices:
        if index.at not in places:
            way = "take it out of the TileLoop, with its extent and block"
            report.add(NothingToMark(f"the tile index {index.name}", way, at=index.at))


def _parameter(tensor: Tensor) -> nodes.Parameter:
    """`A: Tensor[f16, M, K]`."""
    at = tensor.at
    dtype = ours("tl2hip", "bool_" if tensor.dtype is BOOL else tensor.dtype.name, at)
    options: tuple[nodes.Expr, ...] = ()
    if tensor.staged is not None:
        options = (nodes.Call(nodes.Name("?load_shared", at=tensor.staged), (), at=tensor.staged),)
    extents = tuple(size.expr for size in tensor.shape)
    annotation = nodes.Subscript(ours("tl2hip", "Tensor", at), (dtype, *extents, *options), at=at)
    return nodes.Parameter(tensor.name, annotation, None, at=at)


def _module(module: nodes.Module, dims: list[str]) -> nodes.Module:
    """The module with the open sizes as dims, and with our own names."""
    origins = {**module.origins, **OURS}
    if not dims:
        return replace(module, origins=origins)
    targets = nodes.Tuple_(tuple(nodes.Name(name) for name in dims))
    bound = nodes.Assign(
        (targets,), nodes.Call(nodes.Attribute(nodes.Name("?tl2hip"), "dims"), (nodes.Text(" ".join(dims)),))
    )
    return replace(module, origins=origins, assignments=(*module.assignments, bound))


def _file_dims(module: nodes.Module) -> frozenset[str]:
    """The names that `dims("M N")` binds in the file."""
    return frozenset(name for target, _ in dims_bound(module) for name in target_names(target))


def _check_decorators(function: nodes.Function, module: nodes.Module, report: Report) -> None:
    for d in function.decorators:
        if origin(d, module) != "tl2hip.CompileKernel":
            way = "tl.CompileKernel alone makes a kernel of it"
            report.add(NotInArticle("this decorator", way, at=d.at))
