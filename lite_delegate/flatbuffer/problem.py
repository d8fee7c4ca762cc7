"""The exception that carries what is wrong with a file, and where, to the reader's outer edge."""

from __future__ import annotations


class FormatProblem(Exception):
    """Something in a file is not as the format has it.

    Readers turn it into an error of ``errors`` that names the file; users never see it.
    """

    def __init__(self, reason: str, place: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.place = place

    def within(self, place: str) -> FormatProblem:
        """Puts an outer place before the place so far; returns the problem itself, to be raised."""
        dot = "." if self.place and not self.place.startswith("[") else ""
        self.place = f"{place}{dot}{self.place}"
        return self

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}" if self.place else self.reason


class TooLarge(FormatProblem):
    """Contents to be written do not fit the format's sizes."""
