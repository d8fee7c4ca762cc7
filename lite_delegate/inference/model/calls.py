"""Calls: a compiled model as a function, from any number of threads and event loops."""

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
    """Calls of a compiled model, each with a runner or a request that no other uses. Safe for several threads.

    Args:
        setup: of the model; its ``optimal_requests`` run at once, others wait for their turn.
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
        """See ``forking``: no call of the parent is under way here."""
        self._turns: SimpleQueue[None] = SimpleQueue()  # a semaphore, which takes a tenth of the time of that class
        for _ in range(self._most):
            self._turns.put(None)

    def infer(self, inputs: Inputs) -> Results:
        """One call; see ``CompiledModel.__call__``. A runner that fails is not used again."""
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
        """Gives up the runners and requests that wait; the bytes that they held on devices."""
        pools = (self.__dict__.get(name) for name in ("_pool", "_idle_requests"))  # not made for this
        kept: int = self._runners.release() + sum(pool.release() for pool in pools if pool is not None)
        return kept

    @cached_property
    def _idle_requests(self) -> IdleRequests:
        from ..requests.idle_requests import IdleRequests  # calls with arrays of the host do without

        return IdleRequests(self._make_request)

    @cached_property
    def _pool(self) -> RequestPool:
        from ..requests.request_pool import RequestPool  # asyncio is loaded where it is needed

        return RequestPool(self._make_request, self._most)
