"""Any property of any registry: what cannot be set is named, with what was found and what is allowed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate import PropertyError, PropertyWarning
from lite_delegate.demo import model_path
from lite_delegate.devices.core import Core
from lite_delegate.devices.settings.virtual_properties import VIRTUAL_PROPERTIES
from lite_delegate.inference.properties.context_properties import OWN
from lite_delegate.mindspore.context.context import Context
from lite_delegate.npu import NPUDelegate
from lite_delegate.properties import Access, Choice, Integer, Layer, Or, PropertySpec, YesNo, shown
from tests.properties.registries import ALL, OWNERS

SETTABLE = [key for key, spec in ALL.items() if not spec.read_only]
READ_ONLY = [key for key, spec in ALL.items() if spec.read_only]
ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=12),
    st.binary(max_size=4),
    st.complex_numbers(),
    st.lists(st.text(max_size=3), max_size=3),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
    st.just(len),
)
NEVER: Mapping[type, list[object]] = {
    YesNo: ["MAYBE", "", 2, None, [True], 0.5],
    Choice: ["NO_SUCH_WORD", 3, None, ["LOW"], b"LOW"],
    Integer: ["many", "", "1.0", 1.5, None, True, [1]],
    Or: ["SOMETIMES", 1.5, None, True],
}
"""Values of a wrong type, or wrong words, by the kind of a property."""
ALWAYS_WRONG: list[object] = [object(), 1.5, b"\x00", {"a": 1}]
"""What no property takes."""


def wrong_values(spec: PropertySpec) -> list[object]:
    """Values that a property does not take: of a wrong type, wrong words, and the next ones beyond its range."""
    kind = spec.kind.kind if isinstance(spec.kind, Or) else spec.kind
    beyond: list[object] = []
    if isinstance(kind, Integer):
        beyond = [kind.minimum - 1, str(kind.minimum - 1), -(10**30)]
        beyond += [] if kind.maximum is None else [kind.maximum + 1, str(kind.maximum + 1), 10**30]
    return [*NEVER.get(type(spec.kind), []), *ALWAYS_WRONG, *beyond]


def check(text: str, spec: PropertySpec, value: object) -> None:
    """The message names the property, what it takes and what was found, in a line of bounded length."""
    assert spec.name in text
    assert spec.kind is not None
    assert spec.kind.allowed in text
    assert shown(value) in text
    assert "\n" not in text
    assert len(text) < 2000


@pytest.mark.parametrize(("owner", "name"), SETTABLE)
def test_a_wrong_value_is_named_with_what_is_allowed(owner: str, name: str) -> None:
    spec, registry = ALL[owner, name], OWNERS[owner]
    for value in wrong_values(spec):
        with pytest.raises(PropertyError) as caught:
            registry.checked({name: value})
        check(str(caught.value), spec, value)


@pytest.mark.parametrize(("owner", "name"), READ_ONLY)
def test_what_can_only_be_read_says_so_and_what_to_set(owner: str, name: str) -> None:
    for value in (None, "", 1, "YES"):
        with pytest.raises(PropertyError, match=rf"^Property {name} can only be read\. ") as caught:
            OWNERS[owner].checked({name: value})
        others = [spec.name for spec in OWNERS[owner] if not spec.read_only]
        usual = f"Properties that can be set: {', '.join(others)}." if others else "There are none that can be set."
        instead = ALL[owner, name].instead
        assert str(caught.value).endswith(f"Set {instead} instead." if instead else usual)


@settings(max_examples=300)
@given(st.sampled_from(SETTABLE), ANYTHING)
def test_any_value_is_taken_or_named(key: tuple[str, str], value: Any) -> None:
    registry, spec = OWNERS[key[0]], ALL[key]
    try:
        (taken,) = registry.checked({spec.name: value}).values()
    except PropertyError as e:
        check(str(e), spec, value)
    else:
        again = registry.checked({spec.name.lower(): taken})
        assert again == {spec.name: taken}


@settings(max_examples=200)
@given(st.sampled_from(sorted(OWNERS)), st.one_of(st.text(max_size=30), ANYTHING), ANYTHING)
def test_any_name_is_a_property_or_an_error_with_the_name(owner: str, name: Any, value: Any) -> None:
    if name.__hash__ is None or name in OWNERS[owner]:
        return
    with pytest.raises(PropertyError) as caught:
        OWNERS[owner].checked({name: value})
    assert shown(name) in str(caught.value)
    assert "\n" not in str(caught.value)


Door = Callable[[Core, Mapping[str, object]], object]
DOORS: Mapping[str, tuple[Door, tuple[str, ...]]] = {
    "core": (lambda core, properties: core.set_property(properties), ("core", "runtime")),
    "CPU": (lambda core, properties: core.set_property("CPU", properties), ("CPU", "runtime")),
    "NPU": (lambda core, properties: core.set_property("NPU.4000", properties), ("NPU", "runtime")),
    "call for the NPU": (lambda c, p: c.compile_model(model_path(), "NPU.4000", p), ("NPU", "runtime")),
    "call for AUTO": (lambda c, p: c.compile_model(model_path(), "AUTO", p), ("runtime", "made of other devices")),
    "nested": (lambda c, p: c.compile_model(model_path(), "CPU", {"DEVICE_PROPERTIES": {"NPU.4000": p}}), ("NPU",)),
    "context": (lambda _, properties: Context().set_property(properties), ("runtime",)),
    "delegate": (lambda _, properties: NPUDelegate("npu4000").set_property(properties), ("NPU",)),
}
"""Where properties are set, and whose can be set there."""
NOBODY = (Layer.DEFAULT, Layer.PROFILE, Layer.HINT)
"""Layers of what nobody set."""


def is_of_all(owner: str, name: str) -> bool:
    """Whether a property of the NPU is not its own: the runtime has it, or it says which device is meant."""
    return owner == "NPU" and (name in OWN or name == "DEVICE_ID")


@settings(max_examples=40)
@given(st.data())
@pytest.mark.parametrize("door", DOORS)
def test_at_every_door_nothing_is_set_and_the_mistake_is_named(door: str, data: st.DataObject) -> None:
    act, owners = DOORS[door]
    specs = [spec for (owner, name), spec in ALL.items() if owner in owners and not is_of_all(owner, name)]
    specs += VIRTUAL_PROPERTIES if "made of other devices" in owners else ()
    spec = data.draw(st.sampled_from(specs))
    value = data.draw(st.sampled_from(wrong_values(spec)) if not spec.read_only else st.just("1"))
    core = Core()
    with pytest.raises(PropertyError) as caught:
        act(core, {spec.name: value})
    if spec.read_only:
        assert f"{spec.name} can only be read" in str(caught.value)
    else:
        check(str(caught.value), spec, value)
    for device in ("core", "CPU", "NPU.4000"):
        if not spec.read_only and spec.may is not Access.WO and spec in core.properties(device):
            assert core.explain_property(device, spec.name).layer in NOBODY


def test_on_a_compiled_model_as_well() -> None:
    compiled = Core().compile_model(model_path(), "HETERO:NPU.4000,CPU")
    listed = compiled.get_property("SUPPORTED_PROPERTIES")
    assert isinstance(listed, tuple)
    others = ("OPENVINO", "ONNXRUNTIME", "QNN")  # take other values under the same names
    all_here = {name: spec for (owner, name), spec in ALL.items() if owner not in others}
    mine = {name: spec for name, spec in all_here.items() if name in listed and name != "DEVICE_ID"}
    for name, spec in mine.items():
        before = compiled.get_property(name)
        for value in ["1"] if spec.read_only else wrong_values(spec):
            with pytest.raises(PropertyError) as caught:
                compiled.set_property({"MODEL_PRIORITY": "HIGH", name: value})
            if spec.read_only:
                assert f"{name} can only be read. " in str(caught.value)
            else:
                check(str(caught.value), spec, value)
        assert compiled.get_property(name) == before
    assert compiled.get_property("MODEL_PRIORITY") == "MEDIUM"


def test_what_is_no_mapping_is_an_error_of_properties() -> None:
    core = Core()
    calls: list[Callable[[Any], object]] = [
        core.set_property,
        lambda wrong: core.set_property("NPU", wrong),
        lambda wrong: core.set_property("CPU", wrong),
        lambda wrong: core.compile_model(model_path(), "NPU", wrong),
        lambda wrong: core.compile_model_async(model_path(), "NPU", wrong),
        lambda wrong: core.query_model(model_path(), "NPU", wrong),
        lambda wrong: core.import_model(b"", "NPU", wrong),
        core.compile_model(model_path(), "CPU").set_property,
        core.compile_model(model_path(), "MULTI:NPU,CPU").set_property,
    ]
    for wrong in (["NPU_TILES"], 3, b"x"):
        for call in calls:
            with pytest.raises(PropertyError, match="Properties must be a mapping of names to values, got "):
                call(wrong)


def test_the_old_prefix_is_told_in_the_line_that_has_it_and_nowhere_later() -> None:
    core = Core()
    with pytest.warns(PropertyWarning, match="leave out the prefix KEY_") as caught:
        core.set_property("NPU", {"KEY_NPU_TURBO": "YES"})
    assert {each.filename for each in caught} == {__file__}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert core.get_property("NPU", "NPU_TURBO") is True
        assert core.compile_model(model_path(), "NPU").get_property("NPU_TURBO") is True
