"""The page of a report: data in a template, and the script that draws it (its source is in ``web/report``)."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from ...reporting.pages import as_data, as_text, page
from ..partition_data import PartitionData


def report_page(report: PartitionData) -> str:
    """One page that works from a file, without a network: styles, script, licences and data are in it.

    The data is what ``PartitionData.to_dict`` gives, and nothing else.
    """
    return data_page(report.to_dict())


def data_page(report: Mapping[str, Any]) -> str:
    """The page of a report given as plain data, such as ``json.loads`` gives for a report written by ``to_json``."""
    assets = files(__package__) / "assets"
    parts = {name: (assets / file).read_text("utf-8") for name, file in _ASSETS.items()}
    parts["licences"] = as_text(parts["licences"])
    return page(__package__, {**parts, "data": as_data(report)})


_ASSETS = {"style": "report.css", "script": "report.js", "licences": "LICENSES.txt"}
