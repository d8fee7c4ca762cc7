"""Primitives: an operator type with its attributes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from ctypes import c_float
from dataclasses import Field, FrozenInstanceError
from enum import IntEnum
from typing import Any, ClassVar, Self, TypeVar, cast, dataclass_transform

from ..basics.data_class import dataclass
from ..basics.words.one_line import call


@dataclass(frozen=True, slots=True)
class Attribute:
    """A named blob of a Custom operator; None where the file leaves the part out."""

    name: str | None
    data: bytes | None


class _Fields:
    """The fields of a primitive for ``dataclasses.fields`` and ``replace``, made when somebody asks: few do."""

    def __get__(self, instance: Primitive | None, owner: type[Primitive]) -> dict[str, Field[Any]]:
        body = {"__annotations__": dict(owner._types), "__module__": owner.__module__, **owner._defaults}
        twin: Any = dataclasses.dataclass(init=False, repr=False, eq=False)(type(owner.__name__, (), body))
        found: dict[str, Field[Any]] = twin.__dataclass_fields__
        if owner is not Primitive:  # operators that were not asked yet would answer with the value that is kept there
            owner.__dataclass_fields__ = found
        return found


class Primitive:
    """An operator type with typed attributes under the schema's names. Immutable; compared by contents.

    Subclasses are dataclasses, one per operator, in ``lite_delegate.ir.primitives``. What a dataclass usually
    generates per class (constructor, comparison, ...) is here once: 220 classes import in a tenth of the time.
    Attributes that the format stores in single precision are rounded to it, so that a graph equals itself
    after a round trip through a file.

    Attributes:
        op_type: the operator's name in the schema.
        tag: the operator's number in the file.
    """

    op_type: ClassVar[str] = ""
    tag: ClassVar[int] = 0
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]] = cast(Any, _Fields())
    _types: ClassVar[Mapping[str, str]] = {}
    _defaults: ClassVar[dict[str, Any]] = {}
    _floats: ClassVar[tuple[str, ...]] = ()

    def __init__(self, **attributes: Any) -> None:
        values = {name: attributes.pop(name, default) for name, default in self._defaults.items()}
        if attributes:
            names = ", ".join(map(repr, attributes))
            raise TypeError(f"{self.op_type} has no attribute {names}; it has {list(self._defaults)}")
        for name in self._floats:
            values[name] = _single_precision(values[name])
        self.__dict__.update(values)

    def attributes(self) -> dict[str, Any]:
        """Every attribute by name, in schema order, enum values as their names: the keywords of kernels."""
        return {name: v.name if isinstance(v, IntEnum) else v for name, v in self.__dict__.items()}

    def given(self) -> dict[str, Any]:
        """The attributes that are not at the schema's default, as ``attributes`` has them."""
        defaults = self._defaults
        return {name: v for name, v in self.attributes().items() if self.__dict__[name] != defaults.get(name)}

    def replace(self, **changes: Any) -> Self:
        """The primitive with other values for some attributes.

        Raises:
            TypeError: the operator has no such attribute.
        """
        return type(self)(**{**self.__dict__, **changes})

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to {self.op_type}.{name}: primitives are immutable")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete {self.op_type}.{name}: primitives are immutable")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Primitive) or type(other) is not type(self):
            return NotImplemented
        return self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((self.op_type, *self.__dict__.values()))

    def __repr__(self) -> str:
        return call(self.op_type, self.attributes().items())

    def _exact(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.attributes().items())
        return f"{self.op_type}({given})"


_P = TypeVar("_P", bound=Primitive)


@dataclass_transform(kw_only_default=True)
def primitive(cls: type[_P]) -> type[_P]:
    """Takes the attributes of a subclass of ``Primitive`` from its annotations, as ``dataclass`` does."""
    cls._types = {name: text for name, text in cls.__annotations__.items() if not text.startswith("ClassVar")}
    cls._defaults = {name: getattr(cls, name) for name in cls._types}
    cls._floats = tuple(name for name, text in cls._types.items() if text in _FLOATS)
    type.__setattr__(cls, "__match_args__", tuple(cls._types))
    return cls


_FLOATS = ("float", "tuple[float, ...] | None")


def _single_precision(value: Any) -> Any:
    """The nearest number that the file can hold, per element of a vector; infinite beyond its range."""
    if value is None:
        return None
    if isinstance(value, tuple):
        return tuple(c_float(v).value for v in value)
    return c_float(value).value
