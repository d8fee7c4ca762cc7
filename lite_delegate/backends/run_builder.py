"""RunBuilder: makes a runtime's models of runs before any is loaded. Its claims run the same lowering and write
nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Generic, TypeVar

from ..delegate import Boundary, DelegateModel, Kernel, SupportResult
from .lowering import Emitter, Term, claim
from .open_shapes import Families, Family, Fed, General, WrittenRun, written_run
from .rewriting import Rewrite, write_run

EmitterT = TypeVar("EmitterT", bound=Emitter)
OpenT = TypeVar("OpenT")
PreparedT = TypeVar("PreparedT")
SettingsT = TypeVar("SettingsT")


class RunBuilder(ABC, Generic[EmitterT, OpenT, PreparedT, SettingsT]):
    """Makes models for one delegate.

    Args:
        claims: what claims are written to.
        open_model: makes the model of what runs for several shapes have in common.
        member: makes what runs one of them, with its constants that differ from the others'.
    """

    def __init__(
        self,
        claims: EmitterT,
        open_model: Callable[[SettingsT, WrittenRun, General], OpenT],
        member: Callable[[SettingsT, WrittenRun, Family[OpenT], Fed], PreparedT],
    ) -> None:
        self._claims, self._open_model, self._member = claims, open_model, member
        self._families: Families[OpenT] = Families()

    def claim(self, kernel: Kernel) -> SupportResult:
        """The lowering's answer."""
        return claim(kernel, self._claims)

    def prepared(
        self, name: str, run: Sequence[Kernel], boundary: Boundary, model: DelegateModel, settings: SettingsT
    ) -> PreparedT:
        """A run as one model, which the runtime gets when it is loaded.

        Args:
            name: of the model.
            run: kernels of the model.
            boundary: what they read and give.
            model: that they are of.
            settings: for this run.

        Raises:
            DelegateBuildError: a kernel cannot be lowered.
        """
        emitter = self.emitter(name, settings)
        rewrites = (*self.forms(settings), *(self.rewrites(settings) if model.rewrites else ()))
        if model.origin is None:
            return self.alone(name, emitter, write_run(run, boundary, emitter, rewrites), settings)
        written = written_run(run, boundary, emitter, rewrites)
        same = (id(model.origin), repr(settings))
        family, own = self._families.of(written, same, partial(self._open_model, settings))
        return self._member(settings, written, family, own)

    @abstractmethod
    def emitter(self, name: str, settings: SettingsT) -> EmitterT:
        """The emitter that a model is written to."""

    def forms(self, settings: SettingsT) -> Sequence[Rewrite]:
        """The rewrites of a run into forms without which the backend takes less, also where the user allows none."""
        return ()

    @abstractmethod
    def rewrites(self, settings: SettingsT) -> Sequence[Rewrite]:
        """The rewrites of a run into forms that the backend runs faster, where the user allows them."""

    @abstractmethod
    def alone(self, name: str, emitter: EmitterT, outputs: Sequence[Term], settings: SettingsT) -> PreparedT:
        """The prepared run of a model that shares nothing with other plans."""
