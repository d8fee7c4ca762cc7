"""import_model: compiled models out of files, without asking a delegate and without compiling."""

from __future__ import annotations

import os

from ...formats.ms.separate_constants import weights_of
from ...ir import Graph
from ...runtime.settings import Settings
from ...sections.sections import Bytes, SectionedFile, open_sections
from ..model.compiled_model import CompiledModel, of_parts
from ..model_file.imported_parts import parts_from
from ..planned.origin import Origin
from .garbage_collection import loading
from .shape_bounds import opened


@loading
def import_model(
    source: Bytes | str | os.PathLike[str],
    settings: Settings,
    weights: Graph | None = None,
    devices: tuple[str, ...] = (),
) -> CompiledModel:
    """The compiled model that ``CompiledModel.export_model`` gave, on the same device, for all shapes that it allows.

    Args:
        source: the bytes, or the path of a file, which is mapped: it must not be changed in place meanwhile.
        settings: the delegates that it was compiled for, and what applies when it runs.
        weights: the model that it was compiled from, for a file without weights.
        devices: see ``Origin``.

    Raises:
        ModelFormatError, DelegateBuildError, DelegateUnavailable, LiteDelegateError: see ``parts_from``.
    """
    known = {} if weights is None else weights_of(weights)
    parts = parts_from(open_sections(source), settings, known, "" if weights is None else "the weights given")
    return of_parts(opened(parts), Origin(devices=devices))


@loading
def import_opened(file: SectionedFile, settings: Settings) -> CompiledModel:
    """The compiled model in a file that was opened, for the shapes that it was compiled for."""
    return of_parts(parts_from(file, settings, {}, ""))
