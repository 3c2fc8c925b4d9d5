"""Random kernel bodies over all of Python's statements and expressions, legal in a kernel or not."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from textwrap import indent

Simple = Callable[[], str]
Block = Callable[[int], str]

NAMES = ["X", "Y", "x", "y", "i", "j", "N", "M"]
BINARY = ["+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>"]
COMPARE = ["<", "<=", ">", ">=", "==", "!="]


class Programs:
    """A stream of kernel bodies; `wild` allows what the reader refuses."""

    def __init__(self, seed: int, wild: bool) -> None:
        self.random = Random(seed)
        self.wild = wild

    def body(self, depth: int, in_loop: bool = False) -> str:
        return "\n".join(self.statement(depth, in_loop) for _ in range(self.random.randint(1, 4)))

    def statement(self, depth: int, in_loop: bool) -> str:
        pick = self.random.choice
        simple: list[Simple] = [
            lambda: f"{self.target()} = {self.expression(2)}",
            lambda: f"{pick(NAMES)} = {self.target()} = {self.expression(1)}",
            lambda: f"x, (y, X[{self.index()}]) = {self.expression(1)}",
            lambda: f"{self.target()} {pick(BINARY)}= {self.expression(2)}",
            lambda: f"z: int = {self.expression(1)}",
            lambda: f"w: '{self.plain_annotation()}'",
            lambda: f"assert {self.expression(1)}, 'no'",
            lambda: f"assert {self.expression(1)}, f'{{N}} is {{M}}'",
            lambda: f"{self.expression(2)}; pass",
            lambda: f"return {self.expression(1)}",
            lambda: "return",
            lambda: '"""a text in the middle"""',
        ]
        if in_loop:
            simple += [lambda: "break", lambda: "continue"]
        if self.wild:
            simple += self.refused_simple()
        if depth and self.random.random() < 0.5:
            return pick(self.blocks(in_loop))(depth - 1)
        return pick(simple)()

    def blocks(self, in_loop: bool) -> list[Block]:
        def inner(depth: int, loop: bool = in_loop) -> str:
            return indent(self.body(depth, loop), "    ")

        def branches(d: int) -> str:
            first, second = self.expression(1), self.expression(1)
            return f"if {first}:\n{inner(d)}\nelif {second}:\n{inner(d)}\nelse:\n{inner(d)}"

        legal: list[Block] = [
            lambda d: f"for {self.random.choice(['i', 'j', 'i, j', '(i, (j, x))'])} in range(N):\n{inner(d, True)}",
            lambda d: f"while {self.expression(1)}:\n{inner(d, True)}",
            lambda d: f"if {self.expression(1)}:\n{inner(d)}",
            lambda d: (
                f"if {self.expression(1)}:\n{inner(d)}\nelif {self.expression(1)}:\n{inner(d)}\nelse:\n{inner(d)}"
            ),
            lambda d: f"if {self.expression(1)}: x = 1; y = 2\nelse: pass",
            lambda d: f"with tl.PipelineStage(stage={self.random.randint(1, 4)}):\n{inner(d)}",
        ]
        wild: list[Block] = [
            lambda d: f"for i in range(N):\n{inner(d, True)}\nelse:\n{inner(d)}",
            lambda d: f"while N:\n{inner(d, True)}\nelse:\n{inner(d)}",
            lambda d: f"with {self.expression(1)} as x:\n{inner(d)}",
            lambda d: f"try:\n{inner(d)}\nexcept ValueError:\n{inner(d)}\nfinally:\n    pass",
            lambda d: f"match N:\n    case 1:\n{indent(inner(d), '    ')}",
            lambda d: f"def f(a):\n{inner(d, False)}",
            lambda d: f"class C:\n    x = {self.expression(1)}",
        ]
        return legal + wild if self.wild else legal

    def refused_simple(self) -> list[Simple]:
        return [
            lambda: f"X.shape = {self.expression(1)}",
            lambda: f"*x, y = {self.expression(1)}",
            lambda: "global g1, g2",
            lambda: "import math",
            lambda: f"raise ValueError({self.expression(1)})",
            lambda: "del x",
            lambda: f"yield {self.expression(1)}",
            lambda: f"X[0]: int = {self.expression(1)}",
        ]

    def plain_annotation(self) -> str:
        return self.random.choice(["Tile[int, 4]", "Tile[int, tl.waves(2)]", "int", " int", "NDArray[np.float32]"])

    def target(self) -> str:
        return self.random.choice([self.random.choice(NAMES), f"X[{self.index()}]", f"X[{self.index()}][i]"])

    def index(self) -> str:
        part = self.random.choice(["i", "i + 1", "-1", ":", "1:", "i:j", "::2", "i : N : -1", "None", "..."])
        other = self.random.choice(["j", ":", "idx[i]", "2 * i - 1"])
        return self.random.choice([part, f"{part}, {other}", "(i, j)", f"{part}, {other}, 0", f"{part},"])

    def expression(self, depth: int) -> str:
        pick, down = self.random.choice, depth - 1
        if depth < 1:
            return pick([*NAMES, "1", "2.5", "True", "1e-5", "0x1F", "1_000", "'ü text'", "np.inf", str(10**40)])
        one, two, three = (self.expression(down) for _ in range(3))
        legal = [
            f"{one} {pick(BINARY)} ({two})",
            f"({one} {pick(BINARY)} {two})",
            f"(\n  {one} {pick(BINARY)}  # why\n  {two})",
            f"({pick(['-', '+', '~', 'not '])}({one}))",
            f"({one}) {pick(COMPARE)} ({two}) {pick(COMPARE)} ({three})",
            f"({one} and {two} and {three})",
            f"(({one} or {two}) and {three})",
            f"({one} if {two} else {three})",
            f"np.exp({one})",
            f"f32({one}, *[]) if 0 else {two}" if self.wild else f"tl.max({one}, axis={two})",
            f"X[{self.index()}]",
            f"sum({one} * i for i in range({two}) if {three})",
            f"[{one}, {two}]",
            f"({one}, {two})",
            f"X.T.reshape({one})",
        ]
        wild = [
            f"(x := {one})",
            f"({one} is {two})",
            f"({one} < {two} in X)",
            f"[x for x in {one}]",
            f"{{{one}: {two}}}",
            f"(lambda a: {one})",
            f"(x for x in {one})",
            f"sum(x for x in {one} for y in {two})",
            "f'{N}'",
            "2j",
            "b'x'",
        ]
        return pick(legal + wild) if self.wild and self.random.random() < 0.5 else pick(legal)
