"""Writing takes little memory beside the model."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import resource, sys
import numpy as np
from lite_delegate.formats.ms import write_ms
from lite_delegate.ir import DataType, Graph, Node, Value, constant, make_primitive
from lite_delegate.passes.optimize import optimize

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

optimize(Graph("empty", [], [], []))
start = peak()
value = x = Value("x", DataType.FLOAT32, (1, 4096))
nodes = []
for i in range(4):
    weight = constant(f"w{i}", np.full((4096, 4096), 1 / 4096, np.float32))
    nodes.append(Node(f"n{i}", make_primitive("MatMulFusion"), [value, weight], [Value(f"y{i}", x.dtype, x.shape)]))
    value = nodes[-1].outputs[0]
graph = optimize(Graph("main", [x], [value], nodes)).graph
write_ms(graph, sys.argv[1], external_data_threshold=int(sys.argv[2]) or None)
print(peak() - start)
"""
MODEL_MIB = 4 * 4096 * 4096 * 4 >> 20


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is counted in other units elsewhere")
@pytest.mark.parametrize("threshold", [0, 1000])
def test_peak_memory_stays_under_one_and_a_half_models(tmp_path: Path, threshold: int) -> None:
    command = [sys.executable, "-c", CODE, str(tmp_path / "big.ms"), str(threshold)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 1.5 * MODEL_MIB
