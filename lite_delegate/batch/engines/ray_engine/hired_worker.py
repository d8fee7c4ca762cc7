"""HiredWorker: an actor as the driver sees it, with the one call that it has."""

from __future__ import annotations

import time
from contextlib import suppress
from enum import Enum
from typing import Any

from ...worker.job_order import Task
from .ray_package import ray_package
from .ray_worker import NodeSight


class Phase(Enum):
    """The phase of an actor's life."""

    PLACED = "Ray looks for a node"
    OPENS = "the actor opens the model"
    IDLE = "the actor has no task"
    RUNS = "the actor runs a task"


class HiredWorker:
    """An actor as the driver sees it.

    Args:
        actor: its handle.
        call: the reference to the result of the actor's first call.
    """

    def __init__(self, actor: Any, call: Any) -> None:
        self.actor = actor
        self.phase = Phase.PLACED
        self.call = call
        self.task: Task | None = None
        self.sight: NodeSight | None = None
        self._since = time.monotonic()

    def goes_on(self, phase: Phase, call: Any = None) -> None:
        """The actor begins a phase, with a call."""
        self.phase, self.call, self._since = phase, call, time.monotonic()

    @property
    def seconds(self) -> float:
        """The time since the phase began."""
        return time.monotonic() - self._since

    def kill(self) -> None:
        """Ends the actor at once."""
        with suppress(Exception):  # it has ended, or its cluster has
            ray_package().kill(self.actor)
