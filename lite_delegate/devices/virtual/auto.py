"""AUTO: the CPU serves at once while the model is compiled for a better device; later runs go over to the device."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from lite_delegate_kernels import Array

from ...delegate import Kernel
from ...errors import DelegateError, DelegateExecuteError, UnsupportedOperatorError
from ...inference.model.compiled_model import CompiledModel
from ...inference.model.model_devices import ModelDevices
from ...inference.model.run_setup import RunSetup
from ...inference.model.status import AutoStatus
from ...inference.model_file.parts import ModelParts
from ...inference.running.runner import Runner
from ...inference.running.runner_maker import RunnerMaker, wrapping
from ...inference.tensors.snapshot import states_of
from ...properties import Explanation, Layer, Opinion, PropertySpec, Registry
from ...runtime.execution.plan import ExecutionPlan
from ...runtime.records import PartitionRecord
from ..registry.names import CPU, Auto, Physical
from ..settings.auto_choice import choose
from ..settings.virtual_properties import RUNTIME_FALLBACK, STARTUP_FALLBACK, own_value
from .estimates import estimate_of
from .hand_over import HandOver

Compile = Callable[[Physical, list[str], Sequence[str]], CompiledModel]
"""Compiles for a device; receives a list for the warnings, and the notes on devices that were passed over."""


class AutoRunner(Runner):
    """A runner that takes the CPU or the device, as the hand-over says when a run begins.

    The request's states go with the run; where the device keeps other states of the model, the run stays on the CPU.

    Args:
        on_cpu: the runner on the CPU.
        hand_over: says which device runs go to.
    """

    def __init__(self, on_cpu: Runner, hand_over: HandOver) -> None:
        self.plan, self.lease = on_cpu.plan, on_cpu.lease
        self.shared_state_buffers = on_cpu.shared_state_buffers
        self._on_cpu = on_cpu
        self._hand_over = hand_over
        self._on_device: tuple[CompiledModel, Runner] | None = None
        self._device, self.log = CPU, on_cpu.log

    @property
    def next_plan(self) -> ExecutionPlan:
        """The plan of the next run: the device's plan once the device takes runs, else the CPU's."""
        found = self._hand_over.found
        return self.plan if found is None else found[1].plan

    def take_request_memory(self) -> None:
        """As ``Runner.take_request_memory``, for the CPU's plan."""
        self._on_cpu.take_request_memory()

    def give_back_memory(self) -> int:
        """As ``Runner.give_back_memory``."""
        return self._on_cpu.give_back_memory()

    @property
    def device(self) -> str:
        """The device of the latest run; the CPU before the first run."""
        return self._device

    def run(self, arrays: Sequence[Array], state: list[Array] | None = None) -> list[Array]:
        """As ``Runner.run``."""
        found = self._hand_over.found
        if found is None:
            self._on_device = None
        elif not state or found[1].states == states_of(self.plan):
            name, compiled = found
            after = None if state is None else list(state)
            try:
                results = self._run_on(compiled, arrays, after)
            except DelegateExecuteError as e:
                self._hand_over.take_back(name, e)
            else:
                if state is not None and after is not None:
                    state[:] = after
                self._device, self.log = name, compiled.log
                return results
        self._device, self.log = CPU, self._on_cpu.log
        return self._on_cpu.run(arrays, state)

    def _run_on(self, compiled: CompiledModel, arrays: Sequence[Array], state: list[Array] | None) -> list[Array]:
        if self._on_device is None or self._on_device[0] is not compiled:
            self._on_device = compiled, compiled.create_runner()
        runner = self._on_device[1]
        begun = runner.lease.enter()
        try:
            return runner.run(arrays, state)
        finally:
            del begun
            runner.lease.leave()


