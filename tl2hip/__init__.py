"""Plain Python loops in, readable and proven HIP C++ for AMD gfx942 out.

Every name is imported when it is first asked for: `import tl2hip` itself loads nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tl2hip.api import emit_hip as emit_hip
    from tl2hip.notation import tile as tile
    from tl2hip.notation.article.compiled import CompileKernel as CompileKernel
    from tl2hip.notation.article.tensors import InputTensor as InputTensor
    from tl2hip.notation.article.tensors import OutputTensor as OutputTensor
    from tl2hip.notation.article.tensors import PipelineStage as PipelineStage
    from tl2hip.notation.article.tensors import TileLoop as TileLoop
    from tl2hip.notation.article.tensors import Unroll as Unroll
    from tl2hip.notation.article.values import dot as dot
    from tl2hip.notation.article.values import exp as exp
    from tl2hip.notation.article.values import max as max
    from tl2hip.notation.article.values import sum as sum
    from tl2hip.notation.elements import bf16 as bf16
    from tl2hip.notation.elements import bool_ as bool_
    from tl2hip.notation.elements import f8e4m3 as f8e4m3
    from tl2hip.notation.elements import f8e5m2 as f8e5m2
    from tl2hip.notation.elements import f16 as f16
    from tl2hip.notation.elements import f32 as f32
    from tl2hip.notation.elements import f64 as f64
    from tl2hip.notation.elements import i8 as i8
    from tl2hip.notation.elements import i16 as i16
    from tl2hip.notation.elements import i32 as i32
    from tl2hip.notation.elements import i64 as i64
    from tl2hip.notation.elements import u8 as u8
    from tl2hip.notation.elements import u32 as u32
    from tl2hip.notation.extents import dims as dims
    from tl2hip.notation.kernels import Kernel as Kernel
    from tl2hip.notation.kernels import distinct as distinct
    from tl2hip.notation.kernels import kernel as kernel
    from tl2hip.notation.kernels import offsets as offsets
    from tl2hip.notation.marks import group as group
    from tl2hip.notation.marks import lanes as lanes
    from tl2hip.notation.marks import lds as lds
    from tl2hip.notation.marks import mfma as mfma
    from tl2hip.notation.marks import serial as serial
    from tl2hip.notation.marks import stages as stages
    from tl2hip.notation.marks import strides as strides
    from tl2hip.notation.marks import tiled as tiled
    from tl2hip.notation.marks import unroll as unroll
    from tl2hip.notation.marks import vec as vec
    from tl2hip.notation.marks import waves as waves
    from tl2hip.notation.marks import xf32 as xf32
    from tl2hip.notation.tensors import Lds as Lds
    from tl2hip.notation.tensors import Tensor as Tensor
    from tl2hip.notation.tensors import Tile as Tile

_HOMES = {
    "tl2hip.api": ("emit_hip",),
    "tl2hip.notation.article.compiled": ("CompileKernel",),
    "tl2hip.notation.article.tensors": (
        *("InputTensor", "OutputTensor", "PipelineStage", "TileLoop", "Unroll"),
    ),
    "tl2hip.notation.article.values": ("dot", "exp", "max", "sum"),
    "tl2hip.notation.elements": (
        *("f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2"),
        *("i64", "i32", "i16", "i8", "u8", "u32", "bool_"),
    ),
    "tl2hip.notation.extents": ("dims",),
    "tl2hip.notation.kernels": ("Kernel", "distinct", "kernel", "offsets"),
    "tl2hip.notation.marks": (
        *("group", "lanes", "lds", "mfma", "serial", "split", "stages", "strides", "tiled", "unroll", "vec"),
        *("waves", "xf32"),
    ),
    "tl2hip.notation.tensors": ("Lds", "Tensor", "Tile"),
    "tl2hip.notation.tile": ("tile",),
}

_MODULES = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted(_MODULES.keys() - {"dot", "emit_hip", "exp", "max", "sum"})
"""What `from tl2hip import *` brings: nothing that hides a builtin or math's exp, or loads the compiler."""


def __getattr__(name: str) -> Any:
    """The export `name`, from the module it lives in."""
    if name not in _MODULES:
        raise AttributeError(f"module 'tl2hip' has no attribute {name!r}")
    import importlib

    home = importlib.import_module(_MODULES[name])
    value = home if name == "tile" else getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
