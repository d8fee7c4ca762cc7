"""A small model that is slow on demand, and ends its process for chosen rows; its rows, and the rows that it gives."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pyarrow as pa
from onnx import TensorProto, helper, numpy_helper
from pyarrow import parquet

from lite_delegate.batch import CoreRecipe

Array = np.ndarray[Any, Any]
SEGFAULTS, KILLED_ONCE = 1e6, 2e6
"""First numbers of rows that end their process."""
WEIGHTS = np.random.default_rng(0).normal(size=(8, 4)).astype(np.float32)


class FragileRecipe(CoreRecipe):
    """The model ``y = x WEIGHTS``, slow on demand; rows with the numbers above end the process.

    Args:
        model: the file.
        seconds: of a batch.
        marker: a file that is made when ``KILLED_ONCE`` has ended a process; it does so once.
    """

    def __init__(self, model: Path, seconds: float = 0.0, marker: Path = Path("/nowhere/marker")) -> None:
        super().__init__(model, "CPU", {})
        self._seconds, self._marker = seconds, marker

    def imported(self, file: Path) -> Any:
        return _FragileModel(super().imported(file), self._seconds, self._marker)


class _FragileModel:
    def __init__(self, compiled: Any, seconds: float, marker: Path) -> None:
        self._compiled, self._seconds, self._marker = compiled, seconds, marker

    def __getattr__(self, name: str) -> Any:
        return getattr(self._compiled, name)

    def __call__(self, given: Mapping[str, Array]) -> Any:
        time.sleep(self._seconds)
        first = given["x"][:, 0]
        if (first == SEGFAULTS).any():
            os.kill(os.getpid(), signal.SIGSEGV)
        if (first == KILLED_ONCE).any() and not self._marker.exists():
            self._marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return self._compiled(given)


def model_file(folder: Path) -> Path:
    """The file of the model."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 8])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 4])
    node = helper.make_node("MatMul", ["x", "w"], ["y"], "m")
    graph = helper.make_graph([node], "g", [x], [y], [numpy_helper.from_array(WEIGHTS, "w")])
    path = folder / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


def rows_file(path: Path, rows: int = 64, special: Mapping[int, float] | None = None) -> Array:
    """Writes rows with the columns ``id`` and ``x``; row 3 has no ``x``. Gives ``x`` (rows, 8)."""
    x = np.random.default_rng(rows).normal(size=(rows, 8)).astype(np.float32)
    for row, first in (special or {}).items():
        x[row, 0] = first
    lists = [None if row == 3 else each for row, each in enumerate(x.tolist())]
    parquet.write_table(pa.table({"id": range(rows), "x": pa.array(lists, pa.list_(pa.float32()))}), path)
    return x


def check_rows(folder: Path, x: Array, errors: Mapping[int, str]) -> None:
    """The parts have the rows in order, the outputs of a plain loop, and these errors (beginnings of them) by row."""
    table = pa.concat_tables([parquet.read_table(part) for part in sorted(folder.glob("part-*.parquet"))])
    assert table.column("id").to_pylist() == list(range(len(x)))
    found, reasons = table.column("y").to_pylist(), table.column("error").to_pylist()
    errors = {3: "input 'x': has no value", **errors}
    for row, one in enumerate(x):
        if row in errors:
            assert found[row] is None
            assert reasons[row].startswith(errors[row])
        else:
            assert reasons[row] is None
            np.testing.assert_allclose(found[row], one @ WEIGHTS, rtol=1e-5, atol=1e-5)
    assert (folder / "_SUCCESS").exists()
    beside = {each.name for each in folder.iterdir() if not each.name.startswith("part-")}
    assert beside == {"_SUCCESS", "_job.json", "_lock", "_manifest.json"}
