"""Rung 0: what the compiler for gfx942 makes of a printed text, and what of that must not be."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from tl2hip.plan.budget import Budget, budgets
from tl2hip.plan.ir import Plan
from tl2hip.prove.compiler import CompileError, compile_device
from tl2hip.prove.counters import KernelCounters, read_counters, source_name
from tl2hip.source.problems.base import Problem
from tl2hip.source.problems.proving import (
    BadCode,
    CostlyCode,
    DeviceRefused,
    LostSign,
    NotLookedAt,
    TooNear,
    Uncounted,
)
from tl2hip.source.span import Span

MARGIN = 32
"""How many registers more or fewer than its budget, beside an eighth of it, a compiled kernel may take: the
compiler overlaps statements and keeps addresses, which the plan does not foresee."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """The counters of each kernel of a text, in its order, the problems where it does not compile, and the assembly
    that it compiles to."""

    counters: tuple[KernelCounters, ...]
    problems: tuple[Problem, ...] = ()
    assembly: str = ""


def compiled(text: str, at: Span) -> Compiled:
    """A text compiled for gfx942; one whose launchers have nothing to do has no kernels. Raises MissingCompiler."""
    try:
        assembly = compile_device(text).text
    except CompileError as error:
        return Compiled((), (DeviceRefused(error.log.strip(), at=at),))
    return Compiled(read_counters(assembly) if "__global__" in text else (), (), assembly)


def hazards(assembly: str, kernels: Collection[str], at: Span) -> Iterator[Problem]:
    """Instructions of compiled kernels, which are named as in the source, that stand too near each other, and
    products that lose the sign of a zero."""
    from tl2hip.prove.machine import assembly as reading
    from tl2hip.prove.machine import zeros
    from tl2hip.prove.machine.hazards import find
    from tl2hip.prove.machine.program import NotUnderstood

    try:
        program = reading.read(assembly)
        found = find(program)
    except NotUnderstood as error:
        yield NotLookedAt(str(error), at=at)
        return
    for one in found:
        if source_name(one.kernel) in kernels:
            yield TooNear(str(one), at=at)
    for kernel, product in zeros.find(program):
        if source_name(kernel.name) in kernels:
            yield LostSign(f"{kernel.name}: `{product.text}` adds +0 to a product", at=at)


def findings(plan: Plan, counters: tuple[KernelCounters, ...]) -> Iterator[Problem]:
    """What must not be in the compiled kernels of a plan, and as warnings what only costs speed.

    A spilled register is a finding; scratch memory is one where the plan has no array of each thread, or wants them
    in registers. LDS is what the budget of the plan says; registers may be MARGIN more or fewer, and fewer still
    are a warning: they break no promise.
    """
    named = {c.name: c for c in counters}
    arrays = {p.array.name for p in plan.arrays if p.space == "thread"}
    for kernel, budget in zip(plan.kernels, budgets(plan), strict=True):
        one = named.get(kernel.name)
        if one is None:
            yield BadCode(f"{kernel.name} is not in the compiled text", at=plan.nest.at)
            continue
        for words in one.problems():
            yield BadCode(words, at=plan.nest.at)
        if one.threads != kernel.threads:
            words = f"{one.name} is compiled for {one.threads} threads; the plan has {kernel.threads}"
            yield BadCode(words, at=plan.nest.at)
        yield from _beside(budget, one, plan.nest.at)
        in_memory = kernel.waves is None and arrays.intersection(kernel.local_arrays)
        own_scratch = in_memory and not (one.vgpr_spills or one.sgpr_spills)
        for words in one.warnings():
            yield CostlyCode(words, at=plan.nest.at) if own_scratch else BadCode(words, at=plan.nest.at)


def _beside(b: Budget, one: KernelCounters, at: Span) -> Iterator[Problem]:
    """Where a compiled kernel differs from the budget of its plan.

    Registers are compared where the plan puts vectors there. Too many break what a plan promises of the waves a
    SIMD; where it promises nothing, as around a long function of mathematics, they only cost speed, if anything.
    """
    if one.lds_bytes not in b.lds_possible:
        yield BadCode(f"{one.name} has {one.lds_bytes:,} bytes of LDS; the plan has {b.lds_bytes:,}", at=at)
    registers = one.registers
    margin = MARGIN + b.registers // 8
    if b.vectors and abs(registers - b.registers) > margin:
        words = f"{one.name} takes {registers} registers a lane; the plan counts on {b.registers} ± {margin}"
        more = registers > b.registers
        if b.promised is not None and more:
            yield BadCode(words, at=at)
        elif one.occupancy < b.waves or not more:
            yield Uncounted(words, at=at)
    if b.promised is not None and one.occupancy < b.promised:
        words = f"{one.name} runs {one.occupancy} waves a SIMD; the plan promises {b.promised}"
        yield BadCode(words, at=at)


def line(one: KernelCounters) -> str:
    """The resources of a kernel in one line."""
    registers = f"{one.vgprs} VGPRs, {one.agprs} AGPRs, {one.sgprs} SGPRs"
    return f"{one.name}: {registers}, {one.lds_bytes:,} bytes of LDS, {one.occupancy} waves a SIMD"
