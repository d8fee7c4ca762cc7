"""A benchmark report for people: text for a terminal, and markdown."""

from __future__ import annotations

from ...basics.counted import counted
from ...basics.words.one_line import printable
from ...reporting.markdown import escaped, padded_table
from ...reporting.terminal import answered, fact, table, wrapped
from ..breakdown import TimePart
from ..in_flight import RequestsFound
from ..profile import TimeProfile
from .results import BenchmarkData
from .tables import Table, tables_of


def benchmark_text(report: BenchmarkData) -> str:
    """The summary and the tables for a terminal."""
    lines = [fact(head, text, 12, is_verdict=head == "usable") for head, text in summary(report)]
    return answered(wrapped(_answer(report)), "\n\n".join(["\n".join(lines), *map(_text_table, tables_of(report))]))


def _answer(report: BenchmarkData) -> str:
    """The latency, who ran how much, and whether the outputs are usable."""
    usable = "" if report.usable is None else f"; usable: {report.usable.text}"
    return f"{report.latency.p50:,.3f} ms median; {_delegated(report)}{printable(usable)}"


def benchmark_markdown(report: BenchmarkData) -> str:
    """The benchmark report as Markdown."""
    lines = [f"- **{head.strip()}**: {escaped(text)}" for head, text in summary(report)]
    tables = map(_markdown_table, tables_of(report))
    return "\n\n".join([f"# Benchmark of {escaped(report.model) or 'a model in memory'}", "\n".join(lines), *tables])


def summary(report: BenchmarkData) -> list[tuple[str, str]]:
    """The lines that are in no table, as pairs of a word and a text."""
    latency = report.latency
    lines = [("model", report.model or "(in memory)"), ("delegate", _delegated(report))]
    lines += [("ran on", printable(each.text)) for each in report.ran_on]
    lines += [("fastest", printable(each.text)) for each in report.alternatives]
    if report.calibration is not None:
        lines.append(("fastest", report.calibration.text))
    lines += [("cpu groups", f"{device}: {counted(count, 'kernel')}") for device, count in report.cpu_groups.items()]
    lines.append(("threads", str(report.threads) if report.threads else "left to the runtime"))
    if report.build_ms is not None:
        lines.append(("build", f"{report.build_ms:,.1f} ms to read, optimize, partition and compile"))
    lines.append(("first run", f"{report.first_run_ms:,.3f} ms"))
    lines.append(
        ("latency", f"{latency.p50:,.3f} ms median of {counted(latency.runs, 'run')} after {report.warmup} to warm up")
    )
    lines.append(("throughput", f"{latency.throughput:,.2f} inferences per second, in sequence"))
    if report.requests is not None:
        lines.append(("in flight", _in_flight(report.requests)))
    if report.usable is not None:
        lines.append(("usable", printable(report.usable.text)))
    if report.memory.after_runs is not None:
        lines.append(("memory", _memory(report)))
    lines += [("note", note) for note in report.notes]
    return [*lines, *_profile_lines(report)]


def _delegated(report: BenchmarkData) -> str:
    subgraphs = counted(report.subgraphs, "subgraph")
    return (
        f"{_delegate(report)}: {report.kernels_delegated:,} of {counted(report.kernels_total, 'kernel')} in {subgraphs}"
    )


def _delegate(report: BenchmarkData) -> str:
    if not report.absent:
        return report.delegate
    absent = ", ".join(map(printable, report.absent))
    return (
        f"{report.delegate}: NOT AVAILABLE"
        if absent == report.delegate
        else f"{report.delegate}; {absent}: NOT AVAILABLE"
    )


def _in_flight(found: RequestsFound) -> str:
    chosen, best = found.chosen, found.best
    text = f"{_count(chosen.requests)}: {chosen.throughput:,.2f} inferences per second"
    text += f", {chosen.latency.p50:,.3f} ms median"
    if len(found.tried) > 1:
        text += f"; the fewest within 5 % of the most, which are {best.throughput:,.2f} with {best.requests}"
    estimated = chosen.estimated_throughput
    if estimated is not None:
        text += f"; {estimated:,.2f} per second on the simulated device (an estimate, not measured)"
    return f"{text}; the compiled model names {_count(found.optimal)}"


def _count(requests: int) -> str:
    return counted(requests, "request")


def _memory(report: BenchmarkData) -> str:
    memory = report.memory
    moments = (
        (memory.after_runs, "after the runs"),
        (memory.after_build, "after the build"),
        (memory.before_build, "before it"),
    )
    found = [f"{n / 2**20:,.1f} MiB {when}" for n, when in moments if n is not None]
    return f"peak resident of this process: {', '.join(found)}"


def _profile_lines(report: BenchmarkData) -> list[tuple[str, str]]:
    profile = report.profile
    if profile is None:
        return []
    share = profile.share(profile.parts[TimePart.UNEXPLAINED])
    lines = [
        ("profile", f"{profile.latency.runs} more runs, recorded; {profile.latency.p50:,.3f} ms median"),
        ("recording", _recording(profile)),
        ("unexplained", f"{share:.2%} of the wall time; median of the runs {profile.unexplained_p50:.2%}"),
    ]
    if profile.estimated_us is not None:
        estimate = f"{profile.estimated_us:,.1f} us per prediction on the delegate's device (an estimate, not measured)"
        lines.append(("estimated", estimate))
    return lines


def _recording(profile: TimeProfile) -> str:
    """The cost of recording: by its own clock, and as the difference of medians, which other work disturbs."""
    own = profile.share(profile.parts[TimePart.RECORDING])
    plain = f"{profile.plain_p50_ms:,.3f} ms without"
    return f"{own:.2%} of the wall time by its own clock; the median is {profile.overhead:+.1%} of the {plain}"


def _text_table(shown: Table) -> str:
    return "\n".join([wrapped(shown.title), _columns(shown), *map(wrapped, shown.notes)])


def _columns(shown: Table) -> str:
    return table(shown.heads, shown.rows, cut=shown.names, right=shown.right)


def _markdown_table(shown: Table) -> str:
    right = [i for i, head in enumerate(shown.heads) if head in shown.right]
    cells = padded_table(shown.heads, shown.rows, right)
    return "\n\n".join([f"## {shown.title}", cells, *map(escaped, shown.notes)])
