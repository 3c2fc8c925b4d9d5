"""Names that C++ or HIP could not take are changed, the same way on every run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.hip import plans
from tl2hip.dtypes import F32
from tl2hip.hip import print_plan
from tl2hip.hip.names import Names
from tl2hip.nest.ir import Array, Dim, Load, Store, Var
from tl2hip.plan.ir import Plan
from tl2hip.prove.compiler import compile_device


@pytest.mark.parametrize(
    ("name", "c"),
    [
        ("x", "x"),
        ("new", "new_"),
        ("double", "double_"),
        ("threadIdx", "threadIdx_"),
        ("_private", "private_"),
        ("__dunder__", "dunder_"),
        ("a__b", "a_b"),
        ("α", "alpha"),
        ("i.1", "i_1"),
        ("hipMalloc", "vhipMalloc"),
        ("wrapped", "wrapped_"),
        ("exp_f32", "exp_f32_"),
        ("wave_sum_f32", "wave_sum_f32_"),
        ("f32x4", "f32x4_"),
        ("M_PI", "M_PI_"),
        ("exp", "exp"),
    ],
)
def test_spelling(name: str, c: str) -> None:
    names = Names(("wrapped",))
    names.add([name])
    assert names[name] == c


def test_a_function_leaves_the_c_library_alone() -> None:
    names = Names()
    names.add(["exp", "write"], functions=True)
    assert (names["exp"], names["write"]) == ("exp_", "write_")


def test_names_that_can_stay_do_and_others_step_aside() -> None:
    names = Names()
    names.add(["new", "new_", "new_2"])
    assert [names[n] for n in ("new", "new_", "new_2")] == ["new_3", "new_", "new_2"]


def renamed() -> Plan:
    """A kernel called `new` over arrays with names that clash."""
    arrays = tuple(Array(n, F32, (Dim("λ"),), "parameter") for n in ("double", "__x", "wrapped"))
    at = (Var("class", plans.I64),)
    store = Store("wrapped", at, Load("double", (Var("class", plans.I64),), F32), False)
    store2 = Store("__x", at, Load("double", at, F32, True), True)
    body = (plans.Let("class", Var("thread", plans.I64)), store, store2)
    plan = plans.one_kernel("new", arrays, ("λ",), body, (plans.i64(1),) * 3)
    return replace(plan, kernels=(replace(plan.kernels[0], scalars=(("λ", plans.I64),)),))


def test_a_file_of_clashing_names_compiles_and_says_so() -> None:
    printed = print_plan(renamed())
    assert "// new is called new_ here." in printed.text
    assert "// λ is called lamda here." in printed.text
    assert compile_device(printed.text).warnings == ""
    assert [a.c for a in printed.launcher.arguments] == ["double_", "x_", "wrapped_", "lamda", "stream"]
    assert printed.launcher.name == "new_"
