"""Faults that a simulated device can be told to have, and when."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from itertools import count

import numpy as np

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief
from .programs.instruction import Array

TIME_LIMIT_MS = 1000
"""A run that takes longer is stopped by the device's driver."""


class RunFault(StrEnum):
    """A fault of a run.

    1. LOST: the device goes away in the middle of the run.
    2. TIMEOUT: the run does not end within ``TIME_LIMIT_MS`` and is stopped.
    3. BAD_RESULT: the first output is one element too short.
    """

    LOST = "lost"
    TIMEOUT = "timeout"
    BAD_RESULT = "bad result"


class LoadFault(StrEnum):
    """A fault while a program is loaded.

    1. LOST: the device goes away in the middle of the load.
    2. NO_MEMORY: the device reports that its memory is full.
    """

    LOST = "lost"
    NO_MEMORY = "no memory"


@dataclass(frozen=True, slots=True)
class Faults(Brief):
    """The runs and loads that fail, and how. Both are counted from 1, from the moment a device is given the faults.

    A ``range`` serves as well as a tuple: ``Faults(timeout=range(3, 6))``. Where several attributes name one run, the
    first in the list below counts.

    Attributes:
        lost: runs in which the device goes away.
        timeout: runs that do not end in time.
        bad_result: runs that give a result of a wrong size.
        lost_loading: loads in which the device goes away.
        no_memory: loads for which the device has no memory.
    """

    lost: Collection[int] = ()
    timeout: Collection[int] = ()
    bad_result: Collection[int] = ()
    lost_loading: Collection[int] = ()
    no_memory: Collection[int] = ()

    def of_run(self, number: int) -> RunFault | None:
        """A fault of a run."""
        if number in self.lost:
            return RunFault.LOST
        if number in self.timeout:
            return RunFault.TIMEOUT
        return RunFault.BAD_RESULT if number in self.bad_result else None

    def of_load(self, number: int) -> LoadFault | None:
        """A fault of a load."""
        if number in self.lost_loading:
            return LoadFault.LOST
        return LoadFault.NO_MEMORY if number in self.no_memory else None


class FaultCounter:
    """Counts runs and loads, and returns the fault of the next one. Safe for several threads."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._runs = count(1)
        self._loads = count(1)

    def next_run(self) -> RunFault | None:
        """The fault of the run that begins."""
        return self._faults.of_run(next(self._runs))

    def next_load(self) -> LoadFault | None:
        """The fault of the load that begins."""
        return self._faults.of_load(next(self._loads))


def too_short(results: list[Array]) -> list[Array]:
    """The results of a run with a first output that has lost its last element, or got one if it had none."""
    if not results:
        return results
    first = results[0].ravel()
    return [first[:-1] if first.size else np.zeros(1, first.dtype), *results[1:]]
