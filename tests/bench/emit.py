"""How long `tl2hip emit` takes: `python -m tests.bench.emit [--kernels N]` prints a table.

Processor time is told beside the clock's, since other work on the machine changes the one much less. The first
line is a loop of plain Python, so that figures of two machines (or hours) can be compared.
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
GEMM = ROOT / "golden" / "gemm" / "kernel.py"
KERNEL = '''\
from tl2hip import Tensor, Tile, dims, f16, f32, kernel

M, N, K = dims("M N K")


@kernel
def product_{n}(A: Tensor[f16, M, K], B: Tensor[f16, K, N], C: Tensor[f32, M, N]) -> None:
    """C = {n} A @ B."""
    i: Tile[int, {tile}]
    for i in range(M):
        for j in range(N):
            s = f32({n})
            for k in range(K):
                s += f32(A[i, k]) * f32(B[k, j])
            C[i, j] = s if s > f32({n}) else f32(0)
'''
REPEATS = 7
COLD_AIM, WARM_AIM, KERNEL_AIM = 350, 15, 15
"""The aims in ms: a cold start, a warm text, a kernel of a large folder on one core."""


def row(what: str, cpu: float, clock: float, note: str = "") -> None:
    """One line of the table, in ms."""
    print(f"{what:<44}{cpu * 1e3:>10.1f}{clock * 1e3:>10.1f}  {note}")


def best(run: Callable[[], object], repeats: int = REPEATS) -> tuple[float, float]:
    """The least processor time and the least clock time of several runs, in seconds; children's time counts."""
    taken = []
    for _ in range(repeats):
        before, start = _used(), time.perf_counter()
        run()
        taken.append((_used() - before, time.perf_counter() - start))
    return min(cpu for cpu, _ in taken), min(clock for _, clock in taken)


def _used() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def program(*argv: str) -> None:
    """The command line in a process of its own, with bytecode caches as an installed program has them."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    env |= {"PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "tl2hip-bench")}
    subprocess.run([sys.executable, *argv], env=env, cwd=ROOT, capture_output=True, check=True)


def cold() -> None:
    """Process starts."""
    emit = ("-m", "tl2hip", "emit", str(GEMM))
    program(*emit)
    row("python -c pass", *best(lambda: program("-c", "pass")))
    row("import libcst", *best(lambda: program("-c", "import gc; gc.disable(); import libcst")))
    row("tl2hip --help", *best(lambda: program("-m", "tl2hip", "--help")))
    row("tl2hip emit golden/gemm/kernel.py", *best(lambda: program(*emit)), f"aim {COLD_AIM}")


def warm() -> None:
    """The stages of one kernel in a process that has everything imported."""
    from tl2hip import api
    from tl2hip.hip import print_plan
    from tl2hip.nest.dependence import analyse
    from tl2hip.plan import plan
    from tl2hip.source.problems.base import Report
    from tl2hip.source.read import find, read

    source = api.source_of(GEMM)
    api.convert(source)
    gc.collect()
    gc.freeze()
    report = Report(source)
    module = read(source, report)
    function = find(module, "gemm")
    assert function is not None
    nest = api.nest_of(function, module, report, api.Options())
    assert nest is not None
    analysis = analyse(nest)
    marked = api.recognised(nest, api.Options(), analysis)
    planned = plan(marked, analysis)
    row("warm: read", *best(lambda: read(source, Report(source))))
    row("warm: nest", *best(lambda: api.nest_of(function, module, Report(source), api.Options())))
    row("warm: analysis", *best(lambda: analyse(nest)))
    row("warm: rules", *best(lambda: api.recognised(nest, api.Options(), analysis)))
    row("warm: plan", *best(lambda: plan(marked, analysis)))
    row("warm: print", *best(lambda: print_plan(planned)))
    row("warm: text to HIP, all stages", *best(lambda: api.convert(source).text, 20), f"aim {WARM_AIM}")


def folders(count: int) -> None:
    """Generated folders of growing size: time a kernel, and the most memory a process had."""
    for jobs in (1, 2):
        for n in sorted({max(1, count // 10), count // 2 or 1, count}):
            with tempfile.TemporaryDirectory() as place:
                for k in range(n):
                    Path(place, f"k{k:04}.py").write_text(KERNEL.format(n=k, tile=64 << (k % 3)))
                argv = ("-m", "tl2hip", "emit", place, "-o", f"{place}/hip", "--jobs", str(jobs))
                cpu, clock = best(lambda argv=argv: program(*argv), 1)  # type: ignore[misc]
                peak = _peak(argv)
                note = (
                    f"{cpu / n * 1e3:.1f} ms of processor time a kernel (aim {KERNEL_AIM}), {peak:.0f} MB at most"
                )
                row(f"folder of {n}, {jobs} jobs", cpu, clock, note)


def _peak(argv: tuple[str, ...]) -> float:
    """The most memory of one process of such a run, in MB; it runs once more, everything unchanged."""
    code = (
        "import resource, sys\nfrom tl2hip.cli import main\n"
        f"main({list(argv[2:])!r})\n"
        "most = max(resource.getrusage(w).ru_maxrss for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))\n"
        "print(most)"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    return int(done.stdout.split()[-1]) / 1024


def loop() -> int:
    """A million steps of plain Python."""
    total = 0
    for i in range(1_000_000):
        total += i
    return total


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernels", type=int, default=1000, help="how many kernels the largest folder has (1000)")
    count = parser.parse_args().kernels
    print(f"{'ms':<44}{'processor':>10}{'clock':>10}")
    row("a million steps of a Python loop", *best(loop), "about 40 on an idle core")
    cold()
    warm()
    folders(count)


if __name__ == "__main__":
    main()
