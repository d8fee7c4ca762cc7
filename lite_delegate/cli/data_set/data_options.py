"""Options of ``compare`` about a data set."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from ...basics.data_class import dataclass
from ...batch import BatchOptions
from ...batch.engines.engine import BatchEngine
from ...errors import InputError
from ...inference.properties.cpu_properties import BACKENDS
from ..options.build_options import BuildOptions
from ..options.files import INPUT_TEXT, SPEC_TEXT, OutputFolder
from ..options.options import add_options
from .build_recipe import BuildRecipe
from .engine_options import engine_options
from .row_options import row_options, rows_shown

if TYPE_CHECKING:
    from ...batch.comparing.compare_rows import CompareRows
    from ...batch.comparing.data_comparison import DataComparison

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class DataOptions:
    """What a user says of a comparison over a data set.

    Attributes:
        sources: files, folders or patterns; none: there is no data set.
        folder: for the distances of each row; None: they are not kept.
        reference: the SPEC of the delegate whose outputs are right; "none": the reference kernels.
        asked: labels, and the rows that are listed.
        reading: how rows become inputs.
        engine: runs the rows.
    """

    sources: tuple[str, ...]
    folder: Path | None
    reference: str
    asked: CompareRows
    reading: BatchOptions
    engine: BatchEngine

    def compared(self, model: Path, building: BuildOptions, save: Path | None) -> DataComparison:
        """The comparison.

        Args:
            model: the model's file.
            building: how the delegate's model is built.
            save: a folder for the inputs of the rows that are listed; None: they are not saved.

        Raises:
            InputError, OSError, LiteDelegateError: as ``compare_rows``.
        """
        from ...batch.comparing.compare_rows import compare_rows

        wanted = {**building.wanted, BACKENDS: "NONE"}
        right = replace(building, spec=(self.reference,), options={}, wanted=wanted, allow_fallback=False)
        is_whole = self.reading.has_whole_inputs
        recipes = [BuildRecipe(model, each, has_whole_inputs=is_whole) for each in (building, right)]
        options = replace(self.reading, shapes=building.shapes)
        with tempfile.TemporaryDirectory() as scratch, rows_shown() as tell:
            folder = Path(scratch) / "rows" if self.folder is None else self.folder
            asked = replace(self.asked, save=save)
            found = compare_rows(recipes[0], recipes[1], self.sources, folder, options, self.engine, asked, tell)
        return found if self.folder is not None else replace(found, folder="")


OPTIONS = (
    click.option(
        "--data",
        type=INPUT_TEXT,
        multiple=True,
        metavar="SOURCE",
        help="Compare over all rows of files, folders or patterns, as 'batch' reads them, in place of one run. "
        "Repeatable. --save then has the inputs of the rows that differ most.",
    ),
    click.option(
        "--data-output",
        type=OutputFolder(),
        metavar="FOLDER",
        help="Keep the distances of each row there; the same command again goes on where it stopped.",
    ),
    click.option(
        "--reference",
        type=SPEC_TEXT,
        metavar="SPEC",
        help="The delegate whose outputs are right over --data; by default none: the reference kernels.",
    ),
    click.option("--label", default="", metavar="COLUMN", help="Of --data: the index of the right class of each row."),
    click.option(
        "--worst", type=click.IntRange(0), default=10, show_default=True, metavar="N", help="Rows of --data to list."
    ),
)


def data_options(command: Command) -> Command:
    """Adds the options to a command, which gets them as ``data``, a ``DataOptions``."""

    @wraps(command)
    def made(
        *args: Any,
        data: Sequence[str],
        data_output: Path | None,
        reference: str | None,
        label: str,
        worst: int,
        reading: BatchOptions,
        engine: BatchEngine,
        **given: Any,
    ) -> Any:
        if not data and (data_output or label or reference or reading != BatchOptions()):
            raise InputError("Options about rows need a data set: --data SOURCE.")
        from ...batch.comparing.compare_rows import CompareRows

        options = DataOptions(tuple(data), data_output, reference or "none", CompareRows(label, worst), reading, engine)
        return command(*args, data=options, **given)

    return cast(Command, add_options(row_options(engine_options(made)), OPTIONS))
