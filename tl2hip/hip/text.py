"""Text of an expression with its binding strength, and the parentheses between operators."""

from __future__ import annotations

from typing import NamedTuple

ATOM, UNARY, MUL, ADD, SHIFT, RELATION, EQUALITY, AND, XOR, OR, BOTH, EITHER, TERNARY = range(16, 3, -1)
"""The binding strengths of C++ operators, the strongest first."""

STRENGTH: dict[str, int] = {
    "*": MUL,
    "/": MUL,
    "%": MUL,
    "+": ADD,
    "-": ADD,
    "<<": SHIFT,
    ">>": SHIFT,
    "<": RELATION,
    "<=": RELATION,
    ">": RELATION,
    ">=": RELATION,
    "==": EQUALITY,
    "!=": EQUALITY,
    "&": AND,
    "^": XOR,
    "|": OR,
    "&&": BOTH,
    "||": EITHER,
}


class Text(NamedTuple):
    """Printed text and the strength of its outermost operator."""

    text: str
    strength: int = ATOM

    def inside(self, least: int) -> str:
        """The text, in parentheses where it binds less strongly than `least`."""
        return self.text if self.strength >= least else f"({self.text})"

    @property
    def argument(self) -> str:
        """The text between the parentheses of a call or the brackets of an index."""
        return self.text


def infix(op: str, left: Text, right: Text) -> Text:
    """`left op right` with the parentheses that meaning needs, and those without which clang warns.

    >>> infix("*", infix("+", Text("a"), Text("b")), Text("c")).text
    '(a + b) * c'
    >>> infix("-", Text("a"), infix("-", Text("b"), Text("c"))).text
    'a - (b - c)'
    >>> infix("||", infix("&&", Text("a"), Text("b")), Text("c")).text
    '(a && b) || c'
    """
    strength = STRENGTH[op]
    a = left.inside(_least(op, left))
    b = right.inside(max(_least(op, right), strength + 1))
    if strength == ADD and b.startswith("-"):
        b = f"({b})"
    return Text(f"{a} {op} {b}", strength)


def joined(op: str, left: Text, right: Text) -> Text:
    """`left + right` of sums whose order does not matter: exact integers need no parentheses on the right.

    >>> joined("+", Text("a"), infix("-", Text("b"), Text("c"))).text
    'a + b - c'
    """
    if op == "+" and right.strength == ADD and not right.text.startswith("-"):
        return Text(f"{left.inside(ADD)} + {right.text}", ADD)
    return infix(op, left, right)


def _least(op: str, side: Text) -> int:
    """How strongly an operand must bind to stand bare beside `op`.

    Sums and products mix freely and may be compared; comparisons may be joined; every other mixture is put in
    parentheses, which is what people read right and what clang asks for.
    """
    strength = STRENGTH[op]
    if strength >= ADD:
        return strength
    if strength >= EQUALITY:
        return ATOM if side.text.startswith("!") else UNARY if strength == SHIFT else ADD
    if strength >= OR:
        return UNARY if side.strength != strength else strength
    return strength if side.strength == strength else EQUALITY


def prefix(op: str, value: Text) -> Text:
    """`op value` for a prefix operator or a cast `(type)`."""
    body = value.inside(UNARY)
    return Text(f"{op}({body})" if op == "-" and body.startswith("-") else f"{op}{body}", UNARY)


def call(name: str, *args: str) -> Text:
    """`name(args)`."""
    return Text(f"{name}({', '.join(args)})")


def ternary(test: Text, then: Text, orelse: Text) -> Text:
    """`test ? then : orelse`; a chain continues in its last part."""
    return Text(
        f"{test.inside(TERNARY + 1)} ? {then.inside(TERNARY + 1)} : {orelse.inside(TERNARY)}",
        TERNARY,
    )
