"""The maker of a compiled model's requests, which holds no reference to the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...runtime.execution.run import Instead
from ..executor.executor import Executor
from ..running.runner_maker import RunnerMaker
from ..tensors.port import Port

if TYPE_CHECKING:
    from .infer_request import InferRequest


def request_of(
    make_runner: RunnerMaker,
    executor: Executor,
    ports: tuple[Sequence[Port], Sequence[Port]],
    instead: Instead | None = None,
    *,
    in_order: bool = False,
) -> InferRequest:
    """Makes a request; see ``RunnerMaker``. With ``in_order`` its runs wait for all earlier runs of the model."""
    from .infer_request import InferRequest  # predictions without a request do not need these imports
    from .ordered_request import OrderedRequest

    runner = make_runner(instead)
    runner.take_request_memory()
    return (OrderedRequest if in_order else InferRequest)(runner, *ports, executor)
