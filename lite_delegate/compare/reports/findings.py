"""Verdicts, losses and repairs in words, which all forms of a comparison share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ...basics.counted import counted
from ...numerics.usability import OutputUse
from ...runtime.records import short_name
from ..loss import Loss
from ..losses.losses import NOTHING_LEFT
from ..repair import PlanCost, Repair
from ..results import ComparisonData, Outcome

LOSS_HEADS = ("loses digits", "operator", "dB in", "dB out", "bits lost", "device in", "device out")
LOSS_LEGEND = (
    "dB in, dB out: signal-to-noise ratios of the worst that a kernel reads and of what it gives, in a run of the "
    "reference kernels that rounds every tensor to the delegate's storage type; 'none': NaN, infinite, or noise alone. "
    "device: the same on the device, by a prefix of the subgraph that ends at the kernel."
)
ROW = tuple[str, ...]


def verdict_lines(report: ComparisonData) -> list[tuple[str, str]]:
    """Both verdicts, each as a word and a sentence; then their joint conclusion, without a word."""
    explained, usable = explained_text(report), usable_text(report)
    lines = [("explained", f"{_yes(report.explained)}: {explained}"), ("usable", f"{_yes(report.usable)}: {usable}")]
    together = conclusion(report)
    return [*lines, ("", together)] if together else lines


def explained_text(report: ComparisonData) -> str:
    """A phrase: all is within tolerance, or the outputs that are not."""
    if report.error:
        return f"the prediction on the delegate stopped early: {report.error}"
    if report.outcome is Outcome.OK:
        return "all within tolerance"
    if report.out_of_range:
        return "numbers leave the range of the delegate's storage type in the rounded reference run"
    parts = [part for subgraph in report.subgraphs for part in subgraph.parts]
    groups = (("subgraphs", report.subgraphs), ("kernels", parts), ("outputs", report.outputs))
    counted = [
        (name, Counter(each.outcome for each in group if each.outcome is not Outcome.OK)) for name, group in groups
    ]
    found = [f"{name}: {', '.join(f'{n} {o}' for o, n in counts.items())}" for name, counts in counted if counts]
    return f"not within tolerance: {'; '.join(found)}"


def usable_text(report: ComparisonData) -> str:
    """Whether the outputs are near enough to the reference's, and which are not."""
    if report.unusable:
        return "; ".join(report.unusable)
    asked = f"at least {report.limits.snr_db:g} dB and cosine {report.limits.cosine:g}"
    has_classes = any(use.class_axis is not None for use in report.uses)
    return f"every output has {asked}{', the same class first' if has_classes else ''}"


def conclusion(report: ComparisonData) -> str:
    """The conclusion from the two verdicts together, "" where both are good."""
    if report.explained and report.usable:
        return ""
    if report.explained and report.repair is not None and report.repair.reached:
        return "The device rounds as promised; the model is not usable as it is, and is usable with the repair."
    if report.explained:
        return "The device rounds as promised; the model does not survive it."
    if report.outcome is Outcome.SKIPPED:
        return "Part of the model could not be compared, so nothing is said of the device as a whole."
    if report.usable:
        return "The device is off by more than its rounding explains, though the outputs are near enough."
    return "The device is off by more than its rounding explains, and the outputs are not usable."


def loss_rows(losses: Sequence[Loss]) -> list[ROW]:
    """A row for each kernel that loses digits: name, operator, and numbers as people read them."""
    return [
        (
            short_name(loss.sources) or loss.kernel,
            loss.type,
            _db(loss.in_db),
            _db(loss.out_db),
            "all" if loss.out_db <= NOTHING_LEFT else f"{loss.lost_bits:.0f}",
            _db(loss.device_in_db),
            _db(loss.device_out_db),
        )
        for loss in losses
    ]


def loss_notes(losses: Sequence[Loss]) -> list[str]:
    """Notes on losses."""
    return [loss.note for loss in losses if loss.note]


def repair_lines(repair: Repair) -> Iterator[tuple[str, str]]:
    """A repair, as words and sentences."""
    if not repair.kept:
        text = "the goal is reached as it is" if repair.reached else "no plan was found that reaches the goal"
        yield "repair", f"{text} ({_effort(repair)})"
    else:
        goal = "reached on the device" if repair.reached else "NOT reached on the device"
        yield "repair", f"{goal}, with these kept on {repair.device}: {_names(repair.kept)}"
        yield "", f"before: {_uses(repair.before)}; with the plan: {_uses(repair.after) or 'it did not run'}"
        yield "", repair.proof
        yield "", f"cost: {_cost(repair.cost_before, repair.cost_after)}"
        yield "", _effort(repair)
    yield from (("", note) for note in repair.notes)


SHOWN = 12
"""Names of nodes that are kept and shown; all are in the plan."""


def _names(kept: Sequence[str]) -> str:
    more = f" and {len(kept) - SHOWN} more" if len(kept) > SHOWN else ""
    return ", ".join(f"'{name}'" for name in kept[:SHOWN]) + more


def _uses(uses: Sequence[OutputUse]) -> str:
    return "; ".join(f"'{use.name}' {'usable' if use.usable else 'not usable'}{_ratio(use)}" for use in uses)


def _ratio(use: OutputUse) -> str:
    return "" if use.snr_db is None else f" at {_db(use.snr_db)} dB"


def _cost(before: PlanCost, after: PlanCost | None) -> str:
    if after is None:
        return "not known"
    subgraphs = f"{before.subgraphs} -> {counted(after.subgraphs, 'subgraph')}"
    crossing = f"{before.boundary_bytes:,} -> {counted(after.boundary_bytes, 'byte')} over their boundaries"
    times = [f"{each.estimated_us:,.0f} us" if each.estimated_us is not None else "unknown" for each in (before, after)]
    delegated = f"{before.delegated} -> {counted(after.delegated, 'kernel')} delegated"
    return f"{subgraphs}, {crossing}, {delegated}, {times[0]} -> {times[1]} per prediction (estimates, not measured)"


def _effort(repair: Repair) -> str:
    late = "; its time was over" if repair.out_of_time else ""
    inputs = "these inputs" if repair.samples == 1 else f"the {repair.samples} sets of inputs that were tried"
    return (
        f"it took {repair.emulated} rounded reference runs and {repair.built} plans built on the device, "
        f"{repair.seconds:.1f} s{late}; the result holds for {inputs}"
    )


def _db(ratio: float | None) -> str:
    if ratio is None:
        return ""
    if ratio <= NOTHING_LEFT:
        return "none"
    return f"{round(ratio)}" if abs(ratio) != float("inf") else str(ratio)


def _yes(good: bool) -> str:
    return "yes" if good else "no"
