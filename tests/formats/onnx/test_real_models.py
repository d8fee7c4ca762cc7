"""Whole networks: those of the package ``onnx`` against its recorded outputs, and two against ONNX Runtime."""

from __future__ import annotations

import importlib
import runpy
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
comparing = importlib.import_module("tests.formats.onnx.comparing")
from lite_delegate.formats import read_model  # noqa: E402
from tests.formats.onnx.light_models import counting, light, recorded  # noqa: E402

LIGHT_MODELS = (
    "bvlc_alexnet",
    "densenet121",
    "inception_v1",
    "inception_v2",
    "resnet50",
    "shufflenet",
    "vgg19",
    "zfnet512",
)


@pytest.mark.parametrize("name", LIGHT_MODELS)
def test_light_model_gives_the_recorded_outputs(name: str) -> None:
    graph = read_model(light(name))
    (found,) = comparing.run(graph, counting(graph))
    np.testing.assert_allclose(found, recorded(name), rtol=1e-3, atol=1e-7)


def test_squeezenet_before_its_softmax() -> None:
    """All weights of a layer are one number, so all 1000 logits are equal, and recorded are 1000 times 0.001.

    They are 9.5e9, where float32 has steps of 1024: a softmax of logits that differ in the last place has nothing to
    do with the recorded one. A matrix product whose columns are not all summed in one order gives such logits.
    """
    model = onnx.load(light("squeezenet"))
    softmax = model.graph.node[-1]
    assert softmax.op_type == "Softmax"
    model.graph.output[0].name = softmax.input[0]
    del model.graph.node[-1]
    graph = comparing.imported(model)
    inputs = counting(graph)
    (found,) = comparing.run(graph, inputs)
    (wanted,) = comparing.peer(model, inputs)
    np.testing.assert_allclose(found, wanted, rtol=2e-6)


@pytest.mark.parametrize(("name", "convolutions"), [("mobilenetv2_100", 52), ("resnet50", 53)])
def test_filled_model_agrees_with_onnx_runtime(
    name: str, convolutions: int, shared_models: Path, tmp_path: Path
) -> None:
    path = tmp_path / f"{name}.onnx"
    fill = runpy.run_path(str(shared_models / "skeleton.py"))["fill"]
    onnx.save(fill(onnx.load(shared_models / f"{name}.skel.onnx")), path)
    graph = read_model(path)
    assert Counter(node.op_type for node in graph.nodes)["Conv2DFusion"] == convolutions
    inputs = {v.name: np.random.default_rng(0).standard_normal(v.shape, np.float32) for v in graph.inputs}
    (wanted,) = comparing.peer(onnx.load(path), inputs)
    (found,) = comparing.run(graph, inputs)
    assert np.abs(found - wanted).max() <= 1e-5 * np.abs(wanted).max()
