"""Trier: tries graphs on delegates in a helper process, and starts another process after a crash."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from multiprocessing.connection import wait
from weakref import finalize

from ..basics.failures import said
from ..basics.helper_process import STARTUP_SECONDS, HelperProcess
from ..delegate import Delegate
from ..ir import Graph
from ..runtime.binding.host import CustomOperator
from ..runtime.settings import Tried


class Trier:
    """Tries graphs in one helper process, which is started when it is needed and again after it ended.

    What came of a graph is kept, so the same graph is tried once. The process ends when nobody has the object any more,
    and with this process.

    Args:
        seconds: that it has for a graph.

    Attributes:
        started: how many helper processes there have been.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.started = 0
        self._lock = threading.Lock()
        self._known: dict[bytes, Tried] = {}
        self._helpers: list[HelperProcess] = []
        finalize(self, _end, self._helpers)

    def tried(
        self, delegate: Delegate, graph: Graph, customs: Mapping[str, CustomOperator], *, executes: bool
    ) -> Tried:
        """The result of building a graph for a delegate in the helper process.

        Args:
            delegate: made there anew by its ``remake``, else from its pickle.
            graph: of one run.
            customs: the user's kernels of the graph's Custom nodes, by type.
            executes: whether it is run once as well, on random inputs.
        """
        from .serving import GraphTask

        try:
            made = pickle.dumps(delegate.remake or delegate)
            data = pickle.dumps(GraphTask(made, graph, customs, executes))
        except Exception as e:  # what is pickled is the user's
            return Tried(untried=f"it cannot be sent to another process: {said(e)}")
        key = blake2b(data, digest_size=16).digest()
        with self._lock:
            if key not in self._known:
                self._known[key] = self._asked(data)
            return self._known[key]

    def _asked(self, data: bytes) -> Tried:
        helper = self._helper()
        if isinstance(helper, Tried):
            return helper
        try:
            with suppress(OSError):  # it has ended, which shows next
                helper.connection.send_bytes(data)
            return self._heard(helper, self.seconds)
        except BaseException:
            self._kill(helper)
            raise

    def _helper(self) -> HelperProcess | Tried:
        """The helper process, ready; or why there is none."""
        if self._helpers and not self._helpers[0].is_ours:
            self._helpers.clear()  # it is the parent's, from which this process was forked
        if self._helpers:
            return self._helpers[0]
        from .serving import serve

        try:
            helper = HelperProcess(serve)
        except (OSError, AssertionError, RuntimeError) as e:
            return Tried(untried=f"no helper process can be started: {said(e)}")
        self._helpers.append(helper)
        self.started += 1
        try:
            ready = self._heard(helper, STARTUP_SECONDS)
        except BaseException:
            self._kill(helper)
            raise
        return Tried(untried=f"the helper process {ready.ended} while it started") if ready.ended else helper

    def _heard(self, helper: HelperProcess, seconds: float) -> Tried:
        """The answer of the helper process, or its ending in place of an answer."""
        if not wait(helper.waitables, seconds):
            self._kill(helper)
            return Tried(ended=f"gave no answer within {seconds:g} s")
        with suppress(EOFError, OSError):
            if helper.connection.poll():  # else it ended, and a process of its own may hold the connection
                answer: Tried = helper.connection.recv()
                return answer
        helper.end()
        self._helpers.remove(helper)
        return Tried(ended=f"ended {helper.ending}")

    def _kill(self, helper: HelperProcess) -> None:
        if helper in self._helpers:
            self._helpers.remove(helper)
            helper.kill()


def _end(helpers: list[HelperProcess]) -> None:
    """Ends the helper process, unless it belongs to the process from which this one was forked."""
    while helpers:
        helper = helpers.pop()
        if helper.is_ours:
            helper.end()
