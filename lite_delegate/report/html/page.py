"""The page of a report: data in a template, and the script that draws it (its source is in ``web/report``)."""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
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
    parts = {
        "style": _asset("report.css").decode(),
        "script": _packed("report.js"),
        "licences": as_text(_asset("LICENSES.txt").decode()),
        "data": as_data(report),
    }
    return page(__package__, parts, cards_below=CARDS_BELOW)


CARDS_BELOW = 530
"""Pixels that the tables' columns need, close to each other."""


def _asset(name: str) -> bytes:
    return (files(__package__) / "assets" / name).read_bytes()


@cache
def _packed(name: str) -> str:
    """An asset that the page unpacks itself: compressed, in letters. The script is 2.1 MB, packed 0.8 MB."""
    return b64encode(zlib.compress(_asset(name), 9)).decode()
