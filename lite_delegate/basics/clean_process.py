"""A helper process that imports nothing of the script which starts it."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from .programs import GRACE_SECONDS, ending_of, started

WATCH_SECONDS = 1.0
"""Seconds between looks at whether the parent is still there."""
START = "import sys, pickle; sys.path[:] = pickle.loads(bytes.fromhex(sys.argv[1])); from {} import enter; enter()"


class CleanProcess:
    """A process that runs a function with its end of a connection, in an interpreter of its own.

    The script that starts the process is not imported there, unlike with ``HelperProcess``: it needs no
    ``if __name__ == "__main__":``, and functions and arguments must not be defined in it.

    Args:
        target: is called with the connection and ``arguments``; importable.
        arguments: can be pickled.

    Raises:
        OSError: no process can be started.
    """

    def __init__(self, target: Callable[..., None], *arguments: Any) -> None:
        self._parent = os.getpid()
        start = [sys.executable, "-c", START.format(__name__), pickle.dumps(sys.path).hex()]
        self._process, (ours,) = started(lambda theirs: [*start, str(theirs), str(self._parent)])
        self.connection = Connection(ours.detach())
        with suppress(OSError):  # the process has ended, which shows at the first answer
            self.connection.send((target, arguments))

    @property
    def waitables(self) -> tuple[Connection]:
        """Objects that become readable when the process says something or ends."""
        return (self.connection,)

    @property
    def is_ours(self) -> bool:
        """False in a forked child of the process that started it."""
        return os.getpid() == self._parent

    @property
    def ending(self) -> str:
        """The end of the process in words: "with exit status 3", "by signal SIGSEGV"."""
        return ending_of(self._process.returncode)

    def kill(self) -> None:
        """Ends the process at once."""
        self._process.kill()
        self._process.wait()
        self.connection.close()

    def end(self) -> None:
        """Lets the process end by itself, having closed the connection; ends it when it does not."""
        self.connection.close()
        try:
            self._process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def enter() -> None:
    """Runs in the process: receives the function and calls it."""
    handle, parent = int(sys.argv[2]), int(sys.argv[3])
    os.set_inheritable(handle, False)
    end_with(parent)
    connection = Connection(handle)
    target, arguments = connection.recv()
    target(connection, *arguments)


def end_with(parent: int) -> None:
    """Lets this process end with its parent, also in the middle of native code.

    Linux could send a signal instead, but does so when the parent's thread ends, not the parent.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCH_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
