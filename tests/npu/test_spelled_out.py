"""Normalization and softmax that no pattern recognizes, on the device in float16; ONNX Runtime is the judge."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from lite_delegate import Context, Model
from lite_delegate.npu import NPUDelegate
from tests.passes.fusion.onnx_forms import Array, Form, on_onnxruntime, optimized

pytest.importorskip("onnxruntime")
SHAPE = (4, 96)


def _mean(f: Form, x: str) -> str:
    return f.op("ReduceMean", x, axes=[1], keepdims=1)


def rms_norm(f: Form) -> str:
    root = f.op("Sqrt", f.op("Add", _mean(f, f.op("Mul", "x", "x")), f.const(1e-6)))
    return f.op("Mul", f.op("Mul", "x", f.op("Reciprocal", root)), f.const(np.linspace(0.5, 1.5, 96)))


def deviation_of_a_sample(f: Form) -> str:
    squares = f.op("ReduceSum", f.op("Mul", "x", "x"), f.const([1], np.int64))
    offset = f.op("Mul", f.const(96.0), f.op("Mul", m := _mean(f, "x"), m))
    variance = f.op("Div", f.op("Sub", squares, offset), f.const(95.0))
    return f.op("Div", f.op("Sub", "x", m), f.op("Sqrt", variance))


def softmax_of_large_numbers(f: Form) -> str:
    power = f.op("Exp", f.op("Mul", "x", f.const(0.03)))
    return f.op("Div", power, f.op("ReduceSum", power, f.const([1], np.int64)))


def signal_to_noise(model: bytes, x: Array, params: str) -> float:
    """In dB; less than nothing for what is no number."""
    context = Context()
    context.set_delegate(NPUDelegate(options={"NPU_COMPILATION_MODE_PARAMS": params}))
    built = Model()
    built.build_from_graph(optimized(model), context)
    assert {node.device for node in built.get_partition().nodes} == {"npu"}
    (expected,) = on_onnxruntime(model, x)
    error = built.predict({"x": x})[0].data.astype(np.float64) - expected
    ratio = np.square(expected.astype(np.float64)).sum() / np.square(error).sum()
    return float(10 * np.log10(ratio)) if np.isfinite(ratio) else -np.inf


@pytest.mark.parametrize("form", [rms_norm, deviation_of_a_sample, softmax_of_large_numbers])
def test_islands_save_what_float16_loses(form: Callable[[Form], str]) -> None:
    f = Form(0, SHAPE)
    model = f.model(form(f))
    x = np.random.default_rng(1).normal(400.0, 8.0, SHAPE).astype(np.float16).astype(np.float32)
    assert signal_to_noise(model, x, "precision-islands=no") < 10
    assert signal_to_noise(model, x, "") > 50
