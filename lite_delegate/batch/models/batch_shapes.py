"""The shapes of a model's inputs for a job: one batch size for the dimension of rows, usual sizes elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ...basics.data_class import dataclass
from ...errors import InputError
from ...formats.input_shapes import close_shapes
from ...ir import DataType, Graph, Value

USUAL_ROWS = 32
"""The rows of a batch where the model leaves them open and nobody says a number."""
SMALL_BYTES = 256 * 2**10
"""The bytes of the inputs of a batch, at most, that has more rows than usual: small rows pay for the call."""
MOST_ROWS = 1024
"""The rows of a batch of small rows."""
BATCH_BYTES = 2**20
"""The bytes of the inputs of a batch, at most, where nobody says a number of rows: what lies between the layers is
many times as large, and has to stay in the cache that processes share. A row of MobileNetV2 took 11 ms in batches of 1
and of 32 on a machine without other work, and 11 and 17 ms beside other processes.
"""


@dataclass(frozen=True, slots=True)
class BatchShapes:
    """The shapes of a model's inputs for a job.

    Attributes:
        rows: the rows of a batch.
        is_open: whether the model's file leaves the dimension of rows open.
        shapes: the shapes of the inputs that the file leaves open, by name.
        row_dims: the dimensions of a row by input, None where the file leaves one open and nobody gave a size.
        is_whole: whether a row is a whole input, without a dimension of rows.
    """

    rows: int
    is_open: bool
    shapes: Mapping[str, tuple[int, ...]]
    row_dims: Mapping[str, tuple[int | None, ...]]
    is_whole: bool = False


def batch_shapes(
    graph: Graph, rows: int | None, given: Mapping[str, Sequence[Any]], constants: Collection[str]
) -> BatchShapes:
    """The shapes of a model's inputs for a job.

    Args:
        graph: as the file has it; it does not change.
        rows: the rows of a batch; None: as many as the file has, or the usual number.
        given: shapes of inputs by name; a range is an open dimension.
        constants: the names of the inputs that have the same value in all runs.

    Raises:
        InputError: an input has no dimension for rows, the inputs have different numbers of rows, or the file has
            another number than ``rows``.
    """
    wanted = {value: _declared(value, given) for value in graph.inputs if value.name not in constants}
    sizes = {value: dims[0] for value, dims in wanted.items()}
    fixed = sorted({size for size in sizes.values() if size is not None})
    if len(fixed) > 1:
        said = ", ".join(f"'{value.name}' {size}" for value, size in sizes.items())
        raise InputError(
            f"The inputs have different first dimensions ({said}), expected one for rows; say --constant NAME=FILE.npy "
            "for an input that is the same for all rows."
        )
    if fixed and rows not in (None, fixed[0]):
        name = next(value.name for value, size in sizes.items() if size is not None)
        raise InputError(
            f"The model's input '{name}' has {fixed[0]} rows, not {rows}; leave --batch out, or say --input-shape "
            "where the file leaves the dimension open."
        )
    if fixed:
        rows = fixed[0]
    chosen = rows or _usual_rows(wanted)
    shapes = _closed(graph, wanted, chosen)
    return BatchShapes(chosen, not fixed, shapes, {value.name: dims[1:] for value, dims in wanted.items()})


def whole_shapes(graph: Graph, given: Mapping[str, Sequence[Any]], constants: Collection[str]) -> BatchShapes:
    """The shapes of a model's inputs for a job in which a row is a whole input.

    Args:
        graph, given, constants: as for ``batch_shapes``.

    Raises:
        InputError: an input has no known rank.
    """
    wanted = {value: _declared(value, given, has_rows=False) for value in graph.inputs if value.name not in constants}
    dims = {value.name: dims for value, dims in wanted.items()}
    return BatchShapes(1, False, _closed(graph, wanted, None), dims, is_whole=True)


def _declared(value: Value, given: Mapping[str, Sequence[Any]], *, has_rows: bool = True) -> tuple[int | None, ...]:
    if value.name in given:
        return tuple(dim if isinstance(dim, int) else None for dim in given[value.name])
    if value.dtype == DataType.STRING:
        return (None,)
    if value.shape is None or (has_rows and not value.shape):
        rank = "no known rank" if value.shape is None else "no dimensions"
        raise InputError(
            f"Input '{value.name}' has {rank}, and so none for rows; say --constant {value.name}=FILE.npy where it is "
            f"the same for all rows{', or --input-shape' if value.shape is None else ''}."
        )
    return tuple(None if dim < 0 else dim for dim in value.shape)


def _usual_rows(wanted: Mapping[Value, Sequence[int | None]]) -> int:
    size = 0
    for dims in wanted.values():
        count = 4
        for dim in dims[1:]:
            count *= dim or 1
        size += count
    size = max(size, 1)
    most = max(USUAL_ROWS, min(MOST_ROWS, SMALL_BYTES // size))
    return max(1, min(most, BATCH_BYTES // size))


def _closed(graph: Graph, wanted: Mapping[Value, Sequence[int | None]], rows: int | None) -> dict[str, tuple[int, ...]]:
    """The shapes of inputs that have open dimensions, which are closed as for one prediction.

    Args:
        graph: of the model.
        wanted: the dimensions of the inputs, None for an open dimension.
        rows: the size of an open first dimension; None: as for one prediction.
    """
    open_ones = [value for value, dims in wanted.items() if None in dims and value.dtype != DataType.STRING]
    usual = {value.name: dims for value, dims in close_shapes(graph.inputs).shapes.items()}
    found: dict[str, tuple[int, ...]] = {}
    for value in open_ones:
        dims = wanted[value]
        others = usual.get(value.name, (1,) * len(dims))
        closed = [other if dim is None else dim for dim, other in zip(dims, others, strict=True)]
        if rows is not None and dims[0] is None:
            closed[0] = rows
        found[value.name] = tuple(closed)
    return found
