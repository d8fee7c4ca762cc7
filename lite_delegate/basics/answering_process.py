"""AnsweringProcess: a helper process that answers questions, and may crash or hang at any of them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any
from weakref import finalize

from .clean_process import CleanProcess
from .failures import said
from .helper_process import STARTUP_SECONDS, HelperProcess

Helper = CleanProcess | HelperProcess


class HelperEnded(Exception):
    """The process ended, or was ended because it took too long; the message says how."""


class NoProcess(Exception):
    """No process can be started; the message says why. The cause is ``HelperEnded`` where one ended as it started."""


class AnsweringProcess:
    """A process for questions, started at the first question and again after it ended.

    The process ends when nobody has the object any more, and with this process. Safe for several threads.

    Args:
        serve: answers in the process: it gets the connection and the arguments, sends one object once it is ready, and
            then one for each object that it receives.
        arguments: can be pickled.
        kind: the kind of process: a ``HelperProcess`` knows the objects of the script that starts it.

    Attributes:
        started: the number of processes so far.
    """

    def __init__(self, serve: Callable[..., None], *arguments: Any, kind: type[Helper] = CleanProcess) -> None:
        self.started = 0
        self._serve, self._arguments, self._kind = serve, arguments, kind
        self._lock = threading.Lock()
        self._helpers: list[Helper] = []
        finalize(self, _end, self._helpers)

    def ask(self, question: object, seconds: float) -> Any:
        """The answer to a question.

        Args:
            question: can be pickled.
            seconds: the time that the process has for its answer.

        Raises:
            HelperEnded: the process ended in place of an answer.
            NoProcess: no process can be started.
        """
        with self._lock:
            helper = self._helper()
            try:
                with suppress(OSError):  # the process has ended, which shows next
                    helper.connection.send(question)
                return self._heard(helper, seconds)
            except HelperEnded:
                raise
            except BaseException:
                self._kill(helper)
                raise

    def close(self) -> None:
        """Ends the process; the next question starts another one."""
        with self._lock:
            _end(self._helpers)

    def _helper(self) -> Helper:
        if self._helpers and not self._helpers[0].is_ours:
            self._helpers.clear()  # it is the parent's, from which this process was forked
        if self._helpers:
            return self._helpers[0]
        try:
            helper = self._kind(self._serve, *self._arguments)
        except (OSError, AssertionError, RuntimeError) as e:
            raise NoProcess(said(e)) from e
        self._helpers.append(helper)
        self.started += 1
        try:
            self._heard(helper, STARTUP_SECONDS)
        except HelperEnded as e:
            raise NoProcess(f"it {e} while it started") from e
        except BaseException:
            self._kill(helper)
            raise
        return helper

    def _heard(self, helper: Helper, seconds: float) -> Any:
        if not wait(helper.waitables, seconds):
            self._kill(helper)
            raise HelperEnded(f"gave no answer within {seconds:g} s")
        with suppress(EOFError, OSError):
            if _has_spoken(helper.connection):
                return helper.connection.recv()
        helper.end()
        self._helpers.remove(helper)
        raise HelperEnded(f"ended {helper.ending}")

    def _kill(self, helper: Helper) -> None:
        if helper in self._helpers:
            self._helpers.remove(helper)
            helper.kill()


def _has_spoken(connection: Connection) -> bool:
    """Whether there is an answer; else the process ended, and a process of its own may hold the connection."""
    return connection.poll()


def _end(helpers: list[Helper]) -> None:
    """Ends the process, unless it belongs to the process from which this one was forked."""
    while helpers:
        helper = helpers.pop()
        if helper.is_ours:
            helper.end()
