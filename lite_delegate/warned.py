"""Warnings: collected while a model is planned or runs, raised in the line of the user's call."""

from __future__ import annotations

import warnings
from types import TracebackType

from .errors import DelegateWarning
from .failures import traceback_of

CALLER = 3
"""How far the user's line is above ``warnings.warn``: past the end of the block and the method that it is in."""


class Warnings(list[str]):
    """Warnings for the user. ``with Warnings() as said:`` stands in the method that the user calls.

    The warnings are raised at the end of the block, whether it fails or not.
    """

    def __enter__(self) -> Warnings:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for text in self:
            warnings.warn(DelegateWarning(text, traceback_of(text)), stacklevel=CALLER)
