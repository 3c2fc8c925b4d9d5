"""Random tile kernels: their nests give what the kernels give on NumPy."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.dialects.tiles.helpers import both

EXTENTS = {"i": "M", "j": "N", "k": "K", "d": "D"}
SIZES = {"M": 5, "N": 7, "K": 6, "D": 3}
DTYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "i32": np.int32}
TOLERANCE = {"f64": 1e-9, "f32": 2e-4, "f16": 4e-2, "i32": 0}


class Maker:
    """Writes one random kernel; a tile is a text with the index tiles of its axes, in order, and its dtype."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.tensors: list[tuple[str, str, str]] = []
        self.lines: list[str] = []
        self.open = ""
        self.names = 0

    def choice(self, *of: str) -> str:
        return self.random.choice(of)

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * (depth + 1) + text)

    def name(self) -> str:
        self.names += 1
        return f"t{self.names}"

    def tensor(self, axes: str, dtype: str, letter: str = "X") -> str:
        self.tensors.append((f"{letter}{len(self.tensors)}", axes, dtype))
        return f"{self.tensors[-1][0]}[{', '.join(axes)}]"

    def tile(self, axes: str, dtype: str, depth: int) -> str:
        """A tile over just these axes."""
        kinds = ["load", "op", "op", "number", "function", "where"] + ["dot", "sum", "max"] * (len(axes) < 3)
        match self.choice(*kinds) if depth else "load":
            case "load":
                return self.tensor("".join(self.random.sample(axes, len(axes))), dtype)
            case "op":
                part = "".join(self.random.sample(axes, self.random.randint(1, len(axes)))) if axes else ""
                pair = [self.tile(axes, dtype, depth - 1), self.tile(part, dtype, depth - 1)]
                self.random.shuffle(pair)
                return f"({pair[0]} {self.choice('+', '-', '*')} {pair[1]})"
            case "number":
                factor = self.choice("2", "3") if dtype == "i32" else self.choice("0.5", "2", "-1.5")
                return f"({factor} {self.choice('*', '+')} {self.tile(axes, dtype, depth - 1)})"
            case "function" if dtype != "i32":
                return f"np.{self.choice('tanh', 'sin', 'abs')}({self.tile(axes, dtype, depth - 1)})"
            case "where" if axes:
                index = self.random.choice(axes)
                test = f"{index} {self.choice('<', '>=', '!=')} {self.choice('2', 'n')}"
                return f"np.where({test}, {self.tile(axes, dtype, depth - 1)}, {self.choice('0', '1')})"
            case "dot" | "sum" | "max" as kind:
                return self.reduced(kind, axes, dtype, depth)
            case _:
                return self.tile(axes, dtype, depth - 1)

    def reduced(self, kind: str, axes: str, dtype: str, depth: int) -> str:
        left = [a for a in self.open if a not in axes]
        if not left:
            return self.tile(axes, dtype, depth - 1)
        over = self.random.choice(left)
        if kind == "dot" and axes and dtype in ("f32", "f64", "i32"):
            cut = self.random.randint(0, len(axes))
            a = self.tile(axes[:cut] + over, dtype, depth - 1)
            return f"tile.dot({a}, {self.tile(over + axes[cut:], dtype, depth - 1)})"
        inner = self.tile(axes + over, dtype, depth - 1)
        if kind == "sum" and dtype == "i32":
            return f"i32({inner}.sum(axis={over}))"
        return f"{inner}.{kind.replace('dot', 'sum')}(axis={over})"

    def statements(self, depth: int, count: int) -> None:
        for _ in range(count):
            axes = "".join(self.random.sample(self.open, self.random.randint(1, len(self.open))))
            dtype = self.choice(*DTYPES)
            match self.choice("store", "named", "carried", "carried", "updated", "repeated"):
                case "store":
                    place = self.tensor(axes, dtype, "Y")
                    self.line(depth, f"{place} = {self.tile(axes, dtype, 2)}")
                case "named":
                    name = self.name()
                    self.line(depth, f"{name} = {self.tile(axes, dtype, 2)}")
                    place = self.tensor(axes, dtype, "Y")
                    other = self.tile(axes, dtype, 1)
                    self.line(depth, f"{place} = {name} + {other} * {name}")
                case "updated":
                    place = self.tensor(axes, dtype, "Y")
                    self.line(depth, f"{place} = {self.tile(axes, dtype, 1)}")
                    self.line(depth, f"{place} {self.choice('+', '*')}= {self.tile(axes, dtype, 1)}")
                    name = self.name()
                    self.line(depth, f"{name} = {place} * {place}")
                    self.line(depth, f"{place} = {name} - {place}")
                case "repeated" if depth < 4:
                    name = self.name()
                    self.line(depth, f"{name} = tile.full({', '.join(axes)}, value=1, dtype={dtype})")
                    self.line(depth, f"for t in range({self.choice('0', '1', 'n')}):")
                    self.line(depth + 1, f"{name} += {self.tile(axes, dtype, 1)} * t")
                    self.statements(depth + 1, 1)
                    self.line(depth, f"if n > {self.choice('2', '5')}:")
                    self.line(depth + 1, f"{name} *= {self.tile(axes, dtype, 1)}")
                    self.line(depth, f"{self.tensor(axes, dtype, 'Y')} = {name}")
                case _:
                    self.carried(depth, axes, dtype)

    def carried(self, depth: int, axes: str, dtype: str) -> None:
        """Something carried through one more tile loop, if there is one."""
        left = [a for a in EXTENTS if a not in self.open]
        if not left:
            return
        index, name = left[0], self.name()
        self.line(depth, f"{name} = tile.zeros({', '.join(axes)}, dtype={dtype})")
        self.line(depth, f"for {index} in tile.range({EXTENTS[index]}{self.choice('', ', 2', ', 4')}):")
        self.open += index
        inner = self.tile(axes + index, dtype, 1)
        part = f"({inner}).sum(axis={index})" if dtype != "i32" else f"i32(({inner}).sum(axis={index}))"
        steps = [
            f"{name} += {part}",
            f"{name} = np.maximum({name}, ({inner}).max(axis={index}))",
            f"{name} = {name} * 2 + ({inner}).min(axis={index})",
        ]
        # only `+=` keeps the order of the axes, whatever the order of those of the other tile
        self.line(depth + 1, steps[0] if len(axes) > 1 else self.random.choice(steps))
        if self.random.random() < 0.3:
            place = self.tensor(axes + index, dtype, "Y")
            self.line(depth + 1, f"{place} = {self.tile(axes + index, dtype, 1)} + {self.choice('1', name)}")
        self.open = self.open.replace(index, "")
        place = self.tensor(axes, dtype, "Y")
        self.line(depth, f"{place} = {name}")

    def kernel(self) -> str:
        depth = 0
        for index in "ij"[: self.random.randint(1, 2)]:
            if index == "j" and self.random.random() < 0.3:
                self.line(depth, f"{index} = tile.all({EXTENTS[index]})")
            else:
                size = self.choice("", ", 2", ", 3", ", 64")
                self.line(depth, f"for {index} in tile.range({EXTENTS[index]}{size}):")
                depth += 1
            self.open += index
        self.statements(depth, self.random.randint(1, 3))
        self.tensors.append(("Z", "ijkd", "f32"))
        shown = ", ".join(f"{t}: Tensor[{dtype}, {shape(axes)}]" for t, axes, dtype in self.tensors)
        return "\n".join(["@kernel", f"def f({shown}, *, n: int = 3) -> None:", *self.lines, ""])


