"""Attention as people write it, by seed: each text has a key, and texts of one key compute the same.

Three kinds: passes over the scores, a running maximum in plain loops, and tile loops.
"""

from __future__ import annotations

import random
import textwrap
from dataclasses import dataclass

HEAD = """\
from tl2hip import tile
S, D = dims("S D")

"""
SIGNATURE = """\
@kernel
def attention(
    {Q}: Tensor[f16, H, S, D], {K}: Tensor[f16, H, S, D], {V}: Tensor[f16, H, S, D],
    {out}: Tensor[f32, H, S, D], {scale}: f32,
) -> None:
"""


@dataclass(frozen=True, slots=True)
class Text:
    """A kernel, what it computes in a word or two, and its source."""

    key: tuple[object, ...]
    text: str


def _names(r: random.Random) -> dict[str, str]:
    """A name for each thing, and `h i j d e` for the loops."""
    plain = "Q K V out scale P E m total acc o s p new alpha h i j d e t".split()
    words = "big small left right one two red blue north south wide long old deep high low near far top odd".split()
    words.append("even")
    if r.random() < 0.5:
        return {n: n for n in plain}
    r.shuffle(words)
    return {n: f"{w}_{n}" if n in "QKV" else f"{w}{len(n)}" for n, w in zip(plain, words, strict=True)}


def _text(names: dict[str, str], body: str) -> str:
    return HEAD + (SIGNATURE + textwrap.indent(textwrap.dedent(body), "    ")).format(**names)


def _shift(lines: str, depth: int) -> str:
    return textwrap.indent(textwrap.dedent(lines), "    " * depth)


def _score(r: random.Random, scale: str, target: str) -> str:
    """Lines that compute the score of one key into a target."""
    q = "f32({Q}[{h}, {i}, {d}]) * {scale}" if scale == "q" else "f32({Q}[{h}, {i}, {d}])"
    term = f"{q} * f32({{K}}[{{h}}, {{j}}, {{d}}])"
    if r.random() < 0.5:
        term_lines = f"a = {q}\n    b = f32({{K}}[{{h}}, {{j}}, {{d}}])\n    {{s}} = {{s}} + a * b"
    else:
        term_lines = f"{{s}} += {term}"
    lines = f"{{s}} = f32(0)\nfor {{d}} in range(D):\n    {term_lines}\n"
    if scale == "s" and r.random() < 0.5:
        return lines + f"{{s}} = {{s}} * {{scale}}\n{target} = {{s}}\n"
    return lines + f"{target} = {{s}}{' * {scale}' if scale == 's' else ''}\n"


def _mask(r: random.Random, target: str) -> str:
    """Lines that take a key behind the row out of a score."""
    gone = "f32(-math.inf)"
    return r.choice((
        f"{target} = {target} if {{j}} <= {{i}} else {gone}\n",
        f"{target} = np.where({{j}} <= {{i}}, {target}, {gone})\n",
        f"{target} = {gone} if {{j}} > {{i}} else {target}\n",
        f"if {{i}} < {{j}}:\n    {target} = {gone}\n",
    ))  # fmt: skip


def _most(r: random.Random, most: str, value: str) -> str:
    if most == "maximum":
        return f"{{m}} = np.maximum({{m}}, {value})\n"
    return r.choice((f"{{m}} = max({{m}}, {value})\n", f"if {value} > {{m}}:\n    {{m}} = {value}\n"))


def _weight(cast: bool, value: str) -> str:
    return f"f32(f16({value}))" if cast else value


