"""Vela's answers are kept for the shapes that they were given for."""

from __future__ import annotations

import pytest

pytest.importorskip("tflite")

from lite_delegate import Rejected, Supported
from lite_delegate.backends.ethosu import claims
from lite_delegate.backends.ethosu.claims import VelaClaims
from lite_delegate.backends.ethosu.output import VelaOutput
from lite_delegate.backends.ethosu.vela import VelaSettings
from tests.backends.onnxruntime.trials.kernels import unary

NOTHING_LEFT = VelaOutput(b"", {}, (), None)


def test_a_kernel_of_new_shapes_is_asked_about_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bytes] = []
    (kernel,) = unary("Tanh")

    def compiled(content: bytes, settings: VelaSettings) -> VelaOutput:
        asked.append(content)
        return NOTHING_LEFT

    monkeypatch.setattr(claims, "compiled", compiled)
    monkeypatch.setattr(claims, "left_kernels", lambda *_: {} if len(asked) == 1 else {kernel.name: "too long"})
    found = VelaClaims(VelaSettings("u55-64", seconds=60))
    found.survey([kernel])
    assert isinstance(found.answer(kernel), Supported)
    assert len(asked) == 1
    for tensor in (*kernel.inputs, *kernel.outputs):
        tensor.shape = (7, *tensor.shape[1:])
    answer = found.answer(kernel)
    assert isinstance(answer, Rejected)
    assert answer.reason == "too long"


def test_a_kernel_of_another_name_in_an_equal_file_has_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bytes] = []

    def compiled(content: bytes, settings: VelaSettings) -> VelaOutput:
        asked.append(content)
        return VelaOutput(b"", {"y": "TANH: too long"}, (), None)

    monkeypatch.setattr(claims, "compiled", compiled)
    (one,), (other,) = unary("Tanh"), unary("Tanh")
    other.name = "other"
    found = VelaClaims(VelaSettings("u55-64", seconds=60))
    for kernel in (one, other):
        answer = found.answer(kernel)
        assert isinstance(answer, Rejected)
        assert answer.reason == "TANH: too long"
    assert len(set(asked)) == len(asked) == 1
