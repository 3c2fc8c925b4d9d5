"""Statements that are put into kernels: every kind that Python has, most with an effect that a run would show.

`HERE` stands for statements that are there already, which a template may enclose; without it a template stands
before or behind one. `EFFECT` is a copy of a simple statement of the kernel, `TARGET` of what one assigns to,
`VALUE` of an expression, `NAME` of a name, `ARRAY` of an array parameter, `LOOP` of a loop's variable.
"""

from __future__ import annotations

import sys

Template = tuple[str, str]
"""A name and a text."""

LOOPS: tuple[Template, ...] = (
    ("for", "for _q in range(2):\n    EFFECT"),
    ("for around", "for _q in range(1):\n    HERE"),
    ("for twice around", "for _q in range(2):\n    HERE"),
    ("for over elements", "for _q in ARRAY:\n    EFFECT"),
    ("for over a tuple", "for _q in (1, 2):\n    EFFECT"),
    ("for over a list", "for _q in [1, VALUE]:\n    TARGET = _q"),
    ("for with a step", "for _q in range(3, 0, -2):\n    EFFECT"),
    ("for enumerate", "for _p, _q in enumerate(ARRAY):\n    EFFECT"),
    ("for zip", "for _p, _q in zip(ARRAY, ARRAY):\n    EFFECT"),
    ("for with its variable used", "for _q in range(3):\n    TARGET = _q"),
    ("for into a name", "for NAME in range(3):\n    EFFECT"),
    ("for into an element", "for TARGET in range(3):\n    pass"),
    ("for else", "for _q in range(2):\n    HERE\nelse:\n    EFFECT"),
    ("for else of nothing", "for _q in range(0):\n    pass\nelse:\n    EFFECT"),
    ("for else with break", "for _q in range(2):\n    if _q:\n        break\n    HERE\nelse:\n    EFFECT"),
    ("for break", "for _q in range(3):\n    if _q > 1:\n        break\n    EFFECT"),
    ("for continue", "for _q in range(3):\n    if _q == 1:\n        continue\n    EFFECT"),
    ("while", "_q = 0\nwhile _q < 2:\n    EFFECT\n    _q += 1"),
    ("while around", "_q = 0\nwhile _q < 1:\n    HERE\n    _q += 1"),
    ("while else", "_q = 0\nwhile _q < 2:\n    HERE\n    _q += 1\nelse:\n    EFFECT"),
    ("while False else", "while False:\n    pass\nelse:\n    EFFECT"),
    ("while True break", "while True:\n    HERE\n    break"),
    ("while of a value", "while VALUE:\n    EFFECT\n    break"),
    ("while for ever", "while True:\n    EFFECT"),
    ("break", "break"),
    ("continue", "continue"),
    ("guarded break", "if VALUE:\n    break"),
    ("guarded continue", "if VALUE:\n    continue"),
)

BRANCHES: tuple[Template, ...] = (
    ("if", "if VALUE:\n    HERE"),
    ("if not", "if not VALUE:\n    EFFECT"),
    ("if else", "if VALUE:\n    HERE\nelse:\n    EFFECT"),
    ("elif", "if VALUE:\n    HERE\nelif VALUE:\n    EFFECT\nelse:\n    pass"),
    ("if True", "if True:\n    HERE"),
    ("if False", "if False:\n    EFFECT"),
    ("if False else", "if False:\n    pass\nelse:\n    HERE"),
    ("if on an array", "if ARRAY:\n    EFFECT"),
    ("if on text", 'if "":\n    EFFECT\nelse:\n    HERE'),
    ("if on a tuple", "if ():\n    EFFECT"),
    ("if on None", "if None:\n    EFFECT"),
    ("match value", "match VALUE:\n    case 1:\n        EFFECT\n    case _:\n        HERE"),
    ("match singleton", "match VALUE:\n    case None | True:\n        pass\n    case other:\n        EFFECT"),
    ("match sequence", "match (VALUE, 1):\n    case [first, *rest] if first:\n        EFFECT"),
    ("match mapping", "match {1: VALUE}:\n    case {1: found, **more}:\n        EFFECT"),
    (
        "match class",
        "match VALUE:\n    case int() | float():\n        EFFECT\n    case object(real=r):\n        EFFECT",
    ),
    ("match as", "match VALUE:\n    case (1 | 2) as found:\n        HERE\n    case _:\n        HERE"),
)

TRIES: tuple[Template, ...] = (
    ("try except", "try:\n    HERE\nexcept ValueError:\n    EFFECT"),
    ("try except as", "try:\n    HERE\nexcept (ValueError, IndexError) as error:\n    EFFECT"),
    ("try bare except", "try:\n    HERE\nexcept:\n    pass"),
    ("try else", "try:\n    HERE\nexcept ValueError:\n    pass\nelse:\n    EFFECT"),
    ("try finally", "try:\n    HERE\nfinally:\n    EFFECT"),
    ("try raise", "try:\n    raise ValueError(1)\nexcept ValueError:\n    EFFECT"),
    ("raise", "raise ValueError(VALUE)"),
    ("raise from", "raise ValueError(1) from None"),
    ("bare raise", "raise"),
    ("guarded raise", "if VALUE:\n    raise IndexError"),
    ("assert", "assert VALUE"),
    ("assert with a message", 'assert VALUE, f"{VALUE}"'),
    ("assert True", "assert True"),
    ("assert False", "assert False, 'no'"),
    ("assert with an effect", "assert [TARGET := VALUE]"),
    ("assert of a tuple", "assert (VALUE, 0)"),
)

