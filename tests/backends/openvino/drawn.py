"""Models that are written down node by node, and what OpenVINO makes of them; ONNX Runtime says what is right."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from onnx import NodeProto, TensorProto, helper, numpy_helper

from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.onnx_backend import prepare

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


class Drawn:
    """Nodes and constants of a model while they are written down."""

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def node(self, op: str, *inputs: str, **attributes: Any) -> str:
        name = f"{self.prefix}v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        return name

    def array(self, array: Any) -> str:
        name = f"{self.prefix}c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name


def compiled_of(model: Any, x: Any, atols: Iterable[float]) -> Any:
    """OpenVINO's compiled model of a model that it takes as a whole, after a run that was right.

    Args:
        model: of an input ``x``.
        x: the input.
        atols: how far each output may be off.
    """
    onnxruntime = pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    prepared = prepare(model, delegate=OpenVINODelegate(threads=1))
    assert all(node.subgraph is not None for node in prepared.model.get_partition().nodes)
    expected = session.run(None, {"x": x})
    for atol, found, wanted in zip(atols, prepared.run([x]), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=atol)
    (kernel,) = prepared.model.get_graph_kernels()
    return kernel.shared.compiled  # type: ignore[attr-defined]


def kinds(compiled: Any) -> list[str]:
    """What OpenVINO computes, by its types of layers."""
    return [str(n.get_rt_info()["layerType"].value) for n in compiled.get_runtime_model().get_ordered_ops()]
