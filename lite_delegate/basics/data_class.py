"""The decorator ``dataclass`` of the standard library, several times as quick: docs/decisions.md, number 15.

A process pays for each data class that it imports. The standard library compiles a text for each method of each of
them; here methods that can be the same for all classes are, and the constructor alone is compiled, when it is first
looked for.

A ``__repr__`` that a base of the data class wrote by hand is kept.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

from .words.one_line import says_itself

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True):
        """As ``dataclasses.dataclass``, with these options. ``dataclasses`` makes classes derived from data classes."""

        def made(each):
            if each.__doc__ is None or any(map(dataclasses.is_dataclass, each.__mro__)):
                derived = dataclasses.dataclass(frozen=frozen, slots=slots, eq=eq, repr=False)(each)
                if _has_no_words(each):
                    derived.__repr__ = _representation(fields(derived))
                return derived
            return _made(each, frozen=frozen, slots=slots, eq=eq)

        return made if cls is None else made(cls)


class _Factory:
    """The default of a field that has a factory, as signatures show it."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()
_Methods = dict[str, Any]


def _made(cls: type, *, frozen: bool, slots: bool, eq: bool) -> type:
    own = frozenset(vars(cls))
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
    found = fields(made)
    methods: _Methods = {"__init__": _Constructor(made, found, frozen)}
    if _has_no_words(cls):
        methods["__repr__"] = _representation(found)
    if eq:
        methods |= _comparison(found, frozen)
    if frozen:
        methods |= _frozen(made, found)
    if frozen and slots:
        methods |= {"__getstate__": _state, "__setstate__": _set_state}
    for name in methods.keys() - own:
        if callable(methods[name]):
            methods[name].__qualname__ = f"{made.__qualname__}.{name}"
        setattr(made, name, methods[name])
    made.__dataclass_params__.eq, made.__dataclass_params__.frozen = eq, frozen
    return made  # type: ignore[no-any-return]


class _Constructor:
    """The constructor of a data class until it is looked for; then it is compiled, and takes this place.

    Most data classes that a process imports are not made in it, and a compilation takes 0.2 ms.
    """

    __slots__ = ("_arguments",)

    def __init__(self, cls: type, found: Sequence[Field[Any]], frozen: bool) -> None:
        self._arguments = cls, found, frozen

    def __get__(self, instance: object, owner: type) -> Callable[..., None]:
        cls = self._arguments[0]
        if vars(cls).get("__init__") is self:
            made = _constructor(*self._arguments)
            made.__qualname__ = f"{cls.__qualname__}.__init__"
            type.__setattr__(cls, "__init__", made)
        bound: Callable[..., None] = vars(cls)["__init__"].__get__(instance, owner)
        return bound


def _constructor(cls: Any, found: Sequence[Field[Any]], frozen: bool) -> Callable[..., None]:
    known: dict[str, Any] = {"set_": object.__setattr__, "FACTORY": _FACTORY}
    parameters, lines = ["self"], []
    for f in found:
        name, default, factory = f.name, f"default_{f.name}", f"factory_{f.name}"
        value = name if f.init else ""
        if f.default is not MISSING:
            known[default] = f.default
            value = value or default
        elif f.default_factory is not MISSING:
            known[factory] = f.default_factory
            value = f"{factory}() if {name} is FACTORY else {name}" if f.init else f"{factory}()"
        if f.init:
            has = {default: default, factory: "FACTORY"}
            parameters.append(next((f"{name}={text}" for key, text in has.items() if key in known), name))
        if value:
            lines.append(f" set_(self, {name!r}, {value})" if frozen else f" self.{name} = {value}")
    lines.append(" self.__post_init__()" if hasattr(cls, "__post_init__") else " pass")
    exec("\n".join([f"def __init__({', '.join(parameters)}):", *lines]), known)
    made: Callable[..., None] = known["__init__"]
    made.__annotations__ = {**{f.name: f.type for f in found if f.init}, "return": None}
    made.__module__ = cls.__module__
    return made


def _has_no_words(cls: type) -> bool:
    """Whether no ``__repr__`` of the class or its bases was written by hand."""
    return not says_itself(cls) or hasattr(cls.__repr__, "is_made")


def _representation(found: Sequence[Field[Any]]) -> Callable[[Any], str]:
    names = [f.name for f in found if f.repr]

    @recursive_repr()
    def __repr__(self: Any) -> str:
        values = ", ".join([f"{name}={getattr(self, name)!r}" for name in names])
        return f"{type(self).__qualname__}({values})"

    made: Any = __repr__
    made.is_made = True
    return __repr__


def _comparison(found: Sequence[Field[Any]], frozen: bool) -> _Methods:
    compared = _getter([f.name for f in found if f.compare])
    hashed = _getter([f.name for f in found if (f.compare if f.hash is None else f.hash)])

    def __eq__(self: Any, other: Any) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return compared(self) == compared(other)

    def __hash__(self: Any) -> int:
        return hash(hashed(self))

    return {"__eq__": __eq__, "__hash__": __hash__ if frozen else None}


def _getter(names: Sequence[str]) -> Callable[[Any], Any]:
    """The values of attributes as a tuple, whatever their number."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda each: tuple(getattr(each, name) for name in names)


def _frozen(cls: Any, found: Sequence[Field[Any]]) -> _Methods:
    names = frozenset(f.name for f in found)

    def __setattr__(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return {"__setattr__": __setattr__, "__delattr__": __delattr__}


def _state(self: Any) -> list[Any]:
    return [getattr(self, f.name) for f in fields(self)]


def _set_state(self: Any, state: Sequence[Any]) -> None:
    for f, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, f.name, value)