class AutoDevices(ModelDevices):
    """The CPU and the devices that runs may go over to. Answers are about the device that runs go to now.

    Results may differ in rounding between the devices; ``InferRequest.device`` names the device of the latest run.

    Args:
        on_cpu: the setup of the model compiled for the CPU.
        hand_over: the hand-over of runs to a device.
        later: the properties of the devices that runs may go over to.
    """

    def __init__(self, on_cpu: RunSetup, hand_over: HandOver, later: Sequence[Registry]) -> None:
        self._on_cpu, self._registry = on_cpu.devices, on_cpu.properties.registry
        self._hand_over = hand_over
        self._later_ones = tuple(later)

    @property
    def auto(self) -> AutoStatus:
        """As ``ModelDevices.auto``."""
        return self._hand_over.status

    def wait_ready(self, timeout: float | None) -> bool:
        """As ``ModelDevices.wait_ready``."""
        return self._hand_over.wait(timeout)

    @property
    def _now(self) -> ModelDevices:
        found = self._hand_over.found
        return self._on_cpu if found is None else found[1].setup.devices

    @property
    def partition(self) -> PartitionRecord:
        """As ``ModelDevices.partition``."""
        record, auto = self._now.partition, self.auto
        lines = (
            f"AUTO: {name}: {each.state}{each.reason and f': {each.reason}'}" for name, each in auto.status.items()
        )
        table = (f"AUTO: {each.text(name)}" for name, each in auto.estimates.items())
        return replace(record, notes=(*lines, *table, *record.notes))

    @property
    def graph_kernels(self) -> Mapping[Kernel, tuple[str, ...]]:
        """As ``ModelDevices.graph_kernels``."""
        return self._now.graph_kernels

    def parts(self) -> ModelParts:
        """As ``ModelDevices.parts``."""
        return self._now.parts()

    @property
    def at_run_time(self) -> Mapping[str, object]:
        """As ``ModelDevices.at_run_time``, of the CPU."""
        return self._on_cpu.at_run_time

    def explain(self, key: str, facts: Mapping[str, object]) -> Explanation:
        """As ``ModelDevices.explain``; while the CPU stands in, also properties kept for the later device."""
        found = self._hand_over.found
        if found is not None:
            return found[1].explain_property(key)
        later, name = self._hand_over.later, str(key).upper()
        if name in later and name not in self._registry:
            return Explanation(name, Opinion(Layer.RUNTIME, later[name], "for the device that is compiled for"))
        return self._on_cpu.explain(key, facts)

    def set_property(self, properties: Mapping[str, object]) -> None:
        """As ``ModelDevices.set_property``, of the device that runs go to now.

        While the CPU stands in, properties of the later devices are kept, and set on the device that runs go over to.
        """
        found = self._hand_over.found
        if found is not None:
            found[1].set_property(properties)
            return
        theirs = [
            registry.checked({name: value for name, value in properties.items() if _can_change(registry, name)})
            for registry in self._later_ones
        ]
        later = {name: value for each in reversed(theirs) for name, value in each.items()}
        own = self._registry
        mine = {name: value for name, value in properties.items() if name in own or str(name).upper() not in later}
        self._on_cpu.set_property(mine)
        model = self._hand_over.keep(later)
        if model is not None:
            model.set_property(later)

    def release(self) -> int:
        """As ``ModelDevices.release``, of the CPU."""
        return self._on_cpu.release()

    def close(self, reason: str) -> None:
        """As ``ModelDevices.close``; compiling in the background is cancelled, and has ended when the call returns."""
        self._on_cpu.close(reason)
        self._hand_over.close()


def auto_model(on_cpu: CompiledModel, hand_over: HandOver, later: Sequence[Registry]) -> CompiledModel:
    """A model compiled for the CPU, whose runs go over to a device once the model is compiled for the device.

    Args:
        on_cpu, hand_over, later: as for ``AutoDevices``.
    """
    setup = on_cpu.setup
    devices, make = AutoDevices(setup, hand_over, later), _runner_maker(setup.make_runner, hand_over)
    return CompiledModel(replace(setup, devices=devices, make_runner=make, shared_worker=None), on_cpu.origin)


def _runner_maker(on_cpu: RunnerMaker, hand_over: HandOver) -> RunnerMaker:
    """The maker of runners that go over from the CPU to a device."""
    refusal = "AUTO changes devices; compile for one device to run something instead of its graph kernels."
    return wrapping(on_cpu, partial(AutoRunner, hand_over=hand_over), refusal)


def compile_auto(
    parts: Sequence[Physical],
    compiled: Compile,
    is_cached: Callable[[Physical], bool],
    properties: Mapping[str, object],
    said: list[str],
    specs_of: Callable[[Physical], Sequence[PropertySpec]],
    *,
    weighs: bool,
) -> CompiledModel:
    """A model compiled for the first device that takes it; while compiling takes time, the CPU stands in.

    Args:
        parts: the devices, in order.
        compiled: compiles for a device.
        is_cached: says whether the cache has the model compiled for a device.
        properties: ENABLE_STARTUP_FALLBACK: whether the CPU stands in; ENABLE_RUNTIME_FALLBACK.
        said: receives the warnings for the user.
        specs_of: gives the properties of a device.
        weighs: whether the CPU keeps a model that it is expected to run clearly faster than a device.

    Raises:
        LiteDelegateError: no device takes the model.
    """

    def now(part: Physical, passed: Sequence[str]) -> CompiledModel:
        heard: list[str] = []
        found = compiled(part, heard, passed)
        estimate = estimate_of(found.partition) if weighs and len(parts) > 1 else None
        if estimate is not None and estimate.is_slower:
            found.close()
            raise DelegateError(estimate.text(str(part)))
        said.extend((*passed, *heard))
        return found

    by_name = {str(part): part for part in parts}
    first = [name for name, part in by_name.items() if not part.is_cpu]
    waits = not own_value(Auto, properties, STARTUP_FALLBACK)
    if waits or not first or not parts[-1].is_cpu or _is_there(parts[0], is_cached):
        return choose(parts, now)
    try:
        on_cpu = now(parts[-1], ())
    except UnsupportedOperatorError:  # the CPU cannot stand in
        return choose(parts, now)
    hand_over = HandOver(first, falls_back=own_value(Auto, properties, RUNTIME_FALLBACK) is True, weighs=weighs)
    later = [Registry(f"Device {name}", _specs_of(by_name[name], specs_of)) for name in first]
    found = auto_model(on_cpu, hand_over, later)
    hand_over.start(lambda name: compiled(by_name[name], [], ()))
    return found


def _specs_of(part: Physical, specs_of: Callable[[Physical], Sequence[PropertySpec]]) -> Sequence[PropertySpec]:
    try:
        return specs_of(part)
    except DelegateError:  # the delegate is not there, which compiling for the device reports
        return ()


def _can_change(registry: Registry, name: str) -> bool:
    return name in registry and "R" in registry.find(name).when


def _is_there(part: Physical, is_cached: Callable[[Physical], bool]) -> bool:
    try:
        return is_cached(part)
    except DelegateError:  # the device is not there, which compiling for the device reports
        return False
