"""Kinds of values of properties: the texts and Python values that a kind takes, and the checked value."""

from __future__ import annotations

import re
from operator import index
from os import PathLike, fspath
from typing import Protocol

from ..basics.data_class import dataclass
from ..basics.similar import did_you_mean
from ..basics.words.one_line import Brief
from ..errors import PropertyError
from .shown import shown

MAX_TEXT = 4096
YES_NO = {"YES": True, "NO": False, "TRUE": True, "FALSE": False}
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")


class Kind(Protocol):
    """A kind of values."""

    @property
    def allowed(self) -> str:
        """The allowed values in words."""

    def parse(self, value: object) -> object:
        """The value that stands for ``value``.

        Raises:
            ValueError: the value is not allowed; the message may be empty, or add details to ``allowed``.
        """


@dataclass(frozen=True, slots=True)
class YesNo(Brief):
    """YES or NO, or a bool.

    Attributes:
        never: why YES is not possible here, "" where it is.
    """

    never: str = ""

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        return f"NO: {self.never}" if self.never else "YES or NO"

    def parse(self, value: object) -> bool:
        """True for YES."""
        found = YES_NO.get(value.upper()) if isinstance(value, str) else value
        if not isinstance(found, bool) or (found and self.never):
            raise ValueError
        return found


@dataclass(frozen=True, slots=True)
class Integer(Brief):
    """An integer, or its decimal digits.

    Attributes:
        minimum: the least allowed integer.
        maximum: the largest allowed integer; None: no limit.
        meaning: the meaning of special values, for messages.
    """

    minimum: int
    maximum: int | None = None
    meaning: str = ""

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        least = f"from {self.minimum} to {self.maximum}" if self.maximum is not None else f"{self.minimum} or more"
        return f"an integer, {least}{self.meaning}"

    def parse(self, value: object) -> int:
        """The integer."""
        if isinstance(value, bool):
            raise ValueError
        if isinstance(value, str):
            if not _INTEGER.fullmatch(value.strip()):
                raise ValueError
            number = int(value)
        else:
            try:
                number = index(value)  # type: ignore[arg-type]  # a numpy integer, too
            except TypeError as e:
                raise ValueError from e
        if number < self.minimum or (self.maximum is not None and number > self.maximum):
            raise ValueError
        return number


@dataclass(frozen=True, slots=True)
class Choice(Brief):
    """A choice of words, in capitals or not.

    Attributes:
        values: the words.
        prefix: the beginning of the words that may be left out.
    """

    values: tuple[str, ...]
    prefix: str = ""

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        words = [value or "nothing" for value in self.values]
        return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"

    def parse(self, value: object) -> str:
        """The word as ``values`` has it."""
        found = getattr(value, "name", value)  # of an enumeration, such as DataType, the name
        for word in self.values:
            if isinstance(found, str) and found.upper() in (word.upper(), word.upper().removeprefix(self.prefix)):
                return word
        raise ValueError


@dataclass(frozen=True, slots=True)
class NameList(Brief):
    """Names out of a list, given as a list or as a text with commas or spaces between the names.

    Attributes:
        known: the allowed names.
        needed: the names that must not be left out.
    """

    known: tuple[str, ...]
    needed: frozenset[str] = frozenset()

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        return f"a list of names of properties with at least {', '.join(sorted(self.needed))}"

    def parse(self, value: object) -> tuple[str, ...]:
        """The names, each once, in the order of ``known``."""
        if isinstance(value, str) and len(value) <= MAX_TEXT:
            value = re.split(r"[\s,]+", value.strip(" ,"))
        if not isinstance(value, (list, tuple, set, frozenset)) or not all(isinstance(v, str) for v in value):
            raise ValueError
        found = {v.upper() for v in value}
        unknown = sorted(found - set(self.known))
        if unknown:
            raise ValueError(f"has no property {shown(unknown[0])}{did_you_mean(unknown[0], self.known)}")
        missing = sorted(self.needed - found)
        if missing:
            raise ValueError(f"lacks {', '.join(missing)}, which change the compiled program")
        return tuple(name for name in self.known if name in found)


@dataclass(frozen=True, slots=True)
class Text(Brief):
    """A text of bounded length, or a path.

    Attributes:
        allowed: the meaning of the text in words.
        most: the number of characters at most.
        takes_numbers: whether an integer stands for its digits.
        words: some of the texts, for completion.
    """

    allowed: str
    most: int = MAX_TEXT
    takes_numbers: bool = False
    words: tuple[str, ...] = ()

    def parse(self, value: object) -> str:
        """The text."""
        if self.takes_numbers and isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, PathLike):
            value = fspath(value)
        if not isinstance(value, str) or len(value) > self.most:
            raise ValueError
        return value


@dataclass(frozen=True, slots=True)
class Callables(Brief):
    """Functions, as many as are named; a value that can be set and not be read.

    Attributes:
        names: the names of the functions.
    """

    names: tuple[str, ...]

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        return f"a tuple of functions ({', '.join(self.names)}), or None"

    def parse(self, value: object) -> object:
        """The functions."""
        if value is None:
            return None
        if not isinstance(value, (tuple, list)) or len(value) != len(self.names) or not all(map(callable, value)):
            raise ValueError
        return tuple(value)


@dataclass(frozen=True, slots=True)
class Or(Brief):
    """A word, or a value of another kind.

    Attributes:
        word: the word, in capitals.
        kind: the kind of the other values.
    """

    word: str
    kind: Kind

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        return f"{self.word} or {self.kind.allowed}"

    def parse(self, value: object) -> object:
        """The word or the other value."""
        if isinstance(value, str) and value.upper() == self.word:
            return self.word
        return self.kind.parse(value)


def words_of(kind: Kind | None) -> tuple[str, ...]:
    """The words among the values of a kind, for completion; () for a kind without words."""
    if isinstance(kind, YesNo):
        return ("NO",) if kind.never else ("YES", "NO")
    if isinstance(kind, Or):
        return (kind.word, *words_of(kind.kind))
    if isinstance(kind, Text):
        return kind.words
    return tuple(filter(None, kind.values)) if isinstance(kind, Choice) else ()


def parsed(name: str, kind: Kind, value: object) -> object:
    """The value of a property.

    Raises:
        PropertyError: the value is not allowed; the message names the property, its allowed values and the value.
    """
    try:
        return kind.parse(value)
    except ValueError as e:
        more = f" ({str(e).rstrip('.')})" if str(e) else ""
        raise PropertyError(f"Property {name} must be {kind.allowed}; got {shown(value)}{more}.") from e
