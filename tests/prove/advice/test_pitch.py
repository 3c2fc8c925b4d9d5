"""Distances between rows, and what another one would cost: held against what executions record."""

from __future__ import annotations

import pytest

from tests.prove.machine.test_tracing import LANE, traced
from tl2hip.prove.advice.pitch import bank_clocks, better_pitch, pitch
from tl2hip.prove.machine.model import Lanes

STRIDES = (0, 4, 8, 12, 16, 36, 48, 64, 80, 128, 132, 136, 144, 208, 256)


@pytest.mark.parametrize(
    ("access", "width", "store"),
    [
        ("ds_read_b32 v2, v1", 4, False),
        ("ds_read_b64 v[2:3], v1", 8, False),
        ("ds_read_b128 v[2:5], v1", 16, False),
        ("ds_write_b64 v1, v[2:3]", 8, True),
        ("ds_write_b128 v1, v[2:5]", 16, True),
    ],
)
def test_clocks_are_those_that_are_recorded(access: str, width: int, store: bool) -> None:
    strides = [stride for stride in STRIDES if stride % width == 0]
    code = "".join(f"v_mul_u32_u24_e32 v1, {s:#x}, v6\n{access}\n" for s in strides)
    trace = traced(f"{LANE}v_mov_b32_e32 v6, v1\nv_mov_b32_e32 v2, 0\nv_mov_b32_e32 v3, 0\n{code}")
    steps = [one for one in trace.waves[0] if one.lds]
    assert len(steps) == len(strides) > 4
    for stride, step in zip(strides, steps, strict=True):
        lanes = Lanes(width, tuple(stride * lane for lane in range(64)))
        assert trace.in_lds[step.at] == lanes
        assert bank_clocks(lanes, store) == step.lds


def rows(width: int, distance: int, across: int = 1) -> Lanes:
    """Lanes in rows of `across`."""
    return Lanes(width, tuple(lane // across * distance + lane % across * width for lane in range(64)))


@pytest.mark.parametrize(
    ("lanes", "old", "better"),
    [
        (rows(16, 128, 4), 128, 192),
        (rows(8, 144), 144, 152),
        (rows(4, 128), 128, 132),
        (rows(16, 16), None, None),  # side by side: in no rows
        (Lanes(4, (None,) * 64), None, None),
        (Lanes(4, (0, 128, *[None] * 62)), 128, 132),
        (Lanes(16, tuple((lane ^ lane // 8 % 8) * 32 for lane in range(64))), None, None),  # in a swizzled order
    ],
)
def test_pitches(lanes: Lanes, old: int | None, better: int | None) -> None:
    assert pitch(lanes) == old and better_pitch(lanes, False) == better
    if better and old:
        moved = tuple(at if at is None else at // old * better + at % old for at in lanes.offsets)
        assert bank_clocks(Lanes(lanes.bytes, moved), False) < bank_clocks(lanes, False)
