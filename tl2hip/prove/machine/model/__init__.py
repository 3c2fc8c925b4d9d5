"""The model of a compute unit: fed by what a block executed, it ranks kernels and says where their waves wait."""

from tl2hip.prove.machine.model.result import Busy, Cause, LoopResult, Place, Result
from tl2hip.prove.machine.model.run import model, modelled
from tl2hip.prove.machine.model.settings import STANDARD, STREAMING, Settings
from tl2hip.prove.machine.model.show import ranking, show
from tl2hip.prove.machine.model.trace import Lanes, Step, Trace

__all__ = [
    "STANDARD", "STREAMING", "Busy", "Cause", "Lanes", "LoopResult", "Place", "Result", "Settings", "Step", "Trace",
    "model", "modelled", "ranking", "show",
]  # fmt: skip
