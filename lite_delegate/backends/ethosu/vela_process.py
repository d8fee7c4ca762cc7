"""The process of Vela: it imports Vela once, and runs Vela in a process of its own for each model."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from ...basics.answering_process import AnsweringProcess
from ...basics.clean_process import end_with
from ...basics.data_class import dataclass

COMMAND = "ethosu.vela"
"""The module that is Vela's command."""
IMPORTED = f"{COMMAND}.vela"
"""The module that imports the whole compiler."""
PRINTED = "printed"
"""The file of a folder that has all that Vela prints."""


@dataclass(frozen=True, slots=True)
class VelaCall:
    """One call of Vela's command.

    Attributes:
        arguments: the arguments of the command line.
        folder: the working directory, in which ``PRINTED`` is written.
        seconds: the time that Vela has.
    """

    arguments: Sequence[str]
    folder: Path
    seconds: float


@cache
def vela_process() -> AnsweringProcess:
    """The process of this program: it answers each ``VelaCall`` with an exit code, or None after the time was up."""
    return AnsweringProcess(serve_vela)


def serve_vela(connection: Connection) -> None:
    """Answers calls until the connection is closed."""
    with suppress(Exception):  # an import that fails is printed by each call
        import_module(IMPORTED)
    connection.send(None)
    with suppress(EOFError):
        while True:
            connection.send(_ended(connection.recv()))


def _ended(call: VelaCall) -> int | None:
    """Runs a call to its end: the imported modules are there in a fork, which leaves them as they were."""
    context: Any = get_context("fork" if "fork" in get_all_start_methods() else "spawn")
    process = context.Process(target=_run, args=(call, os.getpid()))
    process.start()
    process.join(call.seconds)
    if process.exitcode is None:
        process.kill()
        process.join()
        return None
    code: int = process.exitcode
    return code


def _run(call: VelaCall, parent: int) -> None:
    """Runs in the process of a call."""
    end_with(parent)
    os.chdir(call.folder)
    printed = os.open(PRINTED, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for stream in (1, 2):
        os.dup2(printed, stream)
    os.close(printed)
    sys.argv = [COMMAND, *call.arguments]
    runpy.run_module(COMMAND, run_name="__main__", alter_sys=True)
