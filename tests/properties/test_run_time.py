"""Properties that are changed on a compiled model: they reach its runs, no other model, and all devices or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from lite_delegate import Delegate, DelegateExecuteError, PropertyError
from lite_delegate.delegate import Kernel
from lite_delegate.demo import model_path
from lite_delegate.devices.core import Core
from lite_delegate.inference.model.compiled_model import CompiledModel
from lite_delegate.mindspore.context.context import Context
from lite_delegate.mindspore.model import Model
from lite_delegate.npu import Device, Faults, NPUDelegate
from lite_delegate.npu.queue import CommandList, Ticket
from lite_delegate.properties import Choice, Layer, PropertySpec, Registry, Values


def built(delegate: Delegate) -> CompiledModel:
    context = Context()
    context.set_delegate(delegate)
    model = Model()
    model.build_from_file(model_path(), context=context)
    return model.compiled


def run(compiled: CompiledModel) -> None:
    compiled([np.zeros(each.shape, np.float32) for each in compiled.inputs])


def test_the_log_of_one_model_is_not_that_of_the_others_of_its_delegate(capsys):
    delegate = NPUDelegate()
    one, other = built(delegate), built(delegate)
    one.set_property({"LOG_LEVEL": "LOG_DEBUG"})
    assert (delegate.get_property("LOG_LEVEL"), other.get_property("LOG_LEVEL")) == ("LOG_NONE", "LOG_NONE")
    run(other)
    assert capsys.readouterr().err == ""
    run(one)
    assert " ran in " in capsys.readouterr().err
    one.set_property({"LOG_LEVEL": "LOG_NONE"})
    run(one)
    assert capsys.readouterr().err == ""


def test_a_run_that_fails_is_an_error_in_the_log(capsys):
    device = Device(faults=Faults(timeout=range(1, 9)))
    compiled = built(NPUDelegate(device=device, options={"LOG_LEVEL": "LOG_ERROR"}))
    with pytest.raises(DelegateExecuteError, match="NpuGraph0"):
        run(compiled)
    assert "npu error: model 'digits': Graph kernel 'NpuGraph0'" in capsys.readouterr().err


@pytest.mark.shows("NPU", "MODEL_PRIORITY")
def test_the_priority_of_a_model_counts_from_its_next_run_on(monkeypatch):
    delegate = NPUDelegate()
    one, other = built(delegate), built(delegate)
    seen: list[int] = []
    turns, queue = delegate.device.turns, delegate.device.queue
    turn, submit = turns.turn, queue.submit

    def noted_turn(share: Fraction, priority: int, owner: object) -> AbstractContextManager[None]:
        seen.append(priority)
        return turn(share, priority, owner)

    def noted_submit(commands: CommandList, ready_us: float) -> Ticket:
        seen.append(commands.priority)
        return submit(commands, ready_us)

    monkeypatch.setattr(turns, "turn", noted_turn)
    monkeypatch.setattr(queue, "submit", noted_submit)
    one.set_property({"MODEL_PRIORITY": "HIGH"})
    run(one)
    run(other)
    assert seen == [2, 2, 1, 1]
    assert (one.get_property("MODEL_PRIORITY"), other.get_property("MODEL_PRIORITY")) == ("HIGH", "MEDIUM")


class Speaking(NPUDelegate):
    """Has a property that others of its kind have as well."""

    def __init__(self, name: str, rejected: str = "") -> None:
        super().__init__()
        self.name = name
        self.rejected = rejected
        self.mood = "CALM"

    def properties(self) -> Sequence[PropertySpec]:
        return (PropertySpec("MOOD", "how it feels", Choice(("CALM", "LOUD", "MAD")), "CALM", scope="dc", when="R"),)

    def property_values(self) -> Values:
        return Values(Registry(self.name, self.properties()))

    def set_run_time_properties(self, kernels: Sequence[Kernel], properties: Mapping[str, object]) -> None:
        if properties["MOOD"] == self.rejected:
            raise PropertyError(f"{self.name} is never {self.rejected}.")
        self.mood = str(properties["MOOD"])


def test_what_one_of_two_devices_rejects_is_set_on_neither():
    first, second = Speaking("first"), Speaking("second", rejected="MAD")
    context = Context()
    context.set_delegates([first, second])
    model = Model()
    model.build_from_file(model_path(), context=context)
    compiled = model.compiled
    compiled.set_property({"MOOD": "LOUD"})
    assert (first.mood, second.mood) == ("LOUD", "LOUD")
    with pytest.raises(PropertyError, match="second is never MAD"):
        compiled.set_property({"MOOD": "MAD"})
    assert (first.mood, second.mood, compiled.get_property("MOOD")) == ("LOUD", "LOUD", "LOUD")


def moods(first: str, second: str) -> tuple[CompiledModel, list[Speaking]]:
    """A model of two devices whose MOOD counts then and then."""

    class Fixed(Speaking):
        def properties(self) -> Sequence[PropertySpec]:
            (spec,) = super().properties()
            return (replace(spec, when={"fixed": "C", "free": "R"}[self.name]),)

    devices: list[Speaking] = [Fixed(first), Fixed(second)]
    context = Context()
    context.set_delegates(devices)
    model = Model()
    model.build_from_file(model_path(), context=context)
    return model.compiled, devices


@pytest.mark.parametrize("order", [("fixed", "free"), ("free", "fixed")])
def test_what_is_fixed_on_one_of_two_devices_is_changed_on_the_other(order: tuple[str, str]):
    compiled, devices = moods(*order)
    compiled.set_property({"MOOD": "LOUD"})
    assert {each.name: each.mood for each in devices} == {"fixed": "CALM", "free": "LOUD"}
    assert compiled.get_property("MOOD") == "LOUD"


def test_what_was_set_at_run_time_stays_when_shapes_change():
    delegate, context, model = Speaking("chip"), Context(), Model()
    context.set_delegate(delegate)
    model.build_from_file(model_path(), context=context)
    model.compiled.set_property({"MOOD": "LOUD"})
    delegate.mood = "FORGOTTEN"
    model.resize(model.get_inputs(), [[3, 8, 8, 1]])
    assert (model.compiled.get_property("MOOD"), delegate.mood) == ("LOUD", "LOUD")
    assert model.compiled.explain_property("MOOD").layer is Layer.RUNTIME


def test_whether_the_cpu_runs_instead_stays_when_shapes_change_as_far_as_it_can():
    compiled = Core().compile_model(model_path(), "HETERO:NPU,CPU", {"ON_DEVICE_ERROR": "FALLBACK"})
    compiled.set_property({"ON_DEVICE_ERROR": "RAISE"})
    larger = compiled.reshaped([(2, 8, 8, 1)])
    assert larger.get_property("ON_DEVICE_ERROR") == "RAISE"
    compiled.set_property({"ON_DEVICE_ERROR": "FALLBACK"})
    without = replace(compiled.settings, falls_back=False)
    assert compiled.reshaped([(3, 8, 8, 1)], without).settings.falls_back is False


def test_a_delegate_without_a_way_of_its_own_gets_what_is_set():
    heard: list[Mapping[str, object]] = []

    class Plain(Delegate):
        name = "plain"

        def properties(self) -> Sequence[PropertySpec]:
            return (PropertySpec("MOOD", "how it feels", Choice(("CALM", "LOUD")), "CALM", scope="dc", when="R"),)

        def set_property(self, properties: Mapping[str, object]) -> None:
            heard.append(dict(properties))

    core = Core()
    core.register_device("PLAIN", lambda options: Plain())
    compiled = core.compile_model(model_path(), "HETERO:PLAIN,CPU")
    heard.clear()
    compiled.set_property({"MOOD": "loud"})
    assert heard == [{"MOOD": "LOUD"}]
