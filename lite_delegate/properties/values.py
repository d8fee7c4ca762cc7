"""Values: the values that layers have set for the properties of a registry, and the values implied by them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from types import MappingProxyType

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief
from ..errors import PropertyError
from .explain import GIVEN, Explanation, Layer, Opinion
from .registry import Registry
from .spec import PropertySpec

Given = Mapping[Layer, Mapping[str, object]]
"""The checked values by proper name, for each layer with values."""


@dataclass(frozen=True, slots=True)
class Values(Brief):
    """The values set for the properties of a registry; all other properties have defaults. Immutable.

    Attributes:
        registry: the properties.
        layers: the values that were set.
    """

    registry: Registry
    layers: Given = field(default_factory=lambda: MappingProxyType({}))

    def with_layer(self, layer: Layer, changes: object) -> Values:
        """The values with changes to a layer, all changes or none.

        Args:
            layer: the layer that changes.
            changes: names, in capitals or not, and values, as text or Python values.

        Raises:
            PropertyError: a name is unknown, a property can only be read, or a value is not allowed.
        """
        checked = self.registry.checked(changes)
        if not checked:
            return self
        mine = MappingProxyType({**self.layers.get(layer, {}), **checked})
        return Values(self.registry, MappingProxyType({**self.layers, layer: mine}))

    def without(self, layer: Layer, name: str) -> Values:
        """The values without a layer's value for a property."""
        left = {key: value for key, value in self.layers.get(layer, {}).items() if key != name}
        return Values(self.registry, MappingProxyType({**self.layers, layer: MappingProxyType(left)}))

    @property
    def given(self) -> dict[str, object]:
        """The set values, the strongest value of each property, in the order of the registry."""
        found = {name: value for layer in reversed(GIVEN) for name, value in self.layers.get(layer, {}).items()}
        return {spec.name: found[spec.name] for spec in self.registry if spec.name in found}

    def value(self, name: str) -> object:
        """The value of a property that can be set: the set value, or the environment's, or the default."""
        spec = self.registry.find(name)
        if not self.layers and not spec.environment:
            return spec.default
        return next(self._set(spec), Opinion(Layer.DEFAULT, spec.default)).value

    def number(self, name: str) -> int:
        """The ``value`` of a property whose values are integers."""
        found = self.value(name)
        assert isinstance(found, int)
        return found

    def effective(self, name: str) -> object:
        """The value in effect: ``value``, or the value that other properties imply."""
        return self.explain(name).value

    def explain(self, name: object) -> Explanation:
        """The value in effect of a property, the layer that set it, and the values that lost.

        Raises:
            PropertyError: there is no such property, or the property can only be read or only be set.
        """
        spec = self.registry.readable(name)
        if spec.read_only:
            raise PropertyError(f"Property {spec.name} can only be read, and not set.")
        opinions = list(self._set(spec))
        implied = spec.implied(self) if spec.implied is not None else None
        is_automatic = not opinions or opinions[0].value in spec.automatic
        if implied is not None:
            opinions.insert(0 if is_automatic else len(opinions), Opinion(Layer.HINT, *implied))
        opinions.append(Opinion(Layer.PROFILE if spec.by_profile else Layer.DEFAULT, spec.default))
        return Explanation(spec.name, opinions[0], tuple(opinions[1:]))

    def _set(self, spec: PropertySpec) -> Iterator[Opinion]:
        for layer in GIVEN:
            mine = self.layers.get(layer, {})
            if spec.name in mine:
                yield Opinion(layer, mine[spec.name])
        if (found := spec.from_environment()) is not None:
            yield Opinion(Layer.ENVIRONMENT, found[1], found[0])
