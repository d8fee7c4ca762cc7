"""Models compiled by Vela: the compiled file, and all that Vela says of it."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from ...basics.answering_process import HelperEnded, NoProcess
from ...basics.programs import signal_name
from ...errors import DelegateBuildError
from .output import VelaOutput, read_output
from .vela import VelaSettings
from .vela_process import PRINTED, VelaCall, vela_process

MODEL = "model"
"""The name of the files, without suffixes."""
_OWN_ERROR = re.compile(r"ethosu\.vela\.errors\.\w+: (.+)")
LAST_LINES = 3
"""Lines of Vela's output that an error quotes."""
GRACE_SECONDS = 10.0
"""Seconds beyond those of a compilation in which its end is heard of."""


def compiled(content: bytes, settings: VelaSettings) -> VelaOutput:
    """Vela's output for a model.

    Args:
        content: the bytes of a ``.tflite`` file.
        settings: accelerator, system and memory.

    Raises:
        DelegateBuildError: Vela cannot compile the file, or takes too long; the message ends with Vela's last lines.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / f"{MODEL}.tflite"
        source.write_bytes(content)
        printed = _run([str(source), "--output-dir", str(folder), "--verbose-performance"], settings, folder)
        optimized = folder / f"{MODEL}_vela.tflite"
        if not optimized.is_file():
            raise DelegateBuildError(f"Vela wrote no file: {_last(printed)}")
        return read_output(optimized.read_bytes(), printed, folder)


def _run(arguments: list[str], settings: VelaSettings, folder: Path) -> str:
    call = VelaCall([*arguments, *settings.arguments], folder, settings.seconds)
    try:
        code = vela_process().ask(call, settings.seconds + GRACE_SECONDS)
    except (NoProcess, HelperEnded) as e:
        raise DelegateBuildError(f"The process that runs Vela: {e}.") from e
    if code is None:
        raise DelegateBuildError(f"Vela has not compiled the model within {settings.seconds} s.")
    file = folder / PRINTED
    printed = file.read_text(errors="replace") if file.is_file() else ""
    if code:
        raise DelegateBuildError(f"Vela {_ending(code)}: {_last(printed)}")
    return printed


def _ending(code: int) -> str:
    return f"ended with status {code}" if code > 0 else f"was ended by signal {signal_name(-code)}"


def _last(printed: str) -> str:
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    own = _OWN_ERROR.match(lines[-1]) if lines else None
    if own is not None:
        return own[1].strip("'\"")
    return " / ".join(lines[-LAST_LINES:]) or "it printed nothing"
