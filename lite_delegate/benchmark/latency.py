"""Latency: how long predictions take, in figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief
from ..errors import InputError
from ..reporting.plain import to_plain
from .recorder import CLOCK, Clock

PLACES = 6
"""Decimal places of milliseconds, which are nanoseconds, and of shares."""


@dataclass(frozen=True, slots=True)
class RunLimits(Brief):
    """The limits of a measurement, which ends at the first limit. None: no limit. One prediction is always made.

    Attributes:
        runs: the number of predictions.
        seconds: the measured time in seconds.

    Raises:
        InputError: less than one run or no time at all.
    """

    runs: int | None = 50
    seconds: float | None = 10.0

    def __post_init__(self) -> None:
        if self.runs is None and self.seconds is None:
            raise InputError("RunLimits: expected a number of runs, of seconds, or both; got neither.")
        if self.runs is not None and self.runs < 1:
            raise InputError(f"RunLimits: runs must be at least 1, got {self.runs}.")
        if self.seconds is not None and not 0 < self.seconds < float("inf"):
            raise InputError(f"RunLimits: seconds must be above 0 and finite, got {self.seconds}.")

    def reached(self, runs: int, elapsed_ns: int) -> bool:
        """True when so many predictions, which took so many nanoseconds, are enough."""
        enough = self.runs is not None and runs >= self.runs
        return enough or (self.seconds is not None and elapsed_ns >= self.seconds * 1e9)


@dataclass(frozen=True, slots=True)
class Latency(Brief):
    """Figures of a series of predictions, in milliseconds.

    ``pN`` is the time that N % of the predictions do not exceed, interpolated between the two nearest ranks
    (rank 1 + N/100 * (runs - 1)). ``stdev`` is that of a sample (runs - 1); None for a single run.
    """

    runs: int
    min: float
    p50: float
    p90: float
    p95: float
    p99: float
    max: float
    mean: float
    stdev: float | None

    @classmethod
    def of(cls, nanoseconds: Sequence[int]) -> Latency:
        """The figures of at least one prediction."""
        ms = np.array(nanoseconds, np.float64) / 1e6
        p50, p90, p95, p99 = np.percentile(ms, (50, 90, 95, 99)).tolist()
        stdev = float(ms.std(ddof=1)) if ms.size > 1 else None
        return cls(ms.size, float(ms.min()), p50, p90, p95, p99, float(ms.max()), float(ms.mean()), stdev)

    def to_dict(self) -> dict[str, Any]:
        """The figures in milliseconds as plain data, without the number of runs."""
        figures: dict[str, float | None] = to_plain(self)
        return {name: None if ms is None else round(ms, PLACES) for name, ms in figures.items() if name != "runs"}

    @property
    def throughput(self) -> float:
        """Predictions per second in sequence; 0 where the clock saw no time pass."""
        return 1e3 / self.mean if self.mean else 0.0


def timed(call: Callable[[], object], clock: Clock = CLOCK) -> int:
    """Nanoseconds that a call takes, without freeing its results."""
    started = clock()
    result = call()
    elapsed = clock() - started
    del result
    return elapsed


def timed_runs(call: Callable[[], object], limits: RunLimits, clock: Clock = CLOCK) -> list[int]:
    """Nanoseconds of each call in sequence, until a limit is reached."""
    times = [timed(call, clock)]
    elapsed = times[0]
    while not limits.reached(len(times), elapsed):
        times.append(timed(call, clock))
        elapsed += times[-1]
    return times
