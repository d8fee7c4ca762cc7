"""The networks of the package ``onnx``, optimised, written as ``.ms`` and read again, against its recorded outputs."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
comparing = importlib.import_module("tests.formats.onnx.comparing")
from lite_delegate.formats import read_model  # noqa: E402
from lite_delegate.formats.ms import write_ms  # noqa: E402
from lite_delegate.formats.onnx import read_onnx_buffer  # noqa: E402
from lite_delegate.ir import Graph  # noqa: E402
from lite_delegate.passes.optimise import optimise  # noqa: E402

LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
NODES = {
    "bvlc_alexnet": 19,
    "densenet121": 248,
    "inception_v1": 86,
    "inception_v2": 96,
    "resnet50": 75,
    "shufflenet": 125,
    "vgg19": 30,
    "zfnet512": 18,
}
"""The most nodes that are left of each model."""


def through_ms(graph: Graph, folder: Path) -> Graph:
    """The graph optimised, and as it is after it was written and read."""
    write_ms(optimise(graph).graph, folder / "model.ms")
    return read_model(folder / "model.ms")


def counting(graph: Graph) -> dict[str, Any]:
    """The input of ONNX's own runner: 0 to 1 in equal steps."""
    sizes = {v.name: int(np.prod(v.shape)) for v in graph.inputs}
    return {v.name: (np.arange(sizes[v.name]).reshape(v.shape) / sizes[v.name]).astype("f4") for v in graph.inputs}


def light(name: str) -> Path:
    path = LIGHT / f"light_{name}.onnx"
    if not path.exists():
        pytest.skip(f"this version of onnx has no {path.name}")
    return path


@pytest.mark.parametrize("name", NODES)
def test_gives_the_recorded_outputs(name: str, tmp_path: Path) -> None:
    path = light(name)
    recorded = onnx.TensorProto()
    recorded.ParseFromString((LIGHT / f"light_{name}_output_0.pb").read_bytes())
    graph = through_ms(read_model(path), tmp_path)
    assert len(graph.nodes) <= NODES[name]
    (found,) = comparing.run(graph, counting(graph))
    np.testing.assert_allclose(found, onnx.numpy_helper.to_array(recorded), rtol=1e-3, atol=1e-7)


def test_squeezenet_before_its_softmax(tmp_path: Path) -> None:
    """Its recorded outputs need 1000 logits near 9.5e9 that are equal bit by bit, see ``test_real_models``."""
    model = onnx.load(light("squeezenet"))
    model.graph.output[0].name = model.graph.node[-1].input[0]
    del model.graph.node[-1]
    graph = through_ms(read_onnx_buffer(model.SerializeToString()), tmp_path)
    inputs = counting(graph)
    (found,), (wanted,) = comparing.run(graph, inputs), comparing.peer(model, inputs)
    np.testing.assert_allclose(found, wanted, rtol=2e-6)
