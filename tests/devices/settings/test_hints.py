"""Hints of a call for devices that are made of other devices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite_delegate import Core, DelegateWarning, InputError, PropertyError
from lite_delegate.demo import model_path
from lite_delegate.properties import Layer
from lite_delegate.testing.delegates import NamedDelegate
from tests.runtime.graphs import chain

CUMULATIVE = {"PERFORMANCE_HINT": "CUMULATIVE_THROUGHPUT"}
WAITS = {"ENABLE_STARTUP_FALLBACK": "NO"}


@pytest.mark.parametrize("device", ["HETERO:NPU.4000,CPU", "AUTO:NPU.4000,CPU", "MULTI:NPU.4000,CPU"])
def test_a_hint_is_for_each_part_that_has_it(device: str) -> None:
    compiled = Core().compile_model(model_path(), device, {"performance_hint": "THROUGHPUT", **WAITS})
    assert compiled.get_property("PERFORMANCE_HINT") == "THROUGHPUT"
    assert compiled.explain_property("PERFORMANCE_HINT").layer is Layer.NESTED
    own: dict[str, object] = {"DEVICE_PROPERTIES": {"NPU.4000": {"PERFORMANCE_HINT": "LATENCY", "NPU_TILES": 3}}}
    compiled = Core().compile_model(model_path(), device, {"PERFORMANCE_HINT": "THROUGHPUT", **own, **WAITS})
    assert (compiled.get_property("PERFORMANCE_HINT"), compiled.get_property("NPU_TILES")) == ("LATENCY", 3)
    compiled.close()


@pytest.mark.shows("model", "MULTI_DEVICE_PRIORITIES")
@pytest.mark.parametrize("properties", [WAITS, {}], ids=["at once", "handed over"])
@pytest.mark.parametrize("device", ["HETERO:NPU.4000,CPU", "AUTO:NPU.4000,CPU", "MULTI:NPU.4000,CPU", "MULTI:CPU,NPU"])
def test_a_model_tells_the_devices_in_order(device: str, properties: dict[str, object]) -> None:
    devices = tuple(device.partition(":")[2].split(","))
    compiled = Core().compile_model(model_path(), device, properties)
    assert compiled.get_property("MULTI_DEVICE_PRIORITIES") == devices
    if hasattr(compiled, "auto"):
        assert compiled.wait_ready(60)
        assert compiled.get_property("EXECUTION_DEVICES") == ("NPU.4000",)
        assert compiled.get_property("multi_device_priorities") == devices
    compiled.close()


def test_only_the_name_of_the_device_says_the_devices_and_one_device_has_no_order() -> None:
    compiled = Core().compile_model(model_path(), "NPU.4000")
    assert compiled.get_property("MULTI_DEVICE_PRIORITIES") == ()
    with pytest.raises(PropertyError, match="the name of the device, such as HETERO:NPU,CPU"):
        compiled.set_property({"MULTI_DEVICE_PRIORITIES": "CPU,NPU"})


def test_a_query_and_an_import_take_it_as_well() -> None:
    core, hint = Core(), {"PERFORMANCE_HINT": "THROUGHPUT"}
    compiled = core.compile_model(model_path(), "HETERO:NPU.4000,CPU", hint)
    assert core.query_model(model_path(), "HETERO:NPU.4000,CPU", hint).devices == {"NPU.4000": 11}
    again = core.import_model(compiled.export_model(), "HETERO:NPU.4000,CPU", hint)
    assert again.get_property("PERFORMANCE_HINT") == "THROUGHPUT"
    assert again.get_property("MULTI_DEVICE_PRIORITIES") == ("NPU.4000", "CPU")


def test_what_no_part_has_and_what_it_does_not_take_is_an_error() -> None:
    with pytest.raises(InputError, match="say whose PERFORMANCE_HINT_NUM_REQUESTS is meant"):
        Core().compile_model(chain(1), "AUTO:CPU", {"PERFORMANCE_HINT_NUM_REQUESTS": 2})
    for device in ("AUTO:NPU,CPU", "MULTI:NPU,CPU", "HETERO:NPU,CPU"):
        with pytest.raises(
            PropertyError, match="PERFORMANCE_HINT must be THROUGHPUT, LATENCY or UNDEFINED; got 'FAST'"
        ):
            Core().compile_model(chain(1), device, {"PERFORMANCE_HINT": "FAST"})
    for device in ("NPU", "MULTI:NPU,CPU"):
        with pytest.raises(PropertyError, match="got 'CUMULATIVE_THROUGHPUT'"):
            Core().compile_model(chain(1), device, CUMULATIVE)


def test_auto_with_the_throughput_of_all_is_multi() -> None:
    properties: dict[str, Any] = {**CUMULATIVE, "SCHEDULE_POLICY": "ROUND_ROBIN"}
    compiled = Core().compile_model(model_path(), "AUTO:NPU.4000,CPU", properties)
    assert hasattr(compiled, "multi")
    assert compiled.get_property("EXECUTION_DEVICES") == ("NPU.4000", "CPU")
    assert compiled.get_property("PERFORMANCE_HINT") == "THROUGHPUT"
    x = np.zeros((1, 8, 8, 1), np.float32)
    for _ in range(4):
        compiled([x])
    assert tuple(compiled.multi.runs.values()) == (2, 2)
    compiled.close()


def test_it_leaves_out_what_does_not_take_the_model() -> None:
    core = Core()
    core.register_device("chip", lambda options: NamedDelegate(["n0"]))
    with pytest.warns(DelegateWarning, match="MULTI leaves device 'chip' out"):
        compiled = core.compile_model(chain(2), "AUTO:chip,NPU,CPU", CUMULATIVE)
    assert compiled.get_property("EXECUTION_DEVICES") == ("NPU", "CPU")
    compiled.close()