def shape(axes: str) -> str:
    return ", ".join(EXTENTS[a] for a in axes) or "1"


def arrays_of(maker: Maker, seed: int) -> list[np.ndarray]:
    """Arrays for a kernel's tensors."""
    draw = np.random.default_rng(seed)
    arrays = []
    for _, axes, dtype in maker.tensors:
        sizes = [SIZES[EXTENTS[a]] for a in axes] or [1]
        values = draw.integers(-3, 4, sizes) if dtype == "i32" else draw.uniform(-1, 1, sizes)
        arrays.append(np.asarray(values).astype(DTYPES[dtype]))
    return arrays


def agrees(seed: int) -> bool:
    """Whether a random kernel's nest gives what it gives on NumPy."""
    maker = Maker(seed)
    text = maker.kernel().replace("[]", "[0]")
    expected, got = both(text, *arrays_of(maker, seed))
    limits = {name: TOLERANCE[dtype] for name, _, dtype in maker.tensors}
    return all(np.allclose(got[n], expected[n], rtol=t, atol=t, equal_nan=True) for n, t in limits.items())


@pytest.mark.parametrize("seed", range(400))
def test_random_kernels(seed: int) -> None:
    assert agrees(seed), Maker(seed).kernel()


@pytest.mark.parametrize("fault", ["every tile loop is one loop", "all is worked out again"])
def test_a_planted_fault_is_seen(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong choices of the dialect are seen by the comparison, or stop the conversion."""
    if fault == "every tile loop is one loop":
        monkeypatch.setattr("tl2hip.dialects.tiles.modes._fuses", lambda loop: True)
    else:
        monkeypatch.setattr("tl2hip.dialects.tiles.loops.cheap", lambda value, changing: True)

    def wrong(seed: int) -> bool:
        try:
            return not agrees(seed)
        except (AssertionError, KeyError):
            return True

    assert any(map(wrong, range(60)))


MASKS = ["~(j <= i)", "(j <= i) & (i > 2)", "(j == i) | (2 * j < i)", "(j <= i) ^ (i != 1)", "(j <= i) + (i < 3)"]


@pytest.mark.parametrize("mask", MASKS)
def test_masks_of_index_tiles_are_numpys(mask: str) -> None:
    """`~` of Python's own bool would be -1 or -2."""
    text = f"""
@kernel
def f(X: Tensor[f32, M, N], Y: Tensor[f32, M, N], Z: Tensor[i32, M]) -> None:
    for i in tile.range(M, 2):
        for j in tile.range(N):
            Y[i, j] = np.where({mask}, X[i, j], -1) + X[i, j] * ({mask})
            Z[i] = ({mask}).sum(axis=j)
"""
    shape = (SIZES["M"], SIZES["N"])
    arrays = [np.random.default_rng(1).uniform(1, 2, shape).astype(np.float32), np.zeros(shape, np.float32)]
    expected, got = both(text, *arrays, np.zeros(SIZES["M"], np.int32))
    np.testing.assert_array_equal(got["Y"], expected["Y"])
    np.testing.assert_array_equal(got["Z"], expected["Z"])


INDICES = [
    *(
        "i + j",
        "2 * i - j",
        "i // 2",
        "j % 3",
        "(i - 3) // 2",
        "(i - 3) % 4",
        "i / 4",
        "0.5 * j",
        "abs(i - 2)",
        "-j",
    ),
    *(
        "i ** 2",
        "i << 1",
        "~i",
        "i & 3",
        "(0.3 * i) // 1",
        "np.minimum(i, 3)",
        "np.where(j > i, i, 0)",
        "f16(i) / 3",
    ),
    *("np.sqrt(i)", "np.abs(j - 3)", "i32(j) * 2", "(i + j).astype(f64)", "np.maximum(j, 0.5)", "j * (j > 1)"),
]


@pytest.mark.parametrize("index", INDICES)
def test_arithmetic_on_index_tiles_is_pythons(index: str) -> None:
    """An index tile is weak, as a loop variable is: beside f16 it is f16."""
    text = f"""
@kernel
def f(X: Tensor[f16, M, N], Y: Tensor[f64, M, N], S: Tensor[f64, M]) -> None:
    for i in tile.range(M, 2):
        for j in tile.range(N):
            t = X[i, j] * ({index})
            Y[i, j] = t
            S[i] = t.max(axis=j) + ({index} + 0 * j).sum(axis=j)
"""
    shape = (SIZES["M"], SIZES["N"])
    x = np.random.default_rng(1).uniform(1, 2, shape).astype(np.float16)
    expected, got = both(text, x, np.zeros(shape), np.zeros(SIZES["M"]))
    np.testing.assert_array_equal(got["Y"], expected["Y"])
    np.testing.assert_allclose(got["S"], expected["S"], rtol=1e-12)
