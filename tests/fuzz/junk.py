"""Files that are no programs, or hardly: bytes, broken kernels, strange encodings, great depth, great size."""

from __future__ import annotations

import codecs
import encodings.aliases
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

GOLDEN = Path(__file__).parents[2] / "golden"
FINE = 0
HEAD = """from tl2hip import Tensor, dims, f32, kernel

N = dims("N")


@kernel
def k(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = x[i]
"""
DEPTHS = (99, 201, 480, 20_000)


@dataclass(frozen=True, slots=True)
class Junk:
    """A file's content under a name; `code` is the exit code it must end with, None where several are right."""

    name: str
    content: bytes
    code: int | None = None


def kernels() -> list[tuple[str, bytes]]:
    """The goldens' kernels by name."""
    return [(p.parent.name, p.read_bytes()) for p in sorted(GOLDEN.glob("*/kernel.py"))]


def noise(count: int) -> Iterator[Junk]:
    """Random bytes, random printable text, and random words of Python."""
    for k in range(count):
        draw = random.Random(f"noise {k}")
        length = draw.choice((0, 1, 2, 10, 100, 3000))
        yield Junk(f"bytes {k}", draw.randbytes(length))
        yield Junk(
            f"text {k}", bytes(draw.choice(b" \t\n#()[]{}:=+-*/%@\\'\"abcdef0123456789.,;") for _ in range(length))
        )
        words = (
            "def kernel for in range ( ) [ ] : = Tensor tl2hip import from @ lambda if else \n \n    N x , 1".split(
                " "
            )
        )
        yield Junk(f"words {k}", HEAD.encode() + " ".join(draw.choices(words, k=length)).encode())


def broken(count: int) -> Iterator[Junk]:
    """Kernels cut off somewhere, and kernels with a few bytes changed, put in or taken out."""
    for name, content in kernels():
        for k in range(count):
            draw = random.Random(f"broken {name} {k}")
            yield Junk(f"{name} cut {k}", content[: draw.randrange(len(content))])
            changed = bytearray(content)
            for _ in range(draw.choice((1, 1, 2, 5, 20))):
                at = draw.randrange(len(changed))
                byte = bytes([draw.randrange(256) if draw.random() < 0.5 else draw.choice(b" \n\t:()[],=.0")])
                changed[at : at + draw.randrange(2)] = byte if draw.random() < 0.8 else b""
            yield Junk(f"{name} changed {k}", bytes(changed))


def encoded() -> Iterator[Junk]:
    """A kernel under every encoding that Python has a name for, in it and not in it, and with byte order marks."""
    text = HEAD.replace("x[i]\n", "x[i]  # größer, 大\n")
    for name in sorted({*encodings.aliases.aliases.values(), "nonsense", "utf-8-sig", "", "latin-1", "undefined"}):
        cookie = f"# -*- coding: {name} -*-\n"
        yield Junk(f"cookie {name}, in utf-8", (cookie + text).encode())
        yield Junk(f"cookie {name} late", ("\n\n" + cookie + HEAD).encode(), FINE)
        try:
            yield Junk(f"cookie {name}, in it", (cookie + HEAD).encode(name))
        except (LookupError, UnicodeError, TypeError):
            continue
    for name in ("utf-8-sig", "utf-16", "utf-16-le", "utf-32", "utf-32-be", "utf-7", "cp037", "latin-1"):
        yield Junk(f"all in {name}", text.encode(name, errors="replace"))
    yield Junk("mark and cookie", codecs.BOM_UTF8 + b"# coding: latin-1\n" + HEAD.encode())
    yield Junk("mark twice", codecs.BOM_UTF8 * 2 + HEAD.encode())
    yield Junk("mark alone", codecs.BOM_UTF8)
    yield Junk("mark inside", HEAD.replace("for i", "\ufefffor i").encode())


