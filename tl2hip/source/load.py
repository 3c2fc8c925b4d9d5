"""Files to text, by Python's own rules: a byte order mark, a `coding` comment, else UTF-8."""

from __future__ import annotations

import io
import tokenize
from pathlib import Path
from typing import NoReturn

from tl2hip.source.problems import reading
from tl2hip.source.problems.base import Problem, Refused
from tl2hip.source.span import Source, Span


def load(path: str | Path, name: str | None = None) -> Source:
    """The text of a file; `name` is what it is shown by, else the path as given.

    Raises Refused where the file cannot be opened (TL103) or its bytes are no text (TL104, at the byte).
    """
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Refused(reading.Unreadable(reason)) from None
    return decode(data, str(path) if name is None else name)


def decode(data: bytes, name: str) -> Source:
    """The text of a file's bytes. Raises Refused (TL104) at the first byte that is no text."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        _raise_for_first_lines(data, str(error.msg))
    if encoding == "utf-8-sig":
        data, encoding = data.removeprefix(b"\xef\xbb\xbf"), "utf-8"
    try:
        return Source(name, data.decode(encoding))
    except UnicodeDecodeError as error:
        raise Refused(_undecodable(data, error.start, encoding, error.reason)) from None
    except (LookupError, UnicodeError) as error:
        raise Refused(reading.Undecodable(encoding, str(error), at=Span(1, 0, 1, 1))) from None


def encode(data: bytes, text: str) -> bytes:
    """The bytes of a changed text, in the encoding of the bytes that it was read from."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return text.encode(encoding)


def _raise_for_first_lines(data: bytes, reason: str) -> NoReturn:
    """Raise for what `detect_encoding` refuses: an unknown encoding, or bad bytes in the first two lines."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(_undecodable(data, error.start, "utf-8", error.reason)) from None
    raise Refused(reading.Undecodable("named in its first lines", reason, at=Span(1, 0, 1, 1)))


def _undecodable(data: bytes, index: int, encoding: str, reason: str) -> Problem:
    """The problem at a byte: its line, and its column in characters as far as they can be told."""
    before = data[:index].decode(encoding, "replace").replace("\r\n", "\n").replace("\r", "\n")
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1)
    at = Span(line, column, line, column + 1)
    return reading.Undecodable(encoding, f"byte 0x{data[index]:02x}: {reason}", at=at)
