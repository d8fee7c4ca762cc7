"""AUTO with EXECUTION_MODE_HINT=ACCURACY: devices that round the model's numbers are passed over."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import pytest

from lite_delegate import Core, DataType, DelegateError, DelegateWarning, PropertyError
from lite_delegate.inference import CompiledModel
from lite_delegate.inference.model.status import DeviceState
from lite_delegate.ir import Graph, to_numpy
from lite_delegate.testing.delegates import NamedDelegate
from tests.runtime.graphs import chain

ACCURATE = {"EXECUTION_MODE_HINT": "ACCURACY"}
WAITS = {"ENABLE_STARTUP_FALLBACK": "NO"}


class Telling(NamedDelegate):
    """Says what it computes in, and has no hints."""

    def __init__(self, capabilities: tuple[str, ...]) -> None:
        super().__init__(None)
        self._capabilities = capabilities

    def get_property(self, name: str) -> object:
        return self._capabilities if name == "OPTIMIZATION_CAPABILITIES" else super().get_property(name)


def of_type(dtype: DataType) -> Graph:
    graph = chain(2)
    for value in {id(v): v for n in graph.nodes for v in (*n.inputs, *n.outputs) if v is not None}.values():
        value.dtype = dtype
        value.data = None if value.data is None else value.data.astype(to_numpy(dtype))
    return graph


def devices_of(compiled: CompiledModel) -> object:
    try:
        return compiled.get_property("EXECUTION_DEVICES")
    finally:
        compiled.close()


@pytest.mark.parametrize(
    ("properties", "device"),
    [
        ({}, "NPU.MYRIAD_X"),
        ({"EXECUTION_MODE_HINT": "performance"}, "NPU.MYRIAD_X"),
        (ACCURATE, "CPU"),
        ({"execution_mode_hint": "accuracy"}, "CPU"),
        ({"DEVICE_PROPERTIES": {"NPU.MYRIAD_X": ACCURATE}}, "CPU"),
        ({**ACCURATE, "DEVICE_PROPERTIES": {"NPU.MYRIAD_X": {"EXECUTION_MODE_HINT": "PERFORMANCE"}}}, "NPU.MYRIAD_X"),
    ],
)
@pytest.mark.filterwarnings("ignore::lite_delegate.DelegateWarning")
def test_a_device_that_rounds_is_passed_over_where_accuracy_is_asked_for(
    properties: dict[str, Any], device: str
) -> None:
    compiled = Core().compile_model(chain(2), "AUTO:NPU.MYRIAD_X,CPU", {**properties, **WAITS})
    assert devices_of(compiled) == (device,)


def test_properties_of_the_device_count_as_well() -> None:
    core = Core()
    core.set_property("NPU.MYRIAD_X", ACCURATE)
    with pytest.warns(DelegateWarning, match="AUTO passes device 'NPU.MYRIAD_X' over: the model has FLOAT32, and"):
        compiled = core.compile_model(chain(2), "AUTO:NPU.MYRIAD_X,CPU", WAITS)
    assert devices_of(compiled) == ("CPU",)


def test_a_device_that_computes_in_the_models_types_takes_it() -> None:
    compiled = Core().compile_model(chain(2), "AUTO:NPU.4000,CPU", {**ACCURATE, **WAITS})
    assert compiled.get_property("INFERENCE_PRECISION_HINT") == "f32"
    assert devices_of(compiled) == ("NPU.4000",)


@pytest.mark.parametrize(
    ("capabilities", "dtype", "takes"),
    [
        (("FP16",), DataType.FLOAT16, True),
        (("BF16",), DataType.FLOAT16, False),
        (("FP32", "INT8"), DataType.FLOAT16, True),
        (("FP32",), DataType.FLOAT32, True),
        (("BF16", "FP16", "INT8"), DataType.FLOAT32, False),
        (("FP32",), DataType.FLOAT64, False),
        (("FP64",), DataType.FLOAT64, True),
        (("FP64",), DataType.FLOAT32, True),
        (("INT8",), DataType.INT32, True),
    ],
)
@pytest.mark.filterwarnings("ignore::lite_delegate.DelegateWarning")
def test_any_device_that_tells_its_types(capabilities: tuple[str, ...], dtype: DataType, takes: bool) -> None:
    for mode in (ACCURATE, {}):
        core = Core()
        core.register_device("chip", lambda options: Telling(capabilities))
        compiled = core.compile_model(of_type(dtype), "AUTO:chip,CPU", {**mode, **WAITS})
        assert devices_of(compiled) == ("chip" if takes or not mode else "CPU",)


def test_one_that_does_not_tell_is_believed() -> None:
    core = Core()
    core.register_device("chip", lambda options: NamedDelegate(None))
    assert devices_of(core.compile_model(chain(2), "AUTO:chip,CPU", {**ACCURATE, **WAITS})) == ("chip",)


def test_the_cpu_that_stands_in_stays() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        compiled = Core().compile_model(chain(2), "AUTO:NPU.MYRIAD_X,CPU", ACCURATE)
        assert hasattr(compiled, "auto")
        assert compiled.wait_ready(60)
    (warning,) = told
    assert "device 'NPU.MYRIAD_X' is passed over, the CPU goes on: the model has FLOAT32" in str(warning.message)
    assert compiled.auto.active == "CPU"
    assert compiled.auto.status["NPU.MYRIAD_X"].state is DeviceState.PASSED_OVER
    compiled.close()


def test_with_no_other_device_it_is_an_error() -> None:
    with pytest.raises(DelegateError, match=r"FLOAT32, and 'NPU\.MYRIAD_X' keeps real numbers as FP16 \("):
        Core().compile_model(chain(2), "AUTO:NPU.MYRIAD_X", ACCURATE)
    compiled = Core().compile_model(chain(2), "AUTO:CPU", ACCURATE)
    assert devices_of(compiled) == ("CPU",)


@pytest.mark.parametrize("value", ["FAST", 1, None])
def test_a_value_that_there_is_not_is_an_error(value: object) -> None:
    given: Mapping[str, object] = {"EXECUTION_MODE_HINT": value}
    for device in ("AUTO:CPU", "AUTO:NPU,CPU"):
        with pytest.raises(PropertyError, match="EXECUTION_MODE_HINT must be PERFORMANCE or ACCURACY; got"):
            Core().compile_model(chain(2), device, given)
