"""Properties of core, devices and compiled models: levels, explanations, and what is fixed when compiled."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from lite_delegate import PropertyError
from lite_delegate.demo import model_path
from lite_delegate.devices.core import Core
from lite_delegate.properties import Layer
from tests.commands import invoke


def test_levels_of_core_device_and_call_and_who_set_it():
    core = Core()
    core.set_property({"LOG_LEVEL": "ERROR"})
    core.set_property("NPU.4000", {"NPU_TILES": 2})
    assert core.get_property("NPU.4000", "LOG_LEVEL") == "LOG_ERROR"
    assert core.explain_property("NPU.4000", "LOG_LEVEL").layer is Layer.CORE
    assert core.explain_property("NPU.4000", "NPU_TILES").layer is Layer.DEVICE
    call = {"PERFORMANCE_HINT": "THROUGHPUT", "DEVICE_PROPERTIES": {"NPU.4000": {"FREQUENCY": 1}}}
    compiled = core.compile_model(model_path(), "NPU.4000", call)
    explained = {key: compiled.explain_property(key).layer for key in ("FREQUENCY", "PERFORMANCE_HINT", "NPU_TILES")}
    assert explained == {"FREQUENCY": Layer.NESTED, "PERFORMANCE_HINT": Layer.FLAT, "NPU_TILES": Layer.DEVICE}
    assert Layer.HINT in [each.layer for each in compiled.explain_property("NPU_TILES").losers]
    assert compiled.get_property("NPU_TILES") == 2


@pytest.mark.shows("model", "SUPPORTED_PROPERTIES")
def test_a_compiled_model_keeps_its_values_and_lists_all_of_its_scope():
    core = Core()
    core.set_property("NPU.4000", {"NPU_TILES": 2})
    compiled = core.compile_model(model_path(), "NPU.4000")
    core.set_property("NPU.4000", {"NPU_TILES": 5})
    assert compiled.get_property("NPU_TILES") == 2
    assert core.compile_model(model_path(), "NPU.4000").get_property("NPU_TILES") == 5
    listed = compiled.get_property("SUPPORTED_PROPERTIES")
    assert isinstance(listed, tuple)
    wanted = {spec.name for spec in core.properties("NPU.4000") if "c" in spec.scope}
    assert wanted <= set(listed)
    for name in listed:
        compiled.get_property(name)


@pytest.mark.shows("model", "NETWORK_NAME", "EXECUTION_DEVICES")
def test_facts_of_a_compiled_model():
    compiled = Core().compile_model(model_path(), "NPU.4000")
    assert compiled.get_property("EXECUTION_DEVICES") == ("NPU.4000",)
    assert compiled.get_property("NETWORK_NAME") == (compiled.graph.name or "")
    assert compiled.get_property("LOADED_FROM_CACHE") is False
    assert compiled.get_property("PERFORMANCE_HINT") == "LATENCY"
    assert compiled.explain_property("PERFORMANCE_HINT").layer is Layer.HINT
    assert Core().compile_model(model_path(), "CPU").get_property("EXECUTION_DEVICES") == ("CPU",)


def test_what_is_fixed_names_the_remedy_and_the_log_can_be_changed(capsys):
    core = Core()
    compiled = core.compile_model(model_path(), "NPU.4000")
    with pytest.raises(PropertyError, match="NPU_TILES is fixed when a model is compiled; compile it again with NPU_T"):
        compiled.set_property({"LOG_LEVEL": "LOG_ERROR", "NPU_TILES": 3})
    with pytest.raises(
        PropertyError, match=r"The compiled model has no property 'NPU_TILS'\. Did you mean 'NPU_TILES'"
    ):
        compiled.set_property({"NPU_TILS": 3})
    assert compiled.get_property("LOG_LEVEL") == "LOG_NONE"
    compiled.set_property({"LOG_LEVEL": "DEBUG"})
    assert compiled.get_property("LOG_LEVEL") == "LOG_DEBUG"
    assert compiled.explain_property("LOG_LEVEL").layer is Layer.RUNTIME
    compiled([np.zeros(each.shape, np.float32) for each in compiled.inputs])
    said = r"^NPU.4000 debug: model 'digits': Graph kernel 'NpuGraph0' ran in [0-9.]+ simulated"
    assert re.search(said, capsys.readouterr().err, re.MULTILINE)


@pytest.mark.shows("core", "SUPPORTED_PROPERTIES")
def test_the_core_lists_what_can_be_set_on_it_and_what_it_says():
    core = Core()
    listed = core.get_property("SUPPORTED_PROPERTIES")
    assert listed == core.get_property("supported_config_keys") == tuple(s.name for s in core.properties("core"))
    assert {"AVAILABLE_DEVICES", "LOG_LEVEL", "CACHE_DIR", "SCHEDULE_POLICY"} <= set(listed)


@pytest.mark.shows("core", "LOG_LEVEL")
def test_the_log_level_of_the_core_is_that_of_devices_without_one(capsys):
    core = Core()
    core.set_property({"LOG_LEVEL": "LOG_INFO"})
    core.set_property("NPU.3720", {"LOG_LEVEL": "LOG_NONE"})
    core.compile_model(model_path(), "NPU.3720")
    assert capsys.readouterr().err == ""
    core.compile_model(model_path(), "NPU.4000")
    assert "NPU.4000 info: model 'digits': " in capsys.readouterr().err


@pytest.mark.parametrize("level", ["core", "device", "call", "compiled"])
def test_an_unknown_key_is_an_error_at_once_and_the_device_works_afterwards(level):
    core = Core()
    compiled = core.compile_model(model_path(), "NPU.4000")
    bad = {"NPU_TURBO": "YES", "NPU_TURB": "YES"}
    with pytest.raises(PropertyError, match="NPU_TURB"):
        {
            "core": lambda: core.set_property(bad),
            "device": lambda: core.set_property("NPU.4000", bad),
            "call": lambda: core.compile_model(model_path(), "NPU.4000", bad),
            "compiled": lambda: compiled.set_property(bad),
        }[level]()
    assert core.get_property("NPU.4000", "NPU_TURBO") is False
    assert core.compile_model(model_path(), "NPU.4000").get_property("NPU_TURBO") is False


def test_the_command_lists_values_who_set_them_and_effects():
    found = json.loads(invoke("properties", "NPU.4000", "--format", "json").output)
    rows = {row["name"]: row for row in found["properties"]}
    assert set(rows) == {spec.name for spec in Core().properties("NPU.4000")}
    assert (rows["NPU_MAX_TILES"]["value"], rows["NPU_MAX_TILES"]["set_by"]) == (6, "device profile")
    assert all(row["effect"] for row in rows.values())
    schema = json.loads(invoke("properties", "NPU.4000", "--format", "schema").output)
    assert schema["properties"]["NPU_MAX_TILES"]["maximum"] == 64
    assert "LOG_LEVEL" in invoke("properties", "core").output
