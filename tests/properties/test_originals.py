"""The keys of the devices that are followed here: access, scopes, when they count, and defaults.

The table is written by hand after the documents of OpenVINO's NPU plugin, its template plugin and its VPU plugins, with
the differences that are meant: NUM_STREAMS can be set and is AUTO, PERFORMANCE_HINT can be UNDEFINED, NPU_MAX_TILES can
be set; YES and NO are read as bools.
"""

from __future__ import annotations

import ast

import pytest

from lite_delegate import PropertyError
from lite_delegate.demo import model_path
from lite_delegate.devices.core import Core
from lite_delegate.properties import Layer, PropertyName

TABLE = """
SUPPORTED_PROPERTIES             RO kdc -  -
CACHING_PROPERTIES               RW d   -  -
INTERNAL_SUPPORTED_PROPERTIES    RO d   -  -
COMPILATION_NUM_THREADS          RW dc  L  -
NUM_STREAMS                      RW dc  L  'AUTO'
INFERENCE_NUM_THREADS            RW dc  L  0
THREADS_PER_STREAM               RW dc  L  0
OPTIMAL_NUMBER_OF_INFER_REQUESTS RO dc  -  1
RANGE_FOR_ASYNC_INFER_REQUESTS   RO d   -  (1,1,1)
RANGE_FOR_STREAMS                RO d   -  (1,8)
PERF_COUNT                       RW dc  L  False
PERFORMANCE_HINT                 RW dc  C  'UNDEFINED'
PERFORMANCE_HINT_NUM_REQUESTS    RW dc  L  1
MODEL_PRIORITY                   RW dc  R  'MEDIUM'
EXECUTION_MODE_HINT              RW dc  C  'PERFORMANCE'
INFERENCE_PRECISION_HINT         RW dc  C  'f16'
ENABLE_CPU_PINNING               RW dc  L  False
LOG_LEVEL                        RW kd  R  'LOG_NONE'
CACHE_DIR                        RW kd  L  ''
LOADED_FROM_CACHE                RO c   -  False
AVAILABLE_DEVICES                RO kd  -  -
DEVICE_ID                        RW dc  C  ''
DEVICE_UUID                      RO dc  -  -
DEVICE_ARCHITECTURE              RO dc  C  '4000'
FULL_DEVICE_NAME                 RO dc  -  -
OPTIMIZATION_CAPABILITIES        RO d   -  -
EXECUTION_DEVICES                RO dc  -  ('NPU',)
DEVICE_TYPE                      RO dc  -  'INTEGRATED'
DEVICE_GOPS                      RO dc  -  -
DEVICE_PCI_INFO                  RO dc  -  {'domain':0,'bus':0,'device':0,'function':0}
EXCLUSIVE_ASYNC_REQUESTS         RW dc  L  False
DISABLE_TRANSFORMATIONS          RW dc  C  False
NPU_DEVICE_ALLOC_MEM_SIZE        RO d   -  0
NPU_DEVICE_TOTAL_MEM_SIZE        RO dc  -  -
NPU_DRIVER_VERSION               RO dc  C  -
NPU_COMPILATION_MODE_PARAMS      RW dc  C  ''
NPU_TURBO                        RW dc  C  False
NPU_TILES                        RW dc  C  -1
NPU_MAX_TILES                    RW dc  C  6
NPU_BYPASS_UMD_CACHING           RW d   L  False
NPU_DEFER_WEIGHTS_LOAD           RW dc  L  False
VPU_HW_STAGES_OPTIMIZATION       RW dc  C  True
VPU_COMPUTE_LAYOUT               RW dc  C  'VPU_AUTO'
VPU_PRINT_RECEIVE_TENSOR_TIME    RW dc  L  False
VPU_IGNORE_IR_STATISTIC          RW dc  C  False
VPU_CUSTOM_LAYERS                RW dc  C  ''
"""
"""Name, access, scopes (k core, d device, c compiled model), when (C compiling, L loading, R run time), default."""
ROWS = [line.split() for line in TABLE.split("\n") if line]
OF_THE_CPU = ("INFERENCE_NUM_THREADS", "THREADS_PER_STREAM")


