"""Functions that helper processes run in tests."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from multiprocessing.connection import Connection


def serve(connection: Connection, *arguments: object) -> None:
    """Answers questions, and ends, crashes or hangs at some."""
    connection.send(None)
    while True:
        try:
            question = connection.recv()
        except EOFError:
            return
        if question == "exit":
            os._exit(3)
        elif question == "leave a child":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(30)"], close_fds=False)
            os._exit(3)
        elif isinstance(question, signal.Signals):
            os.kill(os.getpid(), question)
        elif question == "hang":
            time.sleep(600)
        connection.send((os.getpid(), question, *arguments))


def never_ready(connection: Connection) -> None:
    """Ends before it is ready."""
    os._exit(4)
