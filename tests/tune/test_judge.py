"""What is said of one candidate, against the parts that it is made of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.tune.judgements import TASK, judged, space_of
from tl2hip.prove.emulate import unsupported
from tl2hip.prove.machine.library import MachineLibrary
from tl2hip.prove.machine.tracing import Starved
from tl2hip.tune import judge as judging
from tl2hip.tune.judge import Judged, drawn, judge, judged_of, look
from tl2hip.tune.task import Task, convert, sizes_for, text_of
from tl2hip.tune.write import write

proves = pytest.mark.skipif(unsupported() is not None, reason="no emulated compute unit here")
BARE = space_of(TASK, "tile").bare
MARKED = (("i", (("tile", 2),)), ("j", ()))
GEMM = '''\
from tl2hip import Tensor, dims, f16, f32, kernel

M, N, K = dims("M N K")


@kernel
def gemm(A: Tensor[f16, M, K], B: Tensor[f16, N, K], C: Tensor[f32, M, N]) -> None:
    assert N % 2 == 0
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                s += f32(A[i, k]) * f32(B[j, k])
            C[i, j] = s
'''


def sized(task: Task, **sizes: int) -> Task:
    return replace(task, sizes=tuple(sizes.items()))


def test_a_candidate_is_a_text_and_what_it_prints_is_known_by_its_digest() -> None:
    assert text_of(TASK, MARKED) == write(TASK.text, "totals", {"i": (("tile", 2),)})
    plain, marked = look(TASK, BARE), look(TASK, MARKED)
    assert plain.code != marked.code and not plain.refused and not marked.refused
    commented = replace(TASK, text=TASK.text.replace("s = f32(0)", "s = f32(0)  # the sum"))
    assert look(commented, BARE).code == plain.code
    refused = look(TASK, (("i", (("stages", 2),)), ("j", ()))).refused
    assert refused is not None and refused[0] == "TL213" and "stages(2) on `i`" in refused[2]
    lost = look(TASK, (("i", ()), ("j", (("tile", 4),))))
    assert lost.missed and not plain.missed


def test_judgements_are_plain_data() -> None:
    for one in (judged("a", 3.0), Judged("b", "no reason"), Judged("c", bound=2.0)):
        assert judged_of(one.data()) == one
    for bad in ({}, {"code": "a"}, {**judged("a", 3.0).data(), "kernels": [{"name": "k"}]}):
        with pytest.raises((KeyError, TypeError)):
            judged_of(bad)


def test_a_score_counts_all_launches_at_all_settings() -> None:
    (kernel,) = judged("a", 3.0).kernels
    twice = replace(kernel, clocks=(1.0, 10.0, 100.0), launches=2)
    both = Judged("a", kernels=(kernel, twice))
    assert both.works == (5.0, 23.0, 203.0)
    assert both.score == pytest.approx((5 * 23 * 203) ** (1 / 3))


def test_what_is_promised_of_indices_makes_another_code_as_it_makes_other_data() -> None:
    text = (Path(__file__).parents[2] / "golden" / "spmv" / "kernel.py").read_text()
    promised = text.replace("import Tensor", "import distinct, Tensor").replace(
        "    for i in range(M):\n", "    assert distinct(column)\n    for i in range(M):\n"
    )
    bare = (("i", ()), ("p", ()))
    sizes = (("M", 64), ("N", 64), ("NNZ", 64))
    one, other = (Task("spmv.py", its, "spmv", sizes=sizes) for its in (text, promised))
    assert (drawn(one).arrays["column"] != drawn(other).arrays["column"]).any()
    assert not look(other, bare).refused and look(one, bare).code != look(other, bare).code


@proves
def test_a_judgement_is_of_the_kernel_that_the_sizes_launch() -> None:
    one = judge(TASK, "x", BARE)
    (kernel,) = one.kernels
    assert (kernel.name, kernel.launches, kernel.threads) == ("totals_kernel_wave", 1, 256)
    assert kernel.blocks * 4 == 608 and kernel.registers > 0 and kernel.waves > 0
    long = judge(sized(TASK, M=608, N=1 << 15), "x", BARE)
    assert long.kernels[0].name != kernel.name and long.score > one.score
    assert judge(TASK, "x", BARE) == one


@proves
def test_blocks_go_over_all_units_and_the_fullest_one_counts() -> None:
    scores = [judge(sized(TASK, M=m, N=512), "x", BARE).score for m in (4, 4 * 304, 4 * 304 + 1, 8 * 304)]
    assert scores[0] == scores[1] < scores[2] == scores[3]


@proves
def test_the_bound_is_below_the_score_and_what_is_beyond_a_limit_is_not_modelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for task in (TASK, sized(Task("g.py", GEMM, "gemm"), M=512, N=512, K=256)):
        bare = space_of(task, "tile").bare
        one, least = judge(task, "x", bare), judge(task, "x", bare, 1.0)
        assert not least.kernels and 0.1 * one.score < least.bound <= one.score
        assert judge(task, "x", bare, one.score) == one
    monkeypatch.setattr(judging, "busiest", lambda *_: 1 / 0)
    assert judge(TASK, "x", MARKED, 1.0).bound > 1.0


@proves
def test_what_cannot_be_ranked_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    assert judge(sized(TASK, M=0, N=512), "x", BARE).refused == (
        "cannot be modelled: nothing is launched for these sizes"
    )
    monkeypatch.setattr(judging, "MOST_STEPS", 10)
    judging.modelled.cache_clear()
    assert "executes" in judge(TASK, "x", BARE).refused and "choose smaller ones" in judge(TASK, "x", BARE).refused


@proves
@pytest.mark.parametrize("error", [MemoryError(), Starved("there is no memory for a trace"), ValueError("no")])
def test_what_this_machine_is_too_small_for_is_passing(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def trace(*_: object, **how: object) -> None:
        raise error

    monkeypatch.setattr(MachineLibrary, "trace", trace)
    one = judge(TASK, "x", BARE)
    assert one.refused == f"cannot be modelled: {str(error) or 'there is no memory'}"
    assert one.passing == (str(error) != "no")


@proves
def test_a_spilled_register_is_no_candidate(monkeypatch: pytest.MonkeyPatch) -> None:
    from tl2hip.prove import compiled

    spilling = compiled.compiled

    def with_spills(text: str, at: object) -> compiled.Compiled:
        found = spilling(text, at)  # type: ignore[arg-type]
        return replace(found, counters=tuple(replace(c, vgpr_spills=3) for c in found.counters))

    monkeypatch.setattr(compiled, "compiled", with_spills)
    one = judge(TASK, "x", BARE)
    assert not one.kernels and "spill" in one.refused


@proves
def test_of_a_triangle_the_block_in_the_middle_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    task = sized(replace(TASK, text=TASK.text.replace("range(N)", "range(i)")), M=8192, N=8192)
    middle = judge(task, "x", BARE).score
    trace = MachineLibrary.trace
    monkeypatch.setattr(MachineLibrary, "trace", lambda *given, **how: trace(*given, **{**how, "block": 0}))
    assert judge(task, "x", BARE).score < middle / 3


@proves
def test_a_launcher_that_waits_for_its_kernels_cannot_be_ranked() -> None:
    path = Path(__file__).parents[2] / "golden" / "laplace" / "kernel.py"
    task = sized(Task("laplace.py", path.read_text(), "laplace"), M=64, N=64)
    one = judge(task, "x", space_of(task, "tile").bare)
    assert one.refused == "cannot be modelled: its launcher waits for what its kernels compute"


@proves
def test_several_kernels_of_one_function_are_all_counted() -> None:
    text = TASK.text.replace("        Y[i] = s\n", "        Y[i] = s\n    for i in range(M):\n        Y[i] *= 2\n")
    one = judge(replace(TASK, text=text), "x", BARE)
    assert len(one.kernels) == 2 and one.score > judge(TASK, "x", BARE).score
    again = text + "    for j in range(M):\n        Y[j] *= 2\n"
    first, second, third = judge(replace(TASK, text=again), "x", BARE).kernels
    assert second.machine == third.machine != first.machine
    assert replace(third, name=second.name) == second and third.name != second.name, "each has its own name"


def test_sizes_are_large_and_what_is_given_stays() -> None:
    def of(text: str, kernel: str, **given: int) -> dict[str, int]:
        (one,) = convert(Task("k.py", text, kernel), text, "nest").kernels
        assert one.nest is not None
        return sizes_for(one.nest, given)

    assert of(GEMM, "gemm") == {"M": 4096, "K": 4096, "N": 4096}
    assert of(GEMM, "gemm", M=64) == {"M": 64, "K": 4096, "N": 4096}
    assert of(GEMM, "gemm", M=3, N=4, K=5, other=9) == {"M": 3, "N": 4, "K": 5}
    flat = TASK.text.replace("Tensor[f32, M, N]", "Tensor[f32, M]").replace("X[i, j]", "X[i]")
    assert of(flat.replace("range(N)", "range(2)"), "totals")["M"] == 1 << 24
    with pytest.raises(ValueError, match="asserts do not admit"):
        of(GEMM, "gemm", M=3, N=3, K=5)
    with pytest.raises(ValueError, match="no sizes were found"):
        of(GEMM, "gemm", N=3)
