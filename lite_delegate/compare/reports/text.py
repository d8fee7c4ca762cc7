"""A comparison for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from ...basics.counted import counted
from ...basics.words.names import shorten
from ...basics.words.one_line import printable
from ...numerics.metrics import Metrics
from ...reporting.figures import decibel_text, error_text, ulp_text
from ...reporting.styles import style_of_verdict
from ...reporting.terminal import answered, fact, page, table, wrapped
from ...runtime.records import short_name, source_texts
from ..results import Comparison, ComparisonData, Culprit, Outcome, TensorComparison
from .findings import LOSS_HEADS, LOSS_LEGEND, ROW, loss_notes, loss_rows, repair_lines, verdict_lines

ALL_ROWS = 30
"""Rows of errors that are all shown; of more, long stretches of good kernels are folded."""
MOST_ALIKE = 4
"""Rows of good kernels behind each other that are not folded."""
INSIDE = "- "
"""Stands before the name of a kernel of the subgraph above it."""
HEADS = ("subgraph", "kernel", "output", "outcome", "own", "dB", "inherited", "dB", "total", "dB")
LEGEND = (
    "own, inherited, total: largest absolute errors; dB: signal-to-noise ratios. own: the delegate against the "
    "reference kernels on the same inputs; inherited: the reference kernels on these inputs against those of the "
    "reference run; total: the delegate against the reference run."
)


def comparison_text(report: ComparisonData) -> str:
    """The verdicts, summary, errors of the subgraphs and of their kernels, the outputs, the findings."""
    sections = [_summary(report)]
    if report.subgraphs:
        sections.append(f"{_errors(report)}\n{wrapped(LEGEND)}")
        sections.append(_granted(report))
    if report.outputs:
        sections.append(_outputs(report))
    sections += [culprit_text(culprit) for culprit in report.culprits]
    sections += tracebacks(report)
    if report.losses:
        sections.append(_losses(report))
    if report.repair is not None:
        sections.append("\n".join(fact(word, printable(text)) for word, text in repair_lines(report.repair)))
    return answered(_verdicts(report), "\n\n".join(filter(None, sections)), wrapped(_advice(report)))


def _advice(report: ComparisonData) -> str:
    """What to do next; "" where all is well, or was looked at."""
    if not report.explained and not report.error and not report.culprits:
        return "next: --bisect finds the wrong kernels; --kernels compares each kernel by itself."
    if report.explained and not report.usable and report.repair is None:
        return "next: --repair FILE.json finds the nodes to keep on the CPU; --losses shows where digits get lost."
    return ""


def _summary(report: ComparisonData) -> str:
    lines = [
        f"model      {report.model or '(in memory)'}",
        f"delegate   {report.delegate}",
        f"tolerance  {tolerance_text(report)}",
    ]
    return "\n".join([*lines, *(fact("note", note) for note in report.notes)])


def tolerance_text(report: ComparisonData) -> str:
    """The tolerance that holds, in words."""
    if report.rtol is None and report.atol is None:
        return "default: the error that rounding to the delegate's storage type explains"
    return f"rtol {report.rtol or 0:g}, atol {report.atol or 0:g}"


def rows_of(report: ComparisonData) -> Iterator[tuple[str, Comparison]]:
    """Every comparison with its name: subgraphs, each followed by its kernels."""
    calls = Counter((s.graph, s.name) for s in report.subgraphs)
    for subgraph in report.subgraphs:
        name = subgraph.name if calls[subgraph.graph, subgraph.name] == 1 else f"{subgraph.name} run {subgraph.call}"
        yield name, subgraph
        yield from ((f"{INSIDE}{in_the_file(part)}", part) for part in subgraph.parts)


def in_the_file(part: Comparison) -> str:
    """The name of a kernel in the model's file."""
    return short_name(part.sources) or part.name


def tracebacks(report: ComparisonData) -> list[str]:
    """The tracebacks of the delegate's errors, each once, with the name of the first kernel that failed by it."""
    found = {each.traceback: f"{name.removeprefix(INSIDE)}: {each.traceback}" for name, each in rows_of(report)}
    return [text for traceback, text in found.items() if traceback]


def _errors(report: ComparisonData) -> str:
    """A row for each output of a subgraph, or of a kernel in it; long stretches of good kernels are one row."""
    rows: list[ROW] = []
    for name, each in rows_of(report):
        is_inside = name.startswith(INSIDE)
        head = ("", in_the_file(each)) if is_inside else (shorten(name, 17), "")
        if not each.tensors:
            rows.append((*head, "", str(each.outcome), *[""] * 6))
        for tensor in each.tensors:
            rows.append((*head, printable(tensor.name), str(_outcome(each, tensor)), *_numbers(tensor)))
            head = ("", "")
    is_folded = len(rows) > ALL_ROWS and not page().full
    if is_folded:
        rows = [row for _, alike in groupby(rows, _good_kernel) for row in _folded(list(alike))]
    styles = {"outcome": [style_of_verdict(row[3]) for row in rows]}
    heads: tuple[str, ...] = HEADS
    if not any(row[1] for row in rows):  # no kernel of a subgraph was compared by itself
        heads, rows = (HEADS[0], *HEADS[2:]), [(row[0], *row[2:]) for row in rows]
    shown = table(heads, rows, cut=HEADS[1:3], right=HEADS[4:], styles=styles)
    return shown + "\n('... more ok': --full shows all rows)" * is_folded


