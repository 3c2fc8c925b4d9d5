"""Random small nests over affine (and a few other) subscripts, as text for `helpers.make`."""

from __future__ import annotations

import random

EXTENTS = ("n", "m", "n + 1", "2 * n", "n * m", "7", "n + m")


class Writer:
    """Writes one random program."""

    def __init__(self, seed: int, scalars: bool = False, flat: bool = True) -> None:
        self.pick = random.Random(seed)
        self.scalars = scalars
        self.flat = flat
        self.lines: list[str] = []
        self.ranks: dict[str, int] = {}
        self.made = 0

    def text(self) -> str:
        for name in ("a", "b")[: self.pick.randint(1, 2)]:
            self.ranks[name] = self.pick.choice((1, 1, 2))
            extents = ", ".join(self.pick.choice(EXTENTS) for _ in range(self.ranks[name]))
            self.lines.append(f"array {name}[{extents}]: i64")
        self.lines.append("array idx[m]: i32")
        if self.scalars:
            self.lines.append("var s: i64, t: i64")
            self.lines += ["s = 3", "t = 4"]
        self.block([], 0)
        if self.scalars:
            self.lines += [self.pick.choice(("a[0] = s", "a[0] = t", "pass"))] if self.ranks["a"] == 1 else []
        return "\n".join(self.lines)

    def say(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def block(self, axes: list[str], depth: int) -> None:
        for _ in range(self.pick.choice((1, 1, 2))):
            what = self.pick.random()
            if not axes or (what < 0.5 and len(axes) < 3):
                self.loop(axes, depth)
            elif what < 0.6:
                self.say(depth, f"if {self.test(axes)}:")
                self.block_of_statements(axes, depth + 1)
            else:
                self.statement(axes, depth)

    def block_of_statements(self, axes: list[str], depth: int) -> None:
        for _ in range(self.pick.choice((1, 1, 2))):
            self.statement(axes, depth)

    def loop(self, axes: list[str], depth: int) -> None:
        name = "ijklpqruvw"[self.made % 10] + ("" if self.made < 10 else str(self.made))
        self.made += 1
        bounds = ["n", "m", "1, n", "n - 1", "0, n, 2", "1, m, 3", "n - 1, -1, -1", "4", "m - 1, 0, -2", "2, 6"]
        if axes:
            i = self.pick.choice(axes)
            bounds += [f"{i}, n", f"{i} + 1", f"{i} + 1, m", f"{i}", f"min({i} + 2, n)"]
            bounds += [f"max({i} - 1, 0), {i} + 2", f"3 * {i}, 3 * {i} + 3", f"{i} * 2, {i} * 2 + 2"]
        self.say(depth, f"for {name} in range({self.pick.choice(bounds)}):")
        self.block([*axes, name], depth + 1)

    def test(self, axes: list[str]) -> str:
        i, j = self.pick.choice(axes), self.pick.choice(axes)
        c = self.pick.randint(0, 3)
        return self.pick.choice(
            (
                f"{i} > 0",
                f"{i} + 1 < n",
                f"{i} == {c}",
                f"{i} < {j}",
                f"{i} % 2 == 0",
                f"{i} != {j}",
                f"0 < {i} < m",
                f"{i} // 2 == {c}",
                f"{i} > 0 and {j} < m",
                f"not ({i} >= n or {j} < 1)",
            )
        )

    def index(self, axes: list[str]) -> str:
        i, j = self.pick.choice(axes), self.pick.choice(axes)
        c = self.pick.randint(-2, 3)
        choices = [f"{i}", f"{i}", f"{i}", f"{i} + {c}", f"{i} - 1", f"n - 1 - {i}", f"2 * {i}"]
        choices += [f"2 * {i} + 1", f"{i} // 2", f"{i} % 2", f"{i} + {j}", f"{i} - {j}", f"{abs(c)}"]
        choices += [f"3 * {i} + {j}", f"min({i}, 3)", f"{i} % n", f"({i} + 1) % m", f"max({i} - 1, 0)"]
        choices += [f"n - {abs(c)}", "-1", f"{i} + n", f"idx[{i}]"]
        choices += [f"abs({i} - {j})", f"({i} if {i} < m else m - 1)", f"({i} - 1 if {i} != 0 else 0)"]
        if self.flat:
            choices += [f"{i} * m + {j}", f"{i} * n + {j}", f"{j} * m + {i} + 1", f"{i} // m", f"{i} % m"]
        return self.pick.choice(choices)

    def element(self, axes: list[str]) -> str:
        name = self.pick.choice(tuple(self.ranks))
        return f"{name}[{', '.join(self.index(axes) for _ in range(self.ranks[name]))}]"

    def value(self, axes: list[str]) -> str:
        choices = [self.element(axes), f"{self.element(axes)} + 1", "5", f"{self.pick.choice(axes)} + 1"]
        if self.scalars:
            choices += ["s", "t", f"t + {self.element(axes)}"]
        return self.pick.choice(choices)

    def statement(self, axes: list[str], depth: int) -> None:
        what = self.pick.random()
        if self.scalars and what < 0.6:
            v = self.pick.choice("st")
            x = self.value(axes)
            line = self.pick.choice(
                (f"{v} = {x}", f"{v} += {x}", f"{v} = max({v}, {x})", f"{v} = {x} + {v}", f"{v} = min({v}, {x})")
            )
            self.say(depth, line)
        elif what < 0.75:
            self.say(depth, f"{self.element(axes)} = {self.value(axes)}")
        else:
            self.say(depth, f"{self.element(axes)} {self.pick.choice(('+=', '+=', '*='))} {self.value(axes)}")
