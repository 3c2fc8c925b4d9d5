"""docs/inspect.md is true: its example is what is printed, its rules are those there are, its keys the data's."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tl2hip.prove.advice import RULES
from tl2hip.prove.emulate import unsupported

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "inspect.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (.*?) \| (`.*) \|$", PAGE, re.MULTILINE)
KEYS = {name: set(re.findall(r"`(\w+)`", keys)) for name, keys in ROWS}

pytestmark = pytest.mark.skipif(unsupported() is not None, reason="no emulated compute unit here")


def without_numbers(text: str) -> str:
    """Figures differ from one compiler to the next."""
    return re.sub(r"\s+", " ", re.sub(r"[\d,]+", "#", text)).strip()


def test_the_example_is_what_is_printed(cli: Cli) -> None:
    shown, _ = re.findall(r"^```text\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    ran = cli("inspect", str(ROOT / "golden" / "int4_gemm" / "kernel.py"))
    told = ran.out.partition("int4_gemm at ")
    assert without_numbers(f"{told[1]}{told[2]}") == without_numbers(shown.partition(": ")[2])


def test_the_row_of_l2_is_what_is_printed(cli: Cli) -> None:
    (row,) = re.findall(r"^    L2 .*from behind it.*$", PAGE, re.MULTILINE)
    sizes = "--for", "M=4096", "N=4096", "K=128"
    assert row in cli("inspect", str(ROOT / "golden" / "gemm" / "kernel.py"), *sizes).out.splitlines()


def test_every_rule_is_told() -> None:
    said = PAGE.partition("## What is said")[2].partition("## The keys")[0]
    assert re.findall(r"^\| `(\w+)` \| ", said, re.MULTILINE) == [rule.__name__ for rule in RULES]


def test_the_keys_are_those_of_the_data(cli: Cli) -> None:
    argv = ("inspect", "--json", str(ROOT / "golden" / "int4_gemm" / "kernel.py"))
    data = json.loads(cli(*argv).out)
    many = json.loads(cli(*argv, "--for", "M=4096", "N=4864", "K=128").out)
    kernel = data["kernels"][0]
    assert kernel["l2"] is None and many["kernels"][0]["l2"]["blocks"] == 304
    by_place = {lds: next(use for use in kernel["accesses"] if use["lds"] == lds) for lds in (True, False)}
    (settings,) = data["model"]["kernels"].values()
    found = {
        "function": data,
        "each of `kernels`": kernel,
        "`l2`, `null` where blocks are few": many["kernels"][0]["l2"],
        "each of `loops`": kernel["loops"][0],
        "each of `accesses` of LDS": by_place[True],
        "each of `accesses` of memory": by_place[False],
        "`model`": data["model"],
        "a setting": settings[0],
    }
    assert {name: set(one) for name, one in found.items()} == {name: KEYS[name] for name in found}
    assert KEYS["each of `remarks`"] <= set(kernel["remarks"][0])