@pytest.fixture(autouse=True)
def the_usual_device(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LITE_DELEGATE_NPU_LOG_LEVEL", "OV_NPU_LOG_LEVEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LITE_DELEGATE_NPU_DEVICES", "4000")


def device_of(name: str) -> str:
    return "CPU" if name in OF_THE_CPU else "NPU"


def ids(row: list[str]) -> str:
    return row[0]


def test_there_are_46_of_them() -> None:
    assert len({row[0] for row in ROWS}) == len(ROWS) == 46


@pytest.mark.parametrize("row", ROWS, ids=ids)
def test_a_key_can_be_read_in_its_scopes_and_has_its_default(row: list[str]) -> None:
    name, _, scopes, _, default = row
    core, device = Core(), device_of(name)
    found = []
    if "k" in scopes:
        found.append(core.get_property(name))
    if "d" in scopes:
        found.append(core.get_property(device, name.lower()))
    if "c" in scopes:
        in_effect = core.compile_model(model_path(), device).get_property(name)
        found += [in_effect] if "d" not in scopes else []
    assert found
    for value in found if default != "-" else ():
        assert value == ast.literal_eval(default)


@pytest.mark.parametrize("row", ROWS, ids=ids)
def test_a_key_can_be_set_on_a_device_if_it_is_one_that_can(row: list[str]) -> None:
    name, access, scopes, _, _ = row
    core, device = Core(), device_of(name)
    if access == "RW":
        core.set_property(device, {name: core.get_property(device, name)})
        explained = core.explain_property(device, name)
        assert Layer.DEVICE in [each.layer for each in (explained.winner, *explained.losers)]
    elif "d" in scopes:
        with pytest.raises(PropertyError, match=f"Property {name} can only be read"):
            core.set_property(device, {name: core.get_property(device, name)})


@pytest.mark.parametrize("row", [row for row in ROWS if "c" in row[2]], ids=ids)
def test_a_key_can_be_set_on_a_compiled_model_if_it_counts_at_run_time(row: list[str]) -> None:
    name, access, _, when, _ = row
    compiled = Core().compile_model(model_path(), device_of(name))
    value = compiled.get_property(name)
    if when == "R":
        compiled.set_property({name: value})
        return
    expected = "is fixed when a model is compiled" if access == "RW" else "can only be read"
    with pytest.raises(PropertyError, match=f"Property {name} {expected}"):
        compiled.set_property({name: value})


@pytest.mark.parametrize("row", [row for row in ROWS if row[3] != "-"], ids=ids)
def test_a_key_counts_when_it_is_said_to(row: list[str]) -> None:
    name, when = row[0], row[3]
    (spec,) = [each for each in Core().properties(device_of(name)) if each.name == name]
    assert when in spec.when
    assert ("C" in spec.when) is (when == "C")


@pytest.mark.parametrize("scope", ["k", "d", "c"])
def test_the_list_has_the_keys_with_what_may_be_done_with_them(scope: str) -> None:
    core = Core()
    compiled = core.compile_model(model_path(), "NPU")
    read = {
        "k": core.get_property,
        "d": lambda name: core.get_property("NPU", name),
        "c": compiled.get_property,
    }[scope]
    listed = read("SUPPORTED_PROPERTIES")
    assert isinstance(listed, tuple)
    assert all(isinstance(each, PropertyName) for each in listed)
    for name, access, scopes, when, _ in ROWS:
        if scope in scopes and name not in OF_THE_CPU:
            (found,) = [each for each in listed if each == name]
            assert found.is_mutable is (access == "RW" and (scope != "c" or when == "R"))
    for alias in ("SUPPORTED_METRICS", "SUPPORTED_CONFIG_KEYS"):
        assert read(alias) == listed
        assert alias not in listed
