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
from ...inference.model.model_devices import ModelDevices
from ...inference.model.status import MultiStatus
from ...inference.model_file.parts import ModelParts
from ...inference.running.runner import Runner
from ...inference.running.runner_maker import RunnerMaker, wrapping
from ...properties import Explanation, Layer, Opinion
from ...runtime.records import PartitionRecord
from ..registry.names import Multi, Physical
from ..settings.device_slots import SchedulePolicy
from ..settings.properties_of_all import set_on_all
from ..settings.virtual_properties import RUNTIME_FALLBACK, SCHEDULE_POLICY, STARTUP_FALLBACK, own_value
from .run_dispatch import RunDispatch


class MultiRunner(Runner):
    """A runner that takes a device with room when a run begins.

    Args:
        first: the runner on the first device.
        dispatch: says which device a run goes to.
    """

    def __init__(self, first: Runner, dispatch: RunDispatch) -> None:
        self.plan, self.lease, self.log = first.plan, first.lease, first.log
        self.shared_state_buffers = first.shared_state_buffers
        self._first = first
        self._dispatch = dispatch
        self._device = ""

    def take_request_memory(self) -> None:
        """As ``Runner.take_request_memory``, for the first device; on the other devices runs share memory."""
        self._first.take_request_memory()

    def give_back_memory(self) -> int:
        """As ``Runner.give_back_memory``."""
        return self._first.give_back_memory()

    @property
    def device(self) -> str:
        """The device of the latest run, "" before the first run."""
        return self._device

    def run(self, arrays: Sequence[Array], state: list[Array] | None = None) -> list[Array]:
        """As ``Runner.run``."""
        self._device, results = self._dispatch.run(self._first, arrays, state)
        self.log = self._dispatch.models[self._device].log
        return results


def compile_for_all(
    parts: Sequence[Physical],
    compiled: Callable[[Physical], CompiledModel],
    properties: Mapping[str, object],
    said: list[str],
) -> CompiledModel:
    """A model compiled for several devices.

    Args:
        parts: the devices, in order.
        compiled: compiles for a device.
        properties: SCHEDULE_POLICY; ENABLE_RUNTIME_FALLBACK; ENABLE_STARTUP_FALLBACK: whether devices that are not
            there or do not take the whole model are left out.
        said: receives the warnings for the user.

    Raises:
        InputError: the devices keep different states.
        LiteDelegateError: the model cannot be compiled for a device.
    """
    policy = SchedulePolicy(str(own_value(Multi, properties, SCHEDULE_POLICY)))
    leaves_out = own_value(Multi, properties, STARTUP_FALLBACK) is True
    falls_back = own_value(Multi, properties, RUNTIME_FALLBACK) is True
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
    return multi_model(models, policy, falls_back=falls_back)


def _close(models: Mapping[str, CompiledModel]) -> None:
    for model in models.values():
        model.close()


def devices_of(model: CompiledModel) -> tuple[str, ...]:
    """The names of the devices that have kernels of a model, with the devices' ids."""
    found = model.get_property("EXECUTION_DEVICES")
    assert isinstance(found, tuple)
    return found


class MultiDevices(ModelDevices):
    """Several devices, each of which runs the whole model. Answers are about the first device that runs go to.

    Results may differ in rounding between devices; ``InferRequest.device`` names the device of the latest run.

    Args:
        dispatch: has a compiled model for each device.
    """

    def __init__(self, dispatch: RunDispatch) -> None:
        self._dispatch = dispatch

    @property
    def models(self) -> tuple[CompiledModel, ...]:
        """The models compiled for the devices, in order."""
        return tuple(self._dispatch.models.values())

    @property
    def _left(self) -> list[CompiledModel]:
        """The models of the devices that runs still go to."""
        return [self._dispatch.models[name] for name in self._dispatch.slots.left]

    @property
    def multi(self) -> MultiStatus:
        """As ``ModelDevices.multi``."""
        return self._dispatch.status

    @property
    def partition(self) -> PartitionRecord:
        """As ``ModelDevices.partition``."""
        status, record = self.multi, self._left[0].partition
        lines = [
            f"MULTI: {name}: {f'failed: {status.failed[name]}' if name in status.failed else counted(count, 'run')}"
            for name, count in status.runs.items()
        ]
        return replace(record, notes=(*lines, *record.notes))

    @property
    def graph_kernels(self) -> Mapping[Kernel, tuple[str, ...]]:
        """As ``ModelDevices.graph_kernels``."""
        return self._left[0].graph_kernels

    def parts(self) -> ModelParts:
        """As ``ModelDevices.parts``, of the first device."""
        return self.models[0].parts()

    @property
    def at_run_time(self) -> Mapping[str, object]:
        """As ``ModelDevices.at_run_time``."""
        return self._left[0].setup.devices.at_run_time

    def explain(self, key: str, facts: Mapping[str, object]) -> Explanation:
        """As ``ModelDevices.explain``."""
        left = self._left
        known = {**facts, "EXECUTION_DEVICES": tuple(name for each in left for name in devices_of(each))}
        if (name := str(key).upper()) in known:
            return Explanation(name, Opinion(Layer.PROFILE, known[name]))
        return left[0].explain_property(key)

    def set_property(self, properties: Mapping[str, object]) -> None:
        """As ``ModelDevices.set_property``, on each device that has the properties; on all such devices or none."""
        set_on_all(self.models, properties)

    def release(self) -> int:
        """As ``ModelDevices.release``."""
        return self.models[0].release_memory() + self._dispatch.release()

    def close(self, reason: str) -> None:
        """As ``ModelDevices.close``."""
        for model in self.models:
            model.close(reason)
        self._dispatch.release()


def multi_model(models: Mapping[str, CompiledModel], policy: SchedulePolicy, *, falls_back: bool) -> CompiledModel:
    """A model compiled for several devices, each of which runs the whole model.

    Args:
        models: compiled models by device, in order.
        policy: says which device comes first.
        falls_back: whether runs that fail on a device are repeated on another device.

    Raises:
        InputError: the devices keep different states of the model.
    """
    first = next(iter(models.values()))
    other = next((name for name, model in models.items() if model.states != first.states), None)
    if other is not None:
        raise InputError(
            f"MULTI: device '{other}' keeps other states of the model than device '{next(iter(models))}', so a "
            "request cannot go from one device to the other; compile for one device."
        )
    dispatch = RunDispatch(models, policy, falls_back=falls_back)
    setup = replace(
        first.setup,
        devices=MultiDevices(dispatch),
        make_runner=_runner_maker(first.setup.make_runner, dispatch),
        optimal_requests=sum(model.optimal_requests for model in models.values()),
        shared_worker=None,
    )
    return CompiledModel(setup, first.origin)


def _runner_maker(first: RunnerMaker, dispatch: RunDispatch) -> RunnerMaker:
    """The maker of runners that take a device with room."""
    refusal = "MULTI has several devices; compile for one device to run something instead of its kernels."
    return wrapping(first, partial(MultiRunner, dispatch=dispatch), refusal)
