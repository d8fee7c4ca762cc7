"""Models of well-known make: imported, optimized, written and read again, against ONNX Runtime."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
architectures = importlib.import_module("tests.formats.onnx.architectures")
comparing = importlib.import_module("tests.formats.onnx.comparing")
from lite_delegate import Context, Model  # noqa: E402
from lite_delegate.formats import read_model  # noqa: E402
from lite_delegate.formats.ms import write_ms  # noqa: E402
from lite_delegate.npu import NPUDelegate  # noqa: E402
from lite_delegate.passes.optimize import optimize  # noqa: E402

NAMES = tuple(architectures.ARCHITECTURES)
FLOAT16_ERROR = 5e-3
"""Of a model's output on the NPU, as a part of the largest one: float16 has 11 bits, and errors add up."""


def check(found: Sequence[Any], wanted: Sequence[Any], error: float = 1e-5) -> None:
    """Equal integers; floats whose difference is at most ``error`` of the largest one."""
    assert len(found) == len(wanted)
    for ours, theirs in zip(found, wanted, strict=True):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        if theirs.dtype.kind == "f":
            assert np.abs(ours - theirs).max() <= error * np.abs(theirs).max()
        else:
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("name", NAMES)
def test_agrees_with_onnx_runtime(name: str, tmp_path: Path) -> None:
    model = architectures.ARCHITECTURES[name]()
    inputs = architectures.inputs_of(model)
    wanted = comparing.peer(model, inputs)
    imported = comparing.imported(model)
    optimized = optimize(imported).graph
    write_ms(optimized, tmp_path / "model.ms")
    written = read_model(tmp_path / "model.ms")
    for graph in (imported, optimized, written):
        assert [v.name for v in graph.inputs] == list(inputs)
        assert [v.name for v in graph.outputs] == [o.name for o in model.graph.output]
        check(comparing.run(graph, inputs), wanted)


@pytest.mark.parametrize(
    ("name", "most", "fused"),
    [
        ("vision_transformer", {"Transpose": 14}, {"LayerNormFusion": 9, "Activation": 4, "Conv2DFusion": 1}),
        ("text_encoder", {"Transpose": 9}, {"LayerNormFusion": 7, "Activation": 4}),
        ("unet", {"Transpose": 2, "FusedBatchNorm": 0, "ScaleFusion": 0, "Activation": 0}, {"Conv2DFusion": 7}),
        ("detector", {"Transpose": 2, "FusedBatchNorm": 0, "ScaleFusion": 0, "Activation": 0}, {"Conv2DFusion": 10}),
        ("speech_model", {"Transpose": 0, "While": 0}, {"LSTM": 2}),
    ],
)
def test_optimized_to_few_operators(name: str, most: Mapping[str, int], fused: Mapping[str, int]) -> None:
    """The transposes of attention stay, and the one at either end of what works on images."""
    graph = optimize(comparing.imported(architectures.ARCHITECTURES[name]())).graph
    counts = Counter(node.op_type for node in graph.nodes)
    assert {kind: counts[kind] for kind in fused} == dict(fused)
    assert [kind for kind, limit in most.items() if counts[kind] > limit] == []


@pytest.mark.parametrize("name", NAMES)
def test_runs_on_the_npu(name: str) -> None:
    plain = architectures.detector(select=False) if name == "detector" else architectures.ARCHITECTURES[name]()
    inputs = architectures.inputs_of(plain)
    context, model = Context(), Model()
    context.set_delegate(NPUDelegate())
    model.build_from_graph(optimize(comparing.imported(plain)).graph, context)
    assert model.get_graph_kernels()
    found = [np.asarray(t.get_data_to_numpy()) for t in model.predict(inputs)]
    check(found, comparing.peer(plain, inputs), FLOAT16_ERROR)
