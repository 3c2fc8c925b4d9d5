"""Faults planted in the printed text of both kernels are found."""

from __future__ import annotations

import pytest

from tests.plan.matmul.products import Product, converted, planted, proven

SHAPES = {"kernel_aligned": {"M": 69, "N": 67, "K": 200}, "kernel": {"M": 69, "N": 67, "K": 201}}
"""Two tiles along i and j and four along k, the last of each in part. Rows of the second are not aligned."""

FAULTS = {
    "fragments are overwritten as they are read": ("lds_barrier();  // every wave has its fragments", ""),
    "a tile is read as it is written": ("lds_barrier();  // the next tile is in LDS", ""),
    "the first tile is read as it is written": ("    lds_barrier();\n    #pragma", "    #pragma"),
    "the swizzle of one factor is another": ("(k_L ^ (row_L % 8 * 8))", "(k_L ^ (row_L % 4 * 8))"),
    "a tile of the sum is left out": ("step < steps; ++step", "step < steps - 1; ++step"),
    "a tile of the sum is taken twice": ("? step : last", "? step - 1 : last"),
    "the tile in part is fetched as if it were whole": ("step < last ? step : last", "step"),
    "a row past the end is fetched": ("- 1) - i_tile)", ") - i_tile)"),
    "a row too few is fetched": ("- 1) - j_tile)", "- 2) - j_tile)"),
    "a row past the end is stored": ("if (i < M)", "if (i <= M)"),
    "a column past the end is stored": ("if (j_first + 4 <= N)", "if (j_first + 4 <= N + 1)"),
    "a column past the end is stored on its own": ("if (j < N)", "if (j <= N)"),
    "a sum is stored in another's place": ("sums[r][c][e]", "sums[c][r][e]"),
    "the halves of a fragment are exchanged": ("part_R[0][c].lo, ", "part_R[0][c].hi, "),
    "the sums start from anything": (" sums[2][2] = {};", " sums[2][2];"),
    "waves compute the same rows": ("wave / 2 * 2048", "0"),
}  # fmt: skip

HELPERS = {
    "what is past the end of the sum is no zero": ("if (e < count)\n            some[e]", "some[e]"),
    "a tile is computed twice": ("first + inside % high", "first"),
}  # fmt: skip


@pytest.mark.parametrize("kernel", SHAPES)
@pytest.mark.parametrize("fault", FAULTS)
def test_planted_fault_is_found(fault: str, kernel: str) -> None:
    k = converted(Product(k="64"))
    assert not proven(k, SHAPES[kernel], text=planted(k, kernel, *FAULTS[fault])).good


@pytest.mark.parametrize("kernel", SHAPES)
@pytest.mark.parametrize("fault", HELPERS)
def test_planted_fault_in_a_helper_is_found(fault: str, kernel: str) -> None:
    k = converted(Product(k="64"))
    old, new = HELPERS[fault]
    assert k.printed is not None and old in k.printed.text
    assert not proven(k, SHAPES[kernel], text=k.printed.text.replace(old, new)).good


@pytest.mark.parametrize("kernel", SHAPES)
def test_nothing_is_found_where_nothing_is_planted(kernel: str) -> None:
    report = proven(converted(Product(k="64")), SHAPES[kernel])
    assert report.good, report.text


BYTES = {
    "bytes of two rows are exchanged": ("0x05010400", "0x01050004"),
    "halves of words are exchanged": ("ab_low, 0x05040100", "ab_low, 0x01000504"),
    "a column is written in another's place": ("columns[w * 4 + e]", "columns[w * 4 + 3 - e]"),
    "rows are turned in another order": ("row(2), row(3)", "row(3), row(2)"),
    "every column is the first": ("column = {words_0[e]}", "column = {words_0[0]}"),
}


@pytest.mark.parametrize("depth", ["64", "128"])
@pytest.mark.parametrize("fault", BYTES)
def test_planted_fault_where_bytes_are_turned_is_found(fault: str, depth: str) -> None:
    k = converted(Product("NN", "f8e4m3", i="64, waves(2)", j="128, waves(2)", k=depth))
    old, new = BYTES[fault]
    assert k.printed is not None and old in k.printed.text
    shape = {"M": 80, "N": 144, "K": 144}
    assert not proven(k, shape, text=k.printed.text.replace(old, new)).good
    assert proven(k, shape).good


def test_another_tile_in_the_place_of_a_whole_last_one_is_found() -> None:
    k = converted(Product(k="64"))
    sizes = {"M": 69, "N": 67, "K": 192}
    text = planted(k, "kernel_aligned", "(steps - 1) * 128", "(steps - 2) * 128")
    assert not proven(k, sizes, text=text).good and proven(k, sizes).good
