"""Other names, numbers, operators, subscripts and calls."""

from __future__ import annotations

import ast
import random

from tests.fuzz.mutants.changes.table import Table
from tests.fuzz.mutants.edits import Edit, lined, spliced
from tests.fuzz.mutants.places import File, expressions, rows, words

CHANGES = change = Table()


STRANGE = (
    "match",
    "type",
    "_",
    "__name__",
    "ﬁ",
    "ñ",
    "int",
    "range",
    "len",
    "np",
    "tile",
    "double",
    "threadIdx",
    "k_",
)


@change("name for another")
def _renamed_once(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    names = [n for n in ast.walk(function) if isinstance(n, ast.Name)]
    new = draw.choice(words(function).names)
    old = draw.choice(names)
    return spliced(at, *at.span(old), new, f"{old.id} became {new}")


@change("name renamed")
def _renamed(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    """Every use of a name of the function."""
    old, new = draw.choice(words(function).names), draw.choice(STRANGE)
    spans = [at.span(n) for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == old]
    for a in (*function.args.args, *function.args.kwonlyargs):
        if a.arg == old:
            start, _ = at.span(a)
            spans.append((start, start + len(old)))
    text = at.text
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + new + text[end:]
    first, last = rows(function)
    return Edit(text, first, last, f"{old} renamed to {new}")


@change("function renamed")
def _function_renamed(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    new = draw.choice((*STRANGE, *words(function).names))
    line = function.lineno
    text = at.lines[line - 1].replace(f"def {function.name}", f"def {new}")
    return lined(at, line, line, [text], f"{function.name} became {new}")


NUMBERS = (
    *("0", "1", "2", "-1", "3", "7", "0.5", "-0.0", "1e30", "1e400", "True", "None", "1j", "''", "255", "-128"),
    *("2147483647", "2147483648", "-2147483649", "9223372036854775807", "9223372036854775808", "4294967296"),
    *("1" + "0" * 30, "-" + "1" * 400, "1_0", "0x7F", "1e-320", "float('nan')"),
)


@change("number for another")
def _number(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    found = [e for e in expressions(function) if isinstance(e, ast.Constant)]
    if not found:
        return None
    new = draw.choice(NUMBERS)
    old = draw.choice(found)
    return spliced(at, *at.span(old), f"({new})", f"{at.source(old)} became {new[:20]}")


BINARY = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)
BITS = (ast.LShift, ast.RShift, ast.BitOr, ast.BitXor, ast.BitAnd)
COMPARE = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Is, ast.IsNot, ast.In, ast.NotIn)
UNARY = (ast.Invert, ast.Not, ast.UAdd, ast.USub)


@change("operator for another")
def _operator(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    kinds = (ast.BinOp, ast.BoolOp, ast.Compare, ast.UnaryOp, ast.AugAssign)
    found = [n for n in ast.walk(function) if isinstance(n, kinds)]
    if not found:
        return None
    node = draw.choice(found)
    start, end = at.span(node)
    copy = ast.parse(at.text[start:end] if isinstance(node, ast.AugAssign) else f"({at.text[start:end]})").body[0]
    if isinstance(copy, ast.AugAssign):
        copy.op = draw.choice((*BINARY, *BITS))()
        return spliced(at, start, end, ast.unparse(copy), "operator")
    assert isinstance(copy, ast.Expr)
    value = copy.value
    if isinstance(value, ast.BinOp):
        value.op = draw.choice((*BINARY, *BITS))()
        if draw.random() < 0.3:
            value.left, value.right = value.right, value.left
    elif isinstance(value, ast.BoolOp):
        value.op = ast.Or() if isinstance(value.op, ast.And) else ast.And()
    elif isinstance(value, ast.Compare):
        value.ops[draw.randrange(len(value.ops))] = draw.choice(COMPARE)()
    elif isinstance(value, ast.UnaryOp):
        value.op = draw.choice(UNARY)()
    return spliced(at, start, end, f"({ast.unparse(value)})", "operator")


@change("expression for another")
def _expression(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    found = [e for s in function.body for e in expressions(s)]
    if not found:
        return None
    old, new = draw.choice(found), draw.choice(found)
    return spliced(at, *at.span(old), f"({at.source(new)})", f"{ast.unparse(old)} became {ast.unparse(new)}")


@change("subscript changed")
def _subscript(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    found = [n for n in ast.walk(function) if isinstance(n, ast.Subscript)]
    if not found:
        return None
    node = draw.choice(found)
    known = words(function)
    old = at.source(node.slice)
    new = draw.choice(
        (
            f"-({old})" if ":" not in old and "," not in old else "0",
            f"{old}, 0",
            f"{old}, :",
            f"..., {old}",
            ":",
            "-1",
            "0",
            known.chosen("LOOP", draw),
            f"{known.chosen('LOOP', draw)} + 1",
            f"{known.chosen('LOOP', draw)} - 1",
            f"{known.chosen('LOOP', draw)} * 2",
            f"{known.chosen('LOOP', draw)} // 2",
            f"{known.chosen('LOOP', draw)} % 3",
            known.chosen("VALUE", draw),
            ", ".join(reversed(old.split(", "))),
        )
    )
    return spliced(at, *at.span(node.slice), new, f"[{old}] became [{new}]")


@change("call changed")
def _call(at: File, function: ast.FunctionDef, draw: random.Random) -> Edit | None:
    found = [n for n in ast.walk(function) if isinstance(n, ast.Call)]
    if not found:
        return None
    node = draw.choice(found)
    arguments = [at.source(a) for a in node.args] + [
        f"{k.arg}={at.source(k.value)}" for k in node.keywords if k.arg
    ]
    callee = at.source(node.func)
    kind = draw.randrange(6)
    if kind == 0 and arguments:
        arguments.pop(draw.randrange(len(arguments)))
    elif kind == 1:
        arguments.append(words(function).chosen("VALUE", draw))
    elif kind == 2:
        arguments.reverse()
    elif kind == 3:
        arguments.append(f"{draw.choice(('axis', 'dtype', 'out', 'key', 'keepdims', 'where', 'x'))}=None")
    elif kind == 4:
        callee = draw.choice(
            ("max", "min", "abs", "sum", "f32", "f16", "i8", "np.exp", "math.sqrt", "range", "len", "f64")
        )
    else:
        arguments = [f"*({', '.join(arguments)},)"]
    return spliced(at, *at.span(node), f"{callee}({', '.join(arguments)})", "call changed")
