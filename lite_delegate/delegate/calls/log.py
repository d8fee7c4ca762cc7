"""Log: the messages of delegates and the runtime, on standard error and to Python's logging."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from itertools import count
from typing import Self

from ...basics.words.one_line import OneLine, quoted
from .spans import current_request

LEVELS = ("LOG_NONE", "LOG_ERROR", "LOG_WARNING", "LOG_INFO", "LOG_DEBUG", "LOG_TRACE")
"""From no messages to all; each level includes the levels before it."""
TRACE = 5
"""The level of ``LOG_TRACE`` in Python's logging, which has no name for it."""
_NUMBERS = dict(
    zip(LEVELS, (sys.maxsize, logging.ERROR, logging.WARNING, logging.INFO, logging.DEBUG, TRACE), strict=True)
)
_COUNT = count(1)


class Verbosity:
    """The level of messages on standard error; may change at any time.

    Attributes:
        level: one of ``LEVELS``.
        least: the least number, in Python's logging, of the messages that are written.
    """

    __slots__ = ("least", "level")

    def __init__(self, level: str = LEVELS[0]) -> None:
        self.change(level)

    def change(self, level: str) -> None:
        """Says more or less from now on."""
        self.level, self.least = level, _NUMBERS[level]


class ModelName(str):
    """The name of a model that is compiled or imported; each compilation has an object of its own.

    Attributes:
        number: the model's number in the order of compilations.
        verbosity: the level of logs that write about the model and have no level of their own.
    """

    number: int
    verbosity: Verbosity

    def __new__(cls, name: str, level: str = LEVELS[0]) -> Self:
        """The name of a model whose compilation begins."""
        self = super().__new__(cls, name)
        self.number, self.verbosity = next(_COUNT), Verbosity(level)
        return self


_MODEL: ContextVar[ModelName | None] = ContextVar("lite_delegate_logged_model", default=None)
"""The name of the model that this thread compiles or imports; None where it does neither."""


@contextmanager
def of_model(name: str, level: str = LEVELS[0]) -> Iterator[None]:
    """Messages logged in the block belong to a model.

    Args:
        name: the name of the model.
        level: the level of logs that have no level of their own.
    """
    before = _MODEL.set(ModelName(name, level))
    try:
        yield
    finally:
        _MODEL.reset(before)


def current_model() -> ModelName | None:
    """The model that this thread compiles or imports; None where it does neither."""
    return _MODEL.get()


class DelegateLog(OneLine):
    """Writes messages about a device: the messages of its level and of the levels before it, one line each.

    A line goes to standard error if LOG_LEVEL wants it; and as a record with the attributes ``device``, ``model`` and
    ``request`` to the logger ``lite_delegate.DEVICE`` (the first of several), if the application listens to this
    logger. A line that nobody wants is not formatted.

    Args:
        device: its name.
        level: one of ``LEVELS``, for standard error; None: the model's present level.
        model: the model that the lines belong to; None: the model that the caller compiles or imports, if any.

    Attributes:
        device, model: as given.
    """

    __slots__ = ("_logger", "_verbosity", "device", "model")

    def __init__(self, device: str, level: str | None = None, model: str | None = None) -> None:
        self.device = device
        self.model = found = _MODEL.get() if model is None else model
        if level is None and isinstance(found, ModelName):
            self._verbosity = found.verbosity
        else:
            self._verbosity = Verbosity(level or LEVELS[0])
        self._logger = logging.getLogger(f"lite_delegate.{device.partition(',')[0]}")

    @property
    def level(self) -> str:
        """The present level of messages on standard error, one of ``LEVELS``."""
        return self._verbosity.level

    def change(self, level: str) -> None:
        """Changes the level on standard error from now on, also for logs of the same model without a level."""
        self._verbosity.change(level)

    def writes(self, level: str) -> bool:
        """Whether anybody wants messages of that level."""
        number = _NUMBERS[level]
        return number >= self._verbosity.least or (self._logger.isEnabledFor(number) and self._logger.hasHandlers())

    def write(self, level: str, message: str, *values: object, request: int = 0) -> None:
        """Writes a message, if anybody wants it.

        Args:
            level: one of ``LEVELS`` but the first.
            message: the text, with ``%s`` and its like for the values, which are formatted only if it is written.
            values: the values; never contents of tensors, or a user's secrets.
            request: the number of the request that the message is about; 0: the request of the caller's run, if any.
        """
        if not self.writes(level):
            return
        number, request = _NUMBERS[level], request or current_request()
        text = " ".join((message % values if values else message).split())
        names = ("" if self.model is None else f"model '{self.model}'", f"request {request}" if request else "")
        line = ": ".join(part for part in (", ".join(filter(None, names)), text) if part)
        if number >= self._verbosity.least and sys.stderr is not None:
            with suppress(OSError, ValueError):  # nobody reads it any more: that is no error of a run
                sys.stderr.write(f"{self.device} {level.removeprefix('LOG_').lower()}: {line}\n")  # whole, for threads
        if self._is_heard(number):
            of = {"device": self.device, "model": self.model, "request": request or None}
            self._logger.log(number, "%s: %s", self.device, line, extra=of)

    def _is_heard(self, number: int) -> bool:
        """Whether the application listens. Without any handler, Python would print warnings by itself."""
        return self._logger.isEnabledFor(number) and self._logger.hasHandlers()

    def _line(self) -> str:
        return f"of {quoted(self.device)}, {self.level}"
