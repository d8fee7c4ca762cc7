"""Notices: notes and warnings for the user about a model while it is planned."""

from __future__ import annotations

from dataclasses import field

from ...basics.data_class import dataclass
from ...basics.failures import Told, traceback_of
from .records import FailureRecord


@dataclass(slots=True)
class Notices:
    """The notes and warnings of planning. The function that the user called raises the warnings, at the user's own
    line.

    Attributes:
        notes: the notes on the whole model, for its record.
        warnings: the warnings for the user.
    """

    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Adds a note."""
        self.notes.append(text)

    def warn(self, text: str, error: BaseException | None = None) -> None:
        """Adds a warning, with the traceback of a delegate's error."""
        self.warnings.append(Told(text, error))

    @property
    def failures(self) -> tuple[FailureRecord, ...]:
        """The warnings of something that a delegate raised."""
        return tuple(FailureRecord(str(text), traceback_of(text)) for text in self.warnings if traceback_of(text))