def passes(seed: int) -> Text:
    """Passes over scores that a local array holds."""
    r = random.Random(seed)
    names = _names(r)
    mask, scale = r.choice(("none", "range", "where")), r.choice(("none", "s", "q"))
    most, cast, norm = r.choice(("max", "maximum")), r.random() < 0.5, r.choice(("after", "before", "factor"))
    whole, split = r.random() < 0.5, r.random() < 0.4
    whole = whole or split
    at = "[{h}, {i}, {j}]" if whole else "[{j}]"
    keys = "range({i} + 1)" if mask == "range" else "range(S)"
    loop = f"for {{j}} in {keys}:\n"
    kept = "{P}" + at
    stored = r.random() < 0.5
    row = ("{m}[{h}, {i}]", "{total}[{h}, {i}]") if split else ("{m}", "{total}")
    stages = [loop + _shift(_score(r, scale, kept) + (_mask(r, kept) if mask == "where" else ""), 1)]
    stages.append("{m} = f32(-math.inf)\n" + loop + _shift(_most(r, most, kept), 1))
    stages[-1] = stages[-1].replace("{m}", row[0])
    weight = f"math.exp({kept} - {row[0]})"
    add = f"{row[1]} = f32(0)\n"
    if stored and r.random() < 0.5:
        stages.append(f"{add}{loop}    {kept} = {weight}\n    {row[1]} += {kept}\n")
        weight = kept
    elif stored:
        stages.append(f"{loop}    {{E}}{at} = {weight}\n")
        weight = f"{{E}}{at}"
        stages.append(f"{add}{loop}    {row[1]} += {weight}\n")
    else:
        stages.append(f"{add}{loop}    {row[1]} += {weight}\n")
    if norm == "before" and stored:
        stages.append(f"{loop}    {weight} = {weight} / {row[1]}\n")
    elif norm == "before":
        weight = f"{weight} / {row[1]}"
    ending = {"after": f" / {row[1]}", "before": "", "factor": f" * (f32(1) / {row[1]})"}[norm]
    p = _weight(cast, weight)
    value = "f32({V}[{h}, {j}, {e}])"
    product = r.choice((f"{p} * {value}", f"{value} * {p}"))
    if r.random() < 0.5:
        end = "for {e} in range(D):\n    {o} = f32(0)\n" + _shift(f"{loop}    {{o}} += {product}\n", 1)
        stages.append(end + f"    {{out}}[{{h}}, {{i}}, {{e}}] = {{o}}{ending}\n")
    else:
        zero = "{acc} = np.zeros(D, dtype=np.float32)\n"
        end = zero + loop + f"    {{t}} = {p}\n    for {{e}} in range(D):\n"
        end += f"        {{acc}}[{{e}}] += {{t}} * {value}\n"
        stages.append(end + f"for {{e}} in range(D):\n    {{out}}[{{h}}, {{i}}, {{e}}] = {{acc}}[{{e}}]{ending}\n")
    around = "for {h} in range(H):\n    for {i} in range(S):\n"
    size = "(H, S, S)" if whole else "S"
    made = "".join(f"{{{n}}} = np.empty({size}, dtype=np.float32)\n" for n in "PE" if n == "P" or stored)
    if split:
        made += "".join(f"{{{n}}} = np.empty((H, S), dtype=np.float32)\n" for n in ("m", "total"))
        body = made + "".join(around + _shift(stage, 2) for stage in stages)
    elif whole:
        body = made + around + _shift("".join(stages), 2)
    else:
        body = around + _shift(made + "".join(stages), 2)
    late = "before" if norm == "before" else norm
    return Text(("passes", mask, scale, most, cast, late), _text(names, body))


def running(seed: int) -> Text:
    """A running maximum, for each key or for each tile of keys."""
    r = random.Random(seed)
    names = _names(r)
    size = r.choice((0, 0, 2, 3))
    mask, scale = r.choice(("none", "range", "where")), r.choice(("none", "s", "q"))
    most, cast = r.choice(("max", "maximum")), r.random() < 0.5
    f = "np.maximum" if most == "maximum" else "max"
    stop = "{i} + 1" if mask == "range" else "S"
    crossed = not size and mask != "range" and r.random() < 0.3
    at = ("[{i}]", "[{i}, {e}]") if crossed else ("", "[{e}]")
    m, total, acc = "{m}" + at[0], "{total}" + at[0], "{acc}" + at[1]
    alpha = f"math.exp({m} - {{new}})"
    if size:
        end = f"min({{t}} + {size}, {stop})"
        inner = f"for {{j}} in range({{t}}, {end}):\n"
        s = "{P}[{j} - {t}]"
        turn = f"{{P}} = np.empty({size}, dtype=np.float32)\n" + inner
        turn += _shift(_score(r, scale, s) + (_mask(r, s) if mask == "where" else ""), 1)
        turn += f"{{new}} = {m}\n{inner}    {{new}} = {f}({{new}}, {s})\n"
        weight = f"math.exp({s} - {{new}})"
        sums = [f"{total} *= {alpha}\n{inner}    {total} += {weight}\n"]
        scaled = f"for {{e}} in range(D):\n    {acc} *= {alpha}\n"
        product = f"{_weight(cast, weight)} * f32({{V}}[{{h}}, {{j}}, {{e}}])"
        sums.append(r.choice((
            f"{scaled}{inner}    for {{e}} in range(D):\n        {acc} += {product}\n",
            f"for {{e}} in range(D):\n    {{o}} = f32(0)\n    {inner}        {{o}} += {product}\n"
            f"    {acc} = {acc} * {alpha} + {{o}}\n",
        )))  # fmt: skip
    else:
        turn = _score(r, scale, "{s}") + (_mask(r, "{s}") if mask == "where" else "")
        turn += f"{{new}} = {f}({m}, {{s}})\n"
        weight = "math.exp({s} - {new})"
        if r.random() < 0.5:
            turn += f"{{p}} = {weight}\n"
            weight = "{p}"
        if r.random() < 0.5:
            turn += f"{{alpha}} = {alpha}\n"
            alpha = "{alpha}"
        one, two = f"{total} = {total} * {alpha} + {weight}\n", f"{total} *= {alpha}\n{total} += {weight}\n"
        sums = [r.choice((one, two))]
        product = f"{_weight(cast, weight)} * f32({{V}}[{{h}}, {{j}}, {{e}}])"
        one = f"for {{e}} in range(D):\n    {acc} = {alpha} * {acc} + {product}\n"
        two = f"for {{e}} in range(D):\n    {acc} *= {alpha}\nfor {{e}} in range(D):\n    {acc} += {product}\n"
        sums.append(r.choice((one, two)))
    r.shuffle(sums)
    turn += "".join(sums) + f"{m} = {{new}}\n"
    ahead = f"{m} = f32(-math.inf)\n{total} = f32(0)\nfor {{e}} in range(D):\n    {acc} = f32(0)\n"
    behind = f"for {{e}} in range(D):\n    {{out}}[{{h}}, {{i}}, {{e}}] = {acc} / {total}\n"
    outer = f"for {{t}} in range(0, {stop}, {size}):\n" if size else f"for {{j}} in range({stop}):\n"
    if crossed:
        rows = "for {i} in range(S):\n"
        made = "{m} = np.empty(S, dtype=np.float32)\n{total} = np.empty(S, dtype=np.float32)\n"
        made += "{acc} = np.empty((S, D), dtype=np.float32)\n"
        body = made + rows + _shift(ahead, 1) + outer + _shift(rows + _shift(turn, 1), 1) + rows + _shift(behind, 1)
        body = "for {h} in range(H):\n" + _shift(body, 1)
    else:
        made = "{acc} = np.empty(D, dtype=np.float32)\n"
        body = made + ahead + outer + _shift(turn, 1) + behind
        body = "for {h} in range(H):\n    for {i} in range(S):\n" + _shift(body, 2)
    return Text(("running", size, mask, scale, most, cast), _text(names, body))


