"""Partition reports in files, and comparisons that they take errors from."""

from __future__ import annotations

import json
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


def read_comparison(path: Path) -> dict[str, Any]:
    """The plain data of a comparison in a JSON file, for ``PartitionReport.with_errors``.

    Raises:
        OSError: the file cannot be read.
        InputError: it holds no JSON object.
    """
    try:
        data = json.loads(read_regular(path))
    except (ValueError, RecursionError) as e:
        raise InputError(f"'{path}': comparison: it is no JSON: {e}.") from e
    if not isinstance(data, dict):
        raise InputError(f"'{path}': comparison: expected an object, found {type(data).__name__}.")
    return data


def report_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of ``PartitionReport.to_dict``."""
    return packaged_schema(__package__, "partition_report.schema.json")
