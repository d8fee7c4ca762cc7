"""One node at a time: on our reference kernels, and on ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import ALL_KERNELS, Array, ArraySpec, KernelRegistry

REGISTRY = KernelRegistry(ALL_KERNELS)


def spec(*shape: int, dtype: str = "float32") -> ArraySpec:
    """An array of which dtype and dims are known."""
    return ArraySpec(np.dtype(dtype), shape)


def unranked(dtype: str = "float32") -> ArraySpec:
    """An array of which only the dtype is known."""
    return ArraySpec(np.dtype(dtype), None)


def run(op: str, *inputs: Array | None, **attributes: Any) -> Any:
    """What our kernel gives."""
    kernel = REGISTRY.find(op)
    assert kernel is not None
    return kernel.run(*inputs, **attributes)


def infer(op: str, *specs: ArraySpec | None, **attributes: Any) -> Any:
    """What our kernel knows before it runs."""
    kernel = REGISTRY.find(op)
    assert kernel is not None
    return kernel.infer(*specs, **attributes)


def run_onnx(
    op: str, inputs: Sequence[Array | None], outputs: int = 1, *, opset: int = 20, **attributes: Any
) -> list[Array]:
    """What ONNX Runtime gives; skips the test where it is not installed."""
    onnx = pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    given = {f"in{i}": x for i, x in enumerate(inputs) if x is not None}
    names = ["" if x is None else f"in{i}" for i, x in enumerate(inputs)]
    node = onnx.helper.make_node(op, names, [f"out{i}" for i in range(outputs)], **attributes)
    values = [
        onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
        for name, x in given.items()
    ]
    results = [onnx.ValueInfoProto(name=name) for name in node.output]
    graph = onnx.helper.make_graph([node], "one", values, results)
    opsets = [onnx.helper.make_opsetid("", opset), onnx.helper.make_opsetid("com.microsoft", 1)]
    model = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    found: list[Array] = session.run(None, given)
    return found


def normal(*shape: int, seed: int = 0, dtype: str = "float32") -> Array:
    """Normally distributed numbers, the same on every run."""
    return np.asarray(np.random.default_rng(seed).normal(size=shape)).astype(dtype)
