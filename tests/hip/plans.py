"""Plans made by hand, as the planner makes them: small kernels that the tests print."""

from __future__ import annotations

from tl2hip.dtypes import F16, F32, I32, I64, DType
from tl2hip.nest.ir import (
    Array,
    AxisRef,
    Binary,
    Cast,
    Compare,
    Const,
    Dim,
    Expr,
    Load,
    Nest,
    Set,
    Store,
    Update,
    Var,
)
from tl2hip.plan.ir import (
    Combine,
    Declare,
    DeviceIf,
    DeviceKernel,
    DeviceStmt,
    For,
    Launch,
    Let,
    Note,
    Place,
    Placed,
    Plan,
)
from tl2hip.source.span import NOWHERE, Source, Span

GEMM = """@kernel
def gemm(A: Tensor[f16, M, K], B: Tensor[f16, K, N], C: Tensor[f32, M, N]) -> None:
    for i in range(M):
        for j in range(N):
            s = f32(0)
            for k in range(K):
                s += f32(A[i, k]) * f32(B[k, j])
            C[i, j] = s
"""


def line(number: int) -> Span:
    """A span on one line."""
    return Span(number, 0, number, 1) if number else NOWHERE


def i64(value: int) -> Const:
    return Const(value, I64)


def ceil_div(e: Expr, by: int) -> Expr:
    """How many blocks of `by` cover e."""
    return Binary("//", Binary("+", e, i64(by - 1)), i64(by))


def array(name: str, dtype: DType, *shape: Expr | str) -> Array:
    """A parameter; extents as expressions or names of dims."""
    return Array(name, dtype, tuple(Dim(n) if isinstance(n, str) else n for n in shape), "parameter")


def one_kernel(
    name: str,
    arrays: tuple[Array, ...],
    dims: tuple[str, ...],
    body: tuple[DeviceStmt, ...],
    grid: tuple[Expr, Expr, Expr],
    block: tuple[int, int, int] = (256, 1, 1),
    places: tuple[Place, ...] = (Place("block", "blockIdx.x"), Place("thread", "threadIdx.x")),
    source: str = "",
    notes: tuple[Note, ...] = (),
) -> Plan:
    """A plan of one launch over parameters."""
    nest = Nest(name, Source(f"{name}.py", source), tuple(a.name for a in arrays), dims, (), arrays, (), ())
    kernel = DeviceKernel(
        f"{name}_kernel", tuple(a.name for a in arrays), tuple((d, I64) for d in dims), block, places, body
    )
    placed = tuple(Placed(a, "global") for a in arrays)
    return Plan(nest, placed, (kernel,), (Launch(kernel.name, grid),), notes)


def gemm() -> Plan:
    """C = A @ B, an element a thread."""
    i, j, k, s = Var("i", I64), Var("j", I64), AxisRef("k"), Var("s", F32)
    a, b = Load("A", (i, k), F16, True), Load("B", (k, j), F16, True)
    product = Binary("*", Cast(a, F32, True), Cast(b, F32, True))
    inner: tuple[DeviceStmt, ...] = (
        Declare("s", F32, Const(0.0, F32), line(5)),
        For("k", i64(0), Dim("K"), i64(1), (Set("s", Binary("+", s, product), line(7)),), at=line(6)),
        Store("C", (i, j), s, True, line(8)),
    )
    body = (
        Let("i", Var("row", I64), line(3)),
        Let("j", Binary("+", Binary("*", Var("block", I64), i64(256)), Var("thread", I64)), line(4)),
        DeviceIf(Compare("<", j, Dim("N")), inner, note="lanes past the edge have no column"),
    )
    return one_kernel(
        "gemm",
        (array("A", F16, "M", "K"), array("B", F16, "K", "N"), array("C", F32, "M", "N")),
        ("M", "N", "K"),
        body,
        (ceil_div(Dim("N"), 256), Dim("M"), i64(1)),
        places=(Place("block", "blockIdx.x"), Place("row", "blockIdx.y"), Place("thread", "threadIdx.x")),
        source=GEMM,
        notes=(Note("i", "grid y", "parallel"), Note("j", "grid x and lanes", "stride 1"), Note("k", "thread", "sum")),
    )


def row_sum(threads: int = 256, op: str = "+", dtype: DType = F32) -> Plan:
    """out[i] = the sum of row i, a block a row."""
    body: tuple[DeviceStmt, ...] = (
        Declare("s", dtype, Const(0.0, dtype), line(2)),
        For(
            "j",
            Var("thread", I64),
            Dim("N"),
            i64(threads),
            (Set("s", Binary(op, Var("s", dtype), Load("X", (Var("block", I64), AxisRef("j")), dtype, True)), line(4)),),
            note="threads over j",
            at=line(3),
        ),
        Combine(op, (("s", dtype),), threads, line(4)),
        DeviceIf(
            Compare("==", Var("thread", I64), i64(0)),
            (Store("out", (Var("block", I64),), Var("s", dtype), True, line(5)),),
        ),
    )
    arrays = (array("X", dtype, "M", "N"), array("out", dtype, "M"))
    return one_kernel("row_sum", arrays, ("M", "N"), body, (Dim("M"), i64(1), i64(1)), (threads, 1, 1))


def histogram(dtype: DType = I32, op: str = "+") -> Plan:
    """hist[bin[i]] op= 1 where the bin lies inside."""
    i = AxisRef("i")
    update = Update("hist", (Cast(Load("bin", (i,), I32, True), I64),), op, Const(1, dtype), False, True, line(3))
    body: tuple[DeviceStmt, ...] = (
        For("i", Var("thread", I64), Dim("N"), i64(256), (update,), at=line(2)),
    )
    arrays = (array("bin", I32, "N"), array("hist", dtype, "BINS"))
    return one_kernel("histogram", arrays, ("N", "BINS"), body, (i64(1), i64(1), i64(1)))