def _good_kernel(row: ROW) -> bool:
    return row[0] == "" and row[3] == str(Outcome.OK)


def _folded(rows: list[ROW]) -> list[ROW]:
    if len(rows) <= MOST_ALIKE or not _good_kernel(rows[0]):
        return rows
    return [("", f"... {len(rows):,} more ok", "", str(Outcome.OK), *[""] * 6)]


def _outcome(each: Comparison, tensor: TensorComparison) -> Outcome:
    return each.outcome if each.outcome is Outcome.FAILED else tensor.outcome


def _numbers(tensor: TensorComparison) -> Iterator[str]:
    for found in (tensor.own, tensor.inherited, tensor.total):
        yield largest(found)
        yield decibels(found)


def _granted(report: ComparisonData) -> str:
    """The tensors that are off by themselves, in every metric, and what was granted; failures with their reason."""
    found = [(name.removeprefix(INSIDE), each) for name, each in rows_of(report) if each.outcome is not Outcome.OK]
    rows = [
        (
            printable(name),
            printable(t.name),
            *full(t.own),
            f"{t.rtol:.0e}",
            f"{t.atol:.1e}",
            str(t.beyond),
        )
        for name, each in found
        for t in each.tensors
        if t.outcome is Outcome.WRONG
    ]
    heads = ("wrong", "output", "relative", "cosine", "ULP", "unlike", "rtol", "atol", "beyond")
    lines = [fact(str(each.outcome), f"{name}: {each.detail}") for name, each in found if each.detail]
    lines += [
        wrapped(f"{name.removeprefix(INSIDE)}: {t.name}: {t.detail}", rest="  ")
        for name, each in rows_of(report)
        for t in each.tensors
        if t.detail
    ]
    return "\n".join([*([table(heads, rows, cut=heads[:2], right=heads[2:])] if rows else []), *lines])


def _outputs(report: ComparisonData) -> str:
    heads = ("output of the model", "outcome", "total", "dB", "relative", "cosine", "ULP", "unlike", "beyond")
    rows = [
        (printable(t.name), str(t.outcome), largest(t.total), decibels(t.total), *full(t.total), str(t.beyond))
        for t in report.outputs
    ]
    details = [wrapped(f"{t.name}: {t.detail}") for t in report.outputs if t.detail]
    styles = {"outcome": [style_of_verdict(t.outcome) for t in report.outputs]}
    return "\n".join([table(heads, rows, cut=heads[:1], right=heads[2:], styles=styles), *details])


def _losses(report: ComparisonData) -> str:
    tried = any(loss.device_out_db is not None for loss in report.losses)
    heads = LOSS_HEADS if tried else LOSS_HEADS[:-2]
    rows = loss_rows(report.losses)
    shown = table(heads, [row[: len(heads)] for row in rows], cut=heads[:2], right=heads[2:])
    return "\n".join([shown, *(wrapped(printable(note)) for note in loss_notes(report.losses)), wrapped(LOSS_LEGEND)])


def culprit_text(culprit: Culprit) -> str:
    """The finding of a search by splitting, in sentences."""
    found = culprit.found
    kernels = " ... ".join(dict.fromkeys((f"'{found.kernels[0]}'", f"'{found.kernels[-1]}'")))
    tries = f"parts built to find it: {culprit.builds}"
    if not found.outcome.is_fault:
        text = f"{kernels} ({found.type}): wrong in the model, not by itself; chance, or earlier kernels, may matter"
    elif culprit.is_together:
        text = (
            f"{counted(len(found.kernels), 'kernel')}, {kernels} ({found.type}), are wrong "
            "together, neither half by itself"
        )
    else:
        text = f"{kernels} ({found.type}) is wrong by itself"
    off = [f"{t.name}: largest error {largest(t.own)}, granted {t.atol:.1e} + {t.rtol:.1e} |x|" for t in found.tensors]
    lines = [f"in subgraph '{culprit.subgraph}': {text}; {tries}. {found.detail}".strip(), *off]
    if tuple(source.full_name for source in found.sources) != found.kernels:
        lines += [f"in the file: {', '.join(source_texts(found.sources))}"] * bool(found.sources)
    lines += [f"saved in {culprit.saved}"] if culprit.saved else []
    lines += [culprit.note] if culprit.note else []
    return "\n".join(wrapped(line, rest="  ") for line in lines)


def _verdicts(report: ComparisonData) -> str:
    """The answer: both verdicts, and their meaning together."""
    lines = [(word, printable(text)) for word, text in verdict_lines(report)]
    return "\n".join(fact(word, text, is_verdict=True) if word else wrapped(text) for word, text in lines)


def largest(found: Metrics | None) -> str:
    """The largest absolute error as people read it; of strings, how many differ."""
    if found is None:
        return ""
    if found.max_abs is None:
        return f"{found.differing} differ" if found.differing else ""
    return "0" if found.max_abs == 0 else error_text(found.max_abs)


def decibels(found: Metrics | None) -> str:
    """The signal-to-noise ratio as people read it."""
    return "" if found is None else decibel_text(found.snr_db)


def full(found: Metrics | None) -> tuple[str, str, str, str]:
    """Relative error, cosine, ULP, and the number of elements that are NaN or infinite on one side only."""
    if found is None:
        return "", "", "", ""
    cosine = "" if found.cosine is None else f"{found.cosine:.6f}"
    return error_text(found.max_rel), cosine, ulp_text(found.max_ulp), str(found.unlike)
