"""Families: runs of plans for several shapes that share one model of a backend."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar
from weakref import WeakSet, ref

from ..lowering import ShapeIsOpen
from .general import Fed, General, joined
from .written_run import WrittenRun

Model = TypeVar("Model")


class FamilyMember(Protocol):
    """The run of one plan, which keeps its family alive."""

    def go_over(self) -> None:
        """Goes over to the family's model, which has been loaded."""


class Family(Generic[Model]):
    """Runs that share one model, which is made once the family has two runs.

    Args:
        base: the first run.
        make: makes the backend's model of the common part of the runs.

    Attributes:
        general: the common part of the runs.
        model: the backend's model; None as long as the family has one run.
        members: the runs of the family.
    """

    def __init__(self, base: WrittenRun, make: Callable[[WrittenRun, General], Model]) -> None:
        self.base = base
        self.general = General.of(base)
        self.model: Model | None = None
        self.members: WeakSet[FamilyMember] = WeakSet()
        self._make = make
        self._is_one_only = False

    def joined(self, other: WrittenRun) -> Fed | None:
        """Takes a run in; the constants that differ. None where it is another model."""
        found = None if self._is_one_only else joined(self.base, self.general, other)
        if found is None:
            return None
        general, own = found
        if self.model is None or general != self.general:
            try:
                self.general, self.model = general, self._make(self.base, general)
            except ShapeIsOpen:
                self._is_one_only = True
                return None
        return own


class Families(Generic[Model]):
    """The families with members, found by the runs that may belong to one."""

    def __init__(self) -> None:
        self._known: dict[Hashable, list[ref[Family[Model]]]] = {}

    def of(
        self, run: WrittenRun, settings: Hashable, make: Callable[[WrittenRun, General], Model]
    ) -> tuple[Family[Model], Fed]:
        """The family of a run, a new one where it is in none; and its constants that differ from the family's.

        Args:
            run: a further run.
            settings: the further facts that runs of one family share: their model, and the settings of models.
            make: makes the model of a family.
        """
        self._known = {
            key: alive for key, each in self._known.items() if (alive := [r for r in each if r() is not None])
        }
        key = (run.key, settings)
        known = self._known.setdefault(key, [])
        for family in [found for each in reversed(known) if (found := each()) is not None]:
            own = family.joined(run)
            if own is not None:
                return family, own
        family = Family(run, make)
        known.append(ref(family))
        return family, {}
