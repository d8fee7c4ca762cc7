"""Writing representative samples: rows of a data set as a file for delegates that choose ranges by them."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ..basics.counted import counted
from ..basics.data_class import dataclass
from ..basics.files import write_whole
from ..basics.words.one_line import Brief
from ..errors import InputError
from ..ir import DataType, Graph, Value, to_numpy
from .driver.batch_options import BatchOptions
from .driver.run import Paths
from .models.batch_shapes import batch_shapes, whole_shapes
from .models.recipe import CoreRecipe, ModelRecipe
from .preprocessing.chosen import chosen_feeds
from .rows.feed import Feed
from .rows.prepared_rows import prepared_rows
from .rows.row_type import RowType
from .sources.data_source import DataSource
from .sources.opened import open_source

DEFAULT_COUNT = 100
"""The usual number of samples for ranges: TensorFlow Lite's documents advise 100 to 500."""
MOST_CHUNKS = 16
"""The chunks of a data set that are read, at even distances."""


@dataclass(frozen=True, slots=True)
class WrittenSamples(Brief):
    """Representative samples in a file.

    Attributes:
        path: of the file.
        count: the number of samples.
        rows: of the data set.
        left_out: the number of chosen rows that are no samples, by reason.
    """

    path: str
    count: int
    rows: int
    left_out: Mapping[str, int]


def write_samples(
    model: str | os.PathLike[str] | bytes | ModelRecipe,
    source: Paths,
    output: str | os.PathLike[str],
    *,
    count: int = DEFAULT_COUNT,
    **options: Any,
) -> WrittenSamples:
    """Writes rows of a data set as representative samples of a model, for ``Context.samples`` and ``--samples``.

    The rows lie at even distances in the data set. The ``.npz`` file has an array ``(N, 1, ...)`` for each input: N
    samples of one row each, which a model for more rows gets joined; ``(N, ...)`` with ``has_whole_inputs``.

    Args:
        model: the path of a model's file, its bytes, or a recipe.
        source: files, folders, or patterns, as for ``run``.
        output: the file.
        count: the number of rows; all rows where the data set has fewer.
        options: fields of ``BatchOptions`` about rows: columns, constants, types, preprocess, has_whole_inputs, shapes.

    Raises:
        InputError: the source does not fit the model, or none of the rows can be read.
        OSError: files cannot be read or written.
        LiteDelegateError: the model cannot be read.
    """
    if count < 1:
        raise InputError(f"count must be at least 1, got {count}.")
    recipe = model if isinstance(model, ModelRecipe) else CoreRecipe(_model(model), "CPU", {})
    asked = BatchOptions(**options)
    graph = recipe.graph()
    feeds, rows = chosen_feeds(
        _row_types(graph, asked), open_source(source, asked.types), asked.columns, asked.preprocess
    )
    left_out: dict[str, int] = {}
    total, found = _rows_of(rows, feeds, count, left_out)
    arrays = _most_alike(found, left_out)
    if not asked.has_whole_inputs:
        arrays = {name: array[:, None] for name, array in arrays.items()}
    kept = len(next(iter(arrays.values())))
    for value in graph.inputs:
        if value.name in asked.constants:
            constant = _constant(asked.constants[value.name], value)
            arrays[value.name] = np.broadcast_to(constant, (kept, *constant.shape))
    content = io.BytesIO()
    np.savez_compressed(content, **{value.name: arrays[value.name] for value in graph.inputs})  # type: ignore[arg-type]
    write_whole(Path(output), content.getvalue())
    return WrittenSamples(os.fspath(output), kept, total, left_out)


def _model(model: str | os.PathLike[str] | bytes) -> Path | bytes:
    return model if isinstance(model, bytes) else Path(model)


def _row_types(graph: Graph, asked: BatchOptions) -> list[RowType]:
    """The types of rows of the inputs that rows give."""
    if asked.has_whole_inputs:
        plan = whole_shapes(graph, asked.shapes, asked.constants)
    else:
        plan = batch_shapes(graph, None, asked.shapes, asked.constants)
    texts = [value.name for value in graph.inputs if value.dtype == DataType.STRING]
    if texts:
        raise InputError(f"Input '{texts[0]}' has strings, of which there are no samples.")
    return [_row_type(value, plan.row_dims[value.name]) for value in graph.inputs if value.name in plan.row_dims]


def _row_type(value: Value, dims: tuple[int | None, ...]) -> RowType:
    return RowType(value.name, np.dtype(to_numpy(value.dtype)), dims)


def _constant(given: Any, value: Value) -> Array:
    """The value of an input that is the same in all samples, in the input's shape where the file gives one."""
    array = np.asarray(given, to_numpy(value.dtype))
    if value.shape is None or -1 in value.shape:
        return array
    try:
        return np.broadcast_to(array, value.shape)
    except ValueError:
        raise InputError(
            f"--constant {value.name}: expected shape {list(value.shape)}, got {list(array.shape)}."
        ) from None


def _rows_of(
    source: DataSource, feeds: Sequence[Feed], count: int, left_out: dict[str, int]
) -> tuple[int, list[Mapping[str, Array]]]:
    """The number of rows of a source, and the arrays of groups of chosen rows, at even distances.

    ``left_out`` gets the rows that cannot be read.
    """
    chunks = list(source.chunks(source.usual_rows()))
    total = sum(chunk.rows for chunk in chunks)
    if not total:
        raise InputError(f"'{source.names[0]}' has no rows.")
    some = [chunks[number] for number in _spread(len(chunks), MOST_CHUNKS)]
    at_hand = sum(chunk.rows for chunk in some)
    wanted = np.array(_spread(at_hand, count))
    columns = list(dict.fromkeys(name for feed in feeds for name in feed.columns))
    groups: list[Mapping[str, Array]] = []
    first = 0
    for chunk in some:
        chosen = wanted[(wanted >= first) & (wanted < first + chunk.rows)] - first
        first += chunk.rows
        if not len(chosen):
            continue
        read = source.read(chunk, columns)
        unread = {place: read.errors[row] for place, row in enumerate(chosen.tolist()) if row in read.errors}
        prepared = prepared_rows(read.table.take(chosen), feeds, unread)
        for reason in prepared.errors.values():
            left_out[reason] = left_out.get(reason, 0) + 1
        groups += [group.arrays for group in prepared.groups]
    if not groups:
        reason = next(iter(left_out), "")
        raise InputError(f"None of {counted(len(wanted), 'row')} can be a sample: {reason}.")
    return total, groups


def _spread(total: int, count: int) -> list[int]:
    """At most ``count`` of the numbers below ``total``, at even distances."""
    return (
        sorted({(2 * number + 1) * total // (2 * count) for number in range(count)})
        if count < total
        else list(range(total))
    )


def _most_alike(groups: Sequence[Mapping[str, Array]], left_out: dict[str, int]) -> dict[str, Array]:
    """The rows of the most frequent shapes; the others are left out."""
    alike: dict[tuple[tuple[int, ...], ...], list[Mapping[str, Array]]] = {}
    for group in groups:
        alike.setdefault(tuple(array.shape[1:] for array in group.values()), []).append(group)
    sizes = {shapes: sum(len(next(iter(each.values()))) for each in same) for shapes, same in alike.items()}
    best = max(sizes, key=sizes.__getitem__)
    if others := sum(sizes.values()) - sizes[best]:
        left_out["has another shape than most rows"] = others
    names = list(groups[0])
    return {name: np.concatenate([each[name] for each in alike[best]]) for name in names}
