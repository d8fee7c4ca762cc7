"""Commands whose standard error, or whose output and errors, are a terminal."""

from __future__ import annotations

import os
import struct
import subprocess
import threading
from collections.abc import Container, Mapping
from pathlib import Path


def on_terminal(
    command: list[str],
    *,
    columns: int = 80,
    both: bool = False,
    cwd: Path | None = None,
    variables: Mapping[str, str] | None = None,
    statuses: Container[int] = (0, 2),
) -> str:
    """What a command writes to its standard error, which is a terminal.

    Args:
        command: must end with one of the statuses.
        columns: of the terminal.
        both: whether standard output is the terminal, too.
        cwd: the working directory.
        variables: of the environment, beside those of this process.
        statuses: of the end of the command.
    """
    import fcntl
    import pty
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    found: list[bytes] = []

    def collect() -> None:
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:
                return
            if not part:
                return
            found.append(part)

    reader = threading.Thread(target=collect)
    reader.start()
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    done = subprocess.run(
        command,
        stdout=theirs if both else subprocess.DEVNULL,
        stderr=theirs,
        cwd=cwd,
        env={**environment, "TERM": "xterm-256color", **(variables or {})},
    )
    os.close(theirs)
    reader.join()
    os.close(ours)
    assert done.returncode in statuses, b"".join(found).decode()
    return b"".join(found).decode()
