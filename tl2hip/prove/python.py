"""The user's own functions, run: what printed HIP is compared with. Nothing else of tl2hip runs a user's file."""

from __future__ import annotations

import contextlib
import functools
import inspect
import io
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from tl2hip.source.fresh import run_module


class PythonFails(Exception):
    """The user's file raised something; the text says what, `line` where in the file (0: not known)."""

    def __init__(self, words: str, line: int) -> None:
        super().__init__(words)
        self.line = line


def run_file(path: Path) -> ModuleType:
    """The file as a module, run as `python FILE` would but for its name. What it prints goes to stderr.

    Raises PythonFails.
    """
    name = f"_tl2hip_user_{path.parent.name}_{path.stem}"
    with _beside(path), _told_failures(str(path.resolve())):
        return run_module(name, path.resolve())


def run_text(text: str, name: str) -> ModuleType:
    """A text as a module, its functions able to give their source. Raises PythonFails."""
    import linecache

    module = ModuleType("_tl2hip_user_text")
    sys.modules[module.__name__] = module
    shown = f"<tl2hip {name}>"
    linecache.cache[shown] = (len(text), None, text.splitlines(keepends=True), shown)
    with _told_failures(shown):
        exec(compile(text, shown, "exec"), vars(module))
    return module


def function(module: ModuleType, name: str, sets: Mapping[str, int]) -> Callable[..., Any]:
    """A kernel of a module as a function of arrays and scalars, in the order of its parameters.

    `sets` fixes keyword-only parameters, and in the article's notation sizes. Raises KeyError where there is
    no such function.
    """
    from tl2hip.notation.article.compiled import ArticleKernel, CompileKernel
    from tl2hip.notation.compiler import Compilable
    from tl2hip.notation.kernels import kernel

    found: Any = vars(module)[name]
    if not isinstance(found, Compilable) and isinstance(found, FunctionType):
        compiled = [v for v in vars(module).values() if isinstance(v, ArticleKernel) and v.function is found]
        if "CompileKernel" in found.__code__.co_names or compiled:
            known = set(inspect.signature(found).parameters)
            given = compiled[0].arguments if compiled else {}
            return CompileKernel(found, **{**given, **{n: v for n, v in sets.items() if n in known}})
        found = kernel(found)
    if isinstance(found, ArticleKernel):
        return found
    plain = getattr(found, "function", found)
    only = [p.name for p in inspect.signature(plain).parameters.values() if p.kind is p.KEYWORD_ONLY]
    fixed = {n: sets[n] for n in only if n in sets}
    return functools.partial(found, **fixed) if fixed else found


def in_order(function: Callable[..., Any], order: Sequence[str]) -> Callable[..., Any]:
    """A kernel as a function of all its printed arguments, which `order` names.

    Keyword-only parameters are passed by name. In the article's notation a kernel takes its inputs alone and gives
    its outputs: they are put into the arrays that are passed for them.
    """
    from tl2hip.notation.article.compiled import ArticleKernel

    if not isinstance(function, ArticleKernel):
        return _by_name(function, order)
    kernel = function

    def filled(*arrays: Any) -> None:
        given = dict(zip(order, arrays, strict=True))
        inputs, outputs = kernel.tensors()
        made = kernel(*(given[name] for name in inputs))
        for name, array in zip(outputs, made if len(outputs) > 1 else (made,), strict=True):
            given[name][...] = array

    return filled


def _by_name(function: Callable[..., Any], order: Sequence[str]) -> Callable[..., Any]:
    """A function whose keyword-only parameters, if any are in `order`, may be passed in its place."""
    parameters = inspect.signature(getattr(function, "function", function)).parameters
    only = [n for n in order if n in parameters and parameters[n].kind is inspect.Parameter.KEYWORD_ONLY]
    if not only:
        return function

    def called(*arguments: Any) -> Any:
        given = dict(zip(order, arguments, strict=True))
        named = {n: given.pop(n) for n in only}
        return function(*given.values(), **named)

    return called


@contextlib.contextmanager
def _beside(path: Path) -> Iterator[None]:
    """The modules beside a file can be imported, as when it is run. The file may change the path as it likes."""
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        if folder in sys.path:
            sys.path.remove(folder)


@contextlib.contextmanager
def _told_failures(filename: str) -> Iterator[None]:
    """What running raises becomes PythonFails; what it prints goes to stderr."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            yield
    except (Exception, SystemExit) as error:
        raise PythonFails(f"{type(error).__name__}: {error}", _line(error, filename)) from error
    finally:
        sys.stderr.write(said.getvalue())


def _line(error: BaseException, filename: str) -> int:
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == filename:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
