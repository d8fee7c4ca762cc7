"""The JSON Schema of a comparison."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

SCHEMA = "comparison.schema.json"
"""The file beside this one that describes the JSON (JSON Schema, draft 2020-12)."""


def comparison_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of ``ComparisonReport.to_dict``."""
    schema: dict[str, Any] = json.loads(resources.files(__package__).joinpath(SCHEMA).read_text(encoding="utf-8"))
    return schema
