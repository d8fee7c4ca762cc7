"""The end of a process in words."""

from __future__ import annotations

import signal


def ending_of(code: int | None) -> str:
    """The end of a process by its exit code, negative for a signal: "with exit status 3", "by signal SIGSEGV"."""
    return f"with exit status {code}" if code is None or code >= 0 else f"by signal {signal_name(-code)}"


def signal_name(number: int) -> str:
    """The name of a signal, "SIGSEGV"; its number where it has no name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
