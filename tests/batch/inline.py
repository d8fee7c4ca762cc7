"""An engine without processes: tasks are run where they are submitted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import onnx
import pyarrow as pa
import pyarrow.parquet as pq
from onnx import TensorProto, helper

from lite_delegate.batch import BatchEngine, BatchOptions, BatchResult, CoreRecipe
from lite_delegate.batch.driver.run import run_job
from lite_delegate.batch.engines.engine import Event, TaskDone
from lite_delegate.batch.worker.chunk_runner import ChunkRunner
from lite_delegate.batch.worker.job_order import JobOrder, Task


class InlineEngine(BatchEngine):
    """One worker, which is this process."""

    name = "inline"

    def __init__(self) -> None:
        self._events: list[Event] = []
        self.tasks: list[Task] = []

    @property
    def facts(self) -> dict[str, object]:
        """Nothing to say."""
        return {}

    @property
    def room(self) -> int:
        """For one task."""
        return 1 - len(self._events)

    def start(self, order: JobOrder, tasks: int) -> None:
        """Opens the model."""
        self._runner = ChunkRunner(order)

    def submit(self, task: Task) -> None:
        """Runs the task."""
        self.tasks.append(task)
        self._events.append(TaskDone(task, self._runner.run(task)))

    def wait(self, seconds: float) -> Sequence[Event]:
        """What was submitted."""
        events, self._events = self._events, []
        return events

    def close(self) -> None:
        """Nothing to end."""


def run(model: Path, source: Path, output: Path, engine: BatchEngine | None = None, **options: Any) -> BatchResult:
    """Runs a job in this process."""
    chosen = InlineEngine() if engine is None else engine
    return run_job(CoreRecipe(model, "CPU", {}), source, output, BatchOptions(**options), chosen)


def rows_in(folder: Path) -> list[dict[str, Any]]:
    """All rows of the parts, in the order of the names."""
    return [row for path in sorted(folder.glob("part-*.parquet")) for row in pq.read_table(path).to_pylist()]


def write_table(path: Path, group: int = 1000, **columns: Any) -> Path:
    """A Parquet file of columns."""
    pq.write_table(pa.table(columns), path, row_group_size=group)
    return path


def write_graph(
    path: Path, nodes: Sequence[Any], inputs: dict[str, Any], outputs: dict[str, Any], **types: int
) -> Path:
    """An ONNX file; ``types`` has the element types of inputs and outputs that are not float32."""
    ins, outs = (
        [helper.make_tensor_value_info(name, types.get(name, TensorProto.FLOAT), shape) for name, shape in each.items()]
        for each in (inputs, outputs)
    )
    graph = helper.make_graph(list(nodes), "g", ins, outs)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path
