"""Plans made by hand, as the planner makes them: small kernels that the tests print."""

from __future__ import annotations

from dataclasses import replace

from tl2hip.dtypes import F16, F32, I32, I64, DType
from tl2hip.nest.ir import (
    Array,
    AxisRef,
    Binary,
    Cast,
    Check,
    Compare,
    Const,
    Dim,
    Expr,
    Load,
    Logic,
    Nest,
    ReduceOp,
    Scalar,
    Set,
    Store,
    Update,
    Var,
)
from tl2hip.plan.ir import (
    Aligned,
    Barrier,
    Declare,
    DeviceIf,
    DeviceKernel,
    DeviceStmt,
    For,
    HostIf,
    HostLoop,
    HostStmt,
    Launch,
    Let,
    LoadVector,
    Note,
    Place,
    Placed,
    Plan,
    StoreVector,
)
from tl2hip.plan.kernels import stored
from tl2hip.plan.lanes_ir import NONE_FIRST, NONE_LAST, Combine
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
    names, scalars = tuple(a.name for a in arrays), tuple((d, I64) for d in dims)
    kernel = DeviceKernel(f"{name}_kernel", names, scalars, block, places, body, stored=stored(body))
    placed = tuple(Placed(a, "global") for a in arrays)
    return Plan(nest, placed, (kernel,), (Launch(kernel.name, grid),), notes)


def gemm() -> Plan:
    """C = A @ B, an element a thread."""
    i, j, k, s = Var("i", I64), Var("j", I64), AxisRef("k"), Var("s", F32)
    a, b = Load("A", (i, k), F16, True), Load("B", (k, j), F16, True)
    product = Binary("*", Cast(a, F32, True), Cast(b, F32, True))
    inner: tuple[DeviceStmt, ...] = (
        Declare("s", F32, Const(0.0, F32), at=line(5)),
        For("k", i64(0), Dim("K"), i64(1), (Set("s", Binary("+", s, product), line(7)),), at=line(6)),
        Store("C", (i, j), s, True, at=line(8)),
    )
    body = (
        Let("i", Var("row", I64), at=line(3)),
        Let("j", Binary("+", Binary("*", Var("block", I64), i64(256)), Var("thread", I64)), at=line(4)),
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
        notes=(
            Note("i", "grid y", "parallel"),
            Note("j", "grid x and lanes", "stride 1"),
            Note("k", "thread", "sum"),
        ),
    )


def row_sum() -> Plan:
    """out[0, i] = the sum of row i, a block of 256 threads a row."""
    return reductions(F32, 256, (("+", Const(0.0, F32)),))


def reductions(dtype: DType, threads: int, ops: tuple[tuple[str, Const], ...]) -> Plan:
    """out[k, i] = the reduction by operation k of row i and a first value, a block a row."""
    block, thread = Var("block", I64), Var("thread", I64)
    e: Expr = Load("X", (block, AxisRef("j")), dtype, True)
    body: list[DeviceStmt] = []
    for k, (op, first) in enumerate(ops):
        s = Var(f"s{k}", dtype)
        step = Logic(op, s, e) if op in ("and", "or") else Binary(op, s, e)
        body += [
            Declare(s.name, dtype, first, at=line(2)),
            For("j", thread, Dim("N"), i64(threads), (Set(s.name, step, line(4)),), note="by threads", at=line(3)),
            Combine(op, ((s.name, dtype),), threads, line(4)),
            DeviceIf(Compare("==", thread, i64(0)), (Store("out", (i64(k), block), s, True, at=line(5)),)),
        ]
    arrays = (array("X", dtype, "M", "N"), array("out", dtype, i64(len(ops)), "M"))
    return one_kernel("row_sum", arrays, ("M", "N"), tuple(body), (Dim("M"), i64(1), i64(1)), (threads, 1, 1))


def extreme(op: str, threads: int, dtype: DType = F32) -> Plan:
    """value[i], at[i] = the extreme value of row i and its position, a block a row; NaN never wins."""
    x, at, block, thread = Var("x", dtype), Var("at", I64), Var("block", I64), Var("thread", I64)
    none = i64(NONE_FIRST if op.startswith("first") else NONE_LAST)
    e: Expr = Load("X", (block, AxisRef("j")), dtype, True)
    better = Compare((">" if op.endswith("max") else "<") + ("=" if op.startswith("last") else ""), e, x)
    wins = Logic("and", Compare("==", e, e), Logic("or", Compare("==", at, none), better))
    body: tuple[DeviceStmt, ...] = (
        Declare("x", dtype, Const(0.0, dtype)),
        Declare("at", I64, none),
        For("j", thread, Dim("N"), i64(threads), (DeviceIf(wins, (Set("x", e), Set("at", AxisRef("j")))),)),
        Combine(op, (("x", dtype), ("at", I64)), threads),
        DeviceIf(
            Compare("==", thread, i64(0)),
            (Store("value", (block,), x, True), Store("position", (block,), at, True)),
        ),
    )
    arrays = (array("X", dtype, "M", "N"), array("value", dtype, "M"), array("position", I64, "M"))
    return one_kernel("extreme", arrays, ("M", "N"), body, (Dim("M"), i64(1), i64(1)), (threads, 1, 1))


