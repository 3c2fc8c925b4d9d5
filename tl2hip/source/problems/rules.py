"""Rule files (TL6xx)."""

from __future__ import annotations

from dataclasses import dataclass

from tl2hip.source.problems.base import Problem

_BODY = "    s = 0\n    for j in range(N):\n        s += f(j)\n    return s\n"
_EXAMPLE = f"@rule\ndef total(f: Fn, N: Extent) -> Value:\n{_BODY}"


@dataclass(frozen=True)
class NotImportable(Problem):
    code = "TL601"
    title = "A rule file that cannot be imported"
    message = "the rule file cannot be imported: {reason}"
    help = "rule files are ordinary Python modules; run it with python to see the whole error"
    why = "Rule files are plugins: they are imported, so whatever Python says while importing them is told here."
    example = "from tl2hip.rule import rool\n"
    rewrite = "from tl2hip.rule import rule\n"

    reason: str


@dataclass(frozen=True)
class NoRightSide(Problem):
    code = "TL602"
    title = "A rule without its second side"
    message = "the rule `{name}` does not say what it becomes"
    help = "add a function of the same holes under `@{name}.becomes`"
    why = "A rule is two functions: the loops it recognises, and what they become."
    example = _EXAMPLE
    rewrite = (
        _EXAMPLE + "\n@total.becomes\ndef totalled(f: Fn, N: Extent) -> Value:\n"
        '    return row_reduce("+", f, over=N)\n'
    )

    name: str


@dataclass(frozen=True)
class NoHole(Problem):
    code = "TL603"
    title = "A parameter that is no hole"
    message = "`{name}` is no hole of a rule"
    help = 'annotate it Fn, Extent, Value, Axis, Const, or Op["+", "max"] with known operations'
    why = "The parameters of a rule stand for parts of the user's program; the annotation says for which."
    example = "@rule\ndef total(f: Tensor, N: int) -> float: ...\n"
    rewrite = "@rule\ndef total(f: Fn, N: Extent) -> Value: ...\n"

    name: str


@dataclass(frozen=True)
class OtherHoles(Problem):
    code = "TL604"
    title = "Two sides with different holes"
    message = "what `{name}` becomes has other parameters than `{name}`"
    help = "give both functions the same parameters, with the same annotations"
    why = "What is found for the holes of the first side is put into the second."
    example = "@total.becomes\ndef totalled(g: Fn) -> Value: ...\n"
    rewrite = "@total.becomes\ndef totalled(f: Fn, N: Extent) -> Value: ...\n"

    name: str


@dataclass(frozen=True)
class NoProgress(Problem):
    code = "TL605"
    title = "A rule that makes nothing simpler"
    message = "what `{name}` becomes has as many loops, holes and operations as `{name}` itself"
    help = "its second side must have fewer loops, or as many and less unmarked work"
    why = (
        "Rules are applied until none fits. Each must lower the measure (loops, uses of functions outside the"
        " marking words, operations), so that this ends."
    )
    example = f"@total.becomes\ndef same(f: Fn, N: Extent) -> Value:\n{_BODY}"
    rewrite = '@total.becomes\ndef marked(f: Fn, N: Extent) -> Value:\n    return row_reduce("+", f, over=N)\n'

    name: str


@dataclass(frozen=True)
class NoValue(Problem):
    code = "TL606"
    title = "A rule that gives no value"
    message = "the rule `{name}` does not end in `return` with a value"
    help = "end it in `return` of what the loops compute"
    why = "A rule recognises how a value is computed; where that value goes is the surroundings' business."
    example = "@rule\ndef total(f: Fn, N: Extent) -> None:\n    s = 0\n"
    rewrite = _EXAMPLE

    name: str


