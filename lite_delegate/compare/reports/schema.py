"""The JSON Schema of a comparison."""

from __future__ import annotations

from typing import Any

from ...reporting.schemas import packaged_schema

SCHEMA = "comparison.schema.json"
"""The file beside this one that describes the JSON (JSON Schema, draft 2020-12)."""


def comparison_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of ``ComparisonReport.to_dict``."""
    return packaged_schema(__package__, SCHEMA)
