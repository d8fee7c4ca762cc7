"""JSON Schemas that are published beside the data that they describe."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any


def packaged_schema(package: str, name: str) -> dict[str, Any]:
    """A JSON Schema (draft 2020-12) in a file of a package.

    Args:
        package: the dotted name of the package.
        name: of the file.
    """
    schema: dict[str, Any] = json.loads(resources.files(package).joinpath(name).read_text(encoding="utf-8"))
    return schema
