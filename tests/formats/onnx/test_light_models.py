"""The networks of the package ``onnx``, optimized, written as ``.ms`` and read again, against its recorded outputs."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
comparing = importlib.import_module("tests.formats.onnx.comparing")
from lite_delegate.formats import read_model  # noqa: E402
from lite_delegate.formats.ms import write_ms  # noqa: E402
from lite_delegate.formats.onnx import read_onnx_buffer  # noqa: E402
from lite_delegate.ir import Graph  # noqa: E402
from lite_delegate.passes.optimize import optimize  # noqa: E402
from tests.formats.onnx.light_models import counting, light, recorded  # noqa: E402

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
    """The graph optimized, and as it is after it was written and read."""
    write_ms(optimize(graph).graph, folder / "model.ms")
    return read_model(folder / "model.ms")


@pytest.mark.parametrize("name", NODES)
def test_gives_the_recorded_outputs(name: str, tmp_path: Path) -> None:
    graph = through_ms(read_model(light(name)), tmp_path)
    assert len(graph.nodes) <= NODES[name]
    (found,) = comparing.run(graph, counting(graph))
    np.testing.assert_allclose(found, recorded(name), rtol=1e-3, atol=1e-7)


def test_squeezenet_before_its_softmax(tmp_path: Path) -> None:
    """Its recorded outputs need 1000 logits near 9.5e9 that are equal bit by bit, see ``test_real_models``."""
    model = onnx.load(light("squeezenet"))
    model.graph.output[0].name = model.graph.node[-1].input[0]
    del model.graph.node[-1]
    graph = through_ms(read_onnx_buffer(model.SerializeToString()), tmp_path)
    inputs = counting(graph)
    (found,), (wanted,) = comparing.run(graph, inputs), comparing.peer(model, inputs)
    np.testing.assert_allclose(found, wanted, rtol=2e-6)


SQUEEZENET = """
import sys
from pathlib import Path
import numpy as np
from threadpoolctl import threadpool_info
if not any(t.get("architecture") in ("SkylakeX", "Cooperlake", "SapphireRapids") for t in threadpool_info()):
    sys.exit(77)
from lite_delegate.formats import read_model
from tests.formats.onnx import comparing
from tests.formats.onnx.light_models import counting, light, recorded
from tests.formats.onnx.test_light_models import through_ms
imported = read_model(light("squeezenet"))
for graph in (imported, through_ms(imported, Path(sys.argv[1]))):
    (found,) = comparing.run(graph, counting(graph))
    np.testing.assert_allclose(found, recorded("squeezenet"), rtol=1e-3, atol=1e-7)
"""


def test_squeezenet_where_blas_sums_all_columns_in_one_order(tmp_path: Path) -> None:
    """OpenBLAS does with AVX-512. It chooses when numpy is imported, so another process has to do it."""
    light("squeezenet")
    environment = {name: text for name, text in os.environ.items() if name != "OPENBLAS_CORETYPE"}
    command = [sys.executable, "-c", SQUEEZENET, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=Path(__file__).parents[3])
    if done.returncode == 77:
        pytest.skip("numpy's BLAS does not use AVX-512 on this processor")
    assert done.returncode == 0, done.stderr
