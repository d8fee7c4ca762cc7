"""Checks of the arguments of requests and queues beside inputs: callbacks and timeouts."""

from __future__ import annotations

import math

from ...errors import InputError


def check_callbacks(callback: object, on_error: object) -> None:
    """Checks that callbacks are callable or None; raises TypeError."""
    for name, each in (("callback", callback), ("on_error", on_error)):
        if each is not None and not callable(each):
            raise TypeError(f"set_callback: {name} must be a function or None, but got {type(each).__name__}.")


def seconds_of(call: str, milliseconds: float | None) -> float | None:
    """A timeout in seconds; raises as ``check_time``."""
    check_time(call, "milliseconds", milliseconds)
    return None if milliseconds is None else milliseconds / 1000


def check_time(call: str, name: str, value: object) -> None:
    """Checks that a timeout is None, or a finite number that is not negative.

    Raises:
        TypeError: the timeout is no number.
        InputError: the timeout is negative or not finite.
    """
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{call}: {name} must be a number or None, but got {type(value).__name__}.")
    if not math.isfinite(value) or value < 0:
        raise InputError(f"{call}: {name} must be finite and at least 0, or None, got {value}.")
