"""Graph kernels of OpenVINO as bytes: the blob that OpenVINO exports, and the constants that are fed to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...delegate import current_wishes
from ...errors import DelegateBuildError
from ...ir import to_numpy
from ...tensors.tensor import Array, Tensor
from ..packed import packed, unpacked
from .around.sequences import exportable
from .models.checks import Checks
from .models.compiled import CompileSettings, SharedCompiledModel, said
from .models.package import core
from .models.properties import PRECISION
from .models.written import Arithmetic, WrittenModel

KIND = "OpenVINO 7"


class ImportedModel(SharedCompiledModel):
    """A blob, and the model compiled from it.

    Args:
        blob: OpenVINO's bytes, which may be a mapped file; used where they lie.
        written: the arrays that are given beside it.
        settings: device and properties.
    """

    def __init__(self, blob: memoryview, written: WrittenModel, settings: CompileSettings) -> None:
        super().__init__(written, settings)
        self.blob = blob

    def compiled_model(self) -> Any:
        """The compiled model that the blob holds."""
        from openvino import Tensor as Bytes

        from .models.shared import sharable

        settings = self.settings
        given = sharable(np.frombuffer(self.blob, np.uint8))
        return core().import_model(Bytes(given, shared_memory=True), settings.device, settings.config_of(self.written))


def exported(prepared: SharedCompiledModel) -> bytes:
    """The bytes of a compiled model. Names inside them count this process's models: not all bytes are equal.

    Raises:
        DelegateBuildError: the device cannot export.
    """
    prepared = prepared.alone()
    written = prepared.written
    try:
        blob = _blob_of(prepared)
    except Exception as e:  # plugins raise what they like
        raise DelegateBuildError(f"OpenVINO cannot export for {prepared.settings.device}: {said(e)}") from e
    constants = [source for _, source in written.direct if isinstance(source, np.ndarray)]
    description = {
        "precision": prepared.settings.config[PRECISION],
        "arithmetic": written.arithmetic,
        "fixed": sorted(written.fixed),
        "checks": written.checks.to_dict(),
        "direct": [(place, None if isinstance(source, np.ndarray) else source) for place, source in written.direct],
    }
    return packed(KIND, description, [blob, *map(_bytes_of, constants)])


def _blob_of(prepared: SharedCompiledModel) -> bytes:
    """OpenVINO's bytes; for an import the imported bytes, since OpenVINO cannot always read its export of an import."""
    if isinstance(prepared, ImportedModel):
        return bytes(prepared.blob)
    if prepared.compiled is None:
        return b""
    model = exportable(prepared.written.model)
    compiled = prepared.compiled if model is prepared.written.model else prepared.compiled_model_of(model)
    return bytes(compiled.export_model().getvalue())


def _bytes_of(array: Array) -> bytes:
    return np.ascontiguousarray(array).tobytes()


def imported(data: memoryview, outputs: Sequence[Tensor], settings: CompileSettings) -> ImportedModel:
    """The model that ``exported`` wrote, not loaded yet.

    Args:
        data: the bytes.
        outputs: the outputs of the graph kernel.
        settings: device and properties; threads that they leave open come from the context, a precision from the
            export.

    Raises:
        ModelFormatError: the bytes are not of this kind.
    """
    description, (blob, *constants) = unpacked(KIND, data)
    direct: list[tuple[int, int | Array]] = []
    left = iter(constants)
    for place, source in description["direct"]:
        if source is not None:
            direct.append((place, source))
            continue
        tensor = outputs[place]
        direct.append((place, np.frombuffer(next(left), to_numpy(tensor.dtype)).reshape(tensor.shape)))
    taken = {place for place, _ in direct}
    computed = [tensor for place, tensor in enumerate(outputs) if place not in taken]
    specs = [(to_numpy(tensor.dtype), tuple(tensor.shape)) for tensor in computed]
    arithmetic = Arithmetic(description["arithmetic"])
    fixed, checks = frozenset(description["fixed"]), Checks.from_dict(description["checks"])
    written = WrittenModel(None, specs, direct, fixed=fixed, arithmetic=arithmetic, checks=checks)
    return ImportedModel(blob, written, settings.completed(current_wishes().threads, description["precision"]))
