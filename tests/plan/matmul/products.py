"""Texts of matrix products as users write them, converted and proven on fixed shapes."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tl2hip import api
from tl2hip.plan.ir import Plan
from tl2hip.plan.matrix_ir import MatrixMultiply
from tl2hip.plan.walk import all_stmts
from tl2hip.prove.report import Report
from tl2hip.prove.verify import Options, verify
from tl2hip.source.span import Source

HEAD = "import math\nimport numpy as np\nfrom tl2hip import *\nB, M, N, K, P = dims('B M N K P')\n@kernel\n"
SIZES = {"i": "M", "j": "N", "k": "K"}
ORDERS = {"NT": ("i, k", "j, k"), "NN": ("i, k", "k, j"), "TN": ("k, i", "k, j"), "TT": ("k, i", "j, k")}
"""The indices of the factors of the four kinds of products."""


@dataclass(frozen=True)
class Product:
    """A product of factors `L` and `R` into `C`, in loops over i, j and k.

    `kind` says how the factors lie in memory; `sums` is the dtype of the sum. `start` comes before the loop over
    k, `end` behind it. `given` are more parameters. A mark of "" leaves its tile out.
    """

    kind: str = "NT"
    left: str = "f16"
    right: str = ""
    sums: str = "f32"
    result: str = ""
    i: str = "64, waves(2)"
    j: str = "64, waves(2)"
    k: str = ""
    start: str = "s = f32(0)"
    end: tuple[str, ...] = ("C[i, j] = s",)
    given: str = ""
    shape: str = "M, N"

    @property
    def text(self) -> str:
        right, result = self.right or self.left, self.result or self.sums
        marks = [
            f"    {v}: Tile[int, {mark}]" for v, mark in zip("ijk", (self.i, self.j, self.k), strict=True) if mark
        ]
        left, other = (f"{name}[{index}]" for name, index in zip("LR", ORDERS[self.kind], strict=True))
        term = " * ".join(
            e if dtype == self.sums else f"{self.sums}({e})" for e, dtype in ((left, self.left), (other, right))
        )
        return "\n".join(
            [
                f"def f({_tensor('L', self.left, ORDERS[self.kind][0])}, "
                f"{_tensor('R', right, ORDERS[self.kind][1])}, "
                f"C: Tensor[{result}, {self.shape}]{', ' * bool(self.given)}{self.given}) -> None:",
                *marks,
                "    for i in range(M):",
                "        for j in range(N):",
                f"            {self.start.replace('f32(0)', f'{self.sums}(0)')}",
                "            for k in range(K):",
                f"                s += {term}",
                *(f"            {line}" for line in self.end),
                "",
            ]
        )


def _tensor(name: str, dtype: str, index: str) -> str:
    return f"{name}: Tensor[{dtype}, {', '.join(SIZES[v] for v in index.split(', '))}]"


@functools.cache
def _converted(text: str, sets: tuple[tuple[str, int], ...]) -> api.Converted:
    done = api.convert(Source("k.py", HEAD + text), api.Options(sets=dict(sets)))
    assert not done.errors, done.told
    (kernel,) = done.kernels
    return kernel


def refused(text: Product) -> str:
    """What is told of a text that does not convert."""
    done = api.convert(Source("k.py", HEAD + text.text))
    assert done.errors
    return done.told


def converted(text: str | Product, **sets: int) -> api.Converted:
    """The kernel of a text that converts."""
    return _converted(text.text if isinstance(text, Product) else text, tuple(sets.items()))


def plan(k: api.Converted) -> Plan:
    assert k.plan is not None
    return k.plan


def multiplying(k: api.Converted) -> list[str]:
    """The kernels that hold matrix instructions."""
    name = f"{k.name}_"
    return [
        x.name.removeprefix(name)
        for x in plan(k).kernels
        if any(isinstance(s, MatrixMultiply) for s in all_stmts(x.body))
    ]


def why(k: api.Converted) -> list[str]:
    """Why the plan of products did not take the kernel."""
    return [m.why for m in plan(k).misses if m.plan == "matrix product"]


def proven(
    k: api.Converted,
    *shapes: Mapping[str, int],
    modes: Sequence[str] = ("normal",),
    seed: int = 0,
    text: str = "",
    machine: bool = False,
) -> Report:
    """What running a kernel on shapes found. Arrays of the first shape in its first mode are aligned where the
    seed is even, those of the second case are not, and so on."""
    assert k.nest is not None and k.printed is not None
    given = tuple({d: s[d] for d in k.nest.dims} for s in shapes)
    depths = {axis: tree.depth for axis, tree in plan(k).trees}
    how = Options(
        shapes=0, given=given, modes=tuple(modes), depths=depths, joins=plan(k).joins, in_place=plan(k).in_place,
        seed=seed, machine=machine,
    )  # fmt: skip
    return verify(k.planned or k.nest, text or k.printed.text, k.printed.launcher, None, how)


def planted(k: api.Converted, kernel: str, old: str, new: str) -> str:
    """The printed text with `new` for the last `old` in one kernel, where `old` must stand."""
    assert k.printed is not None
    text = k.printed.text
    start = text.index(f"\n{k.name}_{kernel}(")
    end = text.index("\n}", start)
    assert old in text[start:end], f"{old} is not printed any more"
    at = text.rindex(old, start, end)
    return text[:at] + new + text[at + len(old) :]
