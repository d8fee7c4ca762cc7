"""Warnings: collected while a model is planned or runs, raised in the line of the user's call."""

from __future__ import annotations

import inspect
import warnings
from types import FrameType, TracebackType

from ..errors import DelegateWarning
from .failures import OURS, traceback_of


class Warnings(list[str]):
    """Warnings for the user. ``with Warnings() as said:`` stands in a method that the user calls.

    The warnings are raised at the end of the block, whether it fails or not.
    """

    def __enter__(self) -> Warnings:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for text in self:
            warn(DelegateWarning(text, traceback_of(text)))


def warn(warning: Warning) -> None:
    """Warns in the line of the user: of the innermost call from outside of this package."""
    frame: FrameType | None = inspect.currentframe()
    level = 0
    while frame is not None and frame.f_code.co_filename.startswith(OURS):
        frame, level = frame.f_back, level + 1
    warnings.warn(warning, stacklevel=level + 1)
