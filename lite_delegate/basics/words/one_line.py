"""Objects as one short line, for people: in a notebook, a debugger, a message. ``exact`` is the text for keys."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from reprlib import Repr, recursive_repr
from typing import Any

LONGEST = 200
"""Characters of a line."""
_ADDRESS = re.compile(r" (object )?at 0x[0-9a-fA-F]+")
_BREAK = re.compile(r"\s*[^\S ]\s*")


class OneLine:
    """An object whose ``repr`` is its class and the text of ``_line``, on one line of at most 200 characters.

    The text reads what the object already has: it starts nothing and waits for nothing. Of an object that is half made
    or closed, and cannot tell more, the line is the class alone.
    """

    __slots__ = ()

    def _line(self) -> str:
        """The object in words."""
        return ""

    def __repr__(self) -> str:
        try:
            said = self._line()
        except Exception:  # a repr never raises: debuggers ask for it at any time
            said = ""
        return fitted(f"<{type(self).__name__}{said and ' '}{said}>", ">")


class Brief:
    """A data class whose ``repr`` is the call that would make it, with as much as one line has room for.

    Names and numbers are left out at the end of a long line, so the line is no key: ``exact`` is.
    """

    __slots__ = ()

    @recursive_repr()
    def __repr__(self) -> str:
        shown = (f.name for f in fields(self) if f.repr)  # type: ignore[arg-type]
        return call(type(self).__qualname__, ((name, getattr(self, name, ...)) for name in shown))


class _Values(Repr):
    """Values inside of a line."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxstring = self.maxother = 80

    def repr_ndarray(self, array: Any, level: int) -> str:
        """An array without its numbers."""
        return f"{array.dtype}{list(array.shape)}"

    def repr_instance(self, x: Any, level: int) -> str:
        """An object, or its class where it has no words of its own."""
        if not says_itself(type(x)):
            return f"<{type(x).__name__}>"
        return one_line(super().repr_instance(x, level))


def says_itself(cls: Any) -> bool:
    """Whether a class, or a base of it, has a ``__repr__`` of its own."""
    return cls.__repr__ is not object.__repr__


_VALUES = _Values()


def brief(value: object) -> str:
    """A value of any kind on one line, the middle of long texts and the end of long lists left out."""
    return one_line(_VALUES.repr(value))


def one_line(text: str) -> str:
    """A text without line breaks and addresses of memory."""
    return _ADDRESS.sub("", _BREAK.sub(" ", text))


def printable(text: str) -> str:
    """Text on one line: line breaks and other characters that cannot be seen are written as escapes."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def fitted(text: str, end: str = "", most: int = LONGEST) -> str:
    """A text on one line of at most ``most`` characters; a longer line ends in "..." and ``end``."""
    line = printable(one_line(text))
    return line if len(line) <= most else f"{line[: most - 3 - len(end)]}...{end}"


def quoted(name: str, most: int = 60) -> str:
    """A name in quotes, the middle of a long name left out."""
    half = (most - 3) // 2
    return repr(name if len(name) <= most else f"{name[:half]}...{name[-half:]}")


def model_words(path: str) -> str:
    """The name of a model's file before the words for the model; "" for a model in memory."""
    return f"{quoted(os.path.basename(path))}: " if path else ""


def extents(shape: Sequence[int] | None) -> str:
    """A shape as lines have it: ``[1,3,224,224]``."""
    return "[...]" if shape is None else f"[{','.join(map(str, shape))}]"


def some(words: Iterable[str], most: int = 3) -> str:
    """The first ``most`` of some words, and the number of the others."""
    every = list(words)
    left = len(every) - most
    return ", ".join(every if left <= 0 else [*every[:most], f"{left:,} more"])


def call(name: str, given: Iterable[tuple[str, object]]) -> str:
    """A call that would make a value, ``Name(a=1, b=2)``, with as many of its arguments as a line has room for."""
    line = f"{name}("
    for key, value in given:
        comma = "" if line.endswith("(") else ", "
        more = f"{comma}{key}={brief(value)}"
        if len(line) + len(more) > LONGEST - 6:
            return fitted(f"{line}{comma}...)" if comma else f"{line}{more})", ")")
        line += more
    return f"{line})"


def exact(value: Any) -> str:
    """All of a value as text, for keys and digests. Data classes, tuples, lists and mappings are read through.

    A class with a short ``repr`` that is no data class has a method ``_exact``.
    """
    if type(value) in (str, int, float, bool, type(None)):
        return repr(value)
    if is_dataclass(value) and not isinstance(value, type):
        inner = ", ".join(f"{f.name}={exact(getattr(value, f.name))}" for f in fields(value) if f.repr)
        return f"{type(value).__qualname__}({inner})"
    if type(value) is tuple:
        return f"({', '.join(map(exact, value))}{',' if len(value) == 1 else ''})"
    if type(value) is list:
        return f"[{', '.join(map(exact, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{exact(key)}: {exact(each)}' for key, each in value.items())}}}"
    own = getattr(value, "_exact", None)
    return repr(value) if own is None else str(own())
