"""Every kernel beside the goldens is proven, and so are dtype variants of the usual ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.proofs import convert, prove

FOLDER = Path(__file__).parent
GOLDEN = FOLDER.parents[1] / "golden"
FILES = sorted(p for p in FOLDER.glob("*.py") if p.stem not in ("__init__", "test_kernels"))

VARIANTS = {
    "add": ("f16", "bf16", "f64", "i8", "i16", "i32", "i64", "u8", "u32"),
    "gemm": ("bf16", "f32"),
    "softmax": ("f64", "f16"),
    "layernorm": ("f64",),
    "transpose": ("f16", "bf16", "i8", "i64", "f8e4m3", "bool_"),
    "two_mm": ("f64", "i32"),
    "jacobi_time": ("f64",),
    "total": ("f64", "i64", "i32"),
    "gemv": ("f16", "f64"),
    "spmv": ("f64",),
}


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_kernel_is_proven(path: Path) -> None:
    for name in convert(path):
        report = prove(path, name, shapes=5, work=20_000, python_work=5_000)
        assert report.good, report.text


@pytest.mark.parametrize(("name", "dtype"), [(n, t) for n, ts in VARIANTS.items() for t in ts])
def test_variant_is_proven(name: str, dtype: str, tmp_path: Path) -> None:
    text = (GOLDEN / name / "kernel.py").read_text(encoding="utf-8")
    old = "f16" if name == "gemm" else "f32"
    path = tmp_path / f"{name}_{dtype}.py"
    path.write_text(_retyped(text, old, dtype), encoding="utf-8")
    report = prove(path, name, shapes=4, work=15_000, python_work=5_000)
    assert report.good, report.text


def _retyped(text: str, old: str, new: str) -> str:
    """The kernel with one dtype in the place of another, in its types, its casts and its imports."""
    lines = text.replace(f"np.{_numpy(old)}", f"np.{_numpy(new)}").splitlines()
    out = []
    for line in lines:
        if line.startswith("from tl2hip import"):
            names = {n.strip() for n in line.removeprefix("from tl2hip import").split(",")} | {new}
            line = f"from tl2hip import {', '.join(sorted(names))}"
        else:
            line = line.replace(f"[{old},", f"[{new},").replace(f"{old}(", f"{new}(")
        out.append(line)
    return "\n".join(out) + "\n"


def _numpy(dtype: str) -> str:
    return {"f32": "float32", "f64": "float64", "f16": "float16"}.get(dtype, dtype.replace("i", "int"))