def lines() -> Iterator[Junk]:
    """Ends of lines, form feeds, NULs and other characters that stand for no code."""
    for name, end in (("CR LF", "\r\n"), ("CR", "\r")):
        yield Junk(f"{name} lines", HEAD.replace("\n", end).encode(), FINE)
    yield Junk("no last end", HEAD.rstrip().encode(), FINE)
    yield Junk("mixed ends", HEAD.replace("\n", "\r\n", 4).encode(), FINE)
    yield Junk("form feed lines", HEAD.replace("\n\n\n", "\n\f\n").encode(), FINE)
    for name, inserted in (
        *(("NUL", "\0"), ("form feed", "\f"), ("vertical tab", "\v"), ("escape", "\x1b"), ("end", "\x1a")),
        *(("separator", "\u2028"), ("next line", "\x85"), ("no-break space", "\xa0"), ("joiner", "\u200d")),
        *(("right to left", "\u202e"), ("backslash", "\\"), ("tab", "\t"), ("CR", "\r"), ("private", "\ue000")),
    ):
        for k in range(6):
            at = random.Random(f"{name} {k}").randrange(len(HEAD))
            yield Junk(f"{name} {k}", (HEAD[:at] + inserted + HEAD[at:]).encode())
    yield Junk("lone surrogate", HEAD.encode() + b"# \xed\xa0\x80\n")


def deep() -> Iterator[Junk]:
    """Expressions and blocks of great depth, in a kernel."""
    for n in DEPTHS:
        shapes = {
            "parentheses": "(" * n + "x[i]" + ")" * n,
            "open parentheses": "(" * n,
            "lists": "[" * n + "]" * n,
            "subscripts": "x[" * n + "i" + "]" * n,
            "calls": "abs(" * n + "x[i]" + ")" * n,
            "attributes": "x" + ".a" * n,
            "sum": "x[i]" + " + 1" * n,
            "powers": "x[i]" + " ** 1" * n,
            "minuses": "-" * n + "x[i]",
            "nots": "not " * n + "x[i]",
            "comparisons": "0" + " < 1" * n,
            "ands": "x[i]" + " and 1" * n,
            "conditions": "1 if x[i] else " * n + "0",
            "lambdas": "lambda: " * n + "1",
            "strings": "'a' " * n,
            "braces": "f'" + "{" * n + "}" * n + "'",
            "tuples": "(" + "1, " * n + ")",
            "index": "x[" + "i, " * n + "]",
        }
        for name, text in shapes.items():
            yield Junk(f"{name} {n}", HEAD.replace("x[i]\n", f"{text}\n").encode())
        if n <= 1000:
            blocks = "".join("    " * (d + 2) + "if N:\n" for d in range(n))
            yield Junk(f"blocks {n}", (HEAD + blocks + "    " * (n + 2) + "y[i] = 1\n").encode())
            elifs = "        if N:\n            pass\n" + "        elif N:\n            y[i] = 1\n" * n
            yield Junk(f"elifs {n}", (HEAD + elifs).encode())
            yield Junk(
                f"functions {n}",
                (HEAD + "".join(" " * d + "def f():\n" for d in range(n)) + " " * n + "1").encode(),
            )


def huge() -> Iterator[Junk]:
    """Files of megabytes, with a kernel at their end or start, and lines of megabytes."""
    comment = b"# " + b"word " * 14 + b"\n"
    yield Junk("4 MB of comments", comment * (4_000_000 // len(comment)) + HEAD.encode(), FINE)
    yield Junk("1 MB of code", b"x = [1, 2, 3]\n" * (1_000_000 // 14))
    yield Junk("10 MB of zeros", bytes(10_000_000))
    yield Junk("a line of 5 MB", HEAD.encode() + b"TEXT = '" + b"a" * 5_000_000 + b"'\n", FINE)
    yield Junk("a comment of 5 MB", HEAD.encode() + b"#" + b"a" * 5_000_000, FINE)
    yield Junk("a name of 1 MB", HEAD.replace("y[i]", "y" * 1_000_000).encode())
    yield Junk("a number of 1 MB", HEAD.replace("x[i]\n", "1" * 1_000_000 + "\n").encode())
    yield Junk("12,000 lines of code", HEAD.encode() + b"value = 1 + 2\n" * 12_000, FINE)
