"""Statements of a softmax in registers as C++. Importing this module makes `statements.write` know them."""

from __future__ import annotations

from tl2hip.dtypes import F16, F32
from tl2hip.hip.access import element
from tl2hip.hip.expressions import show
from tl2hip.hip.helpers import Helper, extreme
from tl2hip.hip.registers import vector_at
from tl2hip.hip.statements import Writer, write
from tl2hip.hip.text import MUL, prefix
from tl2hip.plan.softmax_ir import JoinHalves, PowerOfTwo, RoundNumber, Scaled

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


BF16_OF_NUMBER = Helper(
    "bf16_of_number",
    "// f32 to bf16, to nearest even; what becomes of a NaN is left open.\n"
    "static inline __device__ __bf16 bf16_of_number(float x)\n{\n"
    "    const unsigned int bits = __builtin_bit_cast(unsigned int, x);\n"
    "    return __builtin_bit_cast(__bf16, (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16));\n}",
)


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
    vector, times = vector_at(s.vector, s.slot, w), show(s.times, w.ctx).inside(MUL)
    if s.less is None:
        w.line(f"{vector} *= {times};")
    else:
        w.line(f"{vector} = ({vector} - {show(s.less, w.ctx).inside(MUL)}) * {times};")


@write.register
def _round_number(s: RoundNumber, w: Writer) -> None:
    place = element(s.vector, s.slot, w.ctx, show)
    if w.ctx.arrays[s.vector].dtype is F16:
        w.line(f"{place} = {prefix(f'({F16.c})', show(s.value, w.ctx)).text};")
    else:
        w.line(f"{place} = {w.ctx.call(BF16_OF_NUMBER)}({w.text(s.value)});")
