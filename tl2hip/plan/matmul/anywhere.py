"""The kernel of a matrix product for factors at any address: that for aligned ones, with its reads changed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from tl2hip.plan.ir import DeviceStmt, Let
from tl2hip.plan.matrix_ir import Fetch, FetchFirst, Window
from tl2hip.plan.walk import map_stmts


def anywhere(body: tuple[DeviceStmt, ...], steps: Collection[str]) -> tuple[DeviceStmt, ...]:
    """The statements of an aligned kernel with every read at an address of its own, which takes 64 bits.

    `steps` names the bytes from tile to tile. They fit 32 bits, but the way to a tile may not.
    """

    def one(s: DeviceStmt) -> DeviceStmt:
        match s:
            case Window() | Fetch() | FetchFirst():
                return replace(s, aligned=False)
            case Let(name=name) if name in steps:
                return replace(s, form="wide")
            case _:
                return s

    return map_stmts(one, body)
