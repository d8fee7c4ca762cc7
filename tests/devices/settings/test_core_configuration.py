"""What a core was told, in pickles and copies of the core."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping

import cloudpickle
import pytest

from lite_delegate.devices.core import Core
from tests.inference.model_file.models import ExportingDelegate


def factory(options: Mapping[str, object]) -> ExportingDelegate:
    return ExportingDelegate(architecture=str(options.get("ARCHITECTURE", "a")))


def told() -> Core:
    core = Core()
    core.register_device("ACME", ExportingDelegate)
    core.register_device("other", factory)
    core.register_device("acme", factory, replace=True)
    core.set_property({"ENABLE_STARTUP_FALLBACK": False, "CACHE_SIZE": 2_000_000})
    core.set_property("CPU", {"NUM_STREAMS": 2})
    core.set_property("NPU.4000", {"NPU_TURBO": True, "ON_DEVICE_ERROR": "FALLBACK"})
    return core


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_a_pickle_has_all_that_the_core_was_told(protocol: int) -> None:
    core = told()
    found = pickle.loads(pickle.dumps(core, protocol))
    asked = {"ENABLE_STARTUP_FALLBACK": False, "CACHE_SIZE": 2_000_000}
    assert {name: found.get_property(name) for name in asked} == asked
    assert found.get_property("CPU", "NUM_STREAMS") == 2
    assert found.get_property("NPU.4000", "NPU_TURBO") is True
    assert found.get_property("NPU.4000", "ON_DEVICE_ERROR") == "FALLBACK"
    assert found.get_property("NPU", "NPU_TURBO") is False
    assert found.explain_property("NPU.4000", "NPU_TURBO") == core.explain_property("NPU.4000", "NPU_TURBO")
    assert [device.name for device in found.devices()] == [device.name for device in core.devices()]


def test_state_of_this_process_stays_here() -> None:
    core = told()
    context = core.default_context("CPU")
    found = pickle.loads(pickle.dumps(core))
    assert found.default_context("CPU") is not context


def test_a_copy_shares_the_devices_and_a_deep_copy_has_its_own() -> None:
    core = told()
    shallow, deep = copy.copy(core), copy.deepcopy(core)
    core.set_property("CPU", {"NUM_STREAMS": 3})
    assert shallow.get_property("CPU", "NUM_STREAMS") == 3
    assert deep.get_property("CPU", "NUM_STREAMS") == 2


def test_a_value_that_does_not_pickle_is_named() -> None:
    core = Core()
    lock = core._devices._lock

    def locked(data: bytes) -> bytes:
        with lock:
            return data

    core.set_property({"CACHE_ENCRYPTION_CALLBACKS": (locked, locked)})
    with pytest.raises(TypeError, match=r"^The value of CACHE_ENCRYPTION_CALLBACKS of the core does not pickle \("):
        pickle.dumps(core)
    with pytest.raises(TypeError, match="CACHE_ENCRYPTION_CALLBACKS"):
        cloudpickle.dumps(core)
