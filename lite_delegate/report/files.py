"""Partition reports in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..basics.opening import read_regular
from ..errors import InputError
from ..reporting.schemas import packaged_schema
from .partition_report import PartitionReport


def read_report(path: Path) -> PartitionReport:
    """The report in a JSON file.

    Raises:
        OSError: the file cannot be read.
        InputError: it holds no report; the message says where it differs.
    """
    try:
        return PartitionReport.from_json(read_regular(path))
    except InputError as e:
        raise InputError(f"'{path}': {e}") from e


def report_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of ``PartitionReport.to_dict``."""
    return packaged_schema(__package__, "partition_report.schema.json")
