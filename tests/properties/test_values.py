"""Registries and layers: which value wins, what lost, and what is never half done."""

from __future__ import annotations

from itertools import combinations

import pytest

from lite_delegate.errors import InputError, PropertyError, PropertyWarning
from lite_delegate.properties import (
    Access,
    Callables,
    Choice,
    Integer,
    Layer,
    PropertySpec,
    PropertyStore,
    Registry,
    YesNo,
)

HINT = PropertySpec("HINT", "how much", Choice(("SPEED", "THRIFT", "UNDEFINED")), "UNDEFINED", when="C")
COUNT = PropertySpec(
    "COUNT",
    "how many",
    Integer(-1, 99),
    7,
    aliases=("NUMBER",),
    environment=("ACME_COUNT", "OLD_COUNT"),
    by_profile=True,
    implied=lambda values: (42, "HINT SPEED") if values.value("HINT") == "SPEED" else None,
    automatic=(-1,),
)
FACT = PropertySpec("FACT", "what is", instead="COUNT")
SECRET = PropertySpec("SECRET", "functions", Callables(("one", "two")), None, access=Access.WO)
REGISTRY = Registry("Device acme", (HINT, COUNT, FACT, SECRET), {"OLD": "use COUNT"})
CORE = Registry("The core", (PropertySpec("COUNT", "how many, of all devices", Integer(0, 99), 1, scope="k"),))
SETTERS = (Layer.NESTED, Layer.FLAT, Layer.DEVICE, Layer.CORE, Layer.ENVIRONMENT, Layer.HINT, Layer.PROFILE)


def explained(layers, monkeypatch):
    """What counts where each of these layers has a value of its own: its place in the order of layers."""
    store = PropertyStore(CORE)
    device = {}
    number = {layer: SETTERS.index(layer) + 1 for layer in layers}
    monkeypatch.delenv("ACME_COUNT", raising=False)
    if Layer.ENVIRONMENT in layers:
        monkeypatch.setenv("ACME_COUNT", str(number[Layer.ENVIRONMENT]))
    if Layer.CORE in layers:
        store.set_core({"COUNT": number[Layer.CORE]})
    if Layer.DEVICE in layers:
        device["number"] = number[Layer.DEVICE]
    flat = {"COUNT": number[Layer.FLAT]} if Layer.FLAT in layers else {}
    nested = {"count": str(number[Layer.NESTED])} if Layer.NESTED in layers else {}
    if Layer.HINT in layers:
        nested["HINT"] = "SPEED"
    return store.for_call(REGISTRY, device, flat, nested).explain("COUNT")


@pytest.mark.parametrize("pair", list(combinations(SETTERS, 2)), ids=lambda pair: "-".join(x.name for x in pair))
def test_of_two_layers_the_higher_wins_and_the_other_is_told(pair, monkeypatch):
    higher, lower = pair
    found = explained(set(pair), monkeypatch)
    assert found.layer is higher
    assert lower in [each.layer for each in found.losers]
    value = {Layer.HINT: 42, Layer.PROFILE: 7}
    assert found.value == value.get(higher, SETTERS.index(higher) + 1)
    assert next(x for x in found.losers if x.layer is lower).value == value.get(lower, SETTERS.index(lower) + 1)


def test_an_explicit_key_of_the_core_beats_what_a_hint_of_the_call_implies(monkeypatch):
    found = explained({Layer.CORE, Layer.HINT}, monkeypatch)
    assert (found.value, found.layer) == (4, Layer.CORE)
    assert str(found) == "COUNT = 4 (core) over 42 (implied by other properties: HINT SPEED), 7 (device profile)"


def test_a_value_that_means_automatic_takes_what_is_implied():
    store = PropertyStore(CORE)
    assert store.for_call(REGISTRY, {}, {"COUNT": -1, "HINT": "SPEED"}).effective("COUNT") == 42
    assert store.for_call(REGISTRY, {}, {"COUNT": -1}).effective("COUNT") == -1


def test_the_first_environment_variable_counts_and_a_wrong_value_is_ignored_with_its_name(monkeypatch):
    values = PropertyStore(CORE).for_device(REGISTRY)
    monkeypatch.setenv("OLD_COUNT", "3")
    assert values.value("COUNT") == 3
    monkeypatch.setenv("ACME_COUNT", "5")
    assert values.value("COUNT") == 5
    monkeypatch.setenv("ACME_COUNT", "many")
    with pytest.warns(PropertyWarning, match=r"COUNT \(environment variable ACME_COUNT\) must be an integer"):
        assert values.value("COUNT") == REGISTRY.find("COUNT").default


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"CONT": 1}, "Device acme has no property 'CONT'. Did you mean 'COUNT'"),
        ({"OLD": 1}, "Device acme has no property 'OLD': use COUNT."),
        ({"FACT": 1}, "Property FACT can only be read. Set COUNT instead."),
        ({"COUNT": 100}, "Property COUNT must be an integer, from -1 to 99; got 100."),
        ({"COUNT": 1, "NUMBER": 2}, "Property COUNT is given twice, once as 'NUMBER'."),
        ({"HINT": 2}, "Property HINT must be SPEED, THRIFT or UNDEFINED; got 2."),
        ({"SECRET": 3}, "Property SECRET must be a tuple of functions (one, two), or None; got 3."),
        (4, "Properties must be a mapping of names to values, got 4."),
    ],
)
def test_mistakes_are_named_and_set_nothing(changes, message):
    before = PropertyStore(CORE).for_device(REGISTRY, {"COUNT": 3})
    more = {"HINT": "SPEED", **changes} if isinstance(changes, dict) and "HINT" not in changes else changes
    with pytest.raises(InputError) as caught:
        before.with_layer(Layer.DEVICE, more)
    assert isinstance(caught.value, PropertyError)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert before.given == {"COUNT": 3}


def test_a_key_of_a_device_set_on_the_core_is_told_the_right_call():
    with pytest.raises(PropertyError, match=r"The core has no property 'HINT'.*core\.set_property\(DEVICE, \{'HINT'"):
        PropertyStore(CORE).set_core({"HINT": "SPEED"})


def test_functions_can_be_set_and_not_be_read():
    values = PropertyStore(CORE).for_device(REGISTRY, {"SECRET": (len, max)})
    assert values.given["SECRET"] == (len, max)
    with pytest.raises(PropertyError, match="SECRET can only be set"):
        values.explain("SECRET")


def test_the_old_prefix_is_dropped_with_a_warning():
    with pytest.warns(PropertyWarning, match="KEY_COUNT is called COUNT"):
        assert REGISTRY.checked({"KEY_COUNT": 3}) == {"COUNT": 3}


def test_a_name_that_begins_so_is_found_without_a_warning(recwarn):
    registry = Registry("Device acme", (PropertySpec("KEY_FILE", "of its licence", Integer(0), 0), COUNT))
    assert registry.checked({"key_file": 3}) == {"KEY_FILE": 3}
    assert "KEY_FILE" in registry
    assert not recwarn.list


def test_yes_and_no_as_people_write_them():
    assert [YesNo().parse(value) for value in ("yes", "NO", "True", "false", True)] == [True, False, True, False, True]
    for value in (2, "maybe", None, 1):
        with pytest.raises(ValueError, match=r"^$"):
            YesNo().parse(value)
