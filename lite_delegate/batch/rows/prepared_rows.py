"""PreparedRows: the rows of a table as arrays for all inputs of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...basics.data_class import dataclass
from .column_values import ColumnValues, RowGroup
from .feed import Feed


@dataclass(frozen=True, slots=True, eq=False)
class PreparedGroup:
    """Rows whose values have the same shapes.

    Attributes:
        positions: ``(K,)`` of int64, the numbers of the rows, ascending.
        arrays: by input, ``(K, ...)``.
    """

    positions: Array
    arrays: Mapping[str, Array]


@dataclass(frozen=True, slots=True, eq=False)
class PreparedRows:
    """The rows of a table as arrays.

    Attributes:
        groups: the rows that can run, by shapes.
        errors: the reason for each row that cannot, by the row's number.
    """

    groups: Sequence[PreparedGroup]
    errors: Mapping[int, str]


def prepared_rows(table: Any, feeds: Sequence[Feed], unread: Mapping[int, str]) -> PreparedRows:
    """The rows of a table as arrays for all inputs.

    Args:
        table: a ``pyarrow.Table``.
        feeds: for all inputs, each once.
        unread: the reason for each row whose values mean nothing, by number.
    """
    found = {name: values for feed in feeds for name, values in feed.values(table).items()}
    errors: dict[int, str] = {}
    for name, values in found.items():
        for row, reason in values.errors.items():
            errors.setdefault(row, f"input '{name}': {reason}")
    errors |= unread
    if all(len(values.groups) == 1 for values in found.values()):
        groups = [_alike({name: values.groups[0] for name, values in found.items()}, errors)]
    else:
        groups = _by_shapes(found, errors)
    return PreparedRows([group for group in groups if len(group.positions)], errors)


def _alike(found: Mapping[str, RowGroup], errors: Mapping[int, str]) -> PreparedGroup:
    """The rows that all inputs have, where all rows of an input have one shape."""
    first = next(iter(found.values())).positions
    if not errors and all(len(group.positions) == len(first) for group in found.values()):
        return PreparedGroup(first, {name: group.values for name, group in found.items()})
    bad = np.fromiter(errors, np.int64, len(errors))
    good = np.setdiff1d(first, bad)
    for group in found.values():
        good = np.intersect1d(good, group.positions)
    arrays = {name: group.values[np.isin(group.positions, good)] for name, group in found.items()}
    return PreparedGroup(good, arrays)


def _by_shapes(found: Mapping[str, ColumnValues], errors: Mapping[int, str]) -> list[PreparedGroup]:
    """The rows that all inputs have, by the groups that they are in."""
    each = [group.positions for values in found.values() for group in values.groups]
    rows = 1 + max((int(positions[-1]) for positions in each), default=-1)
    group_of = np.full((rows, len(found)), -1)
    place_of = np.zeros((rows, len(found)), np.int64)
    for input_, values in enumerate(found.values()):
        for number, group in enumerate(values.groups):
            group_of[group.positions, input_] = number
            place_of[group.positions, input_] = np.arange(len(group.positions))
    group_of[[row for row in errors if row < rows]] = -1
    good = np.flatnonzero(group_of.min(axis=1, initial=0) >= 0)
    alike, which = np.unique(group_of[good], axis=0, return_inverse=True)
    return [
        PreparedGroup(
            same,
            {
                name: values.groups[numbers[input_]].values[place_of[same, input_]]
                for input_, (name, values) in enumerate(found.items())
            },
        )
        for index, numbers in enumerate(alike)
        for same in (good[which.reshape(-1) == index],)
    ]
