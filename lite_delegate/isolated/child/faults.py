"""Errors of a delegate's code in words, whatever objects they hold."""

from __future__ import annotations

from ... import errors
from ...basics.failures import traceback_text
from ...errors import KernelsNotTaken, LiteDelegateError
from ..passing.messages import Fault

MOST_CHARACTERS = 10_000


def fault_of_error(error: BaseException) -> Fault:
    """An error in words."""
    kind = type(error)
    is_ours = isinstance(error, LiteDelegateError) and getattr(errors, kind.__name__, None) is kind
    reasons = error.reasons if isinstance(error, KernelsNotTaken) else {}
    ends = isinstance(error, MemoryError)
    return Fault(kind.__name__, _text(error), _traceback(error), is_ours, reasons, ends, _causes(error))


def _text(error: BaseException) -> str:
    try:
        return str(error)[:MOST_CHARACTERS]
    except Exception:  # the text of an error is the delegate's code, too
        return ""


def _traceback(error: BaseException) -> str:
    try:
        return traceback_text(error)[-MOST_CHARACTERS:]
    except Exception:
        return ""


def _causes(error: BaseException | None) -> tuple[str, ...]:
    """The classes of the error and of its causes."""
    found: list[str] = []
    while error is not None and len(found) < 10:
        found.append(type(error).__name__)
        error = error.__cause__
    return tuple(found)
