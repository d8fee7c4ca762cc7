"""Properties of a context: those that the runtime and the CPU see to, and those of its delegates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...delegate import Delegate
from ...properties import Layer, Registry, Values
from .build_properties import BUILD_PROPERTIES, OPTIMIZE, REFERENCE_KERNELS, REWRITE
from .cache_properties import cache_options
from .cpu_properties import COUNT, CPU_PROPERTIES, HINT, POINTERS, check_threads
from .runtime_properties import PLAIN, RUNTIME_PROPERTIES

OWN = Registry("The context", (*RUNTIME_PROPERTIES, *(spec for spec in CPU_PROPERTIES if not spec.read_only)))
"""The properties that are set on a context by name."""
BUILDING = Registry("The context", (*RUNTIME_PROPERTIES, *BUILD_PROPERTIES))
"""The properties that a context has values of: its options, too."""
CPU = Registry("The CPU", (*CPU_PROPERTIES, REFERENCE_KERNELS), POINTERS)
"""The properties that the CPU of a context has values of."""
SHARED = (HINT, COUNT)
"""Properties of the CPU that, set on a context, are set on its delegates that have them, too."""
Theirs = list[tuple[Delegate, dict[str, object]]]
"""Values by delegate."""


def checked(
    own: Values, cpu: Values, delegates: Sequence[Delegate], properties: object
) -> tuple[dict[str, object], dict[str, object], Theirs]:
    """The values that some properties set on a context, on its CPU and on its delegates. Nothing is set yet.

    Args:
        own: the values of the context as they are.
        cpu: the values of its CPU.
        delegates: of the context.
        properties: by name.

    Raises:
        PropertyError: nobody has one of them, or a value is not allowed.
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
    """Values by proper names, with both parts of DISABLE_TRANSFORMATIONS, which a context has apart, in its place."""
    left = {name: value for name, value in given.items() if name != PLAIN}
    if PLAIN not in given:
        return left
    return {**left, OPTIMIZE: "NONE" if given[PLAIN] else "GENERAL", REWRITE: not given[PLAIN]}


def value_of(values: Sequence[Values], delegates: Sequence[Delegate], key: str) -> object:
    """The value of a property of a context, or of the first of its delegates that has it.

    Args:
        values: the context's own, and those of its CPU.
        delegates: of the context.
        key: the property.

    Raises:
        PropertyError: nobody has it, or it can only be set.
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
    """The context's own properties and those of its delegates, for messages."""
    specs = {spec.name: spec for delegate in delegates for spec in delegate.properties()}
    return Registry("The context, with its delegates,", {**specs, **{spec.name: spec for spec in OWN}}.values())
