"""What each instruction of the scalar and vector units means, by mnemonic."""

from __future__ import annotations

from collections.abc import Mapping

from tl2hip.prove.machine.meanings import compare, convert, packed, scalar, vector
from tl2hip.prove.machine.meanings.table import Meaning, read

MEANINGS: Mapping[str, Meaning] = read(
    "\n".join(part.TABLE for part in (scalar, vector, convert, compare, packed)),
)
