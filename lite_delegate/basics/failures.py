"""Failures of delegates in words: the exception's kind and text in a message, and its traceback beside it."""

from __future__ import annotations

import os
import traceback

from ..errors import LiteDelegateError

OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
"""The folder of the package."""
DEVICES = tuple(OURS + room + os.sep for room in ("npu", "demo", "testing"))
"""Delegates that come with the package are delegates like any other."""


def said(error: BaseException) -> str:
    """The text of an error, behind its kind; an error of this package is its text alone."""
    text, kind = str(error), type(error).__name__
    if isinstance(error, LiteDelegateError):
        return text or kind
    return f"{kind}: {text}" if text else kind


def traceback_text(error: BaseException) -> str:
    """The traceback of a delegate's error, as Python prints it.

    Errors that the framework raised because of it are left out, and so are the framework's own calls before the first
    one of the delegate. An error of another process has what that process told; one that nobody raised has none: "".
    """
    cause: BaseException = error
    while isinstance(cause, LiteDelegateError) and cause.__cause__ is not None and _is_ours(cause):
        cause = cause.__cause__
    if isinstance(cause, LiteDelegateError) and cause.told_traceback:
        return cause.told_traceback
    if cause.__traceback__ is None:
        return ""
    told = traceback.TracebackException.from_exception(cause)
    frames = list(told.stack)
    first = next((i for i, frame in enumerate(frames) if not _is_framework(frame.filename)), 0)
    told.stack = traceback.StackSummary.from_list(frames[first:])
    return "".join(told.format()).rstrip("\n")


def _is_ours(error: BaseException) -> bool:
    """Whether the framework raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    return not frames or _is_framework(frames[-1].filename)


def _is_framework(filename: str) -> bool:
    return filename.startswith(OURS) and not filename.startswith(DEVICES)


class Told(str):
    """A text for the user, with the traceback of the error that it reports.

    Attributes:
        traceback: the traceback by ``traceback_text``, "" for none.
    """

    __slots__ = ("traceback",)

    traceback: str

    def __new__(cls, text: str, error: BaseException | None = None) -> Told:
        told = super().__new__(cls, text)
        told.traceback = "" if error is None else traceback_text(error)
        return told

    def retold(self, text: str) -> Told:
        """Another text with the same traceback."""
        told = Told(text)
        told.traceback = self.traceback
        return told


def traceback_of(text: str) -> str:
    """The traceback that comes with a text, "" for none."""
    return text.traceback if isinstance(text, Told) else ""
