"""The samples of a plan, where a delegate asks for them and the user gives some."""

from __future__ import annotations

from collections.abc import Sequence

from ....delegate.samples import Samples
from ...binding.bind import BoundGraph
from ...lifetimes.session import Session
from ...records.notices import Notices
from ...settings import Settings
from ..shapes.inferring import InferredModel
from .planned_samples import PlanAlone, PlannedSamples
from .sample_file import SampleFile, UnfitSamples


def samples_for(
    inferred: InferredModel,
    graphs: Sequence[BoundGraph],
    settings: Settings,
    session: Session,
    plan_alone: PlanAlone,
    notices: Notices,
) -> Samples | None:
    """The samples of a plan; None where no delegate asks for them, or there are none. Notes say why.

    Args:
        inferred: the model of the plan.
        graphs: its graphs, bound to tensors, the main graph first.
        settings: the user's.
        session: the session of the delegates.
        plan_alone: plans graphs for the CPU.
        notices: gets the notes and warnings.

    Raises:
        InputError: the file of samples cannot be read, or does not fit the inputs of the model.
    """
    wanted = {
        each.name: each.wanted_samples
        for each in session.delegates
        if each.wanted_samples > 0 and each.name not in session.absent
    }
    if not wanted:
        return None
    name, most = max(wanted.items(), key=lambda each: each[1])
    if not settings.samples:
        notices.note(
            f"Delegate '{name}' asks for {most} representative samples, and there are none: name a file of them "
            "(--samples FILE.npz, Context.samples, the property SAMPLES)."
        )
        return None
    try:
        file = SampleFile(settings.samples, graphs[0].inputs, settings.budget)
    except UnfitSamples as e:
        text = f"No samples for delegate '{name}': {e}"
        notices.note(text)
        notices.warn(text)
        return None
    if file.count < most:
        notices.note(
            f"Delegate '{name}' asks for {most} representative samples, '{settings.samples}' has {file.count}."
        )
    return PlannedSamples(file, inferred, graphs[0], plan_alone)
