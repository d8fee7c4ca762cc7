"""Errors of numbers as text; "" without an error."""

from __future__ import annotations


def error_text(error: float | None) -> str:
    """An absolute or relative error."""
    return "" if error is None else f"{error:.1e}"


def ulp_text(ulp: int | None) -> str:
    """A distance in units in the last place."""
    return "" if ulp is None else str(ulp) if ulp < 10**6 else f"{ulp:.0e}"


def decibel_text(ratio: float | None) -> str:
    """A signal-to-noise ratio in dB."""
    return "" if ratio is None else f"{ratio:.0f}"
