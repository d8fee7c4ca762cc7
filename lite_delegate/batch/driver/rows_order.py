"""The order for workers about a model and its rows, out of what the user said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import InputError
from ..models.job_model import JobModel
from ..models.postprocessed_model import columns_of
from ..models.recipe import ModelRecipe
from ..parts.output_columns import OutputColumn, output_columns
from ..rows.feed import Feed
from ..worker.job_order import ReferenceOrder, RowsOrder
from .batch_options import BatchOptions
from .kept_columns import kept_columns


def rows_order(
    recipe: ModelRecipe,
    model: JobModel,
    schema: Any,
    feeds: Sequence[Feed],
    outputs: Sequence[OutputColumn],
    options: BatchOptions,
    reference: ReferenceOrder | None = None,
) -> RowsOrder:
    """The order for workers about a model and its rows.

    Args:
        recipe: of the model.
        model: compiled by it.
        schema: of the rows, a ``pyarrow.Schema``.
        feeds: of all inputs.
        outputs: the columns of the outputs.
        options: of the user.
        reference: a model to compare with; None: nothing is compared.

    Raises:
        InputError: a column that is to be kept is not there, or has the name of an output's.
    """
    return RowsOrder(
        recipe=recipe,
        model_file=model.file and model.file.resolve(),
        shapes=model.plan.shapes,
        batch_rows=model.plan.rows,
        leaves_rows_open=model.plan.is_open,
        constants={name: np.asarray(value) for name, value in options.constants.items()},
        feeds=tuple(feeds),
        kept=kept_columns(schema, feeds, outputs, options.keep),
        outputs=tuple(outputs),
        has_open_rows=any(wanted.is_open for wanted in model.inputs),
        has_whole_inputs=options.has_whole_inputs,
        postprocess=options.postprocess,
        reference=reference,
    )


def result_columns(model: JobModel, options: BatchOptions) -> tuple[OutputColumn, ...]:
    """The columns that results have of the outputs, or of the function that is given them.

    Raises:
        InputError: the user asks for outputs that the model has not, or for some and for other columns made of them.
    """
    ports = model.compiled.outputs
    if options.postprocess:
        if options.save:
            raise InputError("--save chooses outputs, and --postprocess makes other columns of them; leave one out.")
        return tuple(columns_of(options.postprocess).values())
    if not options.has_whole_inputs:
        return output_columns(ports, model.plan.rows, options.save, model.open_outputs)
    is_open = any(wanted.is_open for wanted in model.inputs)
    return output_columns(ports, 0, options.save, [port.name for port in ports] if is_open else ())
