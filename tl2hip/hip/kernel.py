"""The `__global__` functions of a plan as C++."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tl2hip.dtypes import I64
from tl2hip.hip import matrix, registers, small, softmax  # noqa: F401  they make the writer know more statements
from tl2hip.hip.context import Context, Known, Used
from tl2hip.hip.counters import counters, kept_small
from tl2hip.hip.facts import is_index, is_natural, is_positive
from tl2hip.hip.frame import fill
from tl2hip.hip.helpers import WIDTH
from tl2hip.hip.names import Names
from tl2hip.hip.statements import Writer
from tl2hip.hip.twin import Changes, Twin, changes
from tl2hip.plan.ir import DeviceKernel, HostLet, Plan
from tl2hip.plan.lds import elements
from tl2hip.plan.walk import all_host


@dataclass(frozen=True, slots=True)
class KernelText:
    """A kernel's text, and for each of its lines the number of the user's line that it is from."""

    text: str
    users: tuple[int, ...]


def print_kernels(plan: Plan, names: Names, used: Used) -> list[KernelText]:
    """The texts of a plan's kernels, without final newlines. A kernel and one behind it that reads memory otherwise
    are written together."""
    texts: list[KernelText] = []
    left = [*plan.kernels]
    while left:
        kernel = left.pop(0)
        changed = changes(kernel, left[0]) if left else None
        w = _writer(kernel, plan, names, used, changed or {})
        w.write_all(kernel.body)
        texts.append(_text(kernel, plan, w, w.lines, w.users))
        if changed is not None:
            texts.append(_text(left.pop(0), plan, w, *w.others))
    return texts


def _writer(kernel: DeviceKernel, plan: Plan, names: Names, used: Used, changed: Changes) -> Twin:
    """What writes the statements of a kernel, and of its twin."""
    arrays = {p.array.name: p.array for p in plan.arrays}
    vectors = frozenset(p.array.name for p in plan.arrays if p.space == "vector")
    ctx = Context(names, used, arrays, _known(kernel, plan), vectors=vectors)
    return Twin(ctx, names, plan.nest.source, thread_number(kernel.block), changed=changed)


def _text(kernel: DeviceKernel, plan: Plan, w: Writer, lines: list[str], users: Sequence[int]) -> KernelText:
    """The text of one kernel around its lines."""
    names = w.names
    text = fill(
        "kernel",
        summary=[kernel.summary] if kernel.summary else [],
        attributes=attributes(kernel),
        name=names[kernel.name],
        parameters=broken(f"{names[kernel.name]}(", parameters(kernel, plan, names)),
        lines=[f"    {line}" for line in (*_memory(kernel, plan, w), *_places(kernel, names, lines))] + lines,
    )
    function, known = plan.nest.at.line, [user or plan.nest.at.line for user in users]
    before = len(text.splitlines()) - len(known) - 1  # statements stand at the end, above one brace
    return KernelText(text, (*[function] * before, *known, function))


def _known(kernel: DeviceKernel, plan: Plan) -> Known:
    """What is known where the kernel starts: of sizes, of where the thread stands, and of what only counts."""
    known = Known(natural=extents(plan))
    given = {s.name for s in plan.nest.scalars} - known.natural
    known.index.update(n for n, t in kernel.scalars if t is I64 and n not in given)
    for let in (s for s in all_host(plan.host) if isinstance(s, HostLet)):
        positive = is_index(let.value, known) and is_positive(let.value, known)
        natural = is_index(let.value, known) and is_natural(let.value, known)
        known.learn(let.name, natural=natural, positive=positive)
    for place in kernel.places:
        known.learn(place.name, natural=True, positive=place.what.startswith("gridDim"))
    known.index.update(counters(kernel.body, known.index))
    known.small.update(kept_small(kernel.body))
    return known


def attributes(kernel: DeviceKernel) -> str:
    """What the compiler must know of a block: without its size it allows for 1,024 threads, and spills."""
    size = f"amdgpu_flat_work_group_size({kernel.threads}, {kernel.threads})"
    return size if kernel.waves is None else f"{size}, amdgpu_waves_per_eu({kernel.waves}, {kernel.waves})"


def thread_number(block: tuple[int, int, int]) -> str:
    """The number of a thread in its block, x fastest."""
    x, y, z = block
    rows = f" + {x} * threadIdx.y" if y > 1 else ""
    return f"threadIdx.x{rows}" + (f" + {x * y} * threadIdx.z" if z > 1 else "")


def extents(plan: Plan) -> set[str]:
    """Names of sizes that the launcher has checked to be 0 or more."""
    shapes = {n for p in plan.arrays for n in p.array.shape}
    return {*plan.nest.dims, *(s.name for s in plan.nest.scalars if s in shapes and s.dtype is I64)}


def parameters(kernel: DeviceKernel, plan: Plan, names: Names) -> list[str]:
    """The C parameters: pointers, `const` where this kernel only reads, then sizes and scalars."""
    same = {name for pair in plan.in_place for name in pair}
    out = []
    for name in kernel.arrays:
        const = "" if name in kernel.stored else "const "
        restrict = "" if name in same else "__restrict__ "
        out.append(f"{const}{plan.placed(name).array.dtype.c} *{restrict}{names[name]}")
    return out + [f"{t.c} {names[n]}" for n, t in kernel.scalars]


def broken(before: str, items: list[str]) -> str:
    """Items joined by commas, on further lines below the first where they would pass the width."""
    pad = " " * len(before)
    lines, line = [], ""
    for k, item in enumerate(items):
        piece = item if k == len(items) - 1 else f"{item},"
        if line and len(pad) + len(line) + 1 + len(piece) > WIDTH:
            lines.append(line)
            line = piece
        else:
            line = f"{line} {piece}" if line else piece
    return f"\n{pad}".join([*lines, line])


def _memory(kernel: DeviceKernel, plan: Plan, w: Writer) -> list[str]:
    """Declarations of LDS and of arrays in registers; those of reductions last."""
    lines = []
    own = [plan.placed(name) for name in kernel.local_arrays]
    for placed in sorted(own, key=lambda p: p.space != "shared"):
        name = placed.array.name
        a = placed.array
        shared = "__shared__ __attribute__((aligned(16))) " if placed.space == "shared" else ""
        lines.append(f"{shared}{a.dtype.c} {w.names[name]}[{elements(a)}];")
    return lines + [f"__shared__ {t.c} {name}[{n}];" for name, t, n in w.scratch.values()]


def _places(kernel: DeviceKernel, names: Names, lines: list[str]) -> list[str]:
    """Where the thread stands, as far as the text below asks."""
    text = "\n".join(lines)
    named = (p for p in kernel.places if re.search(rf"\b{names[p.name]}\b", text))
    return [f"const i64 {names[p.name]} = {p.what};" for p in named]
