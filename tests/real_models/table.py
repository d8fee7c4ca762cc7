"""What was found, as text and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tabulate import tabulate

from lite_delegate.basics.files import write_whole

from .catalog import RealPackage
from .measure import CONFIGURATIONS, Row

PAGE = Path(__file__).resolve().parents[2] / "docs" / "real_models.md"
COMMAND = "make real-models"
BEGIN, END = f"<!-- written by {COMMAND} -->", "<!-- end of what is written -->"
HEADS = ("model", "configuration", "kernels", "coverage", "subgraphs", "SNR dB", "cosine", "answer", "time", "not as expected")  # fmt: skip # noqa: E501


def text_table(rows: Sequence[Row]) -> str:
    """A line per model and configuration."""
    return tabulate([_cells(row) for row in rows], HEADS, disable_numparse=True)


def markdown_table(rows: Sequence[Row], packages: Sequence[RealPackage], unavailable: Sequence[str]) -> str:
    """The tables of the page: the packages, then a line per model and result, with the configurations that have it."""
    listed = [(f"`{p.name}=={p.version}`", p.license, ", ".join(f"`{m.name}`" for m in p.models)) for p in packages]
    known = [f"- `{m.name}`: {m.known}" for p in packages for m in p.models if m.known]
    missing = [f"- not run: {reason}" for reason in unavailable]
    left_out = [name for name in CONFIGURATIONS if name not in {row.configuration for row in rows}]
    missing += [f"- not in this table: the configurations {', '.join(left_out)}"] if left_out else []
    parts = [
        _markdown(("package", "licence", "models"), listed),
        "\n".join([*known, *missing]),
        _markdown(HEADS, folded([_cells(row) for row in rows])),
    ]
    return "\n\n".join(part for part in parts if part)


def folded(lines: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Lines of cells, with one line for all configurations of a model that have the same result."""
    found: dict[tuple[str, ...], list[str]] = {}
    for model, configuration, *rest in lines:
        found.setdefault((model, *rest), []).append(configuration)
    return [(model, ", ".join(names), *rest) for (model, *rest), names in found.items()]


def _markdown(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table that is not aligned: one long cell would make every line as long."""
    return "\n".join(f"| {' | '.join(line)} |" for line in (heads, ["---"] * len(heads), *lines))


def written(page: str, table: str) -> str:
    """The page with its tables as they are now."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{table}\n\n{END}{rest.partition(END)[2]}"


def write_page(table: str) -> None:
    """Writes the tables to the page."""
    write_whole(PAGE, written(PAGE.read_text(encoding="utf-8"), table).encode())


def _cells(row: Row) -> tuple[str, ...]:
    return (
        f"{row.package}: {row.model}",
        row.configuration,
        str(row.kernels),
        f"{row.coverage:.0f} %",
        str(row.subgraphs),
        _number(row.snr_db, ".0f") if row.judge else "no judge",
        _number(row.cosine, ".4f"),
        "" if row.answer is None else str(row.answer),
        "" if row.ratio is None else f"{row.ratio:.1f}x",
        ("known: " if row.problems and row.is_known else "") + "; ".join(row.problems),
    )


def _number(value: Any, form: str) -> str:
    return "" if value is None else format(value, form)
