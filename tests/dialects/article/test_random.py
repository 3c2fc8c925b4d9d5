"""Random tile kernels: their nests give what the kernels give on NumPy."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.dialects.article.helpers import both

INDICES = {"i": 2, "j": 3, "k": 4, "l": 2}


class Maker:
    """Writes one random kernel: tiles are texts with the indices their run has."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.tensors: list[tuple[str, str]] = []
        self.lines: list[str] = []

    def some(self, least: int, most: int) -> str:
        return "".join(self.random.sample(list(INDICES), self.random.randint(least, most)))

    def loaded(self) -> tuple[str, str]:
        axes = self.some(1, 3)
        self.tensors.append((f"x{len(self.tensors)}", axes))
        return f"{self.tensors[-1][0]}[{', '.join(axes)}].load()", axes

    def tile(self, depth: int, kept: str) -> tuple[str, str]:
        if depth == 0 or self.random.random() < 0.1:
            return self.loaded()
        match self.random.choice(("op", "op", "number", "exp", "sum", "max", "dot", "name", "name")):
            case "op":
                (a, one), (b, two) = self.tile(depth - 1, kept), self.tile(depth - 1, kept)
                return f"({a} {self.random.choice('+-*')} {b})", one + "".join(x for x in two if x not in one)
            case "number":
                a, axes = self.tile(depth - 1, kept)
                return self.random.choice((f"(0.5 * {a})", f"(-{a})", f"({a} + n)", f"({a} / 3)")), axes
            case "exp":
                a, axes = self.tile(depth - 1, kept)
                return f"tl.exp(-0.1 * {a} * {a})", axes
            case "dot":
                return self.dot(depth, kept)
            case "name":
                a, axes = self.tile(depth - 1, kept)
                self.lines.append(f"t{len(self.lines)} = {a}")
                name = f"t{len(self.lines) - 1}"
                if axes and self.random.random() < 0.7:
                    rest = axes.replace(axes[0], "", 1)
                    return f"({name} - tl.max({name}, axis=0))", axes if rest else axes
                return name, axes
            case op:
                a, axes = self.tile(depth - 1, kept)
                if not axes:
                    return a, axes
                axis = self.random.choice(axes)
                place = self.random.choice((axis, str(axes.index(axis)), str(axes.index(axis) - len(axes))))
                return f"tl.{op}({a}, axis={place})", axes.replace(axis, "")

    def dot(self, depth: int, kept: str) -> tuple[str, str]:
        (a, one), (b, two) = self.tile(depth - 1, kept), self.tile(depth - 1, kept)
        shared = [x for x in one if x in two and x not in kept]
        if not shared:
            return f"({a} * {b})", one + "".join(x for x in two if x not in one)
        axes = one + "".join(x for x in two if x not in one)
        return f"tl.dot({a}, {b})", "".join(x for x in axes if x not in shared)

    def kernel(self) -> str:
        kept = self.some(1, 3)
        stores = [kept, kept[: self.random.randint(1, len(kept))]][: self.random.randint(1, 2)]
        outputs: list[str] = []
        for number, axes in enumerate(stores):
            tile, has = self.tile(4, kept)
            for x in has:
                if x in kept and x not in axes:
                    tile, has = f"tl.max({tile}, axis={x})", has.replace(x, "")
            self.lines.append(f"y{number}[{', '.join(axes)}].store({tile})")
            outputs.append(axes)
        names = "".join(INDICES)
        used = "".join(x for x in names if any(x in axes for _, axes in self.tensors) or x in kept)
        extents = ", ".join(str(INDICES[x]) for x in used)
        return "\n".join(
            (
                "def f(n=2):",
                *(f'    {t} = tl.InputTensor("{t}", {shape(axes)}, "f64")' for t, axes in self.tensors),
                *(f'    y{n} = tl.OutputTensor("y{n}", {shape(axes)}, "f64")' for n, axes in enumerate(outputs)),
                f"    {', '.join(used)}, = tl.TileLoop([{extents}], [{extents}])",
                *(f"    {line}" for line in self.lines),
                "kernel = tl.CompileKernel(f)\n",
            )
        )


def shape(axes: str) -> list[int]:
    return [INDICES[x] for x in axes]


@pytest.mark.parametrize("seed", range(120))
def test_random_kernels(seed: int) -> None:
    maker = Maker(seed)
    text = maker.kernel()
    draw = np.random.default_rng(seed)
    arrays = [draw.standard_normal(shape(axes)) for _, axes in maker.tensors]
    expected, got = both(text, *arrays)
    for output, value in expected.items():
        np.testing.assert_allclose(got[output], value, rtol=1e-9, atol=1e-9, err_msg=text)
