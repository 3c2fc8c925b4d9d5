"""Statements that feed matrix instructions as C++. Importing this module makes `statements.write` know them."""

from __future__ import annotations

from textwrap import wrap

from tl2hip.dtypes import BF16, I16, U32
from tl2hip.hip.access import offset
from tl2hip.hip.expressions import show
from tl2hip.hip.helpers import WIDTH, Helper
from tl2hip.hip.registers import declared_width, vector_at, vector_of
from tl2hip.hip.statements import Writer, write
from tl2hip.hip.vectors import vector_type
from tl2hip.nest.ir import Expr
from tl2hip.plan.matrix_ir import (
    AddScaled,
    Fetch,
    FetchFirst,
    Group,
    KeepOrder,
    LdsBarrier,
    MatrixMultiply,
    Meet,
    Part,
    Priority,
    Remark,
    Settle,
    TakeLane,
    TakeTile,
    TurnBytes,
    Window,
)

ON_DEVICE = "static inline __device__"

MOST_WAITED = 16
"""Wait states of one s_nop, at most (CDNA3 ISA guide)."""


def settle(states: int) -> Helper:
    """Waits so many wait states; there is no builtin for that."""
    waits = (min(left, MOST_WAITED) - 1 for left in range(states, 0, -MOST_WAITED))
    code = "".join(f'    asm volatile("s_nop {n}");\n' for n in waits)
    return Helper(
        f"settle_{states}",
        "// The results of matrix instructions are there, whichever way the code goes on.\n"
        f"{ON_DEVICE} void settle_{states}()\n{{\n"
        "    __builtin_amdgcn_sched_barrier(0);\n"
        "#ifdef __AMDGCN__\n"
        f"{code}"
        "#endif\n"
        "    __builtin_amdgcn_sched_barrier(0);\n}",
    )


LDS_BARRIER = Helper(
    "lds_barrier",
    "// All threads of the block meet, and LDS is in order. Loads from memory stay in flight.\n"
    f"{ON_DEVICE} void lds_barrier()\n{{\n"
    '    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");\n'
    "    __builtin_amdgcn_s_barrier();\n"
    '    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");\n}',
)

MEET = Helper(
    "meet",
    "// All waves of the block meet. Nothing is waited for, and the compiler moves nothing across.\n"
    f"{ON_DEVICE} void meet()\n{{\n"
    "    __builtin_amdgcn_sched_barrier(0);\n"
    "    __builtin_amdgcn_s_barrier();\n"
    "    __builtin_amdgcn_sched_barrier(0);\n}",
)

GROUPS = Helper(
    "groups",
    "// What a scheduling group counts.\n"
    "enum { vector = 0x2, matrix = 0x8, global_read = 0x20, lds_read = 0x100, lds_write = 0x200 };",
)

TILE_OF = Helper(
    "tile_of",
    "// Which tile of a grid of rows by columns a block takes. Neighbouring blocks run on different XCDs, eight in"
    " turn:\n"
    "// each XCD gets group * group tiles that stand together, taken in groups of rows, and finds them in its L2.\n"
    f"{ON_DEVICE} void tile_of(int block, int rows, int columns, int group, int &row, int &column)\n{{\n"
    "    const int share = group * group;\n"
    "    if (block < rows * columns / (8 * share) * (8 * share))\n"
    "        block = block / (8 * share) * (8 * share) + block % 8 * share + block / 8 % share;\n"
    "    const int first = block / (group * columns) * group;\n"
    "    const int inside = block % (group * columns);\n"
    "    const int high = rows - first < group ? rows - first : group;\n"
    "    row = first + inside % high;\n"
    "    column = inside / high;\n}",
)

LANE = Helper(
    "lane_now",
    "// Which lane of its wave this is, found anew: no register keeps it.\n"
    f"{ON_DEVICE} int lane_now()\n{{\n"
    "    return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)) % 64;\n}",
)

WINDOW = Helper(
    "window",
    "// Memory from a place on, behind a descriptor in scalar registers.\n"
    f"{ON_DEVICE} __amdgpu_buffer_rsrc_t window(const void *from)\n{{\n"
    "    return __builtin_amdgcn_make_buffer_rsrc((void *)from, 0, -1, 0x27000);\n}",
)