@dataclass(frozen=True)
class LoopOfRule(Problem):
    code = "TL607"
    title = "A loop of a rule over something else than an Extent"
    message = "a loop of a rule runs over `range(K)`, K an Extent"
    help = "where it starts and how it steps is part of what `f(k)` stands for"
    why = "A loop from a to b in steps of c is matched by `range(K)` with K its number of steps."
    example = "for k in range(1, K): ...\n"
    rewrite = "for k in range(K): ...\n"


@dataclass(frozen=True)
class NoAxis(Problem):
    code = "TL608"
    title = "A function hole used at something else than axes"
    message = "`{name}` takes loop variables and Axis holes, each once"
    help = "write `{name}(i, k)`: shifts and strides are part of what {name} stands for"
    why = "`f(i, k)` stands for any expression of i and k."
    example = "s += f(i, k + 1)\n"
    rewrite = "s += f(i, k)\n"

    name: str


@dataclass(frozen=True)
class OtherAxes(Problem):
    code = "TL609"
    title = "A function hole used over other axes"
    message = "`{name}` is used at axes of other extents than before"
    help = "use a second function hole"
    why = "The same hole twice means the same function."
    example = "s += f(i, k) * f(k, j)\n"
    rewrite = "s += f(i, k) * g(k, j)\n"

    name: str


@dataclass(frozen=True)
class UnusedHole(Problem):
    code = "TL610"
    title = "A function hole that is not used"
    message = "the left side never uses `{name}`"
    help = "use it or leave it out"
    why = "A hole that the recognised loops do not fill stands for nothing."
    example = "@rule\ndef total(f: Fn, g: Fn, N: Extent) -> Value: ...\n"
    rewrite = "@rule\ndef total(f: Fn, N: Extent) -> Value: ...\n"

    name: str


@dataclass(frozen=True)
class NotUnderstood(Problem):
    code = "TL611"
    title = "A left side that is no reduction"
    message = "the left side cannot be compared: {reason}"
    help = "write loops that accumulate into a scalar by +, *, max or min, and expressions of their results"
    why = "Loops are compared as reductions of independent terms; a loop that carries more is no idiom."
    example = "for j in range(N):\n    s = s * f(j) + f(j)\n"
    rewrite = "for j in range(N):\n    s += f(j)\n"

    reason: str


@dataclass(frozen=True)
class UnknownRival(Problem):
    code = "TL612"
    title = "A rule that beats an unknown one"
    message = "`{name}` says that it beats `{other}`; no rule has that name"
    help = "name a rule of the folders that are loaded"
    why = "`beats=` settles which of two rules is taken where both fit."
    example = '@rule(beats=("row_sum",))\n'
    rewrite = '@rule(beats=("row_reduction",))\n'

    name: str
    other: str


@dataclass(frozen=True)
class RuleTwice(Problem):
    code = "TL613"
    title = "Two rules of one name"
    message = "there is a rule `{name}` already, in {where}"
    help = "give it another name"
    why = "Reports and `beats=` name rules."
    example = "def contraction(f: Fn, K: Extent) -> Value: ...\n"
    rewrite = "def my_contraction(f: Fn, K: Extent) -> Value: ...\n"

    name: str
    where: str


@dataclass(frozen=True)
class NoIdentity(Problem):
    code = "TL614"
    title = "A rule for real numbers that names no identity"
    message = "`{name}` holds for real numbers only and does not say by which identity"
    help = '@rule(real=True, identity="exp(a) * exp(b) == exp(a + b)")'
    why = "Rounding differs between the two sides, so the identity that makes them equal is part of the rule."
    example = "@rule(real=True)\n"
    rewrite = '@rule(real=True, identity="exp(a) * exp(b) == exp(a + b)")\n'

    name: str


@dataclass(frozen=True)
class NoHypothesis(Problem):
    code = "TL615"
    title = "Testing rules without hypothesis"
    message = "testing rules needs hypothesis, which is not installed"
    help = "pip install 'tl2hip[test]'"
    why = "Both sides of a rule are run on random holes, which hypothesis draws and makes small."
