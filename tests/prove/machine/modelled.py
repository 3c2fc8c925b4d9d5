"""Hand-made loops as traces, without execution: what is known of them is said step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.prove.machine.assembled import program
from tl2hip.prove.machine.model import Result, Settings, Step, Trace, model
from tl2hip.prove.machine.program import Kernel

FAST = Settings(latency=0, bandwidth=1e9)
FACTS = {"vgprs": 64, "agprs": 0, "lds": 0}


def kernel(lines: str) -> Kernel:
    return program(lines, **FACTS).kernels[0]


def looped(lines: str, times: int, waves: int = 4, said: Mapping[str, Mapping[str, Any]] | None = None) -> Trace:
    """Waves that go round a loop of these lines so many times, and end. `said` is of steps, by their mnemonic."""
    made = kernel(f".L0:\n{lines.strip()}\ns_cbranch_scc1 .L0\ns_endpgm")
    steps = [Step(at, **(said or {}).get(one.name, {})) for at, one in enumerate(made.code)]
    return Trace(made, ((*steps[:-1] * times, steps[-1]),) * waves)


def straight(lines: str, times: int = 1, waves: int = 4) -> Trace:
    """Waves that execute these lines so many times without a branch, and end."""
    made = kernel(f"{lines.strip()}\ns_endpgm")
    steps = [Step(at) for at in range(len(made.code))]
    return Trace(made, ((*steps[:-1] * times, steps[-1]),) * waves)


def modelled(trace: Trace, settings: Settings = FAST, resident: int = 1, blocks: int | None = None) -> Result:
    """What the model says, with all wave-clocks accounted for: each is one of a wait, or of an issue."""
    found = model(trace, settings, resident=resident, blocks=blocks or resident)
    issued = 4 * sum(place.issued for place in found.places)
    assert abs(sum(found.waits.values()) + issued - found.wave_clocks) < 1e-6 * found.wave_clocks
    assert issued == 4 * trace.steps * found.blocks
    return found


def clocks(trace: Trace, **how: Any) -> float:
    """Clocks of an iteration of the only loop."""
    (loop,) = modelled(trace, **how).loops
    return loop.clocks


def lines(*all_: str) -> str:
    return "\n".join(all_)


def products(name: str, registers: int, count: int, first: int = 0) -> str:
    """Independent matrix instructions."""
    places = [f"v[{first + registers * k}:{first + registers * (k + 1) - 1}]" for k in range(count)]
    factors = "v100, v101" if name.endswith("_f32") else "v[100:101], v[102:103]"
    return lines(*(f"{name} {one}, {factors}, {one}" for one in places))


def only(found: Sequence[Any]) -> Any:
    (one,) = found
    return one
