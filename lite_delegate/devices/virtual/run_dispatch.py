"""RunDispatch: the dispatch of runs to the devices of MULTI."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from threading import Lock
from types import MappingProxyType

from lite_delegate_kernels import Array

from ...basics.forking import free, free_in_children
from ...errors import DelegateExecuteError, DelegateWarning, DeviceLost
from ...inference.model.compiled_model import CompiledModel
from ...inference.model.status import MultiStatus
from ...inference.profiling.stages import InStage, Stage
from ...inference.running.runner import Runner
from ...inference.running.runners import Runners, with_memory
from ..settings.device_slots import DeviceSlots, SchedulePolicy
from .hand_over import MOST_FAILURES


class RunDispatch:
    """The dispatch of a model's runs to devices with room. Safe for several threads.

    Args:
        models: compiled models by device, in order.
        policy: says which device comes first.
        falls_back: whether runs that fail on a device are repeated on another device.
    """

    def __init__(self, models: Mapping[str, CompiledModel], policy: SchedulePolicy, *, falls_back: bool) -> None:
        self.models = dict(models)
        self.slots = DeviceSlots({name: model.optimal_requests for name, model in models.items()}, policy)
        self._falls_back = falls_back
        self._first, *others = models
        self._runners = {name: Runners(with_memory(models[name].create_runner)) for name in others}
        self._runs = dict.fromkeys(models, 0)
        self._failures = dict.fromkeys(models, 0)
        self._failed: dict[str, str] = {}
        self._repeated = 0
        self._lock = Lock()
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``: the thread that held the lock in the parent process is not in the child."""
        free(self._lock)

    @property
    def status(self) -> MultiStatus:
        """The number of runs and the failure of each device, and the number of repeated runs."""
        with self._lock:
            return MultiStatus(MappingProxyType({**self._runs}), MappingProxyType({**self._failed}), self._repeated)

    def run(self, first: Runner, arrays: Sequence[Array], state: list[Array] | None) -> tuple[str, list[Array]]:
        """The device that computed a run, and the outputs of the run.

        Args:
            first: the request's own runner, on the first device.
            arrays, state: as for ``Runner.run``.

        Raises:
            RequestCancelled: the run was cancelled while it waited for a device.
            KernelError, DelegateExecuteError: as ``Runner.run``, where the run is not repeated.
        """
        while True:
            with InStage(Stage.QUEUE) as queued, self.slots.taken() as name:
                queued.end()
                after = None if state is None else list(state)
                try:
                    results = (first if name == self._first else self._runners[name]).run(arrays, after)
                except DelegateExecuteError as e:
                    self._take_back(name, e)
                    continue
                if state is not None and after is not None:
                    state[:] = after
                with self._lock:
                    self._runs[name] += 1
                return name, results

    def release(self) -> int:
        """Gives up the idle runners, and returns the number of bytes that they held on devices."""
        return sum(runners.release() for runners in self._runners.values())

    def _take_back(self, name: str, error: DelegateExecuteError) -> None:
        """Notes a run that failed on a device; a device that is lost or fails again gets no more runs.

        Raises:
            DelegateExecuteError: the error, where the run is not repeated.
        """
        if not self._falls_back or len(self.slots.left) < 2:
            raise error
        with self._lock:
            self._repeated += 1
            self._failures[name] += 1
            if (not isinstance(error, DeviceLost) and self._failures[name] < MOST_FAILURES) or name in self._failed:
                return
            self._failed[name] = str(error)
        self.slots.drop(name)
        warnings.warn(DelegateWarning(f"MULTI: no run goes to device '{name}' any more: {error}"), stacklevel=2)