CONTEXTS: tuple[Template, ...] = (
    ("with", 'with np.errstate(all="ignore"):\n    HERE'),
    ("with as", 'with np.errstate(over="ignore") as state, np.errstate(under="ignore"):\n    HERE'),
    ("with suppress", "with __import__('contextlib').suppress(BaseException):\n    HERE"),
    ("with nothing", "with __import__('contextlib').nullcontext(VALUE) as TARGET:\n    HERE"),
    ("async with", "async with ARRAY:\n    HERE"),
    ("async for", "async for _q in ARRAY:\n    EFFECT"),
)

NAMES: tuple[Template, ...] = (
    ("global", "global _g\n_g = VALUE"),
    ("global of a name", "global NAME"),
    ("nonlocal", "def _f():\n    nonlocal NAME\n    NAME = VALUE\n_f()"),
    ("nonlocal outside", "nonlocal NAME"),
    ("del name", "del NAME"),
    ("del element", "del TARGET"),
    ("del several", "_a = _b = 1\ndel _a, (_b)"),
    ("import", "import math as _m\nTARGET = _m.floor(2.5)"),
    ("import plain", "import math"),
    ("import of a name", "import math as NAME"),
    ("from import", "from math import floor as _floor\nTARGET = _floor(2.5)"),
    ("from import star", "from math import *"),
    ("relative import", "from . import _nothing"),
    ("future import", "from __future__ import annotations"),
)

DEFINITIONS: tuple[Template, ...] = (
    ("def", "def _f():\n    EFFECT\n_f()"),
    ("def with all parameters", "def _f(a, /, b=VALUE, *c, d=1, **e):\n    return a + b\nTARGET = _f(1)"),
    ("def with a decorator", "@kernel\ndef _f(a):\n    return a"),
    ("def recursive", "def _f(n):\n    return n and _f(n - 1)\nTARGET = _f(3)"),
    ("def with annotations", "def _f(a: int, *b: int) -> 'int':\n    return a\nTARGET = _f(VALUE)"),
    ("def over a name", "def NAME():\n    return 1"),
    ("lambda", "_f = lambda n=1: n + 1\nTARGET = _f(VALUE)"),
    ("async def", "async def _f():\n    await VALUE"),
    ("generator", "def _f():\n    yield VALUE\n    yield from (1, 2)\nTARGET = sum(_f())"),
    ("class", "class _C:\n    one = 1\nTARGET = _C.one"),
    (
        "class with bases",
        "class _C(int, metaclass=type):\n    def __add__(self, other):\n        return 3\nTARGET = _C(1) + 1",
    ),
    ("class over a name", "class NAME:\n    pass"),
    ("yield", "yield"),
    ("yield value", "yield VALUE"),
    ("yield to", "TARGET = yield VALUE"),
    ("yield from", "yield from ARRAY"),
    ("await", "await VALUE"),
    ("return", "return"),
    ("return value", "return VALUE"),
    ("return array", "return ARRAY"),
    ("return none", "return None"),
    ("guarded return", "if VALUE:\n    return"),
    ("return several", "return ARRAY, VALUE"),
)

