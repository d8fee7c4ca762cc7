"""RayWorker: the class of actors. An actor looks at what its node sees, opens the model, and runs tasks."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from ....basics.data_class import dataclass
from ....basics.failures import said
from ....errors import LiteDelegateError
from ...parts.part import PartFacts, sent_part
from ...pyarrow_package import pyarrow
from ...sources.data_source import ReadRows
from ...worker.chunk_runner import ChunkRunner
from ...worker.job_order import JobOrder, Task
from .node_files import SentFile, file_here

FileSize = tuple[str, int]


@dataclass(frozen=True, slots=True)
class DriverFiles:
    """What the driver sees, for nodes to compare.

    Attributes:
        folder: the working folder, which paths start from.
        model: the compiled model, with its size; None: each worker compiles it.
        source: files of the source with their sizes.
        mark: a new file in the output folder.
    """

    folder: str
    model: FileSize | None
    source: Sequence[FileSize]
    mark: str


@dataclass(frozen=True, slots=True)
class NodeSight:
    """What a node sees of the driver's files.

    Attributes:
        host: the name of the node.
        model: whether the node sees the compiled model.
        source: whether it sees the source.
        parts: whether it sees the output folder.
    """

    host: str
    model: bool
    source: bool
    parts: bool


@dataclass(frozen=True, slots=True)
class SentRows:
    """The rows of a chunk, on their way to a node that does not see the source.

    Attributes:
        table: in Arrow's format for streams.
        errors: as in ``ReadRows``.
    """

    table: Any
    errors: dict[int, str]

    @classmethod
    def of(cls, read: ReadRows) -> SentRows:
        """The rows of a table, without the rest of the buffers that the table is a slice of."""
        pa = pyarrow()
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, read.table.schema) as writer:
            writer.write_table(read.table)
        return cls(sink.getvalue(), dict(read.errors))

    @property
    def read(self) -> ReadRows:
        """The rows as they were read. Their buffers are not copied."""
        return ReadRows(pyarrow().ipc.open_stream(self.table).read_all(), self.errors)


@dataclass(frozen=True, slots=True)
class TaskAnswer:
    """What became of a task.

    Attributes:
        facts: of the part; None: the task failed.
        part: the part, where the driver writes it.
        text: the error in words.
        is_unforeseen: whether nobody foresaw the error, and one of the rows may be the cause.
    """

    facts: PartFacts | None
    part: Any = None
    text: str = ""
    is_unforeseen: bool = False


class RayWorker:
    """The class of actors. What an actor prints goes to standard error: standard output is the driver's."""

    def __init__(self) -> None:
        with suppress(OSError):
            os.dup2(2, 1)

    def look(self, driver: DriverFiles) -> NodeSight:
        """What this node sees of the driver's files, by name and size."""
        with suppress(OSError):
            os.chdir(driver.folder)
        return NodeSight(
            platform.node(),
            driver.model is None or _is_there(driver.model),
            all(map(_is_there, driver.source)),
            os.path.exists(driver.mark),
        )

    def open(self, order: JobOrder, model: SentFile | None) -> str:
        """Opens the model. The error in words; "" for none.

        Args:
            order: of the job.
            model: the compiled model, where this node does not see the driver's file.
        """
        self._order, self._counters = order, RowCounters(order.recipe.name)
        try:
            if model is not None:
                self._order = order = with_model(order, file_here(model))
            self._runner = ChunkRunner(order)
        except (LiteDelegateError, OSError, MemoryError) as e:
            return said(e)
        return ""

    def run(self, task: Task, rows: SentRows | None, sends_back: bool) -> TaskAnswer:
        """Runs a task.

        Args:
            task: the task.
            rows: of its chunk, where this node does not see the source.
            sends_back: whether the driver writes the part.
        """
        try:
            table, facts = self._runner.computed(task, None if rows is None else rows.read)
            if task.probed is not None:
                return TaskAnswer(facts)
            part = sent_part(table, facts) if sends_back else None
            if part is None:
                self._runner.write(table, facts)
        except (LiteDelegateError, OSError) as e:
            return TaskAnswer(None, text=str(e))
        except Exception as e:  # code of the user, of a delegate, or a fault of ours
            return TaskAnswer(None, text=said(e), is_unforeseen=True)
        self._counters.count(facts)
        return TaskAnswer(facts, part)


def with_model(order: JobOrder, file: Path) -> JobOrder:
    """The order for a node that has the compiled model in another place. A reference is compiled there."""
    reference = order.reference and replace(order.reference, model_file=None)
    return replace(order, model_file=file, reference=reference)


def _is_there(file: FileSize) -> bool:
    path, size = file
    try:
        return os.stat(path).st_size == size
    except OSError:
        return False


class RowCounters:
    """Ray's counters of rows and errors, by the model.

    Args:
        model: its name.
    """

    def __init__(self, model: str) -> None:
        from ray.util import metrics

        self._tags = {"model": model}
        self._rows = metrics.Counter("lite_delegate_rows", "Rows in finished parts", ("model",))
        self._errors = metrics.Counter("lite_delegate_row_errors", "Rows without outputs", ("model",))

    def count(self, facts: PartFacts) -> None:
        """Adds the rows of a part."""
        self._rows.inc(facts.rows, self._tags)
        if facts.errors:
            self._errors.inc(facts.errors, self._tags)
