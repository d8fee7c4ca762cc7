"""The JSON Schema of a benchmark."""

from __future__ import annotations

from typing import Any

from ...reporting.schemas import packaged_schema

SCHEMA = "benchmark.schema.json"
"""The file beside this one that describes the JSON (JSON Schema, draft 2020-12)."""


def benchmark_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of ``BenchmarkReport.to_dict``."""
    return packaged_schema(__package__, SCHEMA)
