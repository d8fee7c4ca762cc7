"""The table of options: names, access, defaults per device and hint, good and bad values."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.errors import InputError
from lite_delegate.ir import DataType
from lite_delegate.npu import Device, NPUDelegate
from lite_delegate.npu.options import Options, registry_of
from lite_delegate.npu.options.properties import _READERS, property_of
from lite_delegate.npu.profiles import load_profile, profile_names
from lite_delegate.properties import Integer, Layer, PropertySpec, Registry, Values

REGISTRY = registry_of(load_profile("npu4000"))
OPTIONS = {spec.name: spec for spec in REGISTRY}
INTERNAL = "INTERNAL_SUPPORTED_PROPERTIES"
COMPILED = tuple(spec.name for spec in REGISTRY if spec.compiled and not spec.read_only)

READ_ONLY = """
SUPPORTED_PROPERTIES INTERNAL_SUPPORTED_PROPERTIES OPTIMIZATION_CAPABILITIES
OPTIMAL_NUMBER_OF_INFER_REQUESTS RANGE_FOR_ASYNC_INFER_REQUESTS RANGE_FOR_STREAMS
AVAILABLE_DEVICES EXECUTION_DEVICES DEVICE_UUID DEVICE_ARCHITECTURE FULL_DEVICE_NAME
DEVICE_TYPE DEVICE_GOPS DEVICE_PCI_INFO
NPU_DEVICE_ALLOC_MEM_SIZE NPU_DEVICE_TOTAL_MEM_SIZE NPU_DRIVER_VERSION NPU_COMPILER_VERSION
"""
READ_WRITE = """
CACHING_PROPERTIES COMPILATION_NUM_THREADS NUM_STREAMS PERF_COUNT PERFORMANCE_HINT
PERFORMANCE_HINT_NUM_REQUESTS MODEL_PRIORITY
ENABLE_CPU_PINNING LOG_LEVEL CACHE_DIR DEVICE_ID EXCLUSIVE_ASYNC_REQUESTS NPU_COMPILATION_MODE_PARAMS NPU_TURBO
NPU_TILES NPU_MAX_TILES NPU_BYPASS_UMD_CACHING NPU_DEFER_WEIGHTS_LOAD INFERENCE_PRECISION_HINT FREQUENCY
NPU_SIMULATE_ABSENT EXECUTION_MODE_HINT WORKLOAD_TYPE TRANSFER_CHUNK
NPU_RUN_INFERENCES_SEQUENTIALLY
VPU_HW_STAGES_OPTIMIZATION VPU_COMPUTE_LAYOUT VPU_PRINT_RECEIVE_TENSOR_TIME VPU_IGNORE_IR_STATISTIC VPU_CUSTOM_LAYERS
"""
DEFAULTS = {
    "NUM_STREAMS": "AUTO",
    "PERF_COUNT": False,
    "PERFORMANCE_HINT": "UNDEFINED",
    "PERFORMANCE_HINT_NUM_REQUESTS": 1,
    "MODEL_PRIORITY": "MEDIUM",
    "ENABLE_CPU_PINNING": False,
    "LOG_LEVEL": "LOG_NONE",
    "CACHE_DIR": "",
    "TRANSFER_CHUNK": 4194304,
    "DEVICE_ID": "",
    "EXCLUSIVE_ASYNC_REQUESTS": False,
    "NPU_COMPILATION_MODE_PARAMS": "",
    "NPU_TURBO": False,
    "NPU_TILES": -1,
    "NPU_BYPASS_UMD_CACHING": False,
    "NPU_DEFER_WEIGHTS_LOAD": False,
    "VPU_HW_STAGES_OPTIMIZATION": True,
    "VPU_COMPUTE_LAYOUT": "VPU_AUTO",
    "VPU_PRINT_RECEIVE_TENSOR_TIME": False,
    "VPU_IGNORE_IR_STATISTIC": False,
    "VPU_CUSTOM_LAYERS": "",
}


def rejected(properties, profile="npu4000") -> str:
    delegate = NPUDelegate(profile)
    before = delegate.options, delegate.target
    with pytest.raises(InputError) as caught:
        delegate.set_property(properties)
    assert (delegate.options, delegate.target) == before
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 2000
    return text


def test_the_table_has_the_documented_options_and_access():
    assert {name for name, option in OPTIONS.items() if option.read_only} == set(READ_ONLY.split())
    assert {name for name, option in OPTIONS.items() if not option.read_only} == set(READ_WRITE.split())


def test_what_can_only_be_read_has_a_reader_and_nothing_else_has():
    assert set(_READERS) == {name for name, option in OPTIONS.items() if option.read_only}


@pytest.mark.parametrize("name", profile_names())
def test_defaults(name, monkeypatch):
    monkeypatch.delenv("LITE_DELEGATE_NPU_LOG_LEVEL", raising=False)
    delegate = NPUDelegate(name)
    assert {key: delegate.get_property(key) for key in DEFAULTS} == DEFAULTS
    assert delegate.get_property("NPU_MAX_TILES") == delegate.profile.compute.tiles
    assert delegate.get_property("CACHING_PROPERTIES") == COMPILED
    assert delegate.get_property("INFERENCE_PRECISION_HINT") == "f16"


@pytest.mark.shows("NPU", "SUPPORTED_PROPERTIES")
@pytest.mark.parametrize("name", profile_names())
def test_every_property_can_be_read(name):
    delegate = NPUDelegate(name)
    assert set(delegate.supported_properties) == set(READ_ONLY.split()) | set(READ_WRITE.split())
    for key in delegate.supported_properties:
        assert isinstance(delegate.get_property(key), (bool, int, str, tuple, dict))
        assert delegate.get_property(key.lower()) == delegate.get_property(key)


def test_every_default_may_be_set():
    delegate = NPUDelegate("npu3720")
    target = delegate.target
    delegate.set_property({key: delegate.get_property(key) for key in READ_WRITE.split()})
    assert delegate.target == target


@pytest.mark.shows("NPU", "RANGE_FOR_ASYNC_INFER_REQUESTS")
@pytest.mark.parametrize(
    ("profile", "hint", "tiles", "dma_engines", "requests"),
    [
        ("npu3720", "THROUGHPUT", 2, 2, 4),
        ("npu4000", "THROUGHPUT", 2, 2, 8),
        ("npu3720", "LATENCY", 2, 2, 1),
        ("npu4000", "LATENCY", 4, 2, 1),
        ("npu3720", "UNDEFINED", 2, 2, 1),
        ("npu4000", "UNDEFINED", 4, 2, 1),
    ],
)
def test_the_platforms_tables_of_tiles_dma_engines_and_requests(profile, hint, tiles, dma_engines, requests):
    delegate = NPUDelegate(profile, options={"PERFORMANCE_HINT": hint})
    assert (delegate.target.tiles, delegate.target.dma_engines) == (tiles, dma_engines)
    assert delegate.get_property("OPTIMAL_NUMBER_OF_INFER_REQUESTS") == requests
    assert delegate.get_property("RANGE_FOR_ASYNC_INFER_REQUESTS") == (1, requests, 1)


def test_hint_override_means_something_with_latency_only():
    override = {"NPU_COMPILATION_MODE_PARAMS": "performance-hint-override=latency"}
    assert NPUDelegate("npu4000", options={**override, "PERFORMANCE_HINT": "LATENCY"}).target.tiles == 6
    assert NPUDelegate("npu4000", options={**override, "PERFORMANCE_HINT": "THROUGHPUT"}).target.tiles == 2
    assert NPUDelegate("npu4000", options=override).target.tiles == 4
    efficiency = {"NPU_COMPILATION_MODE_PARAMS": "performance-hint-override=efficiency", "PERFORMANCE_HINT": "LATENCY"}
    assert NPUDelegate("npu4000", options=efficiency).target.tiles == 4


def test_num_requests_bounds_what_throughput_wants():
    def optimal(**options):
        return NPUDelegate("npu4000", options=options).get_property("OPTIMAL_NUMBER_OF_INFER_REQUESTS")

    assert optimal(PERFORMANCE_HINT="THROUGHPUT", PERFORMANCE_HINT_NUM_REQUESTS=3) == 3
    assert optimal(PERFORMANCE_HINT="THROUGHPUT", PERFORMANCE_HINT_NUM_REQUESTS=9) == 8
    assert optimal(PERFORMANCE_HINT="THROUGHPUT", PERFORMANCE_HINT_NUM_REQUESTS=0) == 8
    assert optimal(PERFORMANCE_HINT="LATENCY", PERFORMANCE_HINT_NUM_REQUESTS=3) == 1


@pytest.mark.parametrize(
    ("options", "tiles"),
    [
        ({"NPU_TILES": 6}, 6),
        ({"NPU_TILES": "1"}, 1),
        ({"NPU_TILES": -1}, 4),
        ({"NPU_TILES": "0"}, 4),
        ({"NPU_TILES": 5, "PERFORMANCE_HINT": "THROUGHPUT"}, 5),
        ({"NPU_MAX_TILES": 3}, 3),
        ({"NPU_MAX_TILES": 0}, 4),
        ({"NPU_MAX_TILES": 5}, 4),
        ({"NPU_TILES": 3, "NPU_MAX_TILES": 3}, 3),
        ({"NPU_TILES": 8, "NPU_MAX_TILES": 8, "NPU_SIMULATE_ABSENT": "YES"}, 8),
        ({"NPU_MAX_TILES": 8, "NPU_SIMULATE_ABSENT": "YES"}, 4),
    ],
)
def test_tiles(options, tiles):
    assert NPUDelegate("npu4000", options=options).target.tiles == tiles


@pytest.mark.parametrize(
    ("options", "field", "value"),
    [
        ({"FREQUENCY": 1}, "frequency", 1),
        ({"FREQUENCY": "4"}, "frequency", 4),
        ({"frequency": 2}, "frequency", 2),
        ({}, "frequency", 3),
        ({"NPU_TURBO": True}, "frequency", 4),
        ({"NPU_TURBO": "YES", "FREQUENCY": 1}, "frequency", 4),
        ({"NPU_TURBO": "no", "FREQUENCY": 1}, "frequency", 1),
        ({}, "optimization_level", 1),
        ({"NPU_COMPILATION_MODE_PARAMS": "optimization-level=0"}, "optimization_level", 0),
        (
            {"NPU_COMPILATION_MODE_PARAMS": " optimization-level=2  performance-hint-override=latency "},
            "optimization_level",
            2,
        ),
        ({"INFERENCE_PRECISION_HINT": "f32"}, "precision", "float32"),
        ({"INFERENCE_PRECISION_HINT": "F16"}, "precision", "float16"),
        ({"VPU_HW_STAGES_OPTIMIZATION": "NO"}, "hw_stages", False),
        ({}, "compute_layout", "NCHW"),
        ({"VPU_COMPUTE_LAYOUT": "VPU_NHWC"}, "compute_layout", "NHWC"),
        ({"VPU_COMPUTE_LAYOUT": "VPU_NCHW"}, "compute_layout", "NCHW"),
        ({"COMPILATION_NUM_THREADS": np.int64(7)}, "compile_threads", 7),
        ({"MODEL_PRIORITY": "HIGH"}, "priority", 2),
        ({"PERF_COUNT": "YES"}, "profiling", True),
        ({"VPU_PRINT_RECEIVE_TENSOR_TIME": "YES"}, "print_receive_tensor_time", True),
        ({"NPU_DEFER_WEIGHTS_LOAD": "YES"}, "defer_weights_load", True),
        ({"EXCLUSIVE_ASYNC_REQUESTS": "YES"}, "exclusive", True),
        ({"WORKLOAD_TYPE": "EFFICIENT"}, "efficient", True),
        ({"ENABLE_CPU_PINNING": "YES"}, "pin_cpu", True),
    ],
)
def test_options_resolve_into_the_target(options, field, value):
    assert getattr(NPUDelegate("npu4000", options=options).target, field) == value


def test_precision_decides_how_real_numbers_are_stored_and_claimed():
    delegate = NPUDelegate(options={"INFERENCE_PRECISION_HINT": "f32"})
    assert delegate.storage_dtype == delegate.target.claiming.storage == DataType.FLOAT32
    assert NPUDelegate().storage_dtype == DataType.FLOAT16


def test_a_user_may_set_some_options_and_keep_the_others():
    delegate = NPUDelegate("npu4000", options={"NPU_TILES": 5, "NPU_TURBO": "YES"})
    delegate.set_property({"npu_tiles": 6})
    assert (delegate.get_property("NPU_TILES"), delegate.get_property("NPU_TURBO")) == (6, True)
    delegate.set_property({})
    assert delegate.target.tiles == 6


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({"NPU_TILS": 1}, "The NPU has no property 'NPU_TILS'. Did you mean 'NPU_TILES'"),
        ({"zzz": 1}, "The NPU has no property 'zzz'. Properties: SUPPORTED_PROPERTIES, CACHING_PROPERTIES,"),
        ({5: 1}, "The NPU has no property 5. Properties:"),
        ({"x" * 9999: 1}, "The NPU has no property 'xxx"),
        (5, "Properties must be a mapping of names to values, got 5"),
        (["NPU_TURBO"], "Properties must be a mapping"),
        ({"NUM_STREAMS": 0}, "Property NUM_STREAMS must be AUTO or an integer, from 1 to 1024; got 0."),
        ({"DEVICE_UUID": 1}, "Property DEVICE_UUID can only be read. Properties that can be set: CACHING_PROPERTIES,"),
        ({"NPU_TURBO": "maybe"}, "Property NPU_TURBO must be YES or NO; got 'maybe'."),
        ({"NPU_TURBO": 1}, "must be YES or NO; got 1."),
        ({"NPU_TURBO": None}, "must be YES or NO; got None."),
        ({"NPU_TILES": 7}, "Property NPU_TILES may be 6 at most (NPU_MAX_TILES), got 7."),
        (
            {"NPU_TILES": 65},
            "NPU_TILES must be an integer, from -1 to 64, where -1 and 0 are automatic; got 65.",
        ),
        ({"NPU_TILES": -2}, "from -1 to 64"),
        ({"NPU_TILES": 2.0}, "got 2.0"),
        ({"NPU_TILES": True}, "got True"),
        ({"NPU_TILES": "2.0"}, "got '2.0'"),
        ({"NPU_TILES": "9" * 5000}, "got '999"),
        ({"NPU_TILES": ""}, "got ''"),
        ({"NPU_TILES": 3, "NPU_MAX_TILES": 2}, "Property NPU_TILES may be 2 at most (NPU_MAX_TILES), got 3."),
        ({"NPU_MAX_TILES": 7}, "Property NPU_MAX_TILES may be 6 at most, as many as NPU 4000 has, got 7: more"),
        (
            {"NPU_MAX_TILES": -1},
            "must be an integer, from 0 to 64, where 0 is as many as the device has; got -1.",
        ),
        ({"NPU_MAX_TILES": "many"}, "from 0 to 64, where 0 is as many as the device has; got 'many'."),
        ({"NPU_MAX_TILES": 65, "NPU_SIMULATE_ABSENT": "YES"}, "from 0 to 64"),
        (
            {"NPU_TILES": 9, "NPU_MAX_TILES": 8, "NPU_SIMULATE_ABSENT": "YES"},
            "Property NPU_TILES may be 8 at most (NPU_MAX_TILES), got 9.",
        ),
        ({"NPU_TILES": 8, "NPU_SIMULATE_ABSENT": "YES"}, "NPU_TILES may be 6 at most (NPU_MAX_TILES), got 8."),
        ({"FREQUENCY": 0}, "Property FREQUENCY must be an integer, from 1 to 4; got 0."),
        ({"FREQUENCY": 5}, "Property FREQUENCY must be an integer, from 1 to 4; got 5."),
        ({"PERFORMANCE_HINT": "FAST"}, "must be THROUGHPUT, LATENCY or UNDEFINED; got 'FAST'."),
        ({"PERFORMANCE_HINT_NUM_REQUESTS": -1}, "must be an integer, from 0 to 1024; got -1."),
        ({"WORKLOAD_TYPE": "IDLE"}, "must be DEFAULT or EFFICIENT; got 'IDLE'."),
        ({"MODEL_PRIORITY": "URGENT"}, "must be LOW, MEDIUM or HIGH; got 'URGENT'."),
        ({"LOG_LEVEL": "LOUD"}, "must be LOG_NONE, LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG or LOG_TRACE"),
        ({"CACHE_DIR": "/tmp"}, "Property CACHE_DIR must be empty: the cache of compiled models is not of a delegate"),
        ({"DEVICE_ID": "3720"}, "Property DEVICE_ID must be nothing or 4000; got '3720'."),
        ({"COMPILATION_NUM_THREADS": 0}, "must be an integer, from 1 to 1024; got 0."),
        ({"COMPILATION_NUM_THREADS": 1025}, "from 1 to 1024; got 1025."),
        ({"INFERENCE_PRECISION_HINT": "bf16"}, "must be f16 or f32; got 'bf16'."),
        ({"VPU_COMPUTE_LAYOUT": "NHWC"}, "must be VPU_AUTO, VPU_NCHW or VPU_NHWC; got 'NHWC'."),
        ({"NPU_COMPILATION_MODE_PARAMS": "level=1"}, "optimization-level=0|1|2, performance-hint-override="),
        ({"NPU_COMPILATION_MODE_PARAMS": "level=1"}, "(no parameter 'level')"),
        ({"NPU_COMPILATION_MODE_PARAMS": "optimization-level=3"}, "(optimization-level must be 0 or 1 or 2, is '3')"),
        ({"NPU_COMPILATION_MODE_PARAMS": "optimization-level"}, "(optimization-level must be 0 or 1 or 2, is '')"),
        (
            {"NPU_COMPILATION_MODE_PARAMS": "optimization-level=1 optimization-level=1"},
            "(optimization-level is given twice)",
        ),
        ({"NPU_COMPILATION_MODE_PARAMS": 1}, "must be KEY=VALUE between spaces"),
        ({"NPU_COMPILATION_MODE_PARAMS": "x" * 5000}, "must be KEY=VALUE between spaces"),
        ({"CACHING_PROPERTIES": "NPU_TURBO"}, "lacks DEVICE_ID, EXECUTION_MODE_HINT, FREQUENCY,"),
        ({"CACHING_PROPERTIES": [*COMPILED, "NPU_TURBE"]}, "(has no property 'NPU_TURBE'. Did you mean 'NPU_TURBO'"),
        ({"CACHING_PROPERTIES": 4}, "must be a list of names of properties"),
        ({"CACHING_PROPERTIES": [4]}, "must be a list of names of properties"),
        ({"VPU_CUSTOM_LAYERS": 4}, "must be empty or the path of an XML file of custom layers; got 4."),
    ],
)
def test_mistakes_are_named_with_what_is_allowed_and_change_nothing(properties, message):
    assert message in rejected(properties)


def test_one_bad_value_sets_none_of_them():
    delegate = NPUDelegate("npu4000")
    with pytest.raises(InputError):
        delegate.set_property({"NPU_TURBO": "YES", "NPU_TILES": 99})
    assert delegate.get_property("NPU_TURBO") is False


def test_tiles_that_were_set_bound_max_tiles_that_is_set_later():
    delegate = NPUDelegate("npu4000", options={"NPU_TILES": 5})
    with pytest.raises(InputError, match=r"NPU_TILES may be 4 at most \(NPU_MAX_TILES\), got 5"):
        delegate.set_property({"NPU_MAX_TILES": 4})


def test_as_many_tiles_as_there_are_reads_back_as_their_number():
    assert NPUDelegate("npu4000", options={"NPU_MAX_TILES": 0}).get_property("NPU_MAX_TILES") == 6
    explained = NPUDelegate("npu4000", options={"NPU_MAX_TILES": 0}).property_values().explain("NPU_MAX_TILES")
    assert (
        str(explained)
        == "NPU_MAX_TILES = 6 (implied by other properties: as many as 4000 has) over 0 (device), 6 (device profile)"
    )
    assert NPUDelegate("npu4000").property_values().explain("NPU_MAX_TILES").layer is Layer.PROFILE


def test_what_a_device_lacks_is_not_allowed_on_it():
    assert "must be f16; got 'f32'" in rejected({"INFERENCE_PRECISION_HINT": "f32"}, "myriad_x")
    assert "from 1 to 1; got 2" in rejected({"FREQUENCY": 2}, "myriad_x")
    assert "must be nothing or 3720" in rejected({"DEVICE_ID": "4000"}, "npu3720")
    assert NPUDelegate("npu3720", options={"DEVICE_ID": "3720"}).get_property("DEVICE_ID") == "3720"


def test_an_unknown_property_cannot_be_read():
    with pytest.raises(InputError, match=r"The NPU has no property 'DEVICE_GOP'\. Did you mean 'DEVICE_GOPS'"):
        NPUDelegate().get_property("DEVICE_GOP")


def test_caching_properties_may_be_more_and_make_the_identity():
    delegate = NPUDelegate("npu4000", options={"CACHING_PROPERTIES": ["PERF_COUNT", *COMPILED, "DEVICE_UUID"]})
    identity = delegate.options.identity()
    assert set(identity) == {*COMPILED, "PERF_COUNT"}
    assert identity["PERF_COUNT"] == identity["NPU_TURBO"] == "NO"
    assert identity["NPU_MAX_TILES"] == "6"
    assert all(isinstance(value, str) for value in identity.values())
    turbo = NPUDelegate("npu4000", options={"NPU_TURBO": "YES"})
    assert turbo.options.identity() != NPUDelegate("npu4000").options.identity()
    text = ", ".join([*COMPILED, "PERF_COUNT"])
    listed = NPUDelegate(options={"CACHING_PROPERTIES": text}).get_property("CACHING_PROPERTIES")
    assert isinstance(listed, Iterable)
    assert set(listed) == {
        *COMPILED,
        "PERF_COUNT",
    }


@given(st.dictionaries(st.sampled_from(sorted(OPTIONS)), st.one_of(st.text(max_size=8), st.integers(), st.none())))
def test_any_values_are_taken_or_rejected(properties):
    delegate = NPUDelegate("npu4000")
    try:
        delegate.set_property(properties)
    except InputError:
        assert delegate.options.values.given == {}
    else:
        assert 1 <= delegate.target.tiles <= 6


@pytest.mark.shows(
    "NPU",
    "DEVICE_ARCHITECTURE",
    "DEVICE_TYPE",
    "FULL_DEVICE_NAME",
    "NPU_DRIVER_VERSION",
    "RANGE_FOR_STREAMS",
    "DEVICE_PCI_INFO",
)
def test_facts_of_the_device():
    delegate = NPUDelegate("npu3720")
    assert delegate.get_property("AVAILABLE_DEVICES") == ("3720",)
    assert NPUDelegate("npu3720", device=Device(present=False)).get_property("AVAILABLE_DEVICES") == ()
    assert delegate.get_property("DEVICE_ARCHITECTURE") == "3720"
    assert delegate.get_property("DEVICE_TYPE") == "INTEGRATED"
    assert NPUDelegate("myriad_x").get_property("DEVICE_TYPE") == "DISCRETE"
    assert "Meteor Lake" in str(delegate.get_property("FULL_DEVICE_NAME"))
    assert "Simulated" in str(delegate.get_property("FULL_DEVICE_NAME"))
    assert delegate.get_property("NPU_DRIVER_VERSION") == delegate.profile.driver_version
    assert delegate.get_property("NPU_DEVICE_TOTAL_MEM_SIZE") == 4 * 2**30
    assert delegate.get_property("NPU_DEVICE_ALLOC_MEM_SIZE") == 0
    assert delegate.get_property("RANGE_FOR_STREAMS") == (1, 4)
    assert delegate.get_property("DEVICE_PCI_INFO") == {"domain": 0, "bus": 0, "device": 0, "function": 0}


@pytest.mark.shows("NPU", "OPTIMIZATION_CAPABILITIES")
@pytest.mark.parametrize(
    ("profile", "types"),
    [("npu4000", ("FP32", "FP16", "INT8")), ("npu3720", ("FP32", "FP16", "INT8")), ("myriad_x", ("FP16",))],
)
def test_capabilities_are_the_types_of_the_profile_and_what_can_be_exported(profile, types):
    assert NPUDelegate(profile).get_property("OPTIMIZATION_CAPABILITIES") == (
        *types,
        "EXPORT_IMPORT",
        "STATE",
        "DYNAMIC",
    )


@pytest.mark.shows("NPU", "INTERNAL_SUPPORTED_PROPERTIES")
def test_what_is_for_other_components_is_listed_apart():
    internal = PropertySpec("NPU_WIRE", "for other components", Integer(0, 9), 0, internal=True)
    profile = load_profile("npu4000")
    options = Options(profile, Values(Registry("The NPU", (*REGISTRY, internal))))
    listed = [property_of(key, profile, options, Device()) for key in ("SUPPORTED_PROPERTIES", INTERNAL)]
    assert listed == [REGISTRY.names, ("NPU_WIRE",)]


@pytest.mark.shows("NPU", "DEVICE_UUID")
def test_device_uuids_tell_devices_apart_and_stay():
    uuids = {name: NPUDelegate(name).get_property("DEVICE_UUID") for name in profile_names()}
    assert len(set(uuids.values())) == len(uuids)
    assert uuids == {name: NPUDelegate(name).get_property("DEVICE_UUID") for name in profile_names()}


@pytest.mark.shows("NPU", "DEVICE_GOPS")
def test_nominal_operations_per_second():
    # 2 operations x 2 tiles x 1024 or 2048 MACs x 1.4 GHz; FLOAT32 a quarter of FLOAT16
    gops = {"f32": 1433.6, "f16": 5734.4, "i8": 11468.8, "u8": 11468.8}
    assert NPUDelegate("npu3720").get_property("DEVICE_GOPS") == pytest.approx(gops)
    assert NPUDelegate("myriad_x").get_property("DEVICE_GOPS") == pytest.approx({"f16": 999.6})


def test_other_names_of_the_list_can_be_read_and_are_not_listed():
    delegate = NPUDelegate()
    for alias in ("SUPPORTED_METRICS", "SUPPORTED_CONFIG_KEYS"):
        assert delegate.get_property(alias) == delegate.supported_properties
        assert alias not in delegate.supported_properties


def test_both_environment_variables_of_the_log_and_ours_wins(monkeypatch):
    monkeypatch.delenv("LITE_DELEGATE_NPU_LOG_LEVEL", raising=False)
    monkeypatch.setenv("OV_NPU_LOG_LEVEL", "INFO")
    assert NPUDelegate().get_property("LOG_LEVEL") == "LOG_INFO"
    monkeypatch.setenv("LITE_DELEGATE_NPU_LOG_LEVEL", "LOG_ERROR")
    assert NPUDelegate().get_property("LOG_LEVEL") == "LOG_ERROR"


def test_accuracy_takes_the_most_precise_arithmetic_and_nothing_else_beside_it():
    accurate = {"EXECUTION_MODE_HINT": "ACCURACY"}
    assert NPUDelegate("npu4000", options=accurate).target.precision.name == "FLOAT32"
    assert NPUDelegate("myriad_x", options=accurate).target.precision.name == "FLOAT16"
    message = rejected({**accurate, "INFERENCE_PRECISION_HINT": "f16"})
    assert "INFERENCE_PRECISION_HINT must be f32 with EXECUTION_MODE_HINT ACCURACY, got f16" in message
