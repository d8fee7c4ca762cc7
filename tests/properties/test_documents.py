"""Pages and JSON schema of properties are what the registries make of them."""

from __future__ import annotations

import json

import jsonschema
import pytest

from lite_delegate.devices.core import Core
from tools.properties import DEVICES, DOCS, SCHEMA, renewed, schema


def test_the_tables_of_the_page_are_what_the_registries_make_of_them():
    page = DOCS / "properties.md"
    assert renewed(page) == page.read_text(encoding="utf-8"), "run python -m tools.properties"


def test_the_schema_is_what_the_registries_make_of_it():
    assert schema() == SCHEMA.read_text(encoding="utf-8"), "run python -m tools.properties"


@pytest.mark.parametrize("device", ["core", *DEVICES])
def test_what_is_set_by_default_is_valid_and_strange_names_are_not(device):
    mine = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"][device]
    jsonschema.Draft202012Validator.check_schema(mine)
    core = Core()
    settable = [spec for spec in core.properties(device) if spec.name in mine["properties"]]
    assert settable
    for spec in settable:
        value = core.get_property(spec.name) if device == "core" else core.get_property(device, spec.name)
        if value is not None:  # None: it depends on the device
            jsonschema.validate({spec.name: list(value) if isinstance(value, tuple) else value}, mine)
    with pytest.raises(jsonschema.ValidationError, match="NPU_TURB'"):
        jsonschema.validate({"NPU_TURB": True}, mine)


@pytest.mark.parametrize("device", ["core", "CPU"])
def test_the_page_has_every_property_that_a_user_can_set(device):
    page = (DOCS / "properties.md").read_text(encoding="utf-8")
    for spec in Core().properties(device):
        assert f"| `{spec.name}` | {spec.may.value} |" in page


@pytest.mark.parametrize(
    ("device", "name", "right", "wrong"),
    [
        ("NPU.4000", "DEVICE_ID", ["", "4000", "4000.1", "NPU.toml", "1", 1], [["4000"], True]),
        ("NPU.4000", "NUM_STREAMS", ["AUTO", 3], [[3], 0, "MANY"]),
        ("NPU.4000", "NPU_COMPILATION_MODE_PARAMS", ["", "optimization-level=2"], [2, []]),
        ("NPU.4000", "ENABLE_CPU_PINNING", ["NO", False], ["MAYBE", 0.5]),
        ("CPU", "NUM_STREAMS", ["AUTO", 3], [[3], 0, "MANY"]),
        ("core", "CACHE_DIR", ["", "folder"], [1, ["folder"]]),
        ("core", "LOG_LEVEL", ["LOG_NONE", "LOG_TRACE"], ["LOUD", 3]),
    ],
)
def test_the_schema_and_the_core_agree_about_values(device, name, right, wrong):
    mine = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"][device]
    kind = next(spec.kind for spec in Core().properties(device) if spec.name == name)
    assert kind is not None
    for value in right:
        jsonschema.validate({name: value}, mine)
        kind.parse(value)
    for value in wrong:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({name: value}, mine)
        with pytest.raises(ValueError, match=r"^$"):
            kind.parse(value)
