"""What is set on devices of a core: on the name of a family, on one of its ids, and whether the device is there."""

from __future__ import annotations

import pytest

from lite_delegate import Core, DelegateUnavailable
from lite_delegate.properties import Layer
from tests.runtime.graphs import chain


def test_what_is_set_on_a_family_is_set_on_each_of_its_ids() -> None:
    core = Core()
    core.set_property("NPU", {"PERFORMANCE_HINT": "THROUGHPUT", "CACHE_MODE": "OPTIMIZE_SIZE"})
    assert core.get_property("NPU.4000", "PERFORMANCE_HINT") == "THROUGHPUT"
    assert core.get_property("NPU.4000", "CACHE_MODE") == "OPTIMIZE_SIZE"
    assert core.explain_property("NPU.4000", "PERFORMANCE_HINT").layer is Layer.DEVICE
    compiled = core.compile_model(chain(1), "NPU.4000")
    assert compiled.get_property("PERFORMANCE_HINT") == "THROUGHPUT"


def test_an_id_that_has_its_own_value_keeps_it() -> None:
    core = Core()
    core.set_property("NPU.4000", {"PERFORMANCE_HINT": "LATENCY"})
    core.set_property("NPU", {"PERFORMANCE_HINT": "THROUGHPUT", "NPU_TURBO": "YES"})
    assert core.get_property("NPU.4000", "PERFORMANCE_HINT") == "LATENCY"
    assert core.get_property("NPU.3720", "PERFORMANCE_HINT") == "THROUGHPUT"
    assert core.get_property("NPU.4000", "NPU_TURBO") is True
    core.set_property("NPU.4000", {"NPU_TURBO": "NO"})
    assert [core.get_property(name, "NPU_TURBO") for name in ("NPU", "NPU.3720", "NPU.4000")] == [True, True, False]


def test_the_id_that_is_set_on_a_family_is_none_of_a_device_with_an_id() -> None:
    core = Core()
    core.set_property("NPU", {"DEVICE_ID": "4000", "NPU_TURBO": "YES"})
    assert core.get_property("NPU", "DEVICE_ARCHITECTURE") == "4000"
    assert core.get_property("NPU.3720", "DEVICE_ARCHITECTURE") == "3720"
    assert core.get_property("NPU.3720", "NPU_TURBO") is True


def test_a_device_that_is_said_to_be_absent_is_not_listed() -> None:
    core = Core()
    assert "NPU" in core.available_devices
    core.set_property("NPU", {"NPU_SIMULATE_ABSENT": "YES"})
    assert "NPU" not in core.available_devices
    assert "NPU" not in str(core.get_property("AVAILABLE_DEVICES"))
    (reason,) = (device.reason for device in core.devices() if device.name == "NPU")
    assert "NPU_SIMULATE_ABSENT=YES" in reason
    core.set_property("NPU", {"NPU_SIMULATE_ABSENT": "NO"})
    assert "NPU" in core.available_devices


def test_auto_does_not_try_a_device_that_is_said_to_be_absent(recwarn: pytest.WarningsRecorder) -> None:
    core = Core()
    core.set_property("NPU", {"NPU_SIMULATE_ABSENT": "YES"})
    compiled = core.compile_model(chain(1), "AUTO")
    assert "NPU" not in str(compiled.get_property("MULTI_DEVICE_PRIORITIES"))
    compiled.close()
    assert not [warning for warning in recwarn if "NPU" in str(warning.message)]


def test_a_device_that_the_list_of_devices_lacks_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITE_DELEGATE_NPU_DEVICES", "3720")
    core = Core()
    for name in ("NPU.4000", "NPU.kirin"):
        with pytest.raises(DelegateUnavailable, match=r"LITE_DELEGATE_NPU_DEVICES lists 3720\.0"):
            core.compile_model(chain(1), name)
    assert core.get_property("NPU.4000", "DEVICE_ARCHITECTURE") == "4000"
    assert core.compile_model(chain(1), "NPU.3720").get_property("EXECUTION_DEVICES") == ("NPU.3720",)


def test_profiles_are_listed_in_any_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITE_DELEGATE_NPU_DEVICES", "hddl,hddl,myriad_x")
    core = Core()
    for name, device in (("HETERO:MYRIAD,CPU", "NPU.myriad_x"), ("NPU.hddl.1", "NPU.hddl.1"), ("NPU.1", "NPU.1")):
        assert core.compile_model(chain(1), name).get_property("EXECUTION_DEVICES") == (device,)
