"""Vela's answers are kept for the shapes that they were given for."""

from __future__ import annotations

import pytest

pytest.importorskip("tflite")

from lite_delegate import Rejected, Supported
from lite_delegate.backends.ethosu import claims
from lite_delegate.backends.ethosu.claims import VelaClaims
from lite_delegate.backends.ethosu.vela import VelaSettings
from tests.backends.onnxruntime.trials.kernels import unary


def test_a_kernel_of_new_shapes_is_asked_about_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bytes] = []
    (kernel,) = unary("Tanh")
    monkeypatch.setattr(claims, "compiled", lambda content, settings: asked.append(content))
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
