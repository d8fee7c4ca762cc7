"""Options of commands about the rows of a data set, and the progress over them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click
import numpy as np

from ...basics.counted import counted
from ...batch import BatchOptions, BatchProgress
from ...errors import InputError
from ...runtime.array_files import file_array
from ...runtime.budget import Budget
from ..frame.loudness import progress
from ..options.files import INPUT_TEXT, SPEC_TEXT
from ..options.options import add_options
from ..options.property_options import bytes_of

Command = TypeVar("Command", bound=Callable[..., Any])
sources_option = click.option(
    "--input",
    "sources",
    type=INPUT_TEXT,
    multiple=True,
    required=True,
    metavar="SOURCE",
    help="A file, a folder or a pattern: Parquet, Arrow, NPY, NPZ, CSV or images. Repeatable.",
)
"""The files of a data set, which a command gets as ``sources``."""
FEEDING = (
    click.option(
        "--map",
        "columns",
        multiple=True,
        metavar="INPUT=COLUMN",
        help="The column of an input; several names or patterns with a comma between are put side by side. Repeatable; "
        "without it an input has the column of its name.",
    ),
    click.option(
        "--constant",
        "constants",
        type=INPUT_TEXT,
        multiple=True,
        metavar="INPUT=FILE.npy|NUMBER",
        help="An input that is the same for all rows. Repeatable.",
    ),
    click.option(
        "--type",
        "types",
        multiple=True,
        metavar="COLUMN=TYPE",
        help="The type of a column of CSV: int64, float32, string. By default the first rows show it. Repeatable.",
    ),
    click.option(
        "--preprocess",
        type=SPEC_TEXT,
        default="",
        metavar="FILE.toml|MODULE:FUNCTION",
        help="How images, or rows, become inputs.",
    ),
    click.option(
        "--whole-inputs",
        "has_whole_inputs",
        is_flag=True,
        help="A row is a whole input: the model has no dimension for rows.",
    ),
)
"""Options that say how rows become inputs."""
CHUNKING = (
    click.option(
        "--batch", "rows", type=click.IntRange(1), metavar="N", help="Rows in a run, where the model leaves it open."
    ),
    click.option(
        "--chunk-rows", type=click.IntRange(1), metavar="N", help="Rows in a part; by default about 64 MB of them."
    ),
    click.option("--memory", callback=bytes_of, metavar="BYTES", help="For the rows of all workers, about: 512M, 2G."),
    click.option(
        "--max-errors",
        type=click.IntRange(0),
        metavar="N",
        help="Stop when more rows have errors. Rows that are damaged in their file are errors then.",
    ),
)
"""Options about the runs of many rows."""


def row_options(command: Command) -> Command:
    """Adds all options to a command, which gets them as ``reading``, a ``BatchOptions``."""
    return _reading(command, (*FEEDING, *CHUNKING), ("rows", "chunk_rows", "memory", "max_errors"))


def feeding_options(command: Command) -> Command:
    """Adds the options that say how rows become inputs to a command, which gets them as ``reading``."""
    return _reading(command, FEEDING, ())


def _reading(command: Command, options: Sequence[Callable[..., Any]], more: Sequence[str]) -> Command:
    @wraps(command)
    def made(*args: Any, columns: Sequence[str], constants: Sequence[str], types: Sequence[str], **given: Any) -> Any:
        if os.getcwd() not in sys.path:
            sys.path.insert(0, os.getcwd())  # for modules of the user
        reading = BatchOptions(
            columns=_pairs("--map", columns),
            constants={name: _constant(name, text) for name, text in _pairs("--constant", constants).items()},
            types=_pairs("--type", types),
            **{name: given.pop(name) for name in ("preprocess", "has_whole_inputs", *more)},
        )
        return command(*args, reading=reading, **given)

    return cast(Command, add_options(made, options))


def _pairs(option: str, texts: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise InputError(f"{option} must be NAME=VALUE, got '{text}'.")
        if name in found:
            raise InputError(f"{option} names '{name}' twice.")
        found[name] = value
    return found


def _constant(name: str, text: str) -> Any:
    if not text.endswith((".npy", ".npz")):
        try:
            return np.array(float(text) if set(text) & set(".eEn") else int(text))
        except ValueError:
            raise InputError(f"--constant {name} must be a number or FILE.npy, got '{text}'.") from None
    return file_array(name, Path(text), "--constant").load(Budget())


@contextmanager
def rows_shown() -> Iterator[Callable[[BatchProgress], None]]:
    """A function to call with the progress over the rows, which is shown."""
    with progress("starting", 1) as shown:

        def tell(found: BatchProgress) -> None:
            errors = f", {counted(found.errors, 'error')}" if found.errors else ""
            of_all = "" if found.all_rows is None else f" of {found.all_rows:,}"
            shown.show(f"{found.rows:,}{of_all} rows{errors}", found.rows, found.all_rows)

        yield tell
