"""Statements of a softmax in registers as C++. Importing this module makes `statements.write` know them."""

from __future__ import annotations

from tl2hip.dtypes import F32
from tl2hip.hip.access import element
from tl2hip.hip.expressions import show
from tl2hip.hip.helpers import Helper, extreme
from tl2hip.hip.registers import vector_at
from tl2hip.hip.statements import Writer, write
from tl2hip.hip.text import MUL
from tl2hip.plan.softmax_ir import HideUnit, JoinHalves, PowerOfTwo, RoundNumber, Scaled

POWER_OF_2 = Helper(
    "power_of_2",
    "// 2**x by one instruction, within one unit in the last place; 0 where that is below 2**-126.\n"
    "static inline __device__ float power_of_2(float x)\n{\n"
    "    return __builtin_amdgcn_exp2f(x);\n}",
)

def other(name: str, apart: int) -> Helper:
    """What the lane so far on or before holds."""
    return Helper(
        name,
        f"// What the lane {apart} on or before holds.\n"
        f"static inline __device__ float {name}(float x, unsigned int thread)\n{{\n"
        f"    const int from = (int)(thread ^ {apart}) * 4;\n"
        "    return __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute(from, __builtin_bit_cast(int, x)));\n}",
    )


OTHERS = {32: other("other_half", 32), 16: other("other_quarter", 16)}


WAVE_UNIFORM = Helper(
    "wave_uniform",
    "// What all lanes of the wave hold, in a scalar register.\n"
    "static inline __device__ float wave_uniform(float x)\n{\n"
    "    return __builtin_bit_cast(float, __builtin_amdgcn_readfirstlane(__builtin_bit_cast(int, x)));\n}",
)

BF16_OF_NUMBER = Helper(
    "bf16_of_number",
    "// f32 to bf16, to nearest, up from the middle; what becomes of a NaN is left open.\n"
    "static inline __device__ __bf16 bf16_of_number(float x)\n{\n"
    "    const unsigned int bits = __builtin_bit_cast(unsigned int, x);\n"
    "    return __builtin_bit_cast(__bf16, (unsigned short)((bits + 0x8000) >> 16));\n}",
)


F16_OF_NUMBER = Helper(
    "f16_of_number",
    "// f32 to f16, to nearest even: x * 1 + -0, which one instruction rounds into half of a register. Of two\n"
    "// neighbours in a vector one is a call, so that they are not multiplied together ahead of that.\n"
    "static inline __device__ _Float16 f16_of_number(float x, float one, float minus_zero, int place)\n{\n"
    "    #pragma clang fp contract(on)\n"
    "    return (_Float16)(place % 2 == 0 ? __builtin_fmaf(x, one, minus_zero) : x * one + minus_zero);\n}",
)
"""Exact whether or not the compiler joins the product and the sum."""


@write.register
def _power_of_two(s: PowerOfTwo, w: Writer) -> None:
    w.quote(s.at)
    place = element(s.name, s.slot, w.ctx, show) if s.slot else w.ctx.c(s.name)
    w.line(f"{place} = {w.ctx.call(POWER_OF_2)}({w.text(s.value)});")


@write.register
def _join_halves(s: JoinHalves, w: Writer) -> None:
    name = w.ctx.c(s.name)
    other = f"{w.ctx.call(OTHERS[s.apart])}({name}, {w.thread})"
    if s.op == "+":
        w.line(f"{name} += {other};")
    else:
        w.line(f"{name} = {w.ctx.call(extreme(s.op, F32))}({name}, {other});")


@write.register
def _scaled(s: Scaled, w: Writer) -> None:
    w.line(f"{vector_at(s.vector, s.slot, w)} *= {show(s.times, w.ctx).inside(MUL)};")


@write.register
def _round_number(s: RoundNumber, w: Writer) -> None:
    place = element(s.vector, s.slot, w.ctx, show)
    helper, further = (F16_OF_NUMBER, (*s.unit, s.slot[-1])) if s.unit else (BF16_OF_NUMBER, ())
    w.line(f"{place} = {w.ctx.call(helper)}({', '.join(w.text(e) for e in (s.value, *further))});")


@write.register
def _hide_unit(s: HideUnit, w: Writer) -> None:
    one, zero = w.ctx.c(s.one), w.ctx.c(s.minus_zero)
    w.line(f"const float {one} = __builtin_amdgcn_sqrtf(1.0f);")
    w.line(f"const float {zero} = {w.ctx.call(WAVE_UNIFORM)}(__builtin_amdgcn_sqrtf(-0.0f));")
