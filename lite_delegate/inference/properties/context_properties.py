"""Properties of a context: the properties of the runtime, of the CPU and of its delegates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...delegate import Delegate
from ...properties import Layer, Registry, Values
from .build_properties import BUILD_PROPERTIES, OPTIMIZE, REFERENCE_KERNELS, REWRITE
from .cache_properties import cache_options
from .cpu_properties import COUNT, CPU_PROPERTIES, HINT, POINTERS, check_threads
from .runtime_properties import PLAIN, RUNTIME_PROPERTIES

OWN = Registry("The context", (*RUNTIME_PROPERTIES, *(spec for spec in CPU_PROPERTIES if not spec.read_only)))
"""The properties that a user sets on a context by name."""
BUILDING = Registry("The context", (*RUNTIME_PROPERTIES, *BUILD_PROPERTIES))
"""The properties of a context, its build options included."""
CPU = Registry("The CPU", (*CPU_PROPERTIES, REFERENCE_KERNELS), POINTERS)
"""The properties of a context's CPU."""
SHARED = (HINT, COUNT)
"""Properties of the CPU that a context also sets on its delegates."""
Theirs = list[tuple[Delegate, dict[str, object]]]
"""Values by delegate."""


def checked(
    own: Values, cpu: Values, delegates: Sequence[Delegate], properties: object
) -> tuple[dict[str, object], dict[str, object], Theirs]:
    """The checked values for a context, for its CPU and for its delegates; no value is set yet.

    Args:
        own: the present values of the context.
        cpu: the present values of its CPU.
        delegates: of the context.
        properties: by name.

    Raises:
        PropertyError: a property is unknown to the context and its delegates, or a value is not allowed.
    """
    if not isinstance(properties, Mapping):
        return OWN.checked(properties), {}, []
    given = in_parts(OWN.checked({name: value for name, value in properties.items() if name in OWN}))
    owns = {name: value for name, value in given.items() if name in BUILDING}
    cpus = {name: value for name, value in given.items() if name in CPU}
    cache_options(own.with_layer(Layer.FLAT, owns))
    check_threads(cpu.with_layer(Layer.FLAT, cpus))
    others = {name: value for name, value in properties.items() if name not in OWN or _is_shared(name)}
    registries = [(delegate, Registry(f"Device {delegate.name}", delegate.properties())) for delegate in delegates]
    for name in others:
        if name not in OWN and not any(name in registry for _, registry in registries):
            _everything(delegates).find(name)
    theirs = [
        (delegate, registry.checked({name: value for name, value in others.items() if name in registry}))
        for delegate, registry in registries
    ]
    return owns, cpus, [(delegate, values) for delegate, values in theirs if values]


def in_parts(given: Mapping[str, object]) -> dict[str, object]:
    """Values by name, with OPTIMIZE and REWRITE of a context in place of DISABLE_TRANSFORMATIONS."""
    left = {name: value for name, value in given.items() if name != PLAIN}
    if PLAIN not in given:
        return left
    return {**left, OPTIMIZE: "NONE" if given[PLAIN] else "GENERAL", REWRITE: not given[PLAIN]}


def value_of(values: Sequence[Values], delegates: Sequence[Delegate], key: str) -> object:
    """The value of a property of a context, or of its first delegate with the property.

    Args:
        values: of the context, and of its CPU.
        delegates: of the context.
        key: the property.

    Raises:
        PropertyError: the property is unknown, or can only be set.
    """
    if key not in OWN or _is_shared(key):
        for delegate in delegates:
            if key in Registry(delegate.name, delegate.properties()):
                return delegate.get_property(key)
    if key not in OWN:
        raise AssertionError(_everything(delegates).find(key))
    name = OWN.readable(key).name
    return next(each.effective(name) for each in values if name in each.registry)


def _is_shared(name: str) -> bool:
    return name in OWN and OWN.find(name).name in SHARED


def _everything(delegates: Sequence[Delegate]) -> Registry:
    """The properties of the context and of its delegates, for messages."""
    specs = {spec.name: spec for delegate in delegates for spec in delegate.properties()}
    return Registry("The context, with its delegates,", {**specs, **{spec.name: spec for spec in OWN}}.values())
