"""The networks that the package ``onnx`` brings, what goes in and what was recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from lite_delegate.ir import Graph
from tests.present import present

FOLDER = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"


def light(name: str) -> Path:
    """The file of a network; the test is skipped where this version of the package has none."""
    path = FOLDER / f"light_{name}.onnx"
    if not path.exists():
        pytest.skip(f"this version of onnx has no {path.name}")
    return path


def recorded(name: str) -> Any:
    """What the network gives for ``counting``."""
    tensor = onnx.TensorProto()
    tensor.ParseFromString((FOLDER / f"light_{name}_output_0.pb").read_bytes())
    return onnx.numpy_helper.to_array(tensor)


def counting(graph: Graph) -> dict[str, Any]:
    """The input of ONNX's own runner: 0 to 1 in equal steps."""
    sizes = {v.name: int(np.prod(present(v.shape))) for v in graph.inputs}
    return {v.name: (np.arange(sizes[v.name]).reshape(v.shape) / sizes[v.name]).astype("f4") for v in graph.inputs}
