"""Phrases of reports and of differences between them that several renderers use."""

from __future__ import annotations

from collections import Counter

from ...basics.counted import counted
from ...basics.words.one_line import printable
from ...partition import PartitionOptions
from ..partition_data import PartitionData
from .diff import NodeChange, NodePlacement, NumberChange, ReportDiff
from .metrics import METRICS


def share_text(report: PartitionData) -> str:
    """The share of kernels that are delegated; in percent neither all nor none where that is not so."""
    delegated, total, percent = report.kernels_delegated, report.kernels_total, f"{report.coverage:.0%}"
    if 0 < delegated < total:
        percent = {"0%": "less than 1%", "100%": "99%"}.get(percent, percent)
    return f"{delegated:,} of {counted(total, 'kernel')} ({percent})"


def input_wait_text(us: float) -> str:
    """A phrase on the time for which devices wait for input."""
    return f"{us:,.1f} us for input where one prediction follows the other (an estimate, not measured)"


def bound_text(report: PartitionData) -> str:
    """A phrase on the number of subgraphs: whether there could be fewer, and the user's options that add some."""
    if not report.subgraphs:
        return "nothing is delegated"
    if len(report.subgraphs) <= report.minimum_subgraphs:
        return "the fewest possible" + " for each delegate in its turn" * (len(report.delegates) > 1)
    splitting = _splitting(report.options)
    if splitting:
        return f"{report.minimum_subgraphs} would do without {' and '.join(splitting)}"
    return f"an order with {report.minimum_subgraphs} exists"


def _splitting(options: PartitionOptions) -> list[str]:
    """The options that were given and that ask for more subgraphs than are needed."""
    most = options.max_kernels_per_subgraph
    found = ["connected"] if options.connected else []
    found += ["groups"] if options.groups else []
    return found if most is None else [*found, f"max_kernels_per_subgraph={most}"]


def matched_text(diff: ReportDiff) -> str:
    """A phrase on nodes that are in one report only, "" without such nodes."""
    gone = sum(change.after is None for change in diff.nodes)
    added = sum(change.before is None for change in diff.nodes)
    if not gone and not added:
        return ""
    if not diff.nodes_matched:
        return "no node, by graph and name: these are reports of different models"
    return f"{counted(diff.nodes_matched, 'node')}, by graph and name; {gone:,} are gone, {added:,} are new"


def type_text(change: NodeChange) -> str:
    """The operator type of a node; before and after where it changed."""
    types = dict.fromkeys(printable(each.type) for each in (change.before, change.after) if each is not None)
    return " -> ".join(types)


def placement_text(placement: NodePlacement) -> str:
    """The device of a node, and on the CPU the reason."""
    if placement.code is None:
        return printable(placement.device)
    return f"{printable(placement.device)}, {placement.code}: {printable(placement.reason)}"


def known_numbers(diff: ReportDiff) -> list[NumberChange]:
    """The numbers that one of the reports knows."""
    return [n for n in diff.numbers if (n.before, n.after) != (None, None)]


def number_rows(diff: ReportDiff) -> list[tuple[str, str, str, str]]:
    """Label, before, after and change of each number that one of the reports knows."""
    return [
        (metric.label, metric.text(n.before), metric.text(n.after), _change(n))
        for n in known_numbers(diff)
        for metric in [METRICS[n.name]]
    ]


def _change(number: NumberChange) -> str:
    if number.before is None or number.after is None or not number.is_change:
        return ""
    difference = number.after - number.before
    share = f" ({difference / number.before:+.1%})" if number.before else ""
    return f"{difference:+,.4g}{share}" if isinstance(difference, float) else f"{difference:+,}{share}"


def gain_texts(report: PartitionData) -> list[str]:
    """The outcome of placement by gain, for each delegate whose part was chosen so."""
    return [
        f"{printable(each.name)}: {p.chosen_us:,.1f} us per prediction as chosen, {p.claimed_us:,.1f} with all "
        f"claimed nodes, {p.cpu_us:,.1f} on the CPU alone ({p.source})"
        for each in report.delegates
        if (p := each.placement) is not None
    ]


def alternative_texts(report: PartitionData) -> list[str]:
    """The candidates for the fastest plan, each with its time, or the reason why there is none.

    The time of the search follows.
    """
    calibration = [] if report.calibration is None else [report.calibration.text]
    return [*(printable(each.text) for each in report.alternatives), *calibration]


def cpu_group_texts(report: PartitionData) -> list[str]:
    """The number of CPU nodes that run on a runtime's kernels, for each runtime."""
    groups = Counter(each.device for each in report.cpu_groups)
    kernels: Counter[str] = Counter()
    for each in report.cpu_groups:
        kernels[each.device] += len(each.kernels)
    left = len(report.fallback)
    return [
        f"{printable(device)}: {kernels[device]:,} of {counted(left, 'kernel')}, in {counted(count, 'group')}"
        for device, count in groups.items()
    ]


def delegate_text(report: PartitionData) -> str:
    """The delegates, marked where the device is not there or where they compile off-device."""
    absent = [printable(each.name) for each in report.delegates if each.absent]
    if absent and len(absent) == len(report.delegates):
        return f"{report.delegate}: NOT AVAILABLE, the CPU runs everything"
    away = [printable(each.name) for each in report.delegates if each.off_device]
    if away and len(away) == len(report.delegates):
        return f"{report.delegate}: OFF-DEVICE, its subgraphs cannot run here"
    lists = (("NOT AVAILABLE", absent), ("OFF-DEVICE", away))
    return "; ".join([report.delegate, *(f"{what}: {', '.join(names)}" for what, names in lists if names)])


def provider_texts(report: PartitionData) -> list[str]:
    """The number of delegated nodes on each device of a runtime, as the runtimes report for their compiled models."""
    kernels = Counter((node.device, node.provider) for node in report.nodes if node.provider)
    return [
        f"{printable(provider)} runs {count} of "
        f"{counted(report.kernels_delegated, 'delegated kernel')}, says {printable(device)}"
        for (device, provider), count in kernels.items()
    ]


def time_text(microseconds: float | None) -> str:
    """Microseconds in a table's cell, "" where they are not known."""
    return "" if microseconds is None else f"{microseconds:,.1f}"
