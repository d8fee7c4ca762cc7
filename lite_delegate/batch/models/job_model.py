"""JobModel: the model of a job, compiled once into a file that all workers open."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...basics.files import write_whole
from ...cache.key import CacheKey
from ...errors import DelegateBuildError, LiteDelegateError
from ...inference import CompiledModel
from ...ir import Graph
from ..rows.row_type import RowType, row_type_of
from .batch_shapes import BatchShapes, batch_shapes, whole_shapes
from .recipe import ModelRecipe

Compiled = tuple[CompiledModel, Path | None, str]
"""A model, its file, and the reason why it has none."""


@dataclass(frozen=True, slots=True, eq=False)
class JobModel:
    """The model of a job.

    Attributes:
        compiled: for one batch.
        file: the compiled model; None where a delegate cannot export, and each worker compiles.
        plan: the shapes of its inputs.
        inputs: the types of rows of the inputs that rows give.
        open_outputs: the names of the outputs whose rows may have several shapes.
        notes: what is to be said of the choice of the batch.
    """

    compiled: CompiledModel
    file: Path | None
    plan: BatchShapes
    inputs: tuple[RowType, ...]
    open_outputs: frozenset[str]
    notes: tuple[str, ...]

    @property
    def partition(self) -> dict[str, Any]:
        """The partition report of the plan, as plain data."""
        from ...report.partition_report import recorded_report

        return recorded_report(self.compiled.partition, "").to_dict()

    @property
    def facts(self) -> dict[str, Any]:
        """What ran where, by the record of the plan."""
        from ...report.changes.summary import cpu_group_texts, delegate_text
        from ...report.partition_report import recorded_report

        report = recorded_report(self.compiled.partition, "")
        delegated = f"{report.kernels_delegated:,} of {counted(report.kernels_total, 'kernel')}"
        return {
            "delegate": self.compiled.partition.delegate,
            "kernels": report.kernels_total,
            "kernels_delegated": report.kernels_delegated,
            "subgraphs": len(report.subgraphs),
            "where": [f"{delegated} on '{delegate_text(report)}'", *cpu_group_texts(report)],
            "notes": list(self.compiled.partition.notes),
            "inputs": [str(port) for port in self.compiled.inputs],
            "outputs": [str(port) for port in self.compiled.outputs],
        }


def job_model(
    recipe: ModelRecipe,
    folder: Path,
    rows: int | None,
    shapes: Mapping[str, tuple[Any, ...]],
    constants: Collection[str],
    *,
    is_whole: bool = False,
) -> JobModel:
    """Compiles the model of a job, unless the folder has it.

    Args:
        recipe: of the model.
        folder: where the compiled model goes.
        rows: of a batch; None: as the model has it, or the usual number if its rows do not depend on each other.
        shapes: of inputs by name, by the user.
        constants: the names of the inputs that are the same for all rows.
        is_whole: whether a row is a whole input, without a dimension of rows.

    Raises:
        InputError: as ``batch_shapes``.
        LiteDelegateError: the model cannot be read or compiled.
    """
    graph = recipe.graph()
    notes: tuple[str, ...] = ()
    plan = whole_shapes(graph, shapes, constants) if is_whole else batch_shapes(graph, rows, shapes, constants)
    if rows is None and plan.is_open and plan.rows > 1:
        single = batch_shapes(graph, 1, shapes, constants)
        plan, made, notes = _joined(recipe, folder, (plan, single), shapes, constants)
    else:
        made = compiled_once(recipe, folder, asked_shapes(plan, shapes, constants))
    compiled, file, why_no_file = made
    inputs = tuple(
        row_type_of(port, plan.row_dims[port.name]) for port in compiled.inputs if port.name in plan.row_dims
    )
    if why_no_file:
        notes = (*notes, f"each worker compiles the model: {why_no_file}")
    return JobModel(compiled, file, plan, inputs, _open_outputs(graph, inputs), notes)


def _open_outputs(graph: Graph, inputs: Sequence[RowType]) -> frozenset[str]:
    """The outputs whose rows may have several shapes: rows of inputs do, and the file does not fix the output's."""
    if not any(wanted.is_open for wanted in inputs):
        return frozenset()
    return frozenset(
        value.name for value in graph.outputs if value.shape is None or any(dim < 0 for dim in value.shape[1:])
    )


def _joined(
    recipe: ModelRecipe,
    folder: Path,
    plans: tuple[BatchShapes, BatchShapes],
    shapes: Mapping[str, tuple[Any, ...]],
    constants: Collection[str],
) -> tuple[BatchShapes, Compiled, tuple[str, ...]]:
    """The plan for joined rows, compiled; or the plan for single rows, with the reason why rows may not be joined."""
    from ...devices.virtual.batchability import item_shapes, why_not_batchable

    plan, single = plans
    try:
        compiled, file, why_no_file = compiled_once(recipe, folder, asked_shapes(plan, shapes, constants))
    except LiteDelegateError as e:
        reason = f"the model does not run with larger batches: {e}"
    else:
        usual = zip(compiled.inputs, item_shapes(compiled), strict=True)
        reason = why_not_batchable(compiled, [single.shapes.get(port.name, shape) for port, shape in usual])
        if not reason:
            return plan, (compiled, file, why_no_file), ()
        compiled.close()
        if file is not None:
            file.unlink(missing_ok=True)
    made = compiled_once(recipe, folder, asked_shapes(single, shapes, constants))
    return single, made, (f"rows run one by one: {reason}",)


def asked_shapes(
    plan: BatchShapes, shapes: Mapping[str, tuple[Any, ...]], constants: Collection[str]
) -> dict[str, tuple[Any, ...]]:
    """The shapes for which a model is compiled: by the plan, and of constants by the user."""
    return {name: tuple(dims) for name, dims in shapes.items() if name in constants} | dict(plan.shapes)


def compiled_once(recipe: ModelRecipe, folder: Path, shapes: Mapping[str, tuple[Any, ...]]) -> Compiled:
    """The model, compiled unless the folder has it.

    Args:
        recipe: of the model.
        folder: where the compiled model goes, in a file whose name says what it was compiled from.
        shapes: of inputs.

    Returns:
        The model, and its file; or None, and the reason why it cannot be in a file.

    Raises:
        LiteDelegateError: the model cannot be compiled.
    """
    key = CacheKey({"model": recipe.facts, "shapes": {name: list(map(str, dims)) for name, dims in shapes.items()}})
    file = folder / f"_model-{key.digest[:32]}.ldm"
    if file.exists():
        try:
            return recipe.imported(file), file, ""
        except LiteDelegateError:
            file.unlink()
    compiled = recipe.compiled(shapes)
    try:
        content = compiled.export_model()
    except DelegateBuildError as e:
        return compiled, None, str(e)
    write_whole(file, content)
    return compiled, file, ""


def constant_facts(constants: Mapping[str, Array]) -> dict[str, Any]:
    """Plain data that tells constants from other constants."""
    import hashlib

    return {
        name: [str(array.dtype), list(array.shape), hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()]
        for name, array in constants.items()
    }
