"""The reasons for which tl2hip may refuse a program of the generator; any other refusal is a failure."""

from __future__ import annotations

REASONS: dict[str, str] = {
    "TL213": "a tile or unroll on a loop of the launcher, or unroll on rows of a product",
    "TL302": "a name that only some ways give a value",
    "TL304": "a name that holds two dtypes, which NumPy would tell apart by the data",
    "TL320": "two dtypes without a common one (a reduction of a dtype that NumPy widens)",
    "TL323": "max, min or a conditional expression over two dtypes",
    "TL328": "a name that may still be the Python number it started as, in arithmetic that would differ",
    "TL401": "a carried scalar and no parallel axis",
    "TL402": "a carried element and no parallel axis",
    "TL403": "the last value of a loop is used and no parallel axis is left",
    "TL404": "several iterations store to one element",
    "TL405": "an extreme whose order counts, and no parallel axis",
    "TL406": "a running value that depends on itself, and no parallel axis",
    "TL503": "a while loop with nothing to share out",
}
"""Codes with what in the program earns them."""
