"""Calls: a compiled model as a function, for any number of threads and event loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from queue import SimpleQueue
from typing import TYPE_CHECKING

from ...basics.forking import free_in_children
from ..running.runners import Runners, with_memory
from ..tensors.given_inputs import Inputs, arrays_of
from ..tensors.results import Results
from .run_setup import RunSetup

if TYPE_CHECKING:
    from ...tensors.tensor import Tensor
    from ..requests.idle_requests import IdleRequests
    from ..requests.infer_request import InferRequest
    from ..requests.request_pool import RequestPool


class Calls:
    """Calls of a compiled model, each with a runner or a request of its own. Safe for several threads.

    Args:
        setup: of the model; at most its ``optimal_requests`` calls run at once, and later calls wait.
        make_request: makes a request; raises ``ModelClosed`` once the model was closed, as the maker of runners does.
    """

    def __init__(self, setup: RunSetup, make_request: Callable[[], InferRequest]) -> None:
        self._runners = Runners(with_memory(setup.make_runner))
        self._most, self._in_order = setup.optimal_requests, setup.runs_in_order
        self._inputs, self._outputs = setup.inputs, setup.outputs
        self._make_request = make_request
        self.after_fork()
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``: calls of the parent process are not under way in the child process."""
        self._turns: SimpleQueue[None] = SimpleQueue()  # a semaphore, ten times as fast as the class of that name
        for _ in range(self._most):
            self._turns.put(None)

    def infer(self, inputs: Inputs) -> Results:
        """One call; see ``CompiledModel.__call__``. A runner whose run fails is not used again."""
        if self._in_order:
            return self.infer_into(inputs, ())
        arrays = arrays_of(inputs, self._inputs)
        self._turns.get()
        try:
            return Results(self._outputs, self._runners.run(arrays))
        finally:
            self._turns.put(None)

    def infer_into(self, inputs: Inputs, outputs: Sequence[Tensor]) -> Results:
        """One call by a request; see ``CompiledModel.infer_into``."""
        return self._idle_requests.infer(inputs, outputs)

    async def infer_async(self, inputs: Inputs) -> Results:
        """One call while the event loop goes on; see ``CompiledModel.infer_async``."""
        return await self._pool.infer(inputs)

    def release(self) -> int:
        """Drops the idle runners and requests; gives the bytes that they held on devices."""
        pools = (self.__dict__.get(name) for name in ("_pool", "_idle_requests"))  # no new pools
        kept: int = self._runners.release() + sum(pool.release() for pool in pools if pool is not None)
        return kept

    @cached_property
    def _idle_requests(self) -> IdleRequests:
        from ..requests.idle_requests import IdleRequests  # only calls with outputs, or in order, need requests

        return IdleRequests(self._make_request)

    @cached_property
    def _pool(self) -> RequestPool:
        from ..requests.request_pool import RequestPool  # asyncio is loaded only for asynchronous calls

        return RequestPool(self._make_request, self._most)
