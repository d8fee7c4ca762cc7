"""The columns of the source that parts have, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...basics.similar import did_you_mean
from ...errors import InputError
from ..parts.output_columns import ERROR, OutputColumn
from ..pyarrow_package import pyarrow
from ..rows.feed import ColumnFeed, Feed


def kept_columns(
    schema: Any, feeds: Sequence[Feed], outputs: Sequence[OutputColumn], wanted: Sequence[str] | None
) -> tuple[str, ...]:
    """The columns of the source that parts have, too.

    Args:
        schema: of the source.
        feeds: of the inputs.
        outputs: the columns of the outputs.
        wanted: by the user; None: all columns of numbers, texts and times that are no part of an input made of several
            columns.

    Raises:
        InputError: there is no such column, or an output's column has the same name.
    """
    if wanted is None:
        joined = {name for feed in feeds if _is_joined(feed) for name in feed.columns}
        names = [field.name for field in schema if _is_scalar(field.type) and field.name not in joined]
    else:
        names = list(dict.fromkeys(wanted))
    unknown = next((name for name in names if name not in schema.names), None)
    if unknown is not None:
        raise InputError(f"--keep {unknown}: the source has no such column{did_you_mean(unknown, schema.names) or '.'}")
    taken = {column.name for column in outputs} | {ERROR}
    twice = next((name for name in names if name in taken), None)
    if twice is not None:
        raise InputError(
            f"The source's column '{twice}' has the name of a column of results; leave it out with --keep, or name the "
            f"output's column with --save {twice}=COLUMN."
        )
    return tuple(names)


def _is_joined(feed: Feed) -> bool:
    return isinstance(feed, ColumnFeed) and len(feed.columns) > 1


def _is_scalar(kind: Any) -> bool:
    pa = pyarrow()
    types = pa.types
    if types.is_dictionary(kind):
        kind = kind.value_type
    is_nested = types.is_nested(kind) or isinstance(kind, pa.BaseExtensionType)
    is_bytes = types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind)
    return not is_nested and not is_bytes
