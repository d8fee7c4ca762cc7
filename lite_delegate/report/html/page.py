"""From a report to its page: data in a template, and the script that draws it (its source is in ``web/report``)."""

from __future__ import annotations

from importlib.resources import files

from ...pages import as_data, as_text, fill
from ..partition_report import PartitionReport


def report_page(report: PartitionReport) -> str:
    """One page that works from a file, without a network: styles, script, licences and data are in it.

    The data is what ``PartitionReport.to_dict`` gives, and nothing else.
    """
    folder = files(__package__)
    asset = {name: folder.joinpath("assets", name).read_text("utf-8") for name in _ASSETS}
    return fill(
        folder.joinpath("page.html").read_text("utf-8"),
        {
            "style": asset["report.css"],
            "script": asset["report.js"],
            "licences": as_text(asset["LICENSES.txt"]),
            "data": as_data(report.to_dict()),
        },
    )


_ASSETS = ("report.css", "report.js", "LICENSES.txt")
