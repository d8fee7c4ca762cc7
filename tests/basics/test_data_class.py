"""Our decorator of data classes does what the standard library's does, class by class."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, field
from types import FunctionType, ModuleType
from typing import Any, ClassVar

import pytest

from lite_delegate.basics import data_class

KINDS: dict[str, dict[str, bool]] = {
    "frozen": {"frozen": True, "slots": True},
    "frozen, by identity": {"frozen": True, "slots": True, "eq": False},
    "frozen, without slots": {"frozen": True},
    "changeable": {"slots": True},
    "plain": {},
}


def _classes(decorator: Callable[..., Any], module: str) -> list[Any]:
    """Classes of all kinds that this project has, made by a decorator."""
    room = sys.modules.setdefault(module, ModuleType(module))
    vars(room).update({"made": decorator, "field": field, "ClassVar": ClassVar})
    exec("from __future__ import annotations\n" + SOURCE, vars(room))
    return [vars(room)[name] for name in ("Numbers", "Flags", "Empty", "One", "Derived")]


SOURCE = '''
@made
class Numbers:
    """Some numbers."""

    count: int
    words: tuple[str, ...] = ("a",)
    known: dict[str, int] = field(default_factory=dict, hash=False)
    MOST: ClassVar[int] = 3

    @property
    def total(self) -> int:
        return self.count + len(self.words)

@made
class Flags:
    """Fields of all kinds."""

    name: str
    note: str = field(default="", compare=False, repr=False)
    made: list[int] = field(init=False, default_factory=list, compare=False)
    length: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", len(self.name))

    def __repr__(self) -> str:
        return f"<{self.name}>"

@made
class Empty:
    """No fields."""

@made
class One:
    """A single field."""

    value: object = None

@made
class Derived(Numbers):
    """Derived from a data class."""

    more: int = 0
'''


@pytest.fixture(params=list(KINDS.values()), ids=list(KINDS))
def pairs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, Any]]:
    """Each class as the standard library makes it, and as we do."""
    for module in ("theirs", "ours"):
        monkeypatch.setitem(sys.modules, module, ModuleType(module))
    theirs = _classes(dataclasses.dataclass(**request.param), "theirs")
    ours = _classes(data_class.dataclass(**request.param), "ours")
    return list(zip(theirs, ours, strict=True))


def _values(cls: Any) -> list[Any]:
    numbers = (
        [cls(1), cls(1, ("a",)), cls(2), cls(1, words=("b",)), cls(1, known={"a": 1})] if "Num" in repr(cls) else []
    )
    if cls.__name__ == "Flags":
        return [cls("x"), cls("x", "note"), cls("xy", note="note"), cls(name="y")]
    if cls.__name__ == "Derived":
        return [cls(1), cls(1, more=0), cls(1, more=2)]
    if cls.__name__ == "One":
        return [cls(), cls(1), cls(1.0), cls(())]
    return numbers or [cls(), cls()]


def test_signatures_and_fields(pairs: list[tuple[Any, Any]]) -> None:
    for theirs, ours in pairs:
        assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
        said = [
            [(f.name, f.type, f.default, f.init, f.repr, f.compare, f.hash) for f in dataclasses.fields(each)]
            for each in (theirs, ours)
        ]
        assert said[0] == said[1]
        assert ours.__match_args__ == theirs.__match_args__
        assert getattr(ours, "__slots__", None) == getattr(theirs, "__slots__", None)
        assert (ours.__qualname__, ours.__doc__) == (theirs.__qualname__, theirs.__doc__)


def test_texts(pairs: list[tuple[Any, Any]]) -> None:
    for theirs, ours in pairs:
        assert list(map(repr, _values(ours))) == list(map(repr, _values(theirs)))


def test_equality_and_hashes(pairs: list[tuple[Any, Any]]) -> None:
    for theirs, ours in pairs:
        expected, found = _values(theirs), _values(ours)
        assert [[a == b for a in found] for b in found] == [[a == b for a in expected] for b in expected]
        assert not any(a == b for a in found for b in expected)
        assert (ours.__hash__ is None) == (theirs.__hash__ is None)
        if "__eq__" in vars(theirs) and theirs.__hash__ is not None:
            assert [hash(each) for each in found] == [hash(each) for each in expected]


def test_what_can_be_set(pairs: list[tuple[Any, Any]]) -> None:
    for theirs, ours in pairs:
        for name in (*(f.name for f in dataclasses.fields(theirs)), "absent", "total"):
            for change in (lambda each, name=name: setattr(each, name, 1), lambda each, name=name: delattr(each, name)):
                is_field = name in theirs.__dataclass_fields__
                found, expected = (
                    _outcome(change, _values(ours)[0], is_field),
                    _outcome(change, _values(theirs)[0], is_field),
                )
                assert found == expected, (ours, name)


def _outcome(change: Callable[[Any], object], value: Any, is_field: bool) -> object:
    """What comes of it; of fields with what is said. For others CPython 3.11 has a TypeError that is none of theirs."""
    try:
        return change(value)
    except FrozenInstanceError as e:
        return str(e) if is_field else AttributeError
    except (AttributeError, TypeError):
        return AttributeError


def test_copies_and_pickles(pairs: list[tuple[Any, Any]]) -> None:
    for _, ours in pairs:
        for value in _values(ours):
            for copied in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
                assert repr(copied) == repr(value)
                assert dataclasses.astuple(copied) == dataclasses.astuple(value)
            assert dataclasses.astuple(dataclasses.replace(value)) == dataclasses.astuple(value)


def test_wrong_calls_are_rejected(pairs: list[tuple[Any, Any]]) -> None:
    for theirs, ours in pairs:
        for given in ({"absent": 1}, {"made": [1]}, {"length": 1}):
            with pytest.raises(TypeError) as expected:
                theirs(**given)
            with pytest.raises(TypeError) as found:
                ours(**given)
            assert str(found.value) == str(expected.value)


def test_factories_are_asked_each_time(pairs: list[tuple[Any, Any]]) -> None:
    _, numbers = pairs[0]
    assert numbers(1).known is not numbers(1).known


def test_a_value_that_holds_itself_has_a_text(pairs: list[tuple[Any, Any]]) -> None:
    _, one = pairs[3]
    held: list[Any] = []
    held.append(one(held))
    assert repr(held[0]) == "One(value=[...])"


def test_words_that_a_base_wrote_are_kept_also_by_derived_data_classes() -> None:
    class Said:
        __slots__ = ()

        def __repr__(self) -> str:
            return "said"

    @data_class.dataclass(frozen=True, slots=True)
    class First(Said):
        """The first."""

        value: int

    @data_class.dataclass(frozen=True, slots=True)
    class Second(First):
        """The second."""

    assert repr(First(1)) == repr(Second(1)) == "said"


def test_a_constructor_is_compiled_when_somebody_looks_for_it() -> None:
    @data_class.dataclass(frozen=True, slots=True)
    class Kept:
        """A value."""

        value: int

    @data_class.dataclass(frozen=True, slots=True)
    class Other:
        """Another value."""

        value: int = 1

    assert not isinstance(vars(Kept)["__init__"], FunctionType)
    assert Kept(3).value == 3
    assert isinstance(vars(Kept)["__init__"], FunctionType)
    assert str(inspect.signature(Other)) == "(value: 'int' = 1) -> None"
    assert isinstance(vars(Other)["__init__"], FunctionType)
    with pytest.raises(TypeError, match=r"Kept\.__init__\(\) missing 1 required"):
        Kept()  # type: ignore[call-arg]


def test_threads_that_make_the_first_objects_of_a_class_make_equal_ones() -> None:
    for _ in range(50):

        @data_class.dataclass(frozen=True, slots=True)
        class Pair:
            """Two values."""

            first: int
            second: int = 2

        with ThreadPoolExecutor(4) as pool:
            assert set(pool.map(Pair, [1] * 8)) == {Pair(1)}