def scatter(dtype: DType, ops: tuple[ReduceOp, ...], atomic: bool = True, threads: int = 256) -> Plan:
    """out[k, where[i]] op= x[i] by operation k, an index outside left out; 4 blocks."""
    i = AxisRef("i")
    place, e = Cast(Load("where", (i,), I32, True), I64), Load("x", (i,), dtype, True)
    updates = tuple(Update("out", (i64(k), place), op, e, False, atomic, at=line(3)) for k, op in enumerate(ops))
    start = Binary("+", Binary("*", Var("block", I64), i64(threads)), Var("thread", I64))
    body: tuple[DeviceStmt, ...] = (For("i", start, Dim("N"), i64(4 * threads), updates, at=line(2)),)
    arrays = (array("where", I32, "N"), array("x", dtype, "N"), array("out", dtype, i64(len(ops)), "BINS"))
    return one_kernel("scatter", arrays, ("N", "BINS"), body, (i64(4), i64(1), i64(1)), (threads, 1, 1))


def host_program() -> Plan:
    """A workspace of two parts, a host loop, a variant, a check, a scalar extent, an in-place pair."""
    n, x = Scalar("n", I64), Array("x", F32, (Scalar("n", I64),), "parameter")
    y = Array("y", F32, (Scalar("n", I64),), "result")
    parts = (
        Array("sums", F32, (ceil_div(n, 256),), "local"),
        Array("counts", I64, (Dim("M"), n), "local"),
    )
    even = Check(Compare("==", Binary("%", Dim("M"), i64(2)), i64(0)), "M % 2 == 0")
    source = Source("steps.py", "")
    nest = Nest("steps", source, ("x", "n"), ("M",), (n,), (x, y, *parts), (), (), (even,), ("y",))
    at = Binary("+", Binary("*", Var("block", I64), i64(256)), Var("thread", I64))
    y_old, x_new = (Load(name, (Var("i", I64),), F32, True) for name in "yx")
    add = Binary("+", y_old, Binary("*", x_new, Cast(AxisRef("t"), F32)))
    count = Store("counts", (AxisRef("t"), Var("i", I64)), AxisRef("t"), True)
    inside = DeviceIf(Compare("<", Var("i", I64), n), (Store("y", (Var("i", I64),), add, True), count))
    body: tuple[DeviceStmt, ...] = (Let("i", at), inside)
    places, names = (Place("block", "blockIdx.x"), Place("thread", "threadIdx.x")), ("x", "y", "counts")
    scalars = (("t", I64), ("n", I64))
    one = DeviceKernel("steps_kernel", names, scalars, (256, 1, 1), places, body, stored=stored(body))
    grid = (ceil_div(n, 256), i64(1), i64(1))
    launch = (Launch("steps_kernel", grid),)
    host: tuple[HostStmt, ...] = (
        HostLoop("t", i64(0), Dim("M"), 1, (HostIf(Aligned(("x", "y"), 16, (n,), 4), launch, launch),)),
    )
    placed = (Placed(x, "global"), Placed(y, "global"), *(Placed(p, "workspace") for p in parts))
    return Plan(nest, placed, (one,), host, (), (("y", "x"),))


def vectors(dtype: DType, width: int) -> Plan:
    """out[i] = x[i] for whole vectors, element by element through LDS and registers."""

    def element(array: str, *index: Expr) -> Load:
        return Load(array, index, dtype, True)

    thread, each = Var("thread", I64), [i64(k) for k in range(width)]
    at = (Binary("*", AxisRef("g"), i64(width)),)
    moved: tuple[DeviceStmt, ...] = (
        LoadVector("v", "x", at),
        *(Store("tile", (thread, k), element("v", k), True) for k in each),
        *(Store("kept", (k,), element("tile", thread, k), True) for k in each),
        *(Store("v", (k,), element("kept", k), True) for k in each),
        StoreVector("out", at, "v"),
    )
    loop = For("g", thread, Binary("//", Dim("N"), i64(width)), i64(64), moved, unroll=2)
    arrays = (array("x", dtype, "N"), array("out", dtype, "N"))
    plan = one_kernel("copy", arrays, ("N",), (loop, Barrier("done")), (i64(1), i64(1), i64(1)), (64, 1, 1))
    own = (
        Placed(Array("tile", dtype, (i64(64), i64(width)), "local"), "shared"),
        Placed(Array("kept", dtype, (i64(width),), "local"), "thread"),
        Placed(Array("v", dtype, (i64(width),), "local"), "vector"),
    )
    kernel = replace(plan.kernels[0], local_arrays=("tile", "kept"))
    return replace(plan, arrays=(*plan.arrays, *own), kernels=(kernel,))
