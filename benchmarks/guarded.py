"""Rows of a table that cannot end it: one that fails says why, and the exit status tells at the end."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

MOST_SAID = 120
"""Characters of why something could not be measured."""


class Failures:
    """The measurements that failed."""

    def __init__(self) -> None:
        self.count = 0

    def rows(self, label: Sequence[object], make: Callable[[], Sequence[Any]]) -> list[Any]:
        """The rows that something makes; where it fails, one with the label and the reason."""
        try:
            return [*make()]
        except (Exception, SystemExit) as e:  # whatever is measured raises what it likes
            self.count += 1
            return [[*label, f"cannot: {said(e)}"]]

    def row(self, label: Sequence[object], make: Callable[[], Any]) -> list[Any]:
        """The row that ``make`` returns, as ``rows``."""
        return self.rows(label, lambda: [make()])

    def exit(self) -> None:
        """Ends the process with status 1 where something failed."""
        if self.count:
            print(f"{self.count} could not be measured", file=sys.stderr)
            sys.exit(1)


def said(error: BaseException) -> str:
    """The last line of what was raised, or of what a process said before it failed."""
    text = str(error)
    if isinstance(error, subprocess.CalledProcessError) and error.stderr:
        text = error.stderr if isinstance(error.stderr, str) else error.stderr.decode(errors="replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return textwrap.shorten(lines[-1] if lines else type(error).__name__, MOST_SAID)
