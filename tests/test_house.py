"""The house's rules: which way imports go, how long modules and functions get, what no text may hold."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TOP = Path(__file__).parents[1]
LAYERS = ("dtypes", "source", "dialects", "nest", "rule", "plan", "hip", "prove", "api", "tune", "cli")
"""Each may import those before it."""

RUNS_PYTHON = ("prove", "notation")
"""What may import the notation: the parts that run the user's function."""

HEAVY = ("numpy", "ml_dtypes", "islpy", "jinja2")
QUICK = ("source", "dialects", "nest/build", "rule", "plan", "cli", "api.py", "__init__.py", "dtypes.py")
"""What every command loads: none of it may load a heavy package on the way."""

MODULE = 400
FUNCTION = 50

FORBIDDEN = {
    "a task left open": re.compile(r"\b(TODO|FIXME|XXX)\b"),
    "a path of one machine": re.compile(r"(?<![\w.])/(home|root|Users|tmp|work)/\w"),
    "an error swallowed": re.compile(r"except(\s+\w+)?:\s*\n\s+pass\n"),
}

Import = tuple[str, int, bool]
"""(module, line, whether it runs with the module)"""


def imports(text: str) -> Iterator[Import]:
    """The modules a text imports; those for type checkers alone are left out."""
    yield from _imports(ast.parse(text).body, True)


def _imports(body: list[ast.stmt], early: bool) -> Iterator[Import]:
    for s in body:
        if isinstance(s, ast.Import):
            yield from ((a.name, s.lineno, early) for a in s.names)
        elif isinstance(s, ast.ImportFrom):
            assert s.level == 0, f"line {s.lineno}: a relative import"
            names = [f"tl2hip.{a.name}" for a in s.names] if s.module == "tl2hip" else [str(s.module)]
            yield from ((name, s.lineno, early) for name in names)
        elif not (isinstance(s, ast.If) and "TYPE_CHECKING" in ast.unparse(s.test)):
            inside = [x for x in ast.iter_child_nodes(s) if isinstance(x, ast.stmt)]
            yield from _imports(inside, early and not isinstance(s, ast.FunctionDef))


def _wrong_way(layer: str, text: str) -> list[str]:
    return [
        f"line {line}: {layer} imports {module}"
        for module, line, early in imports(text)
        if module.startswith("tl2hip.") and not _may(layer, module.split(".")[1], early)
    ]


def _may(layer: str, other: str, early: bool) -> bool:
    if other == layer:
        return True
    if layer == "notation":
        return other == "dtypes" or (other == "api" and not early)
    if other == "notation":
        return layer in RUNS_PYTHON
    return layer in LAYERS and other in LAYERS[: LAYERS.index(layer)]


def _too_long(text: str) -> list[str]:
    found = [f"{len(text.splitlines())} lines"] if len(text.splitlines()) > MODULE else []
    for n in ast.walk(ast.parse(text)):
        if isinstance(n, ast.FunctionDef) and (n.end_lineno or 0) - n.lineno >= FUNCTION:
            found.append(f"{n.name}: {(n.end_lineno or 0) - n.lineno + 1} lines")
    return found


def _forbidden(text: str) -> list[str]:
    return [f"{what}: {m.group()!r}" for what, pattern in FORBIDDEN.items() for m in pattern.finditer(text)]


def _sources(*patterns: str) -> list[Path]:
    return [p for pattern in patterns for p in sorted(TOP.glob(pattern)) if p.is_file()]


def _told(found: dict[Path, list[str]]) -> str:
    return "\n".join(f"{path.relative_to(TOP)}: {one}" for path, all_ in found.items() for one in all_)


def _layer(path: Path) -> str:
    return path.relative_to(TOP / "tl2hip").parts[0].removesuffix(".py")


def test_imports_go_one_way() -> None:
    files = [p for p in _sources("tl2hip/**/*.py") if _layer(p) not in ("__init__", "__main__")]
    assert {_layer(p) for p in files} == {*LAYERS, "notation"}
    assert not _told({p: _wrong_way(_layer(p), p.read_text("utf-8")) for p in files})


def test_what_every_command_loads_is_light() -> None:
    files = [p for q in QUICK for p in _sources(f"tl2hip/{q}", f"tl2hip/{q}/**/*.py")]
    assert len(files) > 50
    heavy = {p: [m for m, _, early in imports(p.read_text("utf-8")) if early and m in HEAVY] for p in files}
    assert not _told(heavy)


def test_modules_and_functions_fit_the_eye() -> None:
    assert not _told({p: _too_long(p.read_text("utf-8")) for p in _sources("tl2hip/**/*.py", "rules/*.py")})


def test_no_text_holds_what_it_should_not() -> None:
    files = _sources("tl2hip/**/*.py", "tl2hip/**/*.j2", "tl2hip/**/*.h", "rules/*", "golden/*/*", "README.md")
    assert not _told({p: _forbidden(p.read_text("utf-8")) for p in files})


@pytest.mark.parametrize(
    ("layer", "text", "good"),
    [
        ("plan", "from tl2hip.nest.ir import Loop\nfrom tl2hip.plan import loops\n", True),
        ("nest", "from tl2hip.plan import plan\n", False),
        ("nest", "def f():\n    from tl2hip.plan import plan\n", False),
        ("nest", "if TYPE_CHECKING:\n    from tl2hip.plan import plan\n", True),
        ("hip", "try:\n    import tl2hip.prove.draw\nfinally:\n    f()\n", False),
        ("notation", "from tl2hip import api\n", False),
        ("notation", "class Kernel:\n    def plan(self):\n        from tl2hip import api\n", True),
        ("hip", "from tl2hip.notation.tensors import Tensor\n", False),
    ],
)
def test_an_import_the_wrong_way_is_seen(layer: str, text: str, good: bool) -> None:
    assert (_wrong_way(layer, text) == []) is good


def test_long_and_forbidden_texts_are_seen() -> None:
    assert _too_long("x = 1\n" * (MODULE + 1)) and not _too_long("x = 1\n" * MODULE)
    assert _too_long("def f():\n" + "    x = 1\n" * FUNCTION) == [f"f: {FUNCTION + 1} lines"]
    assert _forbidden("# TO" + "DO: more\n") and _forbidden('"/ho' + 'me/me/x"') and not _forbidden("a/tmp/x")
    assert _forbidden("try:\n    f()\nexcept ValueError:\n    pass\n")
