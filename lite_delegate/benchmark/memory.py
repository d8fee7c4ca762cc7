"""Memory: the peak of this process's resident memory, where the system tells it."""

from __future__ import annotations

import re
from pathlib import Path

from ..basics.data_class import dataclass

STATUS = Path("/proc/self/status")


@dataclass(frozen=True, slots=True)
class PeakMemory:
    """The most bytes that the process has had resident up to three moments: it and its libraries, model and inputs.

    None where the system does not tell. Pages of a mapped model file count once they were read.
    """

    before_build: int | None = None
    after_build: int | None = None
    after_runs: int | None = None


def peak_resident(status: Path = STATUS) -> int | None:
    """The most bytes that this process has had resident so far (Linux: ``VmHWM``); None where the system has no such
    file. ``getrusage`` is not asked: its number includes the parent process.
    """
    try:
        text = status.read_text()
    except OSError:
        return None
    found = re.search(r"^VmHWM:\s*(\d+) kB$", text, re.MULTILINE)
    return int(found.group(1)) * 1024 if found else None
