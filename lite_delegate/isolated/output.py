"""The output of a delegate's process: read from a pipe as it comes, the last of it kept."""

from __future__ import annotations

import os
from threading import Lock, Thread

MOST_BYTES = 1 << 16
"""Bytes of the output that are kept."""
MOST_LINES = 3
MOST_CHARACTERS = 200
END_SECONDS = 0.5
"""Seconds in which the last output of a process that has ended comes."""


class ProcessOutput:
    """What a process has printed last. A thread reads it, so that the process never waits.

    Args:
        descriptor: of the end of the pipe that is read; it is closed when nobody can write any more.
    """

    def __init__(self, descriptor: int) -> None:
        self._kept = bytearray()
        self._lock = Lock()
        self._thread = Thread(target=self._read, args=(descriptor,), daemon=True, name="output of a delegate's process")
        self._thread.start()

    @property
    def text(self) -> str:
        """The last output, at most ``MOST_BYTES`` of it."""
        with self._lock:
            return self._kept.decode("utf-8", "replace")

    def last_lines(self) -> str:
        """The last lines of a process that has ended, in one line; "" where it printed nothing."""
        self._thread.join(END_SECONDS)
        lines = ["".join(filter(str.isprintable, " ".join(line.split()))) for line in self.text.splitlines()]
        return " | ".join(line[:MOST_CHARACTERS] for line in [line for line in lines if line][-MOST_LINES:])

    def _read(self, descriptor: int) -> None:
        try:
            while found := os.read(descriptor, 1 << 14):
                with self._lock:
                    self._kept += found
                    del self._kept[:-MOST_BYTES]
        finally:
            os.close(descriptor)
