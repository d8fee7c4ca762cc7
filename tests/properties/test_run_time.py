"""Properties that are changed on a compiled model: they reach its runs, no other model, and all devices or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from fractions import Fraction

import numpy as np
import pytest

from lite_delegate import Delegate, DelegateExecuteError, PropertyError
from lite_delegate.context import Context
from lite_delegate.core import Core
from lite_delegate.delegate import Kernel
from lite_delegate.demo import model_path
from lite_delegate.inference.compiled_model import CompiledModel
from lite_delegate.model import Model
from lite_delegate.npu import Device, Faults, NPUDelegate
from lite_delegate.npu.queue import CommandList, Ticket
from lite_delegate.properties import Choice, PropertySpec, Registry, Values


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

    def noted_submit(commands: CommandList) -> Ticket:
        seen.append(commands.priority)
        return submit(commands)

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
