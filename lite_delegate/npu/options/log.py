"""Log: what a delegate says about its work, on standard error."""

from __future__ import annotations

import sys
from dataclasses import dataclass

LEVELS = ("LOG_NONE", "LOG_ERROR", "LOG_WARNING", "LOG_INFO", "LOG_DEBUG", "LOG_TRACE")
"""From nothing to everything; each holds those before it."""


@dataclass(frozen=True, slots=True)
class DelegateLog:
    """Writes the messages of its level and of those before it.

    Attributes:
        level: one of ``LEVELS``.
    """

    level: str = LEVELS[0]

    def writes(self, level: str) -> bool:
        """True when messages of that level are written."""
        return 0 < LEVELS.index(level) <= LEVELS.index(self.level)

    def write(self, level: str, message: str) -> None:
        """Writes one line, if its level is wanted."""
        if self.writes(level):
            print(f"npu {level.removeprefix('LOG_').lower()}: {' '.join(message.split())}", file=sys.stderr)
