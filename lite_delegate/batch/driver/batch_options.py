"""BatchOptions: what a user says of a job beside its model, its source and its folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from ...basics.data_class import dataclass


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """What a user says of a job.

    Attributes:
        columns: the columns of inputs by input: one name, or several names and patterns with a comma between.
        constants: the values of inputs that are the same for all rows, by name.
        keep: the columns of the source that the parts have, too; None: all columns of numbers, texts and times.
        save: ``OUTPUT`` or ``OUTPUT=COLUMN`` for each output that is kept; empty: all.
        types: the types of columns of CSV files by name, as Arrow writes them; else the first rows show them.
        preprocess: a TOML file about images, or ``module:function``; "": columns are read as they are.
        postprocess: ``module:function`` that makes the columns of parts out of a row's outputs; "": the outputs are
            the columns.
        has_whole_inputs: whether a row is a whole input, because the model has no dimension of rows.
        shapes: of inputs whose dimensions the model leaves open, by name.
        rows: the rows of a batch; None: as the model has them, or the usual number.
        chunk_rows: the rows of a chunk, which becomes one part; None: by the bytes.
        memory: the bytes that all workers together may take for rows, about; None: the usual chunks.
        max_errors: the rows that may have errors before the job stops; None: all. With a number the rows of a damaged
            row group or record batch are errors, too; else it stops the job.
        retries_errors: whether parts that have error rows are made again.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)
    keep: tuple[str, ...] | None = None
    save: tuple[str, ...] = ()
    types: Mapping[str, str] = field(default_factory=dict)
    preprocess: str = ""
    postprocess: str = ""
    has_whole_inputs: bool = False
    shapes: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    rows: int | None = None
    chunk_rows: int | None = None
    memory: int | None = None
    max_errors: int | None = None
    retries_errors: bool = False
