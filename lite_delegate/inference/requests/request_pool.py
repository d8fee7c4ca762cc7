"""RequestPool: requests that the coroutines of all event loops share."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from threading import Lock
from typing import NoReturn, SupportsIndex
from weakref import WeakSet

from ...basics.forking import free_in_children, stays_here
from ..running.pool import Pool
from ..tensors.given_inputs import Inputs
from ..tensors.results import Results
from .infer_request import InferRequest


class RequestPool:
    """A pool of idle requests. Coroutines wait for a request where all are busy, first come, first served.

    Args:
        make: makes a request; raises ``ModelClosed`` once the model was closed.
        most: the maximum number of requests.
    """

    def __init__(self, make: Callable[[], InferRequest], most: int) -> None:
        self._make = make
        self._most = most
        self._all: WeakSet[InferRequest] = WeakSet()
        self.after_fork()
        free_in_children(self)

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """Rejected: requests belong to their process."""
        stays_here(self, "pickle the CompiledModel, and call infer_async() in the other process")

    def after_fork(self) -> None:
        """See ``forking``: requests of the parent process have no workers in the child process."""
        self._lock = Lock()
        self._all = WeakSet()
        self._requests = Pool(self._make)
        self._waiting: deque[tuple[asyncio.AbstractEventLoop, asyncio.Future[InferRequest]]] = deque()

    async def infer(self, inputs: Inputs) -> Results:
        """Runs the model once from its initial states, with an idle request; see ``InferRequest.infer_async``."""
        request = await self._taken()
        try:
            request.reset_state()
            return await request.infer_async(inputs)
        finally:
            self._give_back(request)

    def release(self) -> int:
        """Drops the idle requests; gives the bytes that they held on devices."""
        return self._requests.release()

    async def _taken(self) -> InferRequest:
        loop = asyncio.get_running_loop()
        with self._lock:
            request = self._requests.take_idle()
            if request is None and len(self._all) < self._most:
                request = self._make()
                self._all.add(request)
            if request is not None:
                return request
            given: asyncio.Future[InferRequest] = loop.create_future()
            self._waiting.append((loop, given))
        try:
            return await given
        except BaseException:
            if given.done() and not given.cancelled():  # the request came after the cancellation
                self._give_back(given.result())
            raise

    def _give_back(self, request: InferRequest) -> None:
        """Hands a request to a waiting coroutine of any loop, or keeps the request."""
        while True:
            with self._lock:
                if not self._waiting:
                    self._requests.put(request)
                    return
                loop, wanted = self._waiting.popleft()
            try:
                loop.call_soon_threadsafe(self._hand, wanted, request)
            except RuntimeError:  # the loop is closed
                continue
            return

    def _hand(self, wanted: asyncio.Future[InferRequest], request: InferRequest) -> None:
        if wanted.done():
            self._give_back(request)
        else:
            wanted.set_result(request)
