"""Models in ONNX's text form, run by us and by ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime

from lite_delegate import Model
from lite_delegate.formats import read_model
from lite_delegate.formats.ms import write_ms
from lite_delegate.formats.onnx import read_onnx_buffer
from lite_delegate.ir import Graph

Array = np.ndarray[Any, Any]
OPSET = 21


def parsed(text: str, opset: int = OPSET, initializers: Mapping[str, Array] | None = None) -> onnx.ModelProto:
    """A model of one graph, in ONNX's textual form; ``initializers`` are added to it."""
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : {opset}]>\n{text}')
    model.graph.initializer.extend(onnx.numpy_helper.from_array(a, n) for n, a in (initializers or {}).items())
    return model


def imported(model: onnx.ModelProto) -> Graph:
    """The model as a graph of ours."""
    return read_onnx_buffer(model.SerializeToString())


def run(graph: Graph, inputs: Mapping[str, Array]) -> list[Array]:
    """What our runtime gives, without a delegate, for inputs of any shape that the graph takes."""
    model = Model()
    model.build_from_graph(graph)
    names = [t.name for t in model.get_inputs()]
    shapes = [list(inputs[name].shape) for name in names]
    if [t.shape for t in model.get_inputs()] != shapes:
        model.resize(model.get_inputs(), shapes)
    return [np.asarray(t.get_data_to_numpy()) for t in model.predict({name: inputs[name] for name in names})]


def peer(model: onnx.ModelProto, inputs: Mapping[str, Array]) -> list[Array]:
    """What ONNX Runtime gives."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return [np.asarray(y) for y in session.run(None, dict(inputs))]


def check(
    model: onnx.ModelProto,
    inputs: Mapping[str, Array],
    expected: Sequence[Array] | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 1e-6,
    folder: Path | None = None,
) -> Graph:
    """Compares our results with ``expected``, by default ONNX Runtime's; again through a ``.ms`` file in ``folder``."""
    graph = imported(model)
    wanted = peer(model, inputs) if expected is None else list(expected)
    results = [run(graph, inputs)]
    if folder is not None:
        write_ms(graph, folder / "model.ms")
        results.append(run(read_model(folder / "model.ms"), inputs))
    for found in results:
        assert len(found) == len(wanted)
        for ours, theirs in zip(found, wanted, strict=True):
            assert ours.dtype == theirs.dtype
            assert ours.shape == theirs.shape
            np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=atol)
    return graph
