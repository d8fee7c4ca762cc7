"""Runs that Vela compiled, as bytes: the file, the compiled file, and Vela's estimates."""

from __future__ import annotations

from dataclasses import asdict

from ...errors import ModelFormatError
from ..packed import packed, unpacked
from ..tflite_file.tflite_run import TfliteRunFile
from .compiling import compiled
from .graph import CompiledRun
from .output import VelaLayer, VelaOutput, VelaSummary
from .vela import VelaSettings

KIND = "Ethos-U 1"


def exported(run: CompiledRun) -> bytes:
    """The bytes of a run.

    Raises:
        DelegateBuildError: Vela cannot compile it.
    """
    output = run.output or compiled(run.run.content, run.vela)
    description = {
        "makers": dict(run.run.makers),
        "layers": [asdict(layer) for layer in output.layers],
        "summary": None if output.summary is None else asdict(output.summary),
    }
    return packed(KIND, description, (run.run.content, output.content))


def imported(data: memoryview, settings: VelaSettings) -> CompiledRun:
    """The run that ``exported`` wrote.

    Raises:
        ModelFormatError: the bytes are not of this kind, or are damaged.
    """
    description, parts = unpacked(KIND, data)
    try:
        plain, content = parts
        summary = description["summary"]
        output = VelaOutput(
            bytes(content),
            {},
            tuple(VelaLayer(**layer) for layer in description["layers"]),
            None if summary is None else VelaSummary(**summary),
        )
        return CompiledRun(TfliteRunFile(bytes(plain), dict(description["makers"])), settings, output)
    except (KeyError, TypeError, ValueError) as e:
        raise ModelFormatError(f"This is no graph kernel of {KIND}: {e}.") from e
