"""JobTotals: the counts of a job's parts, kept while parts are written."""

from __future__ import annotations

from collections import Counter

from ..parts.part import PartFacts

MOST_REASONS = 20
"""The reasons that a result lists."""
KEPT_REASONS = 10_000
"""The reasons that are counted apart; rarer ones are forgotten."""


class JobTotals:
    """The counts of a job's parts. Each part costs one number of memory.

    Attributes:
        rows: of all parts.
        errors: the rows without outputs.
        done: the indexes of the chunks that have parts.
        notes: of the workers, each once.
    """

    def __init__(self) -> None:
        self.rows = self.errors = 0
        self.done: set[int] = set()
        self.notes: dict[str, None] = {}
        self._reasons: Counter[str] = Counter()
        self._rows_by_worker: Counter[str] = Counter()
        self._seconds_by_worker: dict[str, float] = {}

    def add(self, facts: PartFacts) -> None:
        """Counts a part."""
        self.rows += facts.rows
        self.errors += facts.errors
        self.done.add(facts.chunk)
        if facts.note:
            self.notes[facts.note] = None
        self._rows_by_worker[facts.worker] += facts.rows
        self._seconds_by_worker[facts.worker] = self._seconds_by_worker.get(facts.worker, 0.0) + facts.seconds
        self._reasons.update(facts.reasons)
        if len(self._reasons) > KEPT_REASONS:
            self._reasons = Counter(dict(self._reasons.most_common(KEPT_REASONS // 2)))

    @property
    def reasons(self) -> dict[str, int]:
        """The rows by reason, the most frequent reasons first."""
        return dict(self._reasons.most_common(MOST_REASONS))

    @property
    def workers(self) -> dict[str, dict[str, float]]:
        """The rows that each worker computed, and its seconds."""
        return {
            worker: {"rows": rows, "seconds": round(self._seconds_by_worker[worker], 3)}
            for worker, rows in self._rows_by_worker.items()
        }
