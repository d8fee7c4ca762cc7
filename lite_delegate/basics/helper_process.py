"""A helper process: started anew, reached through a connection, ended with its parent; and how it ended, in words."""

from __future__ import annotations

import os
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from .programs import GRACE_SECONDS, ending_of

STARTUP_SECONDS = 60.0
"""Seconds that a helper process has for its imports."""


class HelperProcess:
    """A process that runs a function with its end of a connection, started with the ``spawn`` method.

    A script that starts a helper process needs the usual ``if __name__ == "__main__":`` around its own work.

    Args:
        target: is called with the connection and ``arguments``; importable.
        arguments: can be pickled.

    Raises:
        OSError: no process can be started.
        AssertionError: this process is a daemon process, which may not start processes.
    """

    def __init__(self, target: Callable[..., None], *arguments: Any) -> None:
        context = get_context("spawn")
        self.connection: Connection
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=target, args=(theirs, *arguments), daemon=True)
        self._parent = os.getpid()
        try:
            self._process.start()
        except BaseException:
            self.connection.close()
            raise
        finally:
            theirs.close()  # so that the end of the process closes the connection

    @property
    def waitables(self) -> tuple[Connection, int]:
        """Objects that become readable when the process says something or ends."""
        return self.connection, self._process.sentinel

    @property
    def is_alive(self) -> bool:
        """The process runs."""
        return self._process.is_alive()

    @property
    def is_ours(self) -> bool:
        """False in a forked child of the process that started it."""
        return os.getpid() == self._parent

    @property
    def ending(self) -> str:
        """The end of the process in words: "with exit status 3", "by signal SIGSEGV"."""
        return ending_of(self._process.exitcode)

    def kill(self) -> None:
        """Ends the process at once."""
        self._process.kill()
        self._process.join()
        self.connection.close()

    def end(self) -> None:
        """Lets the process end by itself, having closed the connection; ends it when it does not."""
        self.connection.close()
        self._process.join(GRACE_SECONDS)
        self._process.kill()
        self._process.join()
