"""Trier: tries graphs on delegates in a helper process, and starts another process after a crash."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Mapping
from hashlib import blake2b
from multiprocessing.connection import Connection

from ..basics.answering_process import AnsweringProcess, HelperEnded, NoProcess
from ..basics.failures import said
from ..basics.helper_process import HelperProcess
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
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._lock = threading.Lock()
        self._known: dict[bytes, Tried] = {}
        self._process = AnsweringProcess(_serve, kind=HelperProcess)

    @property
    def started(self) -> int:
        """The number of helper processes so far."""
        return self._process.started

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
        """The answer of the helper process, or its ending in place of an answer."""
        try:
            answer: Tried = self._process.ask(data, self.seconds)
        except HelperEnded as e:
            return Tried(ended=str(e))
        except NoProcess as e:
            if isinstance(e.__cause__, HelperEnded):
                return Tried(untried=f"the helper process {e.__cause__} while it started")
            return Tried(untried=f"no helper process can be started: {e}")
        return answer


def _serve(connection: Connection) -> None:
    """Runs in the helper process, which imports what it needs to build models."""
    from .serving import serve

    serve(connection)
