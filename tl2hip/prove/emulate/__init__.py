"""The emulated compute unit: runs printed HIP on this host and finds what numbers alone do not show."""

from tl2hip.prove.emulate.findings import BankConflicts, Coalescing, Finding
from tl2hip.prove.emulate.library import Emulator, Library, LoadError, Run, UnsupportedHost, unsupported
from tl2hip.prove.emulate.memory import Buffer

__all__ = [
    "BankConflicts",
    "Buffer",
    "Coalescing",
    "Emulator",
    "Finding",
    "Library",
    "LoadError",
    "Run",
    "UnsupportedHost",
    "unsupported",
]
