"""The feeds of a job: columns as they are, images by a TOML file, or rows by a function of the user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import InputError
from ..pyarrow_package import pyarrow
from ..rows.column_values import is_bytes
from ..rows.feed import ColumnFeed, Feed
from ..rows.input_columns import holds_images, input_columns, named_columns
from ..rows.row_type import RowType
from ..sources.data_source import DataSource
from ..sources.images import IMAGE, ImageSource
from ..user_function import FUNCTION
from .function_feed import function_feed
from .image_feed import ImageFeed
from .image_file import read_image_file
from .image_pixels import pillow
from .image_plan import image_plan

_Parts = tuple[list[RowType], dict[str, str], dict[str, Feed]]
"""The inputs that a TOML file does not name, their mapped columns, and the feeds of images."""


def chosen_feeds(
    inputs: Sequence[RowType], source: DataSource, columns: Mapping[str, str], preprocess: str
) -> tuple[tuple[Feed, ...], DataSource]:
    """The feeds of all inputs; and the source, with the columns that inputs are read from as numbers.

    Args:
        inputs: the types of the rows.
        source: of the rows.
        columns: by input, as the user maps them.
        preprocess: a TOML file, ``module:function``, or "".

    Raises:
        InputError: an input has no column that fits, or the preprocessing fits neither the model nor the source.
        OSError: the TOML file cannot be read.
    """
    has_files = isinstance(source, ImageSource)
    if FUNCTION.fullmatch(preprocess):
        return feeds_of(inputs, source.schema, columns, preprocess, has_files=has_files), source
    parts = _images_and_rest(inputs, source.schema, columns, preprocess)
    source = source.with_numbers(_numbers(parts[0], source.schema, parts[1]))
    return _feeds(inputs, source.schema, parts, has_files=has_files), source


def feeds_of(
    inputs: Sequence[RowType], schema: Any, columns: Mapping[str, str], preprocess: str, *, has_files: bool = False
) -> tuple[Feed, ...]:
    """The feeds of all inputs.

    Args:
        inputs, columns, preprocess: as for ``chosen_feeds``.
        schema: of the rows, a ``pyarrow.Schema``.
        has_files: whether rows are files of images.

    Raises:
        InputError, OSError: as ``chosen_feeds``.
    """
    if FUNCTION.fullmatch(preprocess):
        if columns:
            raise InputError(f"--map is of no use with --preprocess {preprocess}, which sees all columns.")
        return (_by_function(preprocess, inputs, schema, has_files=has_files),)
    return _feeds(inputs, schema, _images_and_rest(inputs, schema, columns, preprocess), has_files=has_files)


def _feeds(inputs: Sequence[RowType], schema: Any, parts: _Parts, *, has_files: bool) -> tuple[Feed, ...]:
    """The feeds of all inputs: images, and columns for the rest."""
    left, given, images = parts
    if has_files and left:
        raise InputError(
            f"Input '{left[0].name}' ({left[0].text}) gets no images as they are in files: say --preprocess FILE.toml "
            f'with a table [{left[0].name}] and keys such as fit = "crop", scale = "1/255"; or --preprocess '
            "module:function."
        )
    found = input_columns(left, schema, given)
    feeds = images | {wanted.name: ColumnFeed(wanted, found[wanted.name]) for wanted in left}
    return tuple(feeds[wanted.name] for wanted in inputs)


def _images_and_rest(inputs: Sequence[RowType], schema: Any, columns: Mapping[str, str], preprocess: str) -> _Parts:
    """The inputs that a TOML file does not name, and their mapped columns; and the feeds of images."""
    images = _image_feeds(preprocess, inputs, schema, columns) if preprocess else {}
    left = [wanted for wanted in inputs if wanted.name not in images]
    return left, {name: text for name, text in columns.items() if name not in images}, images


def _numbers(left: Sequence[RowType], schema: Any, given: Mapping[str, str]) -> dict[str, bool]:
    """The columns of numbers, and whether they may have fractions."""
    named = named_columns([wanted.name for wanted in left], schema, given)
    found: dict[str, bool] = {}
    for wanted in left:
        if not wanted.holds_strings:
            is_real = wanted.dtype.kind == "f"
            found |= {column: found.get(column, True) and is_real for column in named.get(wanted.name, ())}
    return found


def _by_function(spec: str, inputs: Sequence[RowType], schema: Any, *, has_files: bool) -> Feed:
    images = [IMAGE] if has_files else [field.name for field in schema if holds_images(field.type)]
    if images:
        pillow()
    return function_feed(spec, inputs, schema.names, images)


def _image_feeds(path: str, inputs: Sequence[RowType], schema: Any, columns: Mapping[str, str]) -> dict[str, Feed]:
    """The feeds of the inputs that a TOML file names."""
    if not Path(path).is_file():
        raise InputError(f"--preprocess {path}: there is no such file, and it is no module:function.")
    pillow()
    options = read_image_file(path, [wanted.name for wanted in inputs])
    text = Path(path).read_text(encoding="utf-8")
    found: dict[str, Feed] = {}
    for wanted in inputs:
        if wanted.name in options:
            each = options[wanted.name]
            column = _column(wanted.name, each.column or columns.get(wanted.name), schema)
            found[wanted.name] = ImageFeed(wanted, column, image_plan(wanted, each), text)
    return found


def _column(name: str, said: str | None, schema: Any) -> str:
    """The column of images of an input: the one that is said, the one of its name, or the only one."""
    fitting = [field.name for field in schema if _may_hold_images(field.type)]
    if said is not None:
        (found,) = named_columns([name], schema, {name: said})[name]
    elif name in schema.names:
        found = name
    elif len(fitting) == 1:
        found = fitting[0]
    else:
        known = ", ".join(f"'{field.name}' ({field.type})" for field in schema)
        raise InputError(f"--preprocess: say which column has the images of '{name}': column = one of {known}.")
    if found not in fitting:
        kind = schema.field(found).type
        raise InputError(f"--preprocess: column '{found}' has {kind}, expected bytes of images, or structs with bytes.")
    return found


def _may_hold_images(kind: Any) -> bool:
    if pyarrow().types.is_dictionary(kind):
        kind = kind.value_type
    return is_bytes(kind) or holds_images(kind)
