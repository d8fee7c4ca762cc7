"""MULTI: several devices with the whole model each, among which runs are shared out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from lite_delegate_kernels import Array

from ...basics.counted import counted
from ...delegate import Kernel
from ...errors import DelegateError, InputError, UnsupportedOperatorError
from ...inference.model.compiled_model import CompiledModel
from ...inference.running.runner import Runner
from ...inference.running.runner_maker import RunnerMaker, wrapping
from ...properties import Explanation
from ...runtime.records import PartitionRecord
from ..registry.names import Physical
from ..settings.part_options import RUNTIME_FALLBACK, SCHEDULE_POLICY, STARTUP_FALLBACK, is_on
from ..settings.places import SchedulePolicy
from ..settings.properties_of_all import set_on_all
from .sharing import MultiStatus, Sharing


class MultiRunner(Runner):
    """A runner that takes the device which has room when a run begins.

    Args:
        first: runs on the first device.
        sharing: says which device it is.
    """

    def __init__(self, first: Runner, sharing: Sharing) -> None:
        self.plan, self.lease, self.log = first.plan, first.lease, first.log
        self.shared_state_buffers = first.shared_state_buffers
        self._first = first
        self._sharing = sharing
        self._device = ""

    def take_request_memory(self) -> None:
        """As ``Runner.take_request_memory``, of the first device; on the others runs share it."""
        self._first.take_request_memory()

    def give_back_memory(self) -> int:
        """As ``Runner.give_back_memory``."""
        return self._first.give_back_memory()

    @property
    def device(self) -> str:
        """The device of the latest run, "" before one."""
        return self._device

    def run(self, arrays: Sequence[Array], state: list[Array] | None = None) -> list[Array]:
        """As ``Runner.run``."""
        self._device, results = self._sharing.run(self._first, arrays, state)
        self.log = self._sharing.models[self._device].log
        return results


def compile_for_all(
    parts: Sequence[Physical],
    compiled: Callable[[Physical], CompiledModel],
    properties: Mapping[str, object],
    said: list[str],
) -> MultiModel:
    """A model compiled for several devices.

    Args:
        parts: the devices, in order.
        compiled: compiles for one of them.
        properties: SCHEDULE_POLICY; ENABLE_RUNTIME_FALLBACK, YES by default; ENABLE_STARTUP_FALLBACK: whether devices
            that are not there or do not take the whole model are left out, NO by default.
        said: gets what the user is to be warned of.

    Raises:
        InputError: the devices keep different states.
        LiteDelegateError: the model cannot be compiled for one of them.
    """
    policy = SchedulePolicy(str(properties.get(SCHEDULE_POLICY, SchedulePolicy.DEVICE_PRIORITY)))
    leaves_out, falls_back = (
        is_on(properties, STARTUP_FALLBACK, default=False),
        is_on(properties, RUNTIME_FALLBACK, default=True),
    )
    models: dict[str, CompiledModel] = {}
    for part in parts:
        try:
            models[str(part)] = compiled(part)
        except (DelegateError, UnsupportedOperatorError) as e:
            if not leaves_out or (part is parts[-1] and not models):
                _close(models)
                raise
            said.append(f"MULTI leaves device '{part}' out: {e}")
        except BaseException:
            _close(models)
            raise
    return MultiModel(models, policy, falls_back=falls_back)


def _close(models: Mapping[str, CompiledModel]) -> None:
    for model in models.values():
        model.close()


def devices_of(model: CompiledModel) -> tuple[str, ...]:
    """The devices that have kernels of a model, with their ids."""
    found = model.get_property("EXECUTION_DEVICES")
    assert isinstance(found, tuple)
    return found


class MultiModel(CompiledModel):
    """A model compiled for several devices, each of which runs it whole.

    Results may differ in rounding between devices; ``InferRequest.device`` says where the latest run was.

    Args:
        models: compiled, by device, in order.
        policy: which device comes first.
        falls_back: whether runs that fail on a device are repeated on another.

    Raises:
        InputError: the devices keep different states of the model.
    """

    def __init__(self, models: Mapping[str, CompiledModel], policy: SchedulePolicy, *, falls_back: bool) -> None:
        first = next(iter(models.values()))
        other = next((name for name, model in models.items() if model.states != first.states), None)
        if other is not None:
            raise InputError(
                f"MULTI: device '{other}' keeps other states of the model than device '{next(iter(models))}', so a "
                "request cannot go from one to the other; compile for one of them."
            )
        sharing = Sharing(models, policy, falls_back=falls_back)
        super().__init__(
            replace(
                first.setup,
                make_runner=_runner_maker(first.setup.make_runner, sharing),
                optimal_requests=sum(model.optimal_requests for model in models.values()),
                note="",  # each device's own partition has its note
                shares_worker=False,
            ),
            first.origin,
        )
        self._sharing = sharing

    @property
    def multi(self) -> MultiStatus:
        """How it stands."""
        return self._sharing.status

    @property
    def partition(self) -> PartitionRecord:
        """The partition on the first device that runs go to; its notes say how all stand."""
        status, left = self.multi, self._sharing.places.left
        record = self._sharing.models[left[0]].partition
        lines = [
            f"MULTI: {name}: {f'failed: {status.failed[name]}' if name in status.failed else counted(count, 'run')}"
            for name, count in status.runs.items()
        ]
        return replace(record, notes=(*lines, *record.notes))

    @property
    def graph_kernels(self) -> Mapping[Kernel, tuple[str, ...]]:
        """The graph kernels on the first device that runs go to."""
        return self._sharing.models[self._sharing.places.left[0]].graph_kernels

    def release_memory(self) -> int:
        """As ``CompiledModel.release_memory``, on all devices."""
        return super().release_memory() + self._sharing.release()

    def close(self, reason: str = "The compiled model has been closed.") -> None:
        """As ``CompiledModel.close``, on all devices."""
        super().close(reason)
        for model in self._sharing.models.values():
            model.close(reason)

    def explain_property(self, key: str) -> Explanation:
        """As ``CompiledModel.explain_property``; what devices have is that of the first that runs go to."""
        if key.upper() in self._facts():
            return super().explain_property(key)
        return self._sharing.models[self._sharing.places.left[0]].explain_property(key)

    def set_property(self, properties: Mapping[str, object]) -> None:
        """As ``CompiledModel.set_property``, on each device that has them; on all or none."""
        set_on_all(list(self._sharing.models.values()), properties)

    def _facts(self) -> dict[str, object]:
        left = [self._sharing.models[name] for name in self._sharing.places.left]
        return {**super()._facts(), "EXECUTION_DEVICES": tuple(name for each in left for name in devices_of(each))}


def _runner_maker(first: RunnerMaker, sharing: Sharing) -> RunnerMaker:
    """Makes runners that take the device which has room."""
    refusal = "MULTI has several devices; compile for one to run something instead of its kernels."
    return wrapping(first, partial(MultiRunner, sharing=sharing), refusal)
