"""Models in data sets of Ray Data: a callable class for ``map_batches``, and what it needs."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...errors import InputError
from ..driver.batch_options import BatchOptions
from ..driver.rows_order import result_columns, rows_order
from ..engines.ray_engine.node_files import SentFile, file_here, sent_file
from ..engines.ray_engine.resources import CPU, WorkerResources
from ..models.job_model import job_model
from ..models.recipe import ModelRecipe
from ..preprocessing.chosen import feeds_of
from ..pyarrow_package import pyarrow
from ..sources.data_source import ReadRows
from ..worker.job_order import RowsOrder
from ..worker.row_runner import RowRunner


class MappedRows:
    """A model for ``map_batches``, with tables of Arrow. Each actor opens it once.

    Args:
        order: about the model and its rows.
        model: the compiled model; None: each actor compiles it.
    """

    def __init__(self, order: RowsOrder, model: SentFile | None) -> None:
        self._runner = RowRunner(replace(order, model_file=None if model is None else file_here(model)))

    def __call__(self, table: Any) -> Any:
        """The kept columns, the outputs and the errors of rows.

        Args:
            table: a ``pyarrow.Table``.
        """
        return self._runner.results(ReadRows(table, {}))[0]


def mapped_order(recipe: ModelRecipe, schema: Any, options: BatchOptions) -> tuple[RowsOrder, SentFile | None]:
    """The order for actors, and the compiled model in the object store; None where a delegate cannot export.

    Args:
        recipe: of the model.
        schema: the ``pyarrow.Schema`` of the rows.
        options: of the user.

    Raises:
        InputError: the rows do not fit the model.
        OSError: the file of ``preprocess`` cannot be read.
        LiteDelegateError: the model cannot be read or compiled.
    """
    is_whole = options.has_whole_inputs
    with tempfile.TemporaryDirectory() as folder:
        model = job_model(recipe, Path(folder), options.rows, options.shapes, options.constants, is_whole=is_whole)
        sent = None if model.file is None else sent_file(model.file)
    feeds = feeds_of(model.inputs, schema, options.columns, options.preprocess)
    return rows_order(recipe, model, schema, feeds, result_columns(model, options), options), sent


def arrow_schema(dataset: Any) -> Any:
    """The columns of a ``ray.data.Dataset`` as a ``pyarrow.Schema``.

    Raises:
        InputError: the data set has no rows.
    """
    found = dataset.schema()
    if found is None:
        raise InputError("The data set has no rows, and so no columns.")
    schema = found.base_schema
    if isinstance(schema, pyarrow().Schema):
        return schema
    return pyarrow().schema(list(zip(found.names, found.types, strict=True)))


def actors_beside_reading(resources: WorkerResources, nodes: Sequence[Mapping[str, float]]) -> tuple[int, float]:
    """The number of actors that leave one CPU of the cluster for reading, and the CPUs of each.

    Args:
        resources: of an actor.
        nodes: the resources of each node.

    Returns:
        The number, at least 1; and the CPUs, 0 where the cluster has none to spare: Ray would wait for ever for a CPU
        to read with.
    """
    wanted = resources.amounts[CPU]
    total = sum(node.get(CPU, 0.0) for node in nodes)
    if total - wanted < 1:
        return 1, 0.0
    return max(1, min(resources.places(nodes), int((total - 1) / wanted) if wanted else 1)), wanted
