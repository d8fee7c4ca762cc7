"""Repeats: the model runs again with other data, and then with the first data."""

from __future__ import annotations

from ..finding import Finding
from ..reports.defects import Defect, Stage
from .trial import Trial, run, same


def check_repeats(trial: Trial) -> Finding | None:
    """Results that do not follow the data, and outputs that change while the caller holds them."""
    held = tuple(y.copy() for y in trial.outputs)
    first, other = trial.data
    got = run(trial.model, other)
    wrong = other.mismatch(got)
    if wrong:
        if other is not first and same(got, held):
            return Finding(Stage.OTHER_DATA, wrong, Defect.EARLIER_RESULT)
        defect = None if same(run(trial.model, other), got) else Defect.VARYING_RESULT
        return Finding(Stage.OTHER_DATA, wrong, defect, data=other, got=got)
    if not same(held, trial.outputs):
        detail = "the outputs of the first run changed during the second"
        return Finding(Stage.OTHER_DATA, detail, Defect.OUTPUT_REUSED)
    again = run(trial.model, first)
    wrong = first.mismatch(again)
    if wrong:
        defect = Defect.EARLIER_RESULT if same(again, got) else Defect.VARYING_RESULT
        return Finding(Stage.OTHER_DATA, f"the first data once more: {wrong}", defect)
    return None
