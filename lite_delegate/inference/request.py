"""InferRequest: predictions of a compiled model, one at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock

from lite_delegate_kernels import Array

from ..delegate import SpanKind, span
from ..errors import RequestBusy
from ..forking import free, free_in_children
from ..runtime.execution.fallback import Fallbacks
from ..runtime.execution.inputs import arrays_of
from ..runtime.execution.plan import ExecutionPlan
from ..runtime.execution.run import Instead, Run
from ..runtime.execution.threads import limited_threads
from ..runtime.execution.watching import CHECK_INPUTS, DISPATCH
from ..runtime.lifetimes.lease import Lease
from ..tensor import Tensor


class InferRequest:
    """The private state of one prediction, kept for the next: forks of graph kernels, and what is bound to them.

    ``CompiledModel.create_infer_request`` makes it. Intermediate results are let go along the way; between predictions
    it holds what the forks of graph kernels hold, and no array of a prediction.

    One prediction at a time: threads that predict at once need a request each. After a prediction that failed it may be
    used again. It keeps what the compiled model holds, so it may outlive it.

    Args:
        plan: what it executes.
        lease: what the plan needs.
        fallbacks: how the plan's graph kernels do.
        threads: that a CPU kernel may use; 0: as many as the math library takes.
        instead: what runs in the steps of graph kernels; None: they do.
    """

    def __init__(
        self, plan: ExecutionPlan, lease: Lease, fallbacks: Fallbacks, threads: int, instead: Instead | None = None
    ) -> None:
        self._expected = plan.inputs
        self._lease = lease
        self._run = Run(plan, fallbacks, instead)
        self._threads = threads
        self._busy = False
        self._lock = Lock()
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``: the prediction that may be under way in the parent is not here."""
        free(self._lock)
        self._busy = False

    def infer(self, inputs: Sequence[Tensor | Array] | Mapping[str, Tensor | Array]) -> list[Array]:
        """Runs the model once.

        Args:
            inputs: a tensor or an array for each input, in order or by name. They are not written to.

        Returns:
            The outputs in order; new arrays, which are the caller's.

        Raises:
            TypeError: an argument of the wrong type.
            InputError: an input of the wrong number, name, dtype or shape; nothing has run.
            RequestBusy: a prediction of this request is under way.
            ModelClosed: the compiled model has been closed.
            KernelError: a CPU kernel failed; the message names it.
            DelegateExecuteError: a graph kernel failed, and no CPU kernel takes over; the message names it.
        """
        begun = self._lease.enter()
        try:
            return self._infer(inputs)
        finally:
            del begun
            self._lease.leave()

    def _infer(self, inputs: Sequence[Tensor | Array] | Mapping[str, Tensor | Array]) -> list[Array]:
        mine = False
        with span(SpanKind.HOST, CHECK_INPUTS):
            arrays = arrays_of(inputs, self._expected)
        try:
            with self._lock:
                if self._busy:
                    raise RequestBusy(
                        "The request is busy with another prediction: make one request for each thread "
                        "(CompiledModel.create_infer_request)."
                    )
                self._busy = mine = True
            with span(SpanKind.HOST, DISPATCH), limited_threads(self._threads):
                return self._run.execute(arrays)
        finally:
            if mine:
                self._busy = False
