"""The model of a worker: opened, and what is made of its outputs."""

from __future__ import annotations

import platform
import time
from pathlib import Path

from ...errors import LiteDelegateError
from ...inference import CompiledModel
from ..models.compared_model import ComparedModel
from ..models.filling import Filling
from ..models.opened_model import OpenedModel
from ..models.postprocessed_model import PostprocessedModel
from ..models.recipe import ModelRecipe
from ..models.row_model import RowModel
from .job_order import RowsOrder


def row_model(order: RowsOrder, model: OpenedModel) -> tuple[RowModel, str]:
    """What computes the columns of a job's parts.

    Args:
        order: of the job.
        model: of the job.

    Returns:
        The model, and a note about its reference.

    Raises:
        InputError: the function of the user cannot be imported.
        LiteDelegateError: the reference cannot be opened.
    """
    if order.reference is not None:
        other, note = opened_model(order, order.reference.recipe, order.reference.model_file)
        return ComparedModel(model, other, order.reference.outputs), note
    if order.postprocess:
        return PostprocessedModel(model, [port.name for port in model.compiled.outputs], order.postprocess), ""
    return model, ""


def opened_model(order: RowsOrder, recipe: ModelRecipe, file: Path | None) -> tuple[OpenedModel, str]:
    """The model out of its compiled file; or compiled here, with a note, where this machine cannot use the file.

    Plans for fewer rows cost about as much as opening the model, unless a delegate compiles its subgraphs again.
    """
    begun = time.perf_counter()
    compiled, note = _opened_or_compiled(order, recipe, file)
    is_planned_again = order.leaves_rows_open and compiled.partition.delegate is None
    plan_seconds = time.perf_counter() - begun if is_planned_again else None
    filling = Filling(order.batch_rows, plan_seconds)
    return OpenedModel(compiled, filling, order.batch_rows, order.constants, is_whole=order.has_whole_inputs), note


def _opened_or_compiled(order: RowsOrder, recipe: ModelRecipe, file: Path | None) -> tuple[CompiledModel, str]:
    if file is None:
        return recipe.compiled(order.shapes), ""
    try:
        return recipe.imported(file), ""
    except (LiteDelegateError, OSError) as e:
        return recipe.compiled(order.shapes), f"compiled on {platform.node()}: {e}"
