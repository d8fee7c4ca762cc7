"""Memory that a prediction frees is there for the next one, and need not be cleared by the system again."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import resource
import sys
import numpy as np
from lite_delegate import Core, Model
from tests.runtime.graphs import binary, value
from lite_delegate.ir import Graph

shape = (1, 56, 56, 256)
x = value("x", shape)
first = binary("first", x, x)
second = binary("second", first.outputs[0], x)
third = binary("third", second.outputs[0], first.outputs[0])
graph = Graph("main", [x], [third.outputs[0]], [first, second, third])
given = {"x": np.ones(shape, np.float32)}
if sys.argv[1] == "predict":
    model = Model()
    model.build_from_graph(graph)
    run = lambda: model.predict(given)
else:
    compiled = Core().compile_model(graph, "CPU", {"NUM_STREAMS": 2})
    request = compiled.create_infer_request()
    run = lambda: (request.start_async(given), request.wait()) if sys.argv[1] == "start" else request.infer(given)
for _ in range(4):
    run()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    run()
print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / 10)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc gives freed memory back by such a rule")
@pytest.mark.parametrize("way", ["predict", "infer", "start"])
def test_predictions_reuse_the_memory_of_earlier_predictions(way: str) -> None:
    """Pages that the system cleared for one prediction, whose tensors have 784 pages each."""
    command = [sys.executable, "-c", PROGRAM, way]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3])
    assert float(done.stdout) < 50
