"""One construct of Python a kernel."""

from itertools import product

import numpy as np

from tl2hip import Tensor, dims, f32, i32, kernel

M, N, K = dims("M N K")


@kernel
def steps(x: Tensor[i32, N], y: Tensor[i32, N]) -> None:
    """Constant steps up and down, ranges that are empty among them."""
    for i in range(1, N, 3):
        y[i] = x[i] + 1
    for i in range(N - 1, -1, -2):
        y[i] += x[i]
    for i in range(N, 0, 2):
        y[0] += x[i - 1]
    for i in range(3, 3):
        y[i] = 7


@kernel
def step_at_run_time(x: Tensor[i32, N], y: Tensor[i32, N], step: int) -> None:
    """A step that only the caller knows."""
    for i in range(0, N, step):  # TL345
        y[i] = x[i]


@kernel
def step_up(x: Tensor[i32, N], y: Tensor[i32, N], step: int) -> None:
    """The same where the way is known."""
    assert step > 0
    for i in range(0, N, step):
        y[i] = x[i]


@kernel
def step_down(x: Tensor[i32, N], y: Tensor[i32, N], step: int) -> None:
    """And downwards."""
    assert step < 0
    for i in range(N - 1, -1, step):
        y[i] = x[i]


@kernel
def four_spellings(x: Tensor[f32, M, N], flat: Tensor[f32, M * N], y: Tensor[f32, M, N]) -> None:
    """An element by two brackets, one, a tuple, and in a flat array."""
    for i in range(M):
        for j in range(N):
            y[i][j] = x[i, j] + x[i][j] * x[(i, j)] + flat[i * N + j]
            y[(i, j)] += 1


@kernel
def row_of_a_list(y: Tensor[f32, N]) -> None:
    """A slice of a list would be a copy."""
    row = [0.0] * 8  # TL340
    part = row[2:4]
    for i in range(N):
        y[i] = part[i % 2]


@kernel
def row_of_an_array(x: Tensor[f32, M, N]) -> None:
    """A row of an array is a view: what is stored into it is stored into the array."""
    for i in range(M):
        row = x[i]
        head = row[: N // 2]
        for j in range(len(head)):
            head[j] = row[N - 1 - j]


@kernel
def swaps(x: Tensor[f32, N, 4]) -> None:
    """Everything is read before anything is written."""
    for i in range(N):
        x[i, 0], x[i, 1] = x[i, 1], x[i, 0]
        a, b, c = x[i, 2], x[i, 3], x[i, 0]
        a, b, c = b, c, a
        x[i, 2], x[i, 3] = a, b + c


@kernel
def conditions(x: Tensor[i32, N], y: Tensor[i32, N]) -> None:
    """`if`, `elif`, conditional expressions, `and`, `or`, `not`, chained comparisons."""
    for i in range(N):
        if 0 < x[i] <= 5 or (x[i] < -3 and i % 2 != 0):
            y[i] = 1 if x[i] != 2 else 7
        elif x[i] == 0 or x[i] > 50:
            y[i] = 2
        else:
            y[i] = -x[i] if x[i] < 0 else x[i]


@kernel
def operand_of_or(x: Tensor[i32, N], y: Tensor[i32, N]) -> None:
    """`or` gives one of its operands."""
    for i in range(N):
        y[i] = x[i] or 5  # TL324


@kernel
def conditional_or(x: Tensor[i32, N], y: Tensor[i32, N]) -> None:
    """The same said as what it is."""
    for i in range(N):
        y[i] = x[i] if x[i] != 0 else 5


@kernel
def break_in_parallel(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    """A loop with nothing beside it that ends where the data say so."""
    for i in range(N):
        if x[i] < 0:
            break  # TL407
        y[i] = x[i]


@kernel
def no_break(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    """The same: the end is found first."""
    end = N
    for i in range(N):
        if x[i] < 0:
            end = min(end, i)
    for i in range(end):
        y[i] = x[i]


@kernel
def over_enumerate(x: Tensor[f32, M, N], y: Tensor[f32, M]) -> None:
    """Places and rows."""
    for i, row in enumerate(x):
        y[i] = np.sum(row)


@kernel
def over_zip(a: Tensor[f32, N], b: Tensor[f32, N], out: Tensor[f32, 1]) -> None:
    """Two arrays side by side."""
    s = f32(0)
    for x, y in zip(a, b):  # noqa: B905
        s += x * y
    out[0] = s


@kernel
def over_reversed(x: Tensor[f32, M, N], y: Tensor[f32, M, N]) -> None:
    """A range from its end."""
    for i in range(M):
        s = f32(0)
        for j in reversed(range(N)):
            s += x[i, j]
            y[i, j] = s


@kernel
def over_product(x: Tensor[f32, M, N], y: Tensor[f32, M, N]) -> None:
    """Two loops in one."""
    for i, j in product(range(M), range(N)):
        y[i, j] = x[i, j] + 1


@kernel
def over_elements(x: Tensor[f32, N], out: Tensor[f32, 1]) -> None:
    """The elements themselves."""
    s = f32(0)
    for v in x:
        s += v * v
    out[0] = s


@kernel
def list_appended(x: Tensor[f32, N]):
    """A list that grows."""
    out = []
    for i in range(N):
        out.append(x[i] * 2)  # TL341
    return out


@kernel
def list_comprehension(x: Tensor[f32, N]):
    """A list in one expression."""
    return [x[i] * 2 for i in range(N)]  # TL131


@kernel
def array_filled(x: Tensor[f32, N], out: Tensor[f32, N]) -> None:
    """The same in an array."""
    for i in range(N):
        out[i] = x[i] * 2


@kernel
def scatter_added(index: Tensor[i32, N], x: Tensor[f32, N], y: Tensor[f32, M]) -> None:
    """Several iterations may add to one element."""
    for i in range(N):
        y[index[i]] += x[i]


@kernel
def scatter_stored(index: Tensor[i32, N], x: Tensor[f32, N], y: Tensor[f32, M]) -> None:
    """Several iterations may store to one element."""
    for i in range(N):
        y[index[i]] = x[i]  # TL404


@kernel
def generator_sum(x: Tensor[f32, M, N], y: Tensor[f32, M]) -> None:
    """sum, max and any of generators."""
    for i in range(M):
        y[i] = sum(x[i, j] * x[i, j] for j in range(N)) + max(x[i, j] for j in range(N))
        if any(x[i, j] > 2 for j in range(N)):
            y[i] += 1


@kernel
def after_the_loop(x: Tensor[i32, M, N], y: Tensor[i32, M]) -> None:
    """A loop variable read after its loop, as where a break left it."""
    for i in range(M):
        j = -1
        for j in range(N):
            if x[i, j] == 3:
                break
        y[i] = j
