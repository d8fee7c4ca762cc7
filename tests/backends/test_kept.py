"""A process that finds a model in the cache reads, lowers and parses nothing of it, and keeps no copy of weights."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from lite_delegate import Core
from tests.backends.one_input import one_input

SIZE = 4096
"""Channels: 64 MiB of weights."""
NOT_TO_LOAD = (
    "lite_delegate.backends.lowering.lowering",
    "lite_delegate.backends.onnxruntime.emitting.emitter",
    "lite_delegate.backends.openvino.emitting.emitter",
    "lite_delegate.backends.rewriting",
    "lite_delegate.formats.onnx.reader",
    "lite_delegate.inference.shapes.dynamic_plans",
    "lite_delegate.inference.compiling.prepared_graph",
    "lite_delegate.passes",
    "onnx",
)
LOADED = f"""
import json, sys
import numpy as np
from lite_delegate import Core
path, device, folder = sys.argv[1:]
def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) / 1024
__import__(device.lower())
before, peak_before = set(sys.modules), peak()
compiled = Core().compile_model(path, device, {{"CACHE_DIR": folder}})
peak_after = peak()
(y,) = compiled.create_infer_request().infer([np.ones((1, {SIZE}, 1, 1), np.float32)])
found = sorted(set({NOT_TO_LOAD!r}) & set(sys.modules) - before)
print(json.dumps([compiled.cache_outcome.text, found, peak_after - peak_before, float(np.asarray(y).sum())]))
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    weight = np.random.default_rng(0).standard_normal((SIZE, SIZE, 1, 1), dtype=np.float32)
    model = one_input([helper.make_node("Conv", ["x", "w"], ["y"])], {"w": weight}, (1, SIZE, 1, 1))
    onnx.save(model, tmp_path / "m.onnx")
    return tmp_path / "m.onnx"


def loaded(path: Path, device: str) -> list[Any]:
    """What another process says that finds the model in the cache."""
    folder = path.with_name("cache")
    Core().compile_model(path, device, {"CACHE_DIR": str(folder)})
    command = [sys.executable, "-c", LOADED, str(path), device, str(folder)]
    found: list[Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


@pytest.mark.parametrize("device", ["ONNXRUNTIME", "OPENVINO"])
def test_what_compiles_is_not_loaded(path: Path, device: str) -> None:
    outcome, modules, _, total = loaded(path, device)
    weight = numpy_helper.to_array(onnx.load(path).graph.initializer[0])
    assert (outcome, modules) == ("cache hit", [])
    assert total == pytest.approx(float(weight.sum(dtype=np.float64)), rel=1e-3)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux' account of memory")
def test_weights_are_read_where_they_lie(path: Path) -> None:
    assert loaded(path, "ONNXRUNTIME")[2] < 0.75 * path.stat().st_size / 2**20  # modules and threads take 25 MB
