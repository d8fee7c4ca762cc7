"""Two simulated devices of one platform: what happens to one is nothing to the other."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from lite_delegate import Core, DeviceLost
from lite_delegate.inference import CompiledModel
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.device import Device, Faults
from tests.runtime.graphs import chain

X = np.ones((2, 3), np.float32)
NAMES = ("NPU.4000.0", "NPU.4000.1")


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch) -> Core:
    monkeypatch.setenv("LITE_DELEGATE_NPU_DEVICES", "4000,4000")
    return Core()


def device_of(compiled: CompiledModel) -> Device:
    delegate = compiled.settings.delegates[0]
    assert isinstance(delegate, NPUDelegate)
    return delegate.device


def taken(core: Core, name: str) -> int:
    return sum(core.telemetry(name).memory.values())


def test_each_has_its_own_memory(core: Core) -> None:
    first = core.compile_model(chain(2), NAMES[0])
    assert [taken(core, name) > 0 for name in NAMES] == [True, False]
    second = core.compile_model(chain(3), NAMES[1])
    before = taken(core, NAMES[1])
    first.close()
    assert [taken(core, name) for name in NAMES] == [0, before]
    second.close()
    assert taken(core, NAMES[1]) == 0


def test_one_is_lost_and_the_other_goes_on(core: Core) -> None:
    first, second = (core.compile_model(chain(2), name) for name in NAMES)
    device_of(first).inject(Faults(lost=(1,)))
    with pytest.raises(DeviceLost):
        first([X])
    np.testing.assert_array_equal(second([X])[0], X + 3)


def test_each_has_its_own_turns(core: Core) -> None:
    first, second = (core.compile_model(chain(2), name) for name in NAMES)
    with device_of(first).turns.turn(Fraction(1)):  # somebody has all of the first one
        np.testing.assert_array_equal(second([X])[0], X + 3)


def test_the_device_id_chooses(core: Core) -> None:
    compiled = core.compile_model(chain(2), "NPU", {"DEVICE_ID": "4000.1"})
    assert device_of(compiled) is device_of(core.compile_model(chain(2), NAMES[1]))
    assert device_of(compiled) is not device_of(core.compile_model(chain(2), NAMES[0]))
    assert taken(core, NAMES[1]) > 0
