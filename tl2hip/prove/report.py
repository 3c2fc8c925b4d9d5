"""What verify tells: a short table for people, the same as data for tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tl2hip.source.problems.base import Problem


@dataclass(frozen=True, slots=True)
class Case:
    """One shape, mode and seed. `python` is "equal", "differs", "raised", or "" where plain Python was not run.

    `checked` elements were compared, `exact` of them bit for bit; `worst` is the largest error over its bound.
    `skipped`: it took too long. `kernels` are those that the launcher took. `machine`: whether the machine code
    gave what it must, None where it was not run.
    """

    sizes: dict[str, int]
    mode: str
    seed: int
    python: str = ""
    checked: int = 0
    exact: int = 0
    undecided: int = 0
    worst: float = 0.0
    good: bool = True
    skipped: bool = False
    kernels: tuple[str, ...] = ()
    machine: bool | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What verifying one kernel tried and found; the first few problems of each kind."""

    name: str
    cases: tuple[Case, ...]
    problems: tuple[Problem, ...]
    kernels: tuple[str, ...] = ()
    """The kernels of the launcher."""

    @property
    def good(self) -> bool:
        """Whether nothing was found that must not be, and something was tried."""
        errors = any(p.severity == "error" for p in self.problems)
        return not errors and any(not c.skipped for c in self.cases) and all(c.good for c in self.cases)

    @property
    def ran(self) -> dict[str, int]:
        """In how many cases each kernel ran."""
        return {k: sum(k in c.kernels for c in self.cases) for k in self.kernels}

    @property
    def worst(self) -> float:
        """The largest error over its bound."""
        return max((c.worst for c in self.cases), default=0.0)

    def __repr__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """A line for the kernel, a table by mode, the shapes, the problems."""
        tried = [c for c in self.cases if not c.skipped]
        lines = [
            f"{self.name}: {'good' if self.good else 'NOT GOOD'}: {_beside_python(tried)}",
            f"  {'mode':<11}{'cases':>6}{'exact':>9}{'bounded':>9}{'undecided':>10}{'worst/bound':>12}",
        ]
        for mode in dict.fromkeys(c.mode for c in tried):
            rows = [c for c in tried if c.mode == mode]
            exact, checked = sum(c.exact for c in rows), sum(c.checked for c in rows)
            undecided, worst = sum(c.undecided for c in rows), max(c.worst for c in rows)
            ratio = f"{worst:.3f}" if checked > exact else "-"
            counts = f"{len(rows):>6}{exact:>9}{checked - exact:>9}{undecided:>10}"
            lines.append(f"  {mode:<11}{counts}{ratio:>12}")
        shapes = dict.fromkeys(" ".join(f"{n}={v}" for n, v in c.sizes.items()) for c in tried)
        if any(shapes):
            lines.append("  shapes: " + "; ".join(shapes))
        if self.kernels:
            lines.append("  kernels: " + "; ".join(f"{k} in {_cases(n)}" for k, n in self.ran.items()))
        if ran := [c.machine for c in tried if c.machine is not None]:
            lines.append(f"  machine code: good in {sum(ran)} of {_cases(len(ran))}")
        lines += [f"  {p.severity} {p.code}: {p.text}" for p in self.problems]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "kernel": self.name,
            "good": self.good,
            "worst_over_bound": self.worst,
            "kernels": self.ran,
            "cases": [
                {
                    "sizes": c.sizes,
                    "mode": c.mode,
                    "seed": c.seed,
                    "python": c.python,
                    "checked": c.checked,
                    "exact": c.exact,
                    "undecided": c.undecided,
                    "worst_over_bound": c.worst,
                    "good": c.good,
                    "skipped": c.skipped,
                    "kernels": list(c.kernels),
                    "machine": c.machine,
                }
                for c in self.cases
            ],
            "problems": [
                {"code": p.code, "severity": p.severity, "message": p.text, "help": p.way_out}
                for p in self.problems
            ],
        }


def _cases(n: int) -> str:
    return "no case" if n == 0 else f"{n} case{'s' * (n > 1)}"


def _beside_python(tried: list[Case]) -> str:
    """How many cases there were, and how many equal plain Python; large ones are too slow for it, and where Python
    raises there is nothing to compare with."""
    ran, equal = sum(c.python != "" for c in tried), sum(c.python == "equal" for c in tried)
    raised = sum(c.python == "raised" for c in tried)
    rest = f"; Python raised in {raised}" if raised else ""
    if ran == len(tried):
        return f"{ran} cases, {equal} equal to Python{rest}"
    return f"{len(tried)} cases; {ran} were small enough for plain Python, {equal} equal to it{rest}"
