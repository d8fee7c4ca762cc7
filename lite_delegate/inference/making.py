"""Making: runners and requests of a compiled model, without the model: what it keeps must not keep it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn

from ..errors import LiteDelegateError, ShapeError
from ..formats.input_shapes import ClosedShapes
from ..ir import Graph
from ..runtime.execution.fallback import Fallbacks
from ..runtime.execution.memory import keep_freed_memory
from ..runtime.execution.run import Instead
from .executor import Executor
from .port import Port
from .runner import Runner

if TYPE_CHECKING:
    from ..runtime.planning.scheduled import Scheduled
    from .infer_request import InferRequest

RunnerMaker = Callable[..., Runner]
"""Makes a runner; takes what is to run instead of graph kernels, None by default."""


def runner_of(scheduled: Scheduled, fallbacks: Fallbacks, instead: Instead | None = None) -> Runner:
    """A runner of a plan."""
    scheduled.lease.check()
    if scheduled.settings.plan_only:
        raise LiteDelegateError("The Model was only planned and cannot predict: set Context.plan_only to False.")
    keep_freed_memory()
    settings, shared = scheduled.settings, scheduled.settings.shared_state_buffers
    held = scheduled.plan, scheduled.lease, fallbacks, scheduled.log
    counts = settings.counts_kernels
    return Runner(*held, settings.run_threads, instead, shared_state_buffers=shared, counts_kernels=counts)


def no_runner(graph: Graph, closed: ClosedShapes, error: ShapeError, instead: Instead | None = None) -> NoReturn:
    """What takes the place of ``runner_of`` for a model that waits for shapes, see ``waiting``.

    Raises:
        ShapeError: always.
    """
    from .waiting import not_planned

    raise not_planned(graph, closed, error, "run")


def request_of(
    make_runner: RunnerMaker,
    executor: Executor,
    ports: tuple[Sequence[Port], Sequence[Port]],
    instead: Instead | None = None,
    *,
    in_order: bool = False,
) -> InferRequest:
    """A request; see ``RunnerMaker``. With ``in_order`` its runs wait for all that were started before."""
    from .infer_request import InferRequest  # predictions without one do without what it imports
    from .ordered_request import OrderedRequest

    runner = make_runner(instead)
    runner.take_request_memory()
    return (OrderedRequest if in_order else InferRequest)(runner, *ports, executor)
