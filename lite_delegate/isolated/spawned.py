"""A spawned interpreter: its sockets, its output, and its end."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from time import monotonic, sleep

from ..basics.programs import GRACE_SECONDS, ending_of, started
from .output import ProcessOutput

POLL_SECONDS = 0.002


class Spawned:
    """An interpreter that runs a file, in a session of its own, so that Ctrl-C does not reach it.

    It is killed by the kernel when this process ends, in whatever way.

    Args:
        python: the interpreter.
        file: is run with the descriptors of its ends of a control socket and of a life socket.
        folder: is told to programs as the folder for their temporary files.

    Attributes:
        control: this end of the control socket.
        output: what it prints.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(self, python: str, file: str, folder: str) -> None:
        reads, writes = os.pipe2(os.O_CLOEXEC)
        try:
            self._process, (self.control, self._life) = started(
                lambda control, life: [python, file, str(control), str(life)],
                sockets=2,
                stdout=writes,
                stderr=writes,
                start_new_session=True,
                env={**os.environ, "TMPDIR": folder},
            )
        except OSError:
            os.close(reads)
            raise
        finally:
            os.close(writes)
        self.output = ProcessOutput(reads)

    def forget(self) -> None:
        """Closes this side, without a look at the process, which may be another's."""
        self.control.close()
        self._life.close()

    def ended(self) -> str:
        """How the process ended: "with exit status 3", "by signal SIGSEGV". It is killed if it has not ended by now."""
        has_ended = self._waited(GRACE_SECONDS)
        self._kill()
        return ending_of(self._process.returncode) if has_ended else "by closing its connection"

    def close(self, *, is_gentle: bool) -> None:
        """Ends the process and what it has started."""
        self.control.close()
        if is_gentle:
            self._waited(GRACE_SECONDS)
        self._kill()
        self._life.close()

    def _waited(self, seconds: float) -> bool:
        """Whether the process ends in that time. Its number stays its own meanwhile: ``_kill`` has to follow."""
        deadline = monotonic() + seconds
        while self._process.returncode is None:
            if os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                return True
            if monotonic() > deadline:
                return False
            sleep(POLL_SECONDS)
        return True

    def _kill(self) -> None:
        if self._process.returncode is None:
            with suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)  # programs that it has started, too
            self._process.kill()
            self._process.wait()
