"""import_model: compiled models from files, without claims of delegates and without a compilation."""

from __future__ import annotations

import os

from ...formats.ms.separate_constants import weights_of
from ...ir import Graph
from ...runtime.settings import Settings
from ...sections.sections import Bytes, SectionedFile, open_sections
from ..model.compiled_model import CompiledModel, of_parts
from ..model_file.imported_parts import parts_from
from ..planned.origin import ModelCall, Origin
from .garbage_collection import loading
from .shape_bounds import opened


@loading
def import_model(
    source: Bytes | str | os.PathLike[str],
    settings: Settings,
    weights: Graph | None = None,
    devices: tuple[str, ...] = (),
    call: ModelCall | None = None,
) -> CompiledModel:
    """The compiled model that ``CompiledModel.export_model`` wrote, on the same device, for all shapes of its bounds.

    Args:
        source: the bytes, or the path of a file, which is mapped and must not be changed in place while the model
            lives.
        settings: the delegates of the compilation, and the settings of runs.
        weights: the graph of the compilation, for a file without weights.
        devices, call: see ``Origin``.

    Raises:
        ModelFormatError, DelegateBuildError, DelegateUnavailable, LiteDelegateError: see ``parts_from``.
    """
    known = {} if weights is None else weights_of(weights)
    parts = parts_from(open_sections(source), settings, known, "" if weights is None else "the weights given")
    return of_parts(opened(parts), Origin(devices=devices, call=call))


@loading
def import_opened(file: SectionedFile, settings: Settings) -> CompiledModel:
    """The compiled model in an open file, for the shapes of its compilation."""
    return of_parts(parts_from(file, settings, {}, ""))
