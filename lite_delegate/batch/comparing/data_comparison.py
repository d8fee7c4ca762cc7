"""DataComparison: the distances between two models over all rows of a data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief, model_words
from ...reporting import markdown, terminal
from ...reporting.forms import ReportData, forms
from ...reporting.plain import to_plain
from ...reporting.tables import FormTable


@dataclass(frozen=True, slots=True)
class OutputDistances(Brief):
    """The distances of one output over all rows.

    Attributes:
        name: of the output.
        max_abs: the largest absolute difference.
        mean_rms: the mean over rows of the root of the mean square of differences.
        least_snr_db: the least signal-to-noise ratio of a row, in dB.
        median_snr_db: half of the rows have a larger ratio.
        agreement: the share of rows with the same best class; None for an output without classes.
        accuracy: the share of rows whose best class is the label, by the model; None without labels.
        reference_accuracy: by the reference.
    """

    name: str
    max_abs: float
    mean_rms: float
    least_snr_db: float
    median_snr_db: float
    agreement: float | None
    accuracy: float | None
    reference_accuracy: float | None


@dataclass(frozen=True, slots=True)
class WorstRow(Brief):
    """A row whose outputs differ much.

    Attributes:
        row: its number in the data set, from 0.
        snr_db: the least signal-to-noise ratio of its outputs, in dB.
        max_abs: the largest absolute difference of its outputs.
        kept: the values of the columns that were kept.
        file: with the inputs of the row, for ``--input``; "": not saved.
    """

    row: int
    snr_db: float
    max_abs: float
    kept: Mapping[str, Any]
    file: str = ""


@dataclass(frozen=True, slots=True)
class DataComparison(ReportData):
    """The distances between two models over all rows of a data set.

    Attributes:
        model: the model's name.
        delegate: who ran it.
        reference: who ran the reference.
        rows: that were compared.
        errors: rows that could not be compared.
        reasons: the number of rows by reason.
        outputs: the distances of each output.
        worst: the rows that differ most, the worst first.
        folder: the folder with the distances of each row; "": not kept.
    """

    tables: ClassVar[Mapping[str, FormTable]] = {
        "outputs": FormTable(("outputs",), ("name", "max_abs", "mean_rms", "least_snr_db", "agreement")),
        "worst": FormTable(("worst",), is_flat=True),
    }

    model: str
    delegate: str
    reference: str
    rows: int
    errors: int
    reasons: Mapping[str, int]
    outputs: tuple[OutputDistances, ...]
    worst: tuple[WorstRow, ...]
    folder: str

    def _line(self) -> str:
        rows = counted(self.rows, "row")
        return f"{model_words(self.model)}{rows} on {self.delegate} against {self.reference}"

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain data."""
        found: dict[str, Any] = to_plain(self)
        return found


HEADER = ("output", "max abs", "mean rms", "least SNR dB", "median SNR dB", "same best", "right", "reference right")


def _table(comparison: DataComparison) -> list[tuple[str, ...]]:
    return [
        (
            each.name,
            f"{each.max_abs:.3g}",
            f"{each.mean_rms:.3g}",
            f"{each.least_snr_db:.1f}",
            f"{each.median_snr_db:.1f}",
            *map(_share, (each.agreement, each.accuracy, each.reference_accuracy)),
        )
        for each in comparison.outputs
    ]


def _share(share: float | None) -> str:
    return "" if share is None else f"{share:.2%}"


def _lines(comparison: DataComparison) -> list[str]:
    compared = comparison.rows - comparison.errors
    lines = [f"{compared:,} rows of {comparison.model} on {comparison.delegate} against {comparison.reference}"]
    if comparison.errors:
        lines.append(f"{comparison.errors:,} rows were not compared:")
        lines += [f"  {count:,} x {reason}" for reason, count in comparison.reasons.items()]
    return lines


def _worst(comparison: DataComparison) -> list[tuple[str, ...]]:
    kept = list(dict.fromkeys(name for each in comparison.worst for name in each.kept))
    return [
        (
            f"{each.row:,}",
            f"{each.snr_db:.1f}",
            f"{each.max_abs:.3g}",
            *(str(each.kept.get(name, "")) for name in kept),
            each.file,
        )
        for each in comparison.worst
    ]


def _worst_header(comparison: DataComparison) -> tuple[str, ...]:
    kept = dict.fromkeys(name for each in comparison.worst for name in each.kept)
    return ("row", "SNR dB", "max abs", *kept, "file")


def comparison_text(comparison: DataComparison) -> str:
    """The comparison for a terminal."""
    tables = [terminal.table(HEADER, _table(comparison))]
    if comparison.worst:
        tables += ["Rows that differ most", terminal.table(_worst_header(comparison), _worst(comparison))]
    return "\n\n".join(["\n".join(_lines(comparison)), *tables])


def comparison_markdown(comparison: DataComparison) -> str:
    """The comparison as Markdown."""
    tables = [markdown.table(HEADER, _table(comparison))]
    if comparison.worst:
        tables += ["Rows that differ most:", markdown.table(_worst_header(comparison), _worst(comparison))]
    return "\n\n".join(["\n".join(_lines(comparison)), *tables])


DATA_RENDERERS = forms(comparison_text, markdown=comparison_markdown)
"""The forms of ``DataComparison``."""
