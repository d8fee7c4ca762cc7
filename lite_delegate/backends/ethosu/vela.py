"""Vela, Arm's compiler for Ethos-U, in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory

from ...basics.data_class import dataclass
from ...basics.programs import signal_name
from ...errors import DelegateBuildError
from .accelerators import PREFIX
from .output import VelaOutput, read_output

PACKAGE = "ethosu"
DISTRIBUTION = "ethos-u-vela"
EXTRA = "pip install 'lite-delegate[ethosu]'"
MODEL = "model"
"""The name of the files, without suffixes."""
_OWN_ERROR = re.compile(r"ethosu\.vela\.errors\.\w+: (.+)")
LAST_LINES = 3
"""Lines of Vela's output that an error quotes."""


@dataclass(frozen=True, slots=True)
class VelaSettings:
    """The options that Vela is called with.

    Attributes:
        accelerator: one of ``ACCELERATORS``.
        config: a configuration file; "" for Vela's own figures.
        system: a system of the file; "" for Vela's default.
        memory: a memory mode of the file; "" for Vela's default.
        optimise: "Performance" or "Size".
        arena: bytes of fast memory; 0: as the memory mode says.
        seconds: the time for one compilation.
    """

    accelerator: str
    config: str = ""
    system: str = ""
    memory: str = ""
    optimise: str = "Performance"
    arena: int = 0
    seconds: int = 300

    @property
    def arguments(self) -> list[str]:
        """The arguments of the command line."""
        found = ["--accelerator-config", PREFIX + self.accelerator, "--optimise", self.optimise]
        for option, value in (
            ("--config", self.config),
            ("--system-config", self.system),
            ("--memory-mode", self.memory),
            ("--arena-cache-size", str(self.arena) if self.arena else ""),
        ):
            if value:
                found += [option, value]
        return found


def release() -> str:
    """Vela's release, "absent" where the package is not there."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "absent"


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
    command = [sys.executable, "-m", "ethosu.vela", *arguments, *settings.arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        ended = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=settings.seconds,
            text=True,
            errors="replace",
            check=False,
        )
    except subprocess.TimeoutExpired as e:
        raise DelegateBuildError(f"Vela has not compiled the model within {settings.seconds} s.") from e
    except OSError as e:
        raise DelegateBuildError(f"Vela cannot be started: {e}") from e
    if ended.returncode:
        raise DelegateBuildError(f"Vela {_ending(ended.returncode)}: {_last(ended.stdout)}")
    return ended.stdout


def _ending(code: int) -> str:
    return f"ended with status {code}" if code > 0 else f"was ended by signal {signal_name(-code)}"


def _last(printed: str) -> str:
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    own = _OWN_ERROR.match(lines[-1]) if lines else None
    if own is not None:
        return own[1].strip("'\"")
    return " / ".join(lines[-LAST_LINES:]) or "it printed nothing"
