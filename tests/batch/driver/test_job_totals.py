"""The counts of a job's parts."""

from __future__ import annotations

from lite_delegate.batch.driver.job_totals import JobTotals
from lite_delegate.batch.parts.part import PartFacts


def test_totals_are_those_of_all_parts() -> None:
    totals = JobTotals()
    totals.add(PartFacts("k", 0, 10, 3, {"null": 2, "long": 1}, 0.5, "a", "compiled here"))
    totals.add(PartFacts("k", 1, 8, 4, {"long": 4}, 0.25, "b"))
    totals.add(PartFacts("k", 2, 8, 0, {}, 0.25, "a"))
    assert (totals.rows, totals.errors, totals.done) == (26, 7, {0, 1, 2})
    assert list(totals.reasons.items()) == [("long", 5), ("null", 2)]
    assert totals.workers == {"a": {"rows": 18, "seconds": 0.75}, "b": {"rows": 8, "seconds": 0.25}}
    assert list(totals.notes) == ["compiled here"]


def test_reasons_that_differ_in_each_row_do_not_pile_up() -> None:
    totals = JobTotals()
    for part in range(2_000):
        totals.add(PartFacts("k", part, 10, 10, {f"row {part} {row}": 1 for row in range(9)} | {"often": 2}, 0.1, "w"))
    assert totals.reasons["often"] > 1_000
    assert len(totals.reasons) == 20
    assert len(totals._reasons) <= 10_000
