"""What a kernel is warned of (TL36x)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tl2hip.source.problems.base import Problem


@dataclass(frozen=True)
class NarrowAccumulator(Problem):
    code: ClassVar[str] = "TL360"
    severity: ClassVar[str] = "warning"
    title: ClassVar[str] = "A sum that is carried in a half"
    message: ClassVar[str] = "`{name}` starts as a Python number, so NumPy carries it in {dtype}"
    help: ClassVar[str] = "write f32(0)"
    why: ClassVar[str] = (
        "NumPy 2 lets a Python number take the dtype of the array element it meets, so a sum that starts as "
        "`0.0` is carried in f16 once an f16 is added: it loses digits early and overflows at 65,520. The "
        "kernel does the same."
    )
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f16, N], y: Tensor[f16, N]) -> None:
    s = 0.0
    for i in range(N):
        s += x[i]
    y[0] = s
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f16, N], y: Tensor[f16, N]) -> None:
    s = f32(0)
    for i in range(N):
        s += x[i]
    y[0] = s
"""
    name: str
    dtype: str


@dataclass(frozen=True)
class HeldInF32(Problem):
    code: ClassVar[str] = "TL361"
    severity: ClassVar[str] = "warning"
    title: ClassVar[str] = "math function computed in f32"
    message: ClassVar[str] = "{name} of {dtype} is computed and held in f32; Python holds it in f64"
    help: ClassVar[str] = "@kernel(math=f64) computes it in f64"
    why: ClassVar[str] = (
        "`math.exp` and its kin return a Python float, which is f64. On f32 and narrower values the kernel "
        "computes and holds them in f32, within the bound that `verify` checks: f64 functions cost many times "
        "as much."
    )
    example: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = math.exp(x[i])
"""
    rewrite: ClassVar[str] = """\
@kernel
def f(x: Tensor[f32, N], y: Tensor[f32, N]) -> None:
    for i in range(N):
        y[i] = np.exp(x[i])
"""
    name: str
    dtype: str

    @property
    def way_out(self) -> str:
        """The help line, and NumPy's function where it has one: of an f32 that is f32 in Python too."""
        other = {"pow": "power", "erf": "", "erfc": ""}.get(self.name, self.name)
        return f"{self.help}; np.{other} says f32 in Python too" if other else self.help
