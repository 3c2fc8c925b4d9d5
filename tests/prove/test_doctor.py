"""The report says what is there and never raises."""

from __future__ import annotations

import pytest

from tl2hip.prove import compiler, doctor
from tl2hip.prove.emulate import library


def test_a_good_machine() -> None:
    facts = {fact.about: fact for fact in doctor.report()}
    assert facts["compiler"].good and "clang version" in facts["compiler"].text
    assert facts["emulated compute unit"].good == (library.unsupported() is None)
    assert "cache" in facts


def test_a_machine_with_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "_in_wheel", lambda: None)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("TL2HIP_CXX", "gone")
    monkeypatch.setenv("TL2HIP_CACHE", "/proc/nowhere")
    monkeypatch.setattr(library.sys, "platform", "darwin")
    facts = doctor.report()
    texts = " | ".join(fact.text for fact in facts if not fact.good)
    assert "TL2HIP_CXX names gone" in texts and "tl2hip[prove]" in texts and "needs Linux on x86-64" in texts