WINDOW_OF = Helper(
    "window_of",
    "// Memory from a place on, so many bytes; what is read behind them is 0.\n"
    f"{ON_DEVICE} __amdgpu_buffer_rsrc_t window_of(const void *from, int bytes)\n{{\n"
    "    return __builtin_amdgcn_make_buffer_rsrc((void *)from, 0, bytes, 0x27000);\n}",
)


def fetch(kind: str, size: int) -> Helper:
    """`size` bytes, up to 16, through a window's descriptor."""
    name = f"fetch_{kind.removeprefix('_').replace(' ', '_')}"
    return Helper(
        name,
        f"// {size} bytes of a window: `offset` bytes from its start are the lane's own, `ahead` all lanes share.\n"
        f"{ON_DEVICE} {kind} {name}(__amdgpu_buffer_rsrc_t from, int offset, int ahead)\n{{\n"
        f"    return __builtin_bit_cast({kind}, "
        f"__builtin_amdgcn_raw_buffer_load_b{8 * size}(from, offset, ahead, 0));\n}}",
    )


def fetch_any(kind: str, stored: str) -> Helper:
    """A vector, or a single element, at any element's address; `stored` is its type in memory."""
    return Helper(
        f"fetch_{kind}_any",
        "// The same at any address. The empty asm keeps the widening of `offset` beside the load: moved out of a"
        " loop,\n// it costs each load a 64-bit addition.\n"
        f"{ON_DEVICE} {kind} fetch_{kind}_any(const char *from, int &offset, i64 ahead)\n{{\n"
        '    asm("" : "+v"(offset));\n'
        f"    return *(const {stored} *)(from + ahead + (unsigned int)offset);\n}}",
    )


def first(kind: str, stored: str, element: str, width: int) -> Helper:
    """Some elements and zeros; `stored` is the type of the vector in memory."""
    return Helper(
        f"first_{stored}",
        "// Up to `count` elements from a place on, and zeros behind them.\n"
        f"{ON_DEVICE} {kind} first_{stored}(const {element} *from, i64 count)\n{{\n"
        f"    if (count >= {width})\n        return *(const {stored} *)from;\n"
        f"    {kind} some = {{}};\n"
        f"    for (int e = 0; e < {width}; ++e)\n"
        "        if (e < count)\n            some[e] = from[e];\n"
        "    return some;\n}",
    )


TURN_BYTES = Helper(
    "turn_bytes",
    "// Four words turned: byte q of word e of the result is byte e of word q.\n"
    f"{ON_DEVICE} u32x4 turn_bytes(unsigned int a, unsigned int b, unsigned int c, unsigned int d)\n{{\n"
    "    const unsigned int ab_low = __builtin_amdgcn_perm(b, a, 0x05010400);\n"
    "    const unsigned int ab_high = __builtin_amdgcn_perm(b, a, 0x07030602);\n"
    "    const unsigned int cd_low = __builtin_amdgcn_perm(d, c, 0x05010400);\n"
    "    const unsigned int cd_high = __builtin_amdgcn_perm(d, c, 0x07030602);\n"
    "    return {__builtin_amdgcn_perm(cd_low, ab_low, 0x05040100),\n"
    "            __builtin_amdgcn_perm(cd_low, ab_low, 0x07060302),\n"
    "            __builtin_amdgcn_perm(cd_high, ab_high, 0x05040100),\n"
    "            __builtin_amdgcn_perm(cd_high, ab_high, 0x07060302)};\n}",
)


