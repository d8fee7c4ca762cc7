"""A delegate that ends, hangs or fails at marked rows; and a model and rows for it, with results computed by hand."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pyarrow as pa
import pyarrow.parquet as pq
from onnx import TensorProto, helper, numpy_helper

from lite_delegate import Delegate, DelegateModel, Kernel, RejectCode, Rejected, Supported

Array = np.ndarray[Any, Any]

SEGFAULT, HANG, RAISE = 1e6, 2e6, 3e6
"""The first element of a marked row."""
FACTORS = np.array([2, -3, 0.5, 4], np.float32)
SECONDS = "MARKED_ROWS_SECONDS"
"""The environment's name for the seconds that each run takes longer."""
DELEGATE = "tests.batch.marked_rows:MarkedRows"


class MarkedRows(Delegate):
    """Runs Abs, and does what the marks of rows say."""

    name = "marked"

    def supports(self, kernel: Kernel) -> Supported | Rejected:
        """Abs alone."""
        return Supported() if kernel.type == "Abs" else Rejected(RejectCode.OPERATOR, "not Abs")

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        """The one kernel."""
        return _Marked(f"marked_{run[0].name}", "Marked", run[0].inputs, run[0].outputs)


class _Marked(Kernel):
    def execute(self) -> None:
        x = self.inputs[0].data
        marks = set((np.abs(x[:, 0]) / abs(FACTORS[0])).tolist())
        if SEGFAULT in marks:
            ctypes.string_at(0)
        if HANG in marks:
            time.sleep(1000)
        if RAISE in marks:
            raise ValueError("a marked row")
        time.sleep(float(os.environ.get(SECONDS, "0")))
        self.outputs[0].data = np.abs(x)


def write_model(path: Path) -> Path:
    """``y = |x * FACTORS|``, with an open number of rows."""
    nodes = [helper.make_node("Mul", ["x", "f"], ["t"], "mul"), helper.make_node("Abs", ["t"], ["y"], "abs")]
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", 4]) for name in "xy")
    graph = helper.make_graph(nodes, "g", [x], [y], [numpy_helper.from_array(FACTORS, "f")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


def rows_of(count: int, seed: int = 0) -> Array:
    """Random rows of whole numbers, which float32 multiplies exactly."""
    return np.random.default_rng(seed).integers(-1000, 1000, (count, 4)).astype(np.float32)


def write_rows(path: Path, rows: Sequence[Any], group: int = 64) -> Path:
    """Rows as Parquet, ``id`` and ``x``; None and lists of other lengths are bad rows."""
    x = [None if row is None else list(map(float, row)) for row in rows]
    table = pa.table({"id": pa.array(range(len(x)), pa.int64()), "x": pa.array(x, pa.list_(pa.float32()))})
    pq.write_table(table, path, row_group_size=group)
    return path


def faults_of(folder: Path, rows: Array, bad: Mapping[int, str]) -> list[str]:
    """What is wrong with the parts of a job: rows lost, doubled, out of order, or with other outputs than by hand.

    Args:
        folder: of the job.
        rows: ``(N, 4)``, all rows; the values of bad rows mean nothing.
        bad: a part of the reason for each row that must have an error.
    """
    found, said = [], []
    for path in sorted(folder.glob("part-*.parquet")):
        found += pq.read_table(path).to_pylist()
    ids = [row["id"] for row in found]
    if ids != list(range(len(rows))):
        said.append(f"rows lost {sorted({*range(len(rows))} - {*ids})[:5]}, doubled {len(ids) - len({*ids})}")
    want = np.abs(rows * FACTORS)
    for row in found:
        number, error = row["id"], row["error"]
        if number in bad:
            if error is None or bad[number] not in error or row["y"] is not None:
                said.append(f"row {number}: expected '{bad[number]}', got {error!r} and {row['y']}")
        elif error is not None or row["y"] != want[number].tolist():
            said.append(f"row {number}: {error!r}, {row['y']} instead of {want[number].tolist()}")
    return said
