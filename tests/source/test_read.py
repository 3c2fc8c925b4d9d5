"""What the reader gives: the right nodes, at the right places, for the right functions."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from textwrap import dedent

import pytest

from tests.source.reading import FIRST, HEADER, codes, in_kernel, read_text
from tl2hip.source import nodes as n
from tl2hip.source.nodes import Expr, Name, Number, Stmt
from tl2hip.source.problems.base import show
from tl2hip.source.read import find, kernels, looks_like_kernels
from tl2hip.source.span import Span


def body(text: str) -> tuple[Stmt, ...]:
    module, report = read_text(in_kernel(text))
    assert report.problems == []
    return module.functions[0].body


def value(text: str) -> Expr:
    (statement,) = body(f"y = {text}")
    assert isinstance(statement, n.Assign)
    return statement.value


i, j, X, Y = Name("i"), Name("j"), Name("X"), Name("Y")
one, two = Number(1), Number(2)


# --- expressions and statements


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X[i, j]", n.Subscript(X, (i, j))),
        ("X[(i, j)]", n.Subscript(X, (i, j))),
        ("X[i,]", n.Subscript(X, (i,))),
        ("X[(i, j),]", n.Subscript(X, (n.Tuple_((i, j)),))),
        ("X[i][j]", n.Subscript(n.Subscript(X, (i,)), (j,))),
        ("X[i:j]", n.Subscript(X, (n.Slice(i, j, None),))),
        ("X[::2, ..., None]", n.Subscript(X, (n.Slice(None, None, two), n.Ellipsis_(), n.Nothing()))),
        ("-X ** 2", n.Unary("-", n.Binary("**", X, two))),
        ("i < j <= 2 != 1", n.Compare(i, ("<", "<=", "!="), (j, two, one))),
        ("i and j and X or Y", n.Logic("or", (n.Logic("and", (i, j, X)), Y))),
        ("(i or j) or X", n.Logic("or", (i, j, X))),
        ("i if j else X", n.IfExp(j, i, X)),
        ("X.max(axis=1, keepdims=True)", n.Call(
            n.Attribute(X, "max"), (), (n.Keyword("axis", one), n.Keyword("keepdims", n.Bool(True))))),
        ("sum((i for i in X if i if j), 1)", n.Call(
            Name("sum"), (n.Generator(i, i, X, (i, j)), one))),
        ("'bc' 'd'", n.Text("bcd")),
        ("1_000", Number(1000)),
        ("0xFF + 0b11 + 0o17", n.Binary("+", n.Binary("+", Number(255), Number(3)), Number(15))),
        (str(10**200), Number(10**200)),
        ("1e-5", Number(1e-5)),
        ("[i, 2]", n.List_((i, two))),
        ("(i,)", n.Tuple_((i,))),
        ("()", n.Tuple_(())),
    ],
)  # fmt: skip
def test_an_expression(text: str, expected: Expr) -> None:
    assert value(text) == expected


def test_number_kinds_are_kept() -> None:
    assert type(value("1").value) is int  # type: ignore[attr-defined]
    assert type(value("1.0").value) is float  # type: ignore[attr-defined]
    assert type(value("1e3").value) is float  # type: ignore[attr-defined]


def test_statements() -> None:
    assert body("X[i], (j, y) = y = Y") == (
        n.Assign((n.Tuple_((n.Subscript(X, (i,)), n.Tuple_((j, Name("y"))))), Name("y")), Y),
    )
    assert body("i: int") == (n.AnnAssign(i, Name("int"), None),)
    assert body("X[i] @= Y") == (n.AugAssign(n.Subscript(X, (i,)), "@", Y),)
    assert body("if i: pass\nelif j: X\nelse: Y") == (
        n.If(i, (n.Pass(),), (n.If(j, (n.Evaluate(X),), (n.Evaluate(Y),)),)),
    )
    assert body("for i, (j, y) in X: break; continue") == (
        n.For(n.Tuple_((i, n.Tuple_((j, Name("y"))))), X, (n.Break(), n.Continue())),
    )
    assert body("[i, j] = X") == (n.Assign((n.Tuple_((i, j)),), X),)
    assert body("assert i, f'{i} is odd'") == (n.Assert(i, n.Text("{i} is odd")),)


def test_a_docstring_is_the_doc_and_leaves_the_body() -> None:
    module, _ = read_text(in_kernel('"""What it does."""\nreturn X'))
    assert module.functions[0].doc == "What it does."
    assert module.functions[0].body == (n.Return(X),)


def test_parameters_and_annotations() -> None:
    text = HEADER.replace("Y: Tensor[f32, N]):", 'Y: "Tensor[f32, N]", a=1, /, *, b: int = 2) -> "int": return X')
    module, report = read_text(text)
    assert report.problems == []
    tensor = n.Subscript(Name("Tensor"), (Name("f32"), Name("N")))
    assert module.functions[0].parameters == (
        n.Parameter("X", tensor, None),
        n.Parameter("Y", tensor, None),
        n.Parameter("a", None, one),
        n.Parameter("b", Name("int"), two, keyword_only=True),
    )
    assert module.functions[0].returns == Name("int")
    quoted = module.functions[0].parameters[1].annotation
    assert quoted is not None
    line = text.split("\n")[quoted.at.line - 1]
    assert line[quoted.at.column : quoted.at.end_column] == "Tensor[f32, N]"


def test_a_quoted_annotation_in_parts_stands_where_the_string_stands() -> None:
    (statement,) = body("i: 'Tile' '[int, 4]'")
    assert isinstance(statement, n.AnnAssign)
    assert statement.annotation == n.Subscript(Name("Tile"), (Name("int"), Number(4)))
    assert statement.annotation.at == Span(FIRST, 7, FIRST, 24)


# --- places


def test_places_are_cpythons() -> None:
    (statement,) = body("y = (X[i] +\n     j) * 2  # ü")
    assert isinstance(statement, n.Assign) and isinstance(statement.value, n.Binary)
    assert statement.at == Span(FIRST, 4, FIRST + 1, 15)
    assert statement.value.left.at == Span(FIRST, 9, FIRST + 1, 10)
    assert statement.value.right.at == Span(FIRST + 1, 14, FIRST + 1, 15)


def test_columns_are_characters() -> None:
    (statement,) = body("y = 'äöü', X")
    assert isinstance(statement, n.Assign) and isinstance(statement.value, n.Tuple_)
    assert statement.value.items[1].at == Span(FIRST, 15, FIRST, 16)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("tab", ["    ", "\t"])
def test_line_ends_and_tabs_do_not_move_lines(end: str, tab: str) -> None:
    text = in_kernel("x = 1\n\n\ny = X is Y").replace("    ", tab).replace("\n", end)
    ((code, line),) = codes(text)
    assert (code, line) == ("TL135", FIRST + 3)


@pytest.mark.parametrize("odd", ["\x0c", "\x0b", "\x1c", "\u2028", "\x85"])
def test_characters_that_are_no_line_ends_to_python_do_not_count(odd: str) -> None:
    module, report = read_text(in_kernel(f"x = 1  # {odd}\nx = 'a{odd}b'\ny = X is Y"))
    (problem,) = report.problems
    assert problem.at == Span(FIRST + 2, 8, FIRST + 2, 14)
    assert "y = X is Y" in show(problem, module.source)


def test_a_form_feed_at_the_start_of_a_line() -> None:
    assert codes(in_kernel("x = 1") + "\x0c\nz = 1\n") == []


def test_tabs_and_spaces_in_one_indentation_are_refused_at_their_line() -> None:
    assert codes(in_kernel("if X:\n  \t  y = 1\nz = 1")) == [("TL105", FIRST + 1)]
    assert codes(in_kernel("x = (1 +\n \t 2)\n'''\n \t '''\n")) == []
    assert codes(in_kernel("if X:\n\ty = 1\nz = 1").replace("    ", "\t")) == []


@pytest.mark.parametrize("target", ["(x)", "((x))", "(x[0])", "(X.y)", "( x)"])
def test_what_is_annotated_in_brackets_is_told_as_that(target: str) -> None:
    for text in (f"{target}: int = 1\nz = 1", f"z = 1\nif X:\n    {target}: int\nz = 2"):
        module, report = read_text(in_kernel(text))
        (problem,) = report.problems
        line = module.source.lines[problem.at.line - 1]
        assert (problem.code, line[problem.at.column : problem.at.end_column]) == ("TL107", target.strip("( )"))


# --- which functions


def test_kernels_and_their_helpers_are_read_and_others_are_not() -> None:
    module, report = read_text(
        dedent("""\
        import tl2hip as tl
        from tl2hip import kernel as marked

        def unused(x):
            return {x for x in x}

        def square(x):
            return multiply(x, x)

        def multiply(x, y):
            return x * y

        @marked
        def a(X): X[0] = square(X[1])

        def b(X: "tl.Tensor[tl.f32, 4]"): pass

        def c(n): tl.OutputTensor("C", [n], "f32")

        k = tl.CompileKernel(c)
        """)
    )
    assert report.problems == []
    assert [one.name for one in module.functions] == ["square", "multiply", "a", "b", "c"]
    assert [one.name for one in kernels(module)] == ["a", "b", "c"]
    assert find(module, "square") == module.functions[0]
    assert find(module, "unused") is None


def test_a_problem_in_a_helper_refuses_its_kernels_and_no_others() -> None:
    module, report = read_text(
        dedent("""\
        from tl2hip import kernel
        def bad(x): return lambda: x
        def through(x): return bad(x)
        @kernel
        def one(X): X[0] = through(X[1])
        @kernel
        def other(X): X[0] = 1
        """)
    )
    assert [problem.code for problem in report.problems] == ["TL114"]
    assert module.refused == {"bad", "through", "one"}
    assert module.kernels == ("one", "other")


def test_wanted_and_every() -> None:
    text = "def f(x): return x\ndef g(x): return x\n"
    assert read_text(text)[0].functions == ()
    assert read_text(text, wanted=("g",))[0].kernels == ("g",)
    assert read_text(text, every=True)[0].kernels == ("f", "g")


def test_tensors_of_others_are_no_kernels() -> None:
    text = "import tl2hip\nimport torch\nfrom torch import Tensor\ndef f(x: torch.Tensor, y: Tensor): pass\n"
    module, report = read_text(text)
    assert module.kernels == () and report.problems == []


def test_all_problems_come_in_one_run_in_order() -> None:
    text = in_kernel("yield X\nfor i in X:\n    y = 1j\nelse:\n    del y\ntry:\n    b'x'\nfinally:\n    (y := 1)")
    assert codes(text) == [
        ("TL123", FIRST), ("TL137", FIRST + 2), ("TL120", FIRST + 3), ("TL126", FIRST + 4),
        ("TL121", FIRST + 5), ("TL137", FIRST + 6), ("TL130", FIRST + 8),
    ]  # fmt: skip


def test_recursion_is_refused_and_compiling_oneself_is_not() -> None:
    text = "import tl2hip as tl\ndef k(M):\n    return tl.CompileKernel(k)\nk(M=4)\n"
    assert codes(text) == []
    text = (
        "from tl2hip import kernel\ndef f(x): return g(x)\ndef g(x): return f(x)\n@kernel\ndef k(X): X[0] = f(1)\n"
    )
    module, report = read_text(text)
    assert [one.text for one in report.problems] == ["f calls itself through g", "g calls itself through f"]
    assert module.refused == {"f", "g", "k"}


# --- the file level


def test_assignments_and_constant_calls() -> None:
    module, _ = read_text(
        dedent("""\
        import tl2hip as tl
        EPS: float = 1e-5
        M, N = tl.dims("M N")
        table = {1: 2}
        def k(M, dtype): return tl.CompileKernel(k)
        first = k(M=1024, dtype="float16")
        print(k(64, ("a", -1)).emit_hip(), k(M=EPS))
        if __name__ == "__main__":
            k(2, dtype=None)
        """)
    )
    assert [type(one) for one in module.assignments] == [n.AnnAssign, n.Assign, n.Assign]
    assert [len(one.args) for one in module.calls] == [0, 2, 1]
    assert module.calls[0].keywords == (n.Keyword("M", Number(1024)), n.Keyword("dtype", n.Text("float16")))
    assert module.unsettled == {"table"}


def test_names_that_may_be_several_things_are_unsettled() -> None:
    module, _ = read_text(
        dedent("""\
        import sys
        from tl2hip import kernel
        a = 1
        b = 1
        b += 1
        if sys.argv: c = 1
        for d in (1, 2): e = d
        f = 1
        def change():
            global f
            f = 2
        g = [h for h in (1, 2)]
        with open("x") as m: pass
        (p := 3)
        del a
        try: import fast as q
        except ImportError: import slow as q
        @kernel
        def k(X): X[0] = b
        """)
    )
    assert module.unsettled == {"a", "b", "c", "d", "e", "f", "g", "m", "p", "q"}


def unsettled(text: str) -> frozenset[str]:
    return read_text(f"from tl2hip import kernel\n{text}\n@kernel\ndef k(X): X[0] = 1\n")[0].unsettled


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 1\na = 2\nb = a", set()),
        ("a = 1\nb = a\na = 2", {"a"}),
        ("a = 1\nb: int = a + 1\n(a, c) = 2, 3", {"a"}),
        ("a = 1\ndef h(x, s=a): return x\na = 2", {"a"}),
        ("a = 1\ndef h(x, *, s=-a): return x\nfrom math import pi as a", {"a"}),
        ("a = 1\nb = a\ndef a(x): return x", {"a"}),
        ("import math\nb = math.pi\nimport math", set()),
        ("a = 1\nb = (a := 2) + 1", {"a", "b"}),
    ],
)
def test_a_name_bound_anew_after_it_was_used_is_unsettled(text: str, expected: set[str]) -> None:
    assert unsettled(text) == expected


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("b = p[0] + len(p) + sum(x for x in p)", False),
        ("p[0] = 3", True),
        ("p[0] += 3", True),
        ("del p[0]", True),
        ("p.append(3)", True),
        ("q = p\nq[0] = 3", True),
        ("def change():\n    p[0] = 3", True),
        ("def change(q): q[0] = 3\nchange(p)", True),
    ],
)
def test_a_list_that_may_be_changed_is_unsettled(text: str, changed: bool) -> None:
    assert ("p" in unsettled("p = [1, 2]\n" + text)) == changed


# --- files that are not read


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("def f(:\n", 1, 6, "invalid syntax"),
        ("x = (1,\n", 1, 4, "'(' was never closed"),
        ("def f():\n    return 1\n  x = 2\n", 3, 7, "unindent does not match any outer indentation level"),
        ("def f():\n    for i in x:\n        pass\n    break\n", 4, 4, "'break' outside loop"),
        ("def f(a, a): pass\n", 1, 9, "duplicate argument 'a' in function definition"),
    ],
)
def test_syntax_errors_are_cpythons(text: str, line: int, column: int, reason: str) -> None:
    _, report = read_text("from tl2hip import kernel\n" + text)
    (problem,) = report.problems
    assert problem.code == "TL101" and problem.at.line == line + 1
    assert reason in problem.text
    if "duplicate" not in reason and "unindent" not in reason:
        assert problem.at.column == column


def test_null_bytes_and_lone_surrogates() -> None:
    for odd in ("\0", "\ud800"):
        _, report = read_text(f"from tl2hip import kernel\nx = '{odd}'\n")
        (problem,) = report.problems
        assert problem.code == "TL101"
        assert problem.at.line in (1, 2)


DEEP = {
    "parentheses": "(" * 3000 + "1" + ")" * 3000,
    "minus": "-" * 3000 + "1",
    "sum": "+".join(["1"] * 3000),
    "attributes": "X" + ".a" * 3000,
    "calls": "X" + "()" * 3000,
    "powers": "**".join(["1"] * 3000),
    "choices": "1 if 1 else " * 3000 + "1",
    "lists": "[" * 180 + "X" + "]" * 180 + "".join(f"[{k}]" for k in range(400)),
}


@pytest.mark.parametrize("kind", DEEP)
def test_deep_nesting_is_refused_before_libcst(kind: str) -> None:
    ((code, line),) = codes(in_kernel(f"y = {DEEP[kind]}"))
    assert code in ("TL101", "TL102")
    assert line in (1, FIRST)


def test_deep_nesting_of_branches() -> None:
    assert codes(in_kernel("if X: pass\n" + "elif X: pass\n" * 1000))[0][0] == "TL102"


CHAINS: dict[str, Callable[[int], str]] = {
    "sum": lambda depth: "y = " + "+".join(["1"] * depth),
    "attributes": lambda depth: "y = X" + ".a" * depth,
    "not": lambda depth: "y = " + "not " * depth + "X",
    "branches": lambda depth: "if X: pass\n" + "elif X: pass\n" * depth,
    "choices": lambda depth: "y = " + "1 if 1 else " * depth + "1",
}


@pytest.mark.parametrize("depth", [100, 250, 400, 470, 495])
@pytest.mark.parametrize("kind", CHAINS)
def test_what_is_below_the_limit_is_read_or_refused_in_words(kind: str, depth: int) -> None:
    found = codes(in_kernel(CHAINS[kind](depth)))
    assert found == [] if depth <= 100 else found in ([], [("TL102", 1)])


def test_a_file_without_kernels_never_reaches_libcst() -> None:
    program = dedent("""\
        import sys
        from tl2hip.source.problems.base import Report
        from tl2hip.source.read import read
        from tl2hip.source.span import Source
        texts = ["x = 1", "import tl2hip\\ndef f(): pass", "from tl2hip import kernel\\ndef f(x): pass"]
        for text in texts:
            source = Source("a.py", text)
            read(source, Report(source))
        print([name for name in ("libcst", "numpy", "jinja2") if name in sys.modules])
        """)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_looks_like_kernels() -> None:
    assert looks_like_kernels("from tl2hip import kernel")
    assert looks_like_kernels("import tilelang as tl\ntl.CompileKernel(f)")
    assert not looks_like_kernels("import numpy as np\ndef kernel(x): pass")
    assert not looks_like_kernels("import tl2hip\nprint(tl2hip.__version__)")


def test_names_of_one_nfkc_form_are_one() -> None:
    assert body("\ufb01 = X; fi = \ufb01 * np.\u017fin(Y, out=\u017f)") == body(
        "fi = X; fi = fi * np.sin(Y, out=s)"
    )


def test_an_empty_tuple_has_a_place_that_can_be_shown() -> None:
    (statement,) = body("X = ()")
    assert isinstance(statement, n.Assign)
    assert (statement.value.at.end_line, statement.value.at.end_column - statement.value.at.column) == (
        statement.value.at.line,
        1,
    )


def test_what_python_refuses_after_parsing_has_its_place_in_characters() -> None:
    _, report = read_text(in_kernel("größe = (yield from größe) or größe\nasync with größe: pass"))
    (problem,) = report.problems
    assert problem.code == "TL101" and problem.at.end_column - problem.at.column == len("async with größe: pass")