def turn(row: str, column: str, words: int, count: int) -> Helper:
    """`count` rows of `words` words become columns of `count` bytes, two permutations for each word: the compiler
    finds three to six instructions where bytes are moved one by one."""
    name, groups = f"turn_{row}x{count}", range(count // 4)
    turned = "".join(
        f"        const u32x4 words_{g} = turn_bytes(row({4 * g}), row({4 * g + 1}), row({4 * g + 2}),"
        f" row({4 * g + 3}));\n"
        for g in groups
    )
    kind = "unsigned int" if count == 4 else f"u32x{count // 4}"
    taken = ", ".join(f"words_{g}[e]" for g in groups)
    return Helper(
        name,
        f"// {count} rows of {words * 4} bytes become columns, four at a time.\n"
        f"{ON_DEVICE} void {name}(const {row} *rows, {column} *columns)\n{{\n"
        f"    #pragma unroll\n    for (int w = 0; w < {words}; ++w) {{\n"
        f"        const auto row = [=](int r) {{ return __builtin_bit_cast(u32x{words}, rows[r])[w]; }};\n"
        f"{turned}"
        "        #pragma unroll\n        for (int e = 0; e < 4; ++e) {\n"
        f"            const {kind} column = {{{taken}}};\n"
        f"            columns[w * 4 + e] = __builtin_bit_cast({column}, column);\n        }}\n    }}\n}}",
        (TURN_BYTES,),
    )


@write.register
def _turn_bytes(s: TurnBytes, w: Writer) -> None:
    row, column = vector_of(s.rows, w), vector_of(s.columns, w)
    words, count = declared_width(s.rows, w) // 4, declared_width(s.columns, w)
    for n in {4, words, count // 4} - {1}:
        vector_type(U32, n, w.ctx.used)
    first = f"&{w.ctx.c(s.rows)}[{s.first}]" if s.first else w.ctx.c(s.rows)
    w.line(f"{w.ctx.call(turn(row, column, words, count))}({first}, {w.ctx.c(s.columns)});")


@write.register
def _take_tile(s: TakeTile, w: Writer) -> None:
    function = w.ctx.call(TILE_OF)
    row, column = w.ctx.c(s.row), w.ctx.c(s.column)
    w.line(f"int {row}, {column};")
    w.line(f"{function}({w.text(s.block)}, {w.text(s.rows)}, {w.text(s.columns)}, {s.group}, {row}, {column});")
    for name in (s.row, s.column):
        w.ctx.known.learn(name, natural=True)


@write.register
def _take_lane(s: TakeLane, w: Writer) -> None:
    w.line(f"const int {w.ctx.c(s.name)} = {w.ctx.call(LANE)}();")
    w.ctx.known.learn(s.name, natural=True)


def _address(array: str, index: tuple[Expr, ...], w: Writer) -> str:
    return f"&{w.ctx.c(array)}[{offset(array, index, w.ctx, show).argument}]"


@write.register
def _window(s: Window, w: Writer) -> None:
    place, name = _address(s.array, s.index, w), w.ctx.c(s.name)
    if s.aligned:
        made = w.ctx.call(WINDOW if s.bytes is None else WINDOW_OF)
        given = place if s.bytes is None else f"{place}, {w.text(s.bytes)}"
        w.line(f"const __amdgpu_buffer_rsrc_t {name} = {made}({given});")
    else:
        w.line(f"const char *const {name} = (const char *){place};")


@write.register
def _fetch(s: Fetch, w: Writer) -> None:
    dtype, single = w.ctx.arrays[s.vector].dtype, s.vector not in w.ctx.vectors
    kind = dtype.c if single else vector_of(s.vector, w)
    stored = kind if single or s.aligned else vector_of(s.vector, w, aligned=False)
    size = dtype.bytes if single else declared_width(s.vector, w) * dtype.bytes
    function = w.ctx.call(fetch(kind, size) if s.aligned else fetch_any(kind, stored))
    given = f"{w.ctx.c(s.window)}, {w.ctx.c(s.offset)}[{w.text(s.offset_at)}], {w.text(s.ahead)}"
    to = vector_at(s.vector, s.slot, w)
    if single:
        to = f"{w.ctx.c(s.vector)}[{offset(s.vector, s.slot, w.ctx, show).argument}]"
    w.line(f"{to} = {function}({given});")


@write.register
def _fetch_first(s: FetchFirst, w: Writer) -> None:
    kind, stored = vector_of(s.vector, w), vector_of(s.vector, w, aligned=s.aligned)
    element = w.ctx.arrays[s.array].dtype.c
    function = w.ctx.call(first(kind, stored, element, declared_width(s.vector, w)))
    place = _address(s.array, s.index, w)
    w.line(f"{vector_at(s.vector, s.slot, w)} = {function}({place}, {w.text(s.count)});")


def multiply(builtin: str, left: str, right: str, sums: str) -> Helper:
    """A matrix instruction under a short name, for operands and sums of these C types."""
    name = builtin.removeprefix("__builtin_amdgcn_")
    given = ", ".join(
        f"__builtin_bit_cast({bits(kind)}, {side})" if bits(kind) != kind else side
        for kind, side in ((left, "left"), (right, "right"))
    )
    return Helper(
        name,
        "// One matrix instruction of a whole wave: left @ right, added to the sums.\n"
        f"{ON_DEVICE} {sums} {name}({left} left, {right} right, {sums} sums)\n{{\n"
        f"    return {builtin}({given}, sums, 0, 0, 0);\n}}",
    )


def bits(kind: str) -> str:
    """The C type in which a matrix instruction takes an operand: bf16 as bits."""
    return kind.replace(str(BF16), str(I16))


@write.register
def _multiply(s: MatrixMultiply, w: Writer) -> None:
    w.quote(s.at)
    sums = vector_at(s.sums, s.slot, w)
    types = (_part_type(s.left, w), _part_type(s.right, w), vector_of(s.sums, w))
    for p in (s.left, s.right):
        if w.ctx.arrays[p.vector].dtype is BF16:
            vector_type(I16, declared_width(p.vector, w) // p.parts, w.ctx.used)
    function = w.ctx.call(multiply(s.builtin, *types))
    w.line(f"{sums} = {function}({_part(s.left, w)}, {_part(s.right, w)}, {sums});")


@write.register
def _add_scaled(s: AddScaled, w: Writer) -> None:
    sums, kind = vector_at(s.sums, s.slot, w), vector_of(s.sums, w)
    *before, last = (f"({kind})({w.text(x)})" for x in s.times)
    products = " * ".join((vector_at(s.vector, s.at_slot, w), *before))
    w.line(f"{sums} = __builtin_elementwise_fma({products}, {last}, {sums});")


def _part_type(p: Part, w: Writer) -> str:
    dtype, width = w.ctx.arrays[p.vector].dtype, declared_width(p.vector, w) // p.parts
    return dtype.c if width == 1 else vector_type(dtype, width, w.ctx.used)


def _part(p: Part, w: Writer) -> str:
    """`part_A[1][i].lo`, or `part_A[1][i][2]` of single elements."""
    vector = vector_at(p.vector, p.slot, w)
    if p.parts == declared_width(p.vector, w):
        return f"{vector}[{p.part if isinstance(p.part, int) else w.text(p.part)}]"
    if p.parts != 2 or not isinstance(p.part, int):
        raise ValueError(f"no name for part {p.part} of {p.parts} of {p.vector}")
    return f"{vector}.{('lo', 'hi')[p.part]}"


@write.register
def _lds_barrier(s: LdsBarrier, w: Writer) -> None:
    w.line(f"{w.ctx.call(LDS_BARRIER)}();", s.note)


@write.register
def _meet(s: Meet, w: Writer) -> None:
    w.line(f"{w.ctx.call(MEET)}();", s.note)


@write.register
def _priority(s: Priority, w: Writer) -> None:
    w.line(f"__builtin_amdgcn_s_setprio({s.level});")


@write.register
def _group(s: Group, w: Writer) -> None:
    w.ctx.call(GROUPS)
    w.line(f"__builtin_amdgcn_sched_group_barrier({s.kind}, {s.count}, 0);")


@write.register
def _remark(s: Remark, w: Writer) -> None:
    for line in wrap(s.text, WIDTH - 3 - 4 * w.depth):
        w.line(f"// {line}")


@write.register
def _keep_order(s: KeepOrder, w: Writer) -> None:
    w.line("__builtin_amdgcn_sched_barrier(0);")


@write.register
def _settle(s: Settle, w: Writer) -> None:
    w.line(f"{w.ctx.call(settle(s.states))}();")
