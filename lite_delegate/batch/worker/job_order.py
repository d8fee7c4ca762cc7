"""JobOrder: all that a worker needs to know of a job. RowsOrder: the part of it about the model and its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

from lite_delegate_kernels import Array

from ...basics.data_class import dataclass
from ..models.compared_model import ComparedOutput
from ..models.recipe import ModelRecipe
from ..parts.output_columns import OutputColumn
from ..pyarrow_package import pyarrow
from ..rows.feed import Feed
from ..sources.chunk import Chunk
from ..sources.data_source import DamagedChunk, DataSource, ReadRows
from ..sources.pieces import no_columns

WINDOW_BYTES = 4 * 2**20
"""The bytes of rows that a worker prepares at a time, about; it has two such windows."""


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceOrder:
    """The model that a job compares with.

    Attributes:
        recipe: of the model.
        model_file: the compiled model; None where each worker compiles it.
        outputs: that are compared.
    """

    recipe: ModelRecipe
    model_file: Path | None
    outputs: tuple[ComparedOutput, ...]


@dataclass(frozen=True, slots=True, eq=False)
class RowsOrder:
    """All that a worker needs to know to run a model on rows. Can be pickled.

    Attributes:
        recipe: of the model.
        model_file: the compiled model; None where each worker compiles it.
        shapes: of the inputs, for a worker that cannot use the compiled model.
        batch_rows: the rows of a batch.
        leaves_rows_open: whether the model's file leaves the dimension of rows open.
        constants: the inputs that are the same in all runs, by name.
        feeds: give the values of all other inputs.
        kept: the columns of the rows that results have, too.
        outputs: the columns of the outputs.
        has_open_rows: whether rows may have several shapes.
        has_whole_inputs: whether a row is a whole input, without a dimension of rows.
        postprocess: ``module:function`` that makes the columns out of the outputs; "": the outputs are the columns.
        reference: the model to compare with; the columns are distances then. None: nothing is compared.
    """

    recipe: ModelRecipe
    model_file: Path | None
    shapes: Mapping[str, tuple[int, ...]]
    batch_rows: int
    leaves_rows_open: bool
    constants: Mapping[str, Array]
    feeds: tuple[Feed, ...]
    kept: tuple[str, ...]
    outputs: tuple[OutputColumn, ...]
    has_open_rows: bool
    has_whole_inputs: bool
    postprocess: str
    reference: ReferenceOrder | None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the rows that are read."""
        return tuple(dict.fromkeys((*self.kept, *(name for feed in self.feeds for name in feed.columns))))


@dataclass(frozen=True, slots=True, eq=False)
class JobOrder(RowsOrder):
    """All that a worker needs to know of a job. Can be pickled.

    Attributes:
        key: of the job.
        source: of the rows.
        folder: where parts go.
        passes_damage: whether the rows of a damaged chunk are errors; else the job stops.
    """

    key: str
    source: DataSource
    folder: Path
    passes_damage: bool

    @classmethod
    def of(cls, rows: RowsOrder, *, key: str, source: DataSource, folder: Path, passes_damage: bool) -> JobOrder:
        """The order of a job for rows of its source."""
        same = {each.name: getattr(rows, each.name) for each in fields(rows)}
        return cls(**same, key=key, source=source, folder=folder, passes_damage=passes_damage)

    def read(self, chunk: Chunk) -> ReadRows:
        """The rows of a chunk, with all columns that the job needs.

        Raises:
            OSError: the file cannot be read.
            InputError: the file has changed, or is damaged.
        """
        try:
            return self.source.read(chunk, self.columns)
        except DamagedChunk as e:
            if not self.passes_damage:
                raise
            pa = pyarrow()
            kept = {name: pa.nulls(chunk.rows, self.source.schema.field(name).type) for name in self.kept}
            return ReadRows(
                pa.table(kept) if kept else no_columns(chunk.rows), dict.fromkeys(range(chunk.rows), str(e))
            )


@dataclass(frozen=True, slots=True)
class Task:
    """The work on one chunk.

    Attributes:
        chunk: the rows.
        excluded: the reason for each row that is not run, by the row's number in the chunk: it killed workers.
        probed: the first and the last row, exclusive, that are run to see whether they kill the worker; nothing is
            written then. None: all rows are run, and the part is written.
    """

    chunk: Chunk
    excluded: tuple[tuple[int, str], ...] = ()
    probed: tuple[int, int] | None = None
