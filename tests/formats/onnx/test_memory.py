"""Conversion takes little memory beside the model: weights are not read into memory, re-laid ones come once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
helper = onnx.helper

CODE = """
import json, sys, threading, time
from lite_delegate.cli.convert import convert

def memory(key):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(key)) << 10

def watch():
    while not done.wait(0.001):
        anonymous.append(memory("RssAnon"))

convert.main([sys.argv[1], "-o", sys.argv[3]], standalone_mode=False)
start, anonymous, done = (memory("VmHWM"), memory("RssAnon")), [0], threading.Event()
watcher = threading.Thread(target=watch)
watcher.start()
convert.main([sys.argv[2], "-o", sys.argv[3]], standalone_mode=False)
done.set()
watcher.join()
print(json.dumps({"resident": memory("VmHWM") - start[0], "anonymous": max(anonymous) - start[1]}))
"""
"""Converts a small model, so that everything is imported, and then the model itself. Bytes above what there was:
``resident`` counts pages of mapped files that are in memory, ``anonymous`` does not."""


def _saved(path: Path, op_type: str, shape: tuple[int, ...], weight: tuple[int, ...], count: int) -> Path:
    """A chain of ``count`` nodes with a weight each."""
    values = np.resize(np.arange(1000, dtype=np.float32), weight)
    nodes = [helper.make_node(op_type, [f"x{i}", f"w{i}"], [f"x{i + 1}"]) for i in range(count)]
    infos = [
        helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, s) for n, s in (("x0", shape), (f"x{count}", None))
    ]
    tensors = [onnx.numpy_helper.from_array(values + i, f"w{i}") for i in range(count)]
    graph = helper.make_graph(nodes, "g", infos[:1], infos[1:], tensors)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)]), path)
    return path


Sizes = tuple[tuple[int, ...], tuple[int, ...]]
"""Of an input and a weight."""


def _peaks(folder: Path, op_type: str, sizes: Sizes, small_sizes: Sizes) -> dict[str, float]:
    """The peaks of a conversion as parts of the model's size."""
    small = _saved(folder / "small.onnx", op_type, *small_sizes, 1)
    large = _saved(folder / "large.onnx", op_type, *sizes, 4)
    command = [sys.executable, "-c", CODE, str(small), str(large), str(folder / "x.ms")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    return {name: value / large.stat().st_size for name, value in found.items()}


pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is counted by /proc")


def test_weights_that_stay_as_they_are_are_not_copied(tmp_path: Path) -> None:
    found = _peaks(tmp_path, "MatMul", ((1, 3584), (3584, 3584)), ((1, 8), (8, 8)))
    assert found["anonymous"] < 0.1
    assert found["resident"] < 0.5


def test_weights_that_are_laid_anew_are_copied_once(tmp_path: Path) -> None:
    found = _peaks(tmp_path, "Conv", ((1, 1184, 9, 9), (1184, 1184, 3, 3)), ((1, 8, 9, 9), (8, 8, 3, 3)))
    assert found["anonymous"] < 1.2
    assert found["resident"] < 1.5
