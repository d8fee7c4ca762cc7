"""The model of a worker: opened, and what is made of its outputs."""

from __future__ import annotations

import platform
from pathlib import Path

from ...errors import LiteDelegateError
from ...inference import CompiledModel
from ..models.compared_model import ComparedModel
from ..models.opened_model import OpenedModel
from ..models.postprocessed_model import PostprocessedModel
from ..models.recipe import ModelRecipe
from ..models.row_model import RowModel
from .job_order import RowsOrder


def row_model(order: RowsOrder, compiled: CompiledModel) -> tuple[RowModel, str]:
    """What computes the columns of a job's parts.

    Args:
        order: of the job.
        compiled: the model of the job.

    Returns:
        The model, and a note about its reference.

    Raises:
        InputError: the function of the user cannot be imported.
        LiteDelegateError: the reference cannot be opened.
    """
    model = OpenedModel(compiled, order.batch_rows, order.constants, is_whole=order.has_whole_inputs)
    if order.reference is not None:
        right, note = opened_or_compiled(order, order.reference.recipe, order.reference.model_file)
        other = OpenedModel(right, order.batch_rows, order.constants, is_whole=order.has_whole_inputs)
        return ComparedModel(model, other, order.reference.outputs), note
    if order.postprocess:
        return PostprocessedModel(model, [port.name for port in compiled.outputs], order.postprocess), ""
    return model, ""


def opened_or_compiled(order: RowsOrder, recipe: ModelRecipe, file: Path | None) -> tuple[CompiledModel, str]:
    """The model out of its compiled file; or compiled here, with a note, where this machine cannot use the file."""
    if file is None:
        return recipe.compiled(order.shapes), ""
    try:
        return recipe.imported(file), ""
    except (LiteDelegateError, OSError) as e:
        return recipe.compiled(order.shapes), f"compiled on {platform.node()}: {e}"
