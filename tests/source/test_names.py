"""What names stand for."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.source.reading import read_text
from tl2hip.source.names import file_values, local_names, origin
from tl2hip.source.nodes import Attribute, Call, Expr, Name, Number

FILE = dedent("""\
    import math
    import os.path
    import numpy as np
    import numpy.linalg as la
    import numpy.typing
    import tilelang as tl
    import tilelang.language as T
    import tl2hip
    from math import exp as e
    from tl2hip import Tensor, f32 as F
    from tl2hip.notation.tensors import Tile
    from .near import thing
    if math.pi > 3:
        from typing import Any
    root = np.sqrt
    sine, cosine = math.sin, np.cos
    EPS = 1e-5
    class Box: pass
    def max(x): return x
    @tl.kernel
    def k(X, range): X[0] = max(1)
    """)


def parse(text: str) -> Expr:
    first, *rest = text.split(".")
    made: Expr = Name(first)
    for part in rest:
        made = Attribute(made, part)
    return made


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("math.exp", "math.exp"),
        ("e", "math.exp"),
        ("np.exp", "numpy.exp"),
        ("np", "numpy"),
        ("la.norm", "numpy.linalg.norm"),
        ("numpy.typing.NDArray", "numpy.typing.NDArray"),
        ("os.path", "os.path"),
        ("tl.dot", "tl2hip.dot"),
        ("T.gemm", "tilelang.language.gemm"),
        ("tl2hip.tile.dot", "tl2hip.tile.dot"),
        ("Tensor", "tl2hip.Tensor"),
        ("F", "tl2hip.f32"),
        ("Tile", "tl2hip.Tile"),
        ("thing", ".near.thing"),
        ("Any", "typing.Any"),
        ("root", "numpy.sqrt"),
        ("sine", "math.sin"),
        ("cosine", "numpy.cos"),
        ("EPS", ".EPS"),
        ("Box", ".Box"),
        ("max", ".max"),
        ("min", "builtins.min"),
        ("range", "builtins.range"),
        ("unknown", None),
        ("unknown.part", None),
    ],
)
def test_origins(text: str, expected: str | None) -> None:
    module, report = read_text(FILE)
    assert report.problems == []
    assert origin(parse(text), module) == expected


def test_local_names_hide() -> None:
    module, _ = read_text(FILE)
    hidden = local_names(module.functions[-1])
    assert hidden == {"X", "range"}
    assert origin(Name("range"), module, hidden) is None
    assert origin(parse("np.exp"), module, {"np"}) is None


def test_only_names_and_attributes_have_an_origin() -> None:
    module, _ = read_text(FILE)
    assert origin(Call(Name("e"), ()), module) is None
    assert origin(Attribute(Call(Name("e"), ()), "real"), module) is None


def test_local_names_are_all_that_a_function_binds() -> None:
    text = dedent("""\
        from tl2hip import kernel
        @kernel
        def k(a, *, b=1):
            c: int
            d, (e, a[f]) = g = 1
            h += 1
            for i, j in x:
                while x:
                    l = 1
            if x: m = 1
            elif y: n = 1
            else: o = 1
            p = sum(q for q in r)
        """)
    module, report = read_text(text)
    assert report.problems == []
    assert local_names(module.functions[0]) == set("abcdeghijlmnop")


def star(imports: str, name: str) -> str | None:
    module, _ = read_text(f"{imports}\nfrom tl2hip import kernel\n@kernel\ndef k(X): pass\n")
    return origin(Name(name), module)


def test_star_imports() -> None:
    assert star("from tl2hip import *", "Tensor") == "tl2hip.Tensor"
    assert star("from tl2hip import *", "nothing") is None
    assert star("from math import *", "pow") == "math.pow"
    assert star("from math import *", "max") == "builtins.max"
    assert star("from math import *\nfrom tl2hip import *", "exp") == "math.exp"
    assert star("from numpy import *", "exp") == "numpy.exp"
    assert star("from numpy import *", "range") == "builtins.range"
    assert star("from numpy import *", "sum") is None, "numpy's or Python's: not known here"


def test_a_file_that_imports_everything_has_kernels() -> None:
    module, report = read_text("from tl2hip import *\n@kernel\ndef k(X: Tensor[f32, 4]): pass\n")
    assert module.kernels == ("k",) and report.problems == []


def test_imports_from_around_count_where_the_file_binds_nothing() -> None:
    outer, _ = read_text("import numpy as np\nfrom tl2hip import kernel, Tensor\n@kernel\ndef k(X): pass\n")
    text = "@kernel\ndef f(X: Tensor): X[0] = np.exp(1)\n"
    module, report = read_text(text, wanted=("f",), imports=outer.imports)
    assert report.problems == [] and module.kernels == ("f",)
    assert origin(parse("np.exp"), module) == "numpy.exp"


def test_marking_by_a_call_is_marking() -> None:
    module, report = read_text("import tl2hip as tl\ndef f(X): pass\nf = tl.kernel(f)\n")
    assert module.kernels == ("f",) and report.problems == []


@pytest.mark.parametrize(
    ("later", "refused"),
    [
        ("helper = np.sqrt", True),
        ("from fast import helper", True),
        ("def helper(x): return 1", True),
        ("if np: helper = 1", True),
        ("helper = tl.kernel(helper)", False),
        ("k = k(M=4)", False),
        ("def k(X): pass", True),
        ("other = 1", False),
    ],
)
def test_a_function_whose_name_means_two_things_is_refused(later: str, refused: bool) -> None:
    text = dedent("""\
        import numpy as np
        import tl2hip as tl
        def helper(x): return x
        @tl.kernel
        def k(X): X[0] = helper(1)
        """)
    module, report = read_text(text + later + "\n")
    assert [(one.code, one.at.line) for one in report.problems] == ([("TL111", 6)] if refused else [])
    assert ("k" in module.refused) == refused


@pytest.mark.parametrize(
    "text",
    [
        "a, *b, c = math.exp, math.sin, math.cos, math.tan",
        "a, b, c = *[math.exp, math.sin], math.tan",
    ],
)
def test_a_starred_assignment_gives_no_origins(text: str) -> None:
    """`c` is math.tan in both, and no third of anything."""
    module, _ = read_text(FILE + text + "\n")
    assert [origin(Name(name), module) for name in "abc"] == [".a", ".b", ".c"]


def test_the_values_of_names_are_the_last_they_were_bound_to() -> None:
    module, _ = read_text("a = b = 1\na, (b, c) = 2, [3, 4]\nd: int = 5\ne = f = 6\ne, f = divmod(7, 2)\n" + FILE)
    found = file_values(module)
    assert {name: found[name] for name in "abcd"} == {
        n: Number(v) for n, v in zip("abcd", (2, 3, 4, 5), strict=True)
    }
    assert found["e"] is None and found["f"] is None and "g" not in found
