"""Changes of dtype as C++: a plain cast where C's is the nest's, a helper where it is not."""

from __future__ import annotations

from tl2hip.dtypes import BF16, BOOL, F16, F32, F64, ML_DTYPES, U32, DType
from tl2hip.hip import helpers
from tl2hip.hip.context import Context
from tl2hip.hip.functions import math_call
from tl2hip.hip.text import Text, call, infix, prefix


def cast(x: Text, source: DType, target: DType, ctx: Context) -> Text:
    """`x`, a value of the source dtype, in the target dtype, as `nest.ir` defines Cast."""
    if source is target:
        return x
    if source in ML_DTYPES and source.bits == 8:
        return cast(call(math_call(f"from_{source}", F32, ctx), x.argument), F32, target, ctx)
    if target is BOOL:
        return infix("!=", x, Text(_zero(source)))
    if target.is_float:
        return _to_float(x, source, target, ctx)
    if source.is_float:
        return _to_int(x, source, target, ctx)
    return prefix(f"({target.c})", x)


def _zero(dtype: DType) -> str:
    """A zero that compares with the dtype without a change of value."""
    return {F64: "0.0", F32: "0.0f"}.get(dtype, "0.0f" if dtype.is_float else "0u" if dtype.name == "u32" else "0")


def _to_float(x: Text, source: DType, target: DType, ctx: Context) -> Text:
    """Rounded once. Integers reach 16 bits over f32, as NumPy's; f64 goes to 16 bits over an odd-rounded f32."""
    if target in (F32, F64):
        return prefix(f"({target.c})", x)
    if target in (F16, BF16):
        if source is F64:
            single = call(ctx.call(helpers.ROUND_TO_ODD), x.argument)
        else:
            single = x if source is F32 else prefix("(float)", x)
        if target is F16 and (ctx.host or not source.is_float):
            return prefix("(_Float16)", single)
        rounded = helpers.BF16_FROM_F32 if target is BF16 else helpers.F16_FROM_F32
        return call(ctx.call(rounded), single.argument)
    if source is F64:
        return call(math_call(f"to_{target}", F64, ctx), x.argument)
    return call(math_call(f"to_{target}", F32, ctx), cast(x, source, F32, ctx).argument)


def _to_int(x: Text, source: DType, target: DType, ctx: Context) -> Text:
    """Truncated, 0 of a NaN, saturated; 16-bit floats are f32 first, which is exact."""
    wide = source if source in (F32, F64) else F32
    value = cast(x, source, wide, ctx).argument
    if target is U32:
        return call(ctx.call(helpers.saturated_u32(wide)), value)
    return call(math_call(f"cast_{target}", wide, ctx), value)