def tiles(seed: int) -> Text:
    """Tile loops."""
    r = random.Random(seed)
    names = _names(r)
    rows, keys = r.choice((2, 4)), r.choice((2, 3))
    mask, scale, cast = r.choice(("none", "where")), r.choice(("none", "s")), r.random() < 0.5
    dot = "tile.dot({Q}[{h}, {i}, {d}], {K}[{h}, {j}, {d}])"
    score = f"{dot} * {{scale}}" if scale == "s" else dot
    lines = r.choice((f"{{s}} = {score}\n", f"{{o}} = {score}\n{{s}} = {{o}}\n"))
    if mask == "where":
        lines += r.choice((
            "{s} = np.where({j} <= {i}, {s}, -math.inf)\n",
            "{s} = np.where({i} >= {j}, {s}, f32(-math.inf))\n",
            "{s} = np.where({j} > {i}, -math.inf, {s})\n",
        ))  # fmt: skip
    lines += r.choice((
        "{new} = np.maximum({m}, {s}.max(axis=1))\n",
        "{t} = np.max({s}, axis=1)\n{new} = np.maximum({m}, {t})\n",
    ))  # fmt: skip
    lines += "{p} = np.exp({s} - {new})\n"
    alpha = "np.exp({m} - {new})"
    if r.random() < 0.5:
        lines += f"{{alpha}} = {alpha}\n"
        alpha = "{alpha}"
    p = "f16({p})" if cast else "{p}"
    product = f"tile.dot({p}, {{V}}[{{h}}, {{j}}, {{d}}])"
    whole = f"{{total}} = {{total}} * {alpha} + {{p}}.sum(axis=1)\n"
    sums = [
        r.choice((whole, f"{{total}} *= {alpha}\n{{total}} += np.sum({{p}}, axis=1)\n")),
        r.choice((f"{{acc}} = {{acc}} * {alpha} + {product}\n", f"{{acc}} *= {alpha}\n{{acc}} += {product}\n")),
    ]
    r.shuffle(sums)
    lines += "".join(sums) + "{m} = {new}\n"
    body = "{d} = tile.all(D)\n{m} = tile.full({i}, value=-math.inf, dtype=f32)\n"
    body += "{total} = tile.zeros({i}, dtype=f32)\n{acc} = tile.zeros({i}, {d}, dtype=f32)\n"
    body += f"for {{j}} in tile.range(S, {keys}):\n" + _shift(lines, 1)
    body += "{out}[{h}, {i}, {d}] = {acc} / {total}\n"
    body = f"for {{h}} in range(H):\n    for {{i}} in tile.range(S, {rows}):\n" + _shift(body, 2)
    return Text(("tiles", rows, keys, mask, scale, cast), _text(names, body))
