"""Programs: started with sockets to this process, and their ends in words."""

from __future__ import annotations

import signal
import socket
import subprocess
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

GRACE_SECONDS = 2.0
"""Seconds that a process has to end by itself."""


def started(
    command: Callable[..., Sequence[str]], sockets: int = 1, **how: Any
) -> tuple[subprocess.Popen[bytes], list[socket.socket]]:
    """A program that has ends of socket pairs, and nothing to read from standard input.

    Args:
        command: gives the command line for the descriptors of the program's ends.
        sockets: the number of socket pairs.
        how: further arguments of ``subprocess.Popen``.

    Returns:
        The process, and this process's ends.

    Raises:
        OSError: the program cannot be started; no socket is left open.
    """
    with ExitStack() as kept, ExitStack() as given:
        pairs = [socket.socketpair() for _ in range(sockets)]
        ours, theirs = [kept.enter_context(a) for a, _ in pairs], [given.enter_context(b) for _, b in pairs]
        passed = [each.fileno() for each in theirs]
        process = subprocess.Popen(command(*passed), stdin=subprocess.DEVNULL, pass_fds=passed, **how)
        kept.pop_all()
    return process, ours


def ending_of(code: int | None) -> str:
    """The end of a process by its exit code, negative for a signal: "with exit status 3", "by signal SIGSEGV"."""
    return f"with exit status {code}" if code is None or code >= 0 else f"by signal {signal_name(-code)}"


def signal_name(number: int) -> str:
    """The name of a signal, "SIGSEGV"; its number where it has no name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
