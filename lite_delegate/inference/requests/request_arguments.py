"""Checks of what callers give requests and queues beside inputs: functions to call back, and times to wait."""

from __future__ import annotations

import math

from ...errors import InputError


def check_callbacks(callback: object, on_error: object) -> None:
    """Checks that functions can be called, or are None; raises TypeError."""
    for name, each in (("callback", callback), ("on_error", on_error)):
        if each is not None and not callable(each):
            raise TypeError(f"set_callback: {name} must be a function or None, but got {type(each).__name__}.")


def seconds_of(call: str, milliseconds: float | None) -> float | None:
    """A time to wait in seconds; raises what ``check_time`` does."""
    check_time(call, "milliseconds", milliseconds)
    return None if milliseconds is None else milliseconds / 1000


def check_time(call: str, name: str, value: object) -> None:
    """Checks that a time to wait is None, or a number that is finite and not negative.

    Raises:
        TypeError: it is no number.
        InputError: another number.
    """
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{call}: {name} must be a number or None, but got {type(value).__name__}.")
    if not math.isfinite(value) or value < 0:
        raise InputError(f"{call}: {name} must be finite and at least 0, or None, got {value}.")
