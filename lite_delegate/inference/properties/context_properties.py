"""Properties of a context: those that the runtime and the CPU see to, and those of its delegates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...delegate import Delegate
from ...properties import Layer, Registry, Values
from .cache_properties import cache_options
from .cpu_properties import COUNT, CPU_PROPERTIES, CPU_REGISTRY, HINT, check_threads
from .runtime_properties import RUNTIME, RUNTIME_PROPERTIES

OWN = Registry("The context", (*RUNTIME_PROPERTIES, *(spec for spec in CPU_PROPERTIES if not spec.read_only)))
SHARED = (HINT, COUNT)
"""Properties of the CPU that, set on a context, are set on its delegates that have them, too."""
NONE_SET = Values(OWN)
Theirs = list[tuple[Delegate, dict[str, object]]]
"""Values by delegate."""


def checked(own: Values, delegates: Sequence[Delegate], properties: object) -> tuple[Values, Theirs]:
    """What some properties make of those of a context, and what they set on its delegates. Nothing is set yet.

    Raises:
        PropertyError: nobody has one of them, or a value is not allowed.
    """
    if not isinstance(properties, Mapping):
        OWN.checked(properties)
        return own, []
    found = own.with_layer(Layer.FLAT, {name: value for name, value in properties.items() if name in OWN})
    cache_options(found)
    check_threads(found)
    others = {name: value for name, value in properties.items() if name not in OWN or _is_shared(name)}
    registries = [(delegate, Registry(f"Device {delegate.name}", delegate.properties())) for delegate in delegates]
    for name in others:
        if name not in OWN and not any(name in registry for _, registry in registries):
            _everything(delegates).find(name)
    theirs = [
        (delegate, registry.checked({name: value for name, value in others.items() if name in registry}))
        for delegate, registry in registries
    ]
    return found, [(delegate, values) for delegate, values in theirs if values]


def value_of(own: Mapping[str, object], delegates: Sequence[Delegate], key: str) -> object:
    """The value of a property of a context, or of the first of its delegates that has it.

    Args:
        own: the values of the context's own.
        delegates: of the context.
        key: the property.

    Raises:
        PropertyError: nobody has it, or it can only be set.
    """
    if key in OWN and not _is_shared(key):
        return own[OWN.readable(key).name]
    for delegate in delegates:
        if key in Registry(delegate.name, delegate.properties()):
            return delegate.get_property(key)
    if key in OWN:
        return own[OWN.find(key).name]
    raise AssertionError(_everything(delegates).find(key))


def parted(own: Mapping[str, object]) -> tuple[Values, Values]:
    """The values of a context's own properties, those that the runtime sees to and those of the CPU.

    Args:
        own: what was set.
    """
    runtime = {name: value for name, value in own.items() if name in RUNTIME}
    cpu = {name: value for name, value in own.items() if name in CPU_REGISTRY}
    return Values(RUNTIME).with_layer(Layer.FLAT, runtime), Values(CPU_REGISTRY).with_layer(Layer.FLAT, cpu)


def _is_shared(name: str) -> bool:
    return name in OWN and OWN.find(name).name in SHARED


def _everything(delegates: Sequence[Delegate]) -> Registry:
    """The context's own properties and those of its delegates, for messages."""
    specs = {spec.name: spec for delegate in delegates for spec in delegate.properties()}
    return Registry("The context, with its delegates,", {**specs, **{spec.name: spec for spec in OWN}}.values())
