"""Notices: what the user is told of a model while it is planned."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Notices:
    """All that planning has to tell; whoever the user called raises the warnings, in the user's own line.

    Attributes:
        notes: what the user should know of the whole model, for its record.
        warnings: what the user is warned of.
    """

    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Adds a note."""
        self.notes.append(text)

    def warn(self, text: str) -> None:
        """Adds a warning."""
        self.warnings.append(text)