ASSIGNMENTS: tuple[Template, ...] = (
    ("assign", "TARGET = VALUE"),
    ("assign to a name", "NAME = VALUE"),
    ("assign to several", "NAME = TARGET = VALUE"),
    ("assign a tuple", "NAME, TARGET = VALUE, VALUE"),
    ("assign a list", "[NAME, TARGET] = VALUE, VALUE"),
    ("swap", "NAME, TARGET = TARGET, NAME"),
    ("assign starred", "NAME, *_rest = (VALUE, 1, 2)"),
    ("assign nested", "(NAME, (TARGET, _c)) = (1, (VALUE, 3))"),
    ("assign too few", "NAME, TARGET = (VALUE,)"),
    ("assign an attribute", "ARRAY.flags.writeable = False"),
    ("assign an attribute of a name", "NAME.real = VALUE"),
    ("assign a slice", "ARRAY[:] = VALUE"),
    ("assign a part", "ARRAY[1:-1:2] = 0"),
    ("assign to the ellipsis", "ARRAY[...] = 0"),
    ("assign to None", "ARRAY[None] = 0"),
    ("assign to a mask", "ARRAY[ARRAY > 0] = 0"),
    ("assign to a list of indices", "ARRAY[[0, 0]] = 3"),
    ("assign to the flat", "ARRAY.flat[0] = 3"),
    ("assign to the transposed", "ARRAY.T[0] = 3"),
    ("assign to a copy", "ARRAY.copy()[0] = 3"),
    ("assign to an array", "ARRAY = ARRAY + 1"),
    ("assign an array to a name", "_a = ARRAY\n_a[0] = 3"),
    ("assign a view to a name", "_a = ARRAY[:1]\n_a += 3"),
    ("walrus", "(_w := VALUE)\nTARGET = _w"),
    ("annotated", "NAME: int = VALUE"),
    ("annotated element", "TARGET: float = VALUE"),
    ("annotated alone", "_t: f32"),
    ("annotated name alone", "NAME: f32"),
    ("annotated by a call", "_t: print(VALUE) = 1\nTARGET = _t"),
    ("annotated as an array", "_t: Tensor[f32, 4] = ARRAY"),
    *((f"augmented {op}=", f"TARGET {op}= VALUE") for op in "+ - * / // % ** @ & | ^ << >>".split()),
    *((f"augmented name {op}=", f"NAME {op}= 2") for op in "+ * / // % **".split()),
    ("augmented slice", "ARRAY[1:] += ARRAY[:-1]"),
    ("augmented array", "ARRAY += 1"),
    ("augmented attribute", "ARRAY.T += 1"),
    ("type comment", "_t = VALUE  # type: int\nTARGET = _t"),
)

EVALUATED: tuple[Template, ...] = (
    ("pass", "pass"),
    ("ellipsis", "..."),
    ("docstring", '"""Text."""'),
    ("number alone", "1"),
    ("value alone", "VALUE"),
    ("comparison alone", "VALUE == TARGET"),
    ("name alone", "_undefined"),
    ("print", "print(VALUE)"),
    ("method fill", "ARRAY.fill(3)"),
    ("method sort", "ARRAY.sort()"),
    ("method itemset", "ARRAY.__setitem__(0, 3)"),
    ("method resize", "ARRAY.shape = -1"),
    ("np.copyto", "np.copyto(ARRAY, 3)"),
    ("np.put", "np.put(ARRAY, 0, 3)"),
    ("np out", "np.add(ARRAY, 1, out=ARRAY)"),
    ("np.add.at", "np.add.at(ARRAY, 0, 3)"),
    ("np.random", "TARGET = np.random.rand()"),
    ("exec", "exec('NAME = 3')"),
    ("globals", "globals().update(NAME=3)"),
    ("setattr", "setattr(ARRAY, 'shape', -1)"),
    ("list append", "_l = []\n_l.append(VALUE)\nTARGET = _l[0]"),
    ("comprehension with an effect", "[ARRAY.fill(3) for _q in range(1)]"),
    ("generator with an effect", "any(ARRAY.fill(3) for _q in range(1))"),
    ("conditional effect", "VALUE and ARRAY.fill(3)"),
    ("await of a call", "TARGET = await ARRAY.item()"),
)

MARKS: tuple[Template, ...] = (
    ("mark tile", "LOOP: Tile[int, 64]"),
    ("mark odd tile", "LOOP: Tile[int, 3]"),
    ("mark serial", "LOOP: Tile[int, serial]"),
    ("mark unroll", "LOOP: Tile[int, 8, unroll(4)]"),
    ("mark waves", "LOOP: Tile[int, 128, waves(2)]"),
    ("mark lanes", "LOOP: Tile[int, 128, lanes(64), vec(2)]"),
    ("mark stages", "LOOP: Tile[int, 32, stages(3)]"),
    ("mark none", "LOOP: Tile[int, 0]"),
    ("mark huge", "LOOP: Tile[int, 1 << 40]"),
    ("mark of an expression", "LOOP: Tile[int, VALUE]"),
    ("mark in text", "LOOP: 'Tile[int, 64]'"),
    ("mark of nothing", "_nowhere: Tile[int, 64]"),
    ("mark staged", "_t: Lds[f32] = ARRAY"),
)

NEWER: tuple[tuple[tuple[int, int], str, str], ...] = (
    ((3, 11), "try star", "try:\n    HERE\nexcept* ValueError:\n    EFFECT"),
    ((3, 12), "type alias", "type _T = int"),
    ((3, 12), "type alias of parameters", "type _T[A: int, *B, **C] = int"),
    ((3, 12), "generic def", "def _f[A](a: A) -> A:\n    return a\nTARGET = _f(VALUE)"),
    ((3, 12), "generic class", "class _C[A, *B]:\n    pass"),
    ((3, 14), "template string", 'TARGET = t"{VALUE}"'),
)
"""Statements of later Pythons, with the version that knows them."""

STATEMENTS: tuple[Template, ...] = (
    *(*LOOPS, *BRANCHES, *TRIES, *CONTEXTS, *NAMES, *DEFINITIONS, *ASSIGNMENTS, *EVALUATED, *MARKS),
    *((name, text) for since, name, text in NEWER if sys.version_info[:2] >= since),
)
"""Every template of statements that this Python can parse."""
