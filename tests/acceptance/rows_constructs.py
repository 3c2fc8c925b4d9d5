"""Section 2: the constructs of Python."""

from __future__ import annotations

from tests.acceptance.row import Row, Wanted

SHORT = {
    "cases": "tests/cases/{}.py",
    "golden": "golden/{}/kernel.py",
    "errors": "tests/errors/{}.py",
}


def _row(
    name: str, wanted: Wanted, shown: str, code: str = "", instead: str = "", note: str = "", open: str = ""
) -> Row:
    """A row of this section; `cases:area::kernel` and its like stand for their folders."""

    def whole(one: str) -> str:
        folder, colon, rest = one.partition(":")
        if not one or "/" in one or folder not in SHORT or not colon:
            return one if not one or "/" in one else f"tests/acceptance/constructs.py::{one}"
        file, _, kernel = rest.partition("::")
        return SHORT[folder].format(file) + (f"::{kernel}" if kernel else "")

    return Row(2, "", name, wanted, tuple(map(whole, shown.split())), code, whole(instead), note, open)


CONSTRUCTS: tuple[Row, ...] = (
    _row("`range` with a constant step, empty ranges", "core", "steps cases:spellings::r_negstep3"),
    _row("`range` with a step known at run time", "second", "step_up cases:iteration::steps_down",
         note="the launcher checks its sign"),
    _row("a store at a run-time step downwards", "second", "step_down"),
    _row("the same with either sign", "refuse", "step_at_run_time", "TL345", "step_up"),
    _row("triangular and other affine bounds", "core", "golden:syrk::syrk cases:slices::tri_dot"),
    _row("bounds loaded from an array", "core", "golden:spmv::spmv cases:ragged::varlen"),
    _row("bounds of a slice loaded from an array", "core", "cases:slices::csr_slices"),
    _row("`a[i][j]`, `a[i, j]`, `a[(i, j)]`, flat `a[i * n + j]`", "core", "four_spellings"),
    _row("a tuple with a name as an index", "core", "cases:slices::tuple_index"),
    _row("rows and slices of arrays as views", "core", "row_of_an_array cases:slices::view"),
    _row("slices of lists", "refuse", "row_of_a_list", "TL340", "row_of_an_array", note="they would be copies"),
    _row("slices with negative bounds and steps", "core", "cases:slices::sl_negb cases:slices::sl_negstep"),
    _row("reductions by `+=`, `*=`, `min`, `max`", "core", "cases:reductions::many cases:integers::red_mulwrap"),
    _row("reductions by `if x > m: m = x`", "core", "cases:reductions::nmax cases:reductions::not_lt"),
    _row("the same under further conditions", "core", "cases:reductions::best_of_some"),
    _row("value and place of an extreme", "second", "cases:reductions::argmax_full cases:reductions::argmin_le"),
    _row("swaps", "core", "swaps cases:spellings::rev_in_place"),
    _row("`if`, conditional expressions, chained comparisons", "core", "conditions cases:spellings::chain"),
    _row("`and`, `or` that give an operand", "refuse", "operand_of_or", "TL324", "conditional_or"),
    _row("`continue`", "core", "cases:spellings::cont_inner"),
    _row("`break` inside a thread", "second", "cases:jumps::two"),
    _row("`return` inside a helper's loop", "second", "cases:jumps::search"),
    _row("`break` on a parallel loop", "refuse", "break_in_parallel", "TL407", "no_break"),
    _row("a loop variable after its loop", "second", "after_the_loop cases:order::after"),
    _row("`while` inside a thread", "second", "golden:mandelbrot::mandelbrot cases:jumps::forever"),
    _row("`while` around parallel loops", "refuse", "cases:host::converge cases:host::forever",
         note="the launcher's, which reads the test back"),
    _row("`for … else`, `while … else`", "refuse", "errors:TL120_for_else", "TL120"),
    _row("`try`, `raise`", "refuse", "errors:TL121_try", "TL121"),
    _row("`with` of something else than tiles", "refuse", "errors:TL122_foreign_with", "TL122"),
    _row("`yield`, `async`", "refuse", "errors:TL123_yield", "TL123"),
    _row("`lambda`, functions inside", "refuse", "errors:TL114_lambda", "TL114"),
    _row("recursion", "refuse", "errors:TL115_recursion", "TL115"),
    _row("`global`, `nonlocal`", "refuse", "errors:TL124_global", "TL124"),
    _row("`match`", "refuse", "errors:TL125_match", "TL125"),
    _row("`enumerate`", "second", "over_enumerate"),
    _row("`zip`", "second", "over_zip"),
    _row("`reversed(range(…))`", "second", "over_reversed"),
    _row("`itertools.product`", "second", "over_product"),
    _row("elements of an array", "second", "over_elements"),
    _row("`sum`, `max`, `any` of generators", "second", "generator_sum"),
    _row("lists built by `append`", "refuse", "list_appended", "TL341", "array_filled"),
    _row("list comprehensions as data", "refuse", "list_comprehension", "TL131", "array_filled"),
    _row("scatter by `+=`", "second", "scatter_added cases:updates::atomic_all", note="atomic"),
    _row("scatter by `=`", "refuse", "scatter_stored", "TL404", "tests/kernels/scatter_rows.py::scatter_rows",
         note="`assert distinct(index)` allows it"),
    _row("`//`, `%` of integers and floats", "core", "cases:integers::mods cases:floats::fmods"),
    _row("`**`, `int()`, `round()`, `abs()`", "core", "cases:integers::rnd cases:floats::powers"),
    _row("names that mean something in C++ or HIP", "core", "cases:spellings::names cases:spellings::i64k"),
)  # fmt: skip
