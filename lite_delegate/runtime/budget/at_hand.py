"""The memory at hand: the bytes that this process can still get from the machine, its control group and its own
limits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_MEMORY_FIELD = re.compile(r"^(\w+):\s+(\d+) kB$", re.MULTILINE)
_INACTIVE = re.compile(r"^(?:total_)?inactive_file (\d+)$", re.MULTILINE)
_GROUPS = Path("/sys/fs/cgroup")
_UNLIMITED = 1 << 60
"""A control group of version 1 without a limit says a number above this."""


def bytes_at_hand() -> int | None:
    """Bytes that this process can still get; None where the system does not say.

    The least of the machine's available memory, the control group's remaining memory, and the remainder of the limits
    of the process (RLIMIT_AS, RLIMIT_DATA). Swap is not counted.

    Sources: proc(5) MemAvailable, VmSize, VmData; cgroups(7) memory.max, memory.current; getrlimit(2).
    """
    return min(_bounds(), default=None)


def _bounds() -> Iterator[int]:
    available = _fields("/proc/meminfo").get("MemAvailable")
    if available is not None:
        yield available
    yield from _group(_GROUPS, "memory.max", "memory.current", "memory.stat")
    memory = _GROUPS / "memory"
    yield from _group(memory, "memory.limit_in_bytes", "memory.usage_in_bytes", "memory.stat")
    yield from _limits()


def _limits() -> Iterator[int]:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    used: dict[str, int] | None = None
    for limit, field in ((resource.RLIMIT_AS, "VmSize"), (resource.RLIMIT_DATA, "VmData")):
        soft, _ = resource.getrlimit(limit)
        if soft == resource.RLIM_INFINITY:
            continue
        used = _fields("/proc/self/status") if used is None else used
        yield max(soft - used.get(field, 0), 0)


def _group(folder: Path, limit: str, used: str, statistics: str) -> Iterator[int]:
    """The bytes that a control group leaves; pages of files that nobody needs are given back when memory gets short."""
    most, current = _text(folder / limit).strip(), _text(folder / used).strip()
    if most.isdigit() and current.isdigit() and int(most) < _UNLIMITED:
        inactive = _INACTIVE.search(_text(folder / statistics))
        yield max(int(most) - int(current) + (int(inactive[1]) if inactive else 0), 0)


def _fields(path: str) -> dict[str, int]:
    return {name: int(size) << 10 for name, size in _MEMORY_FIELD.findall(_text(Path(path)))}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except (OSError, ValueError):
        return ""
