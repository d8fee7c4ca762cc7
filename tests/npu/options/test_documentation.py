"""The table of docs/npu/options.md says what the table of options says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.options import registry_of
from lite_delegate.npu.profiles import load_profile
from tests.present import present
from tools.properties import DOCS, renewed

PAGE = (Path(__file__).parents[3] / "docs" / "npu" / "options.md").read_text(encoding="utf-8")


def test_the_table_is_what_the_registry_makes_of_it():
    page = DOCS / "npu" / "options.md"
    assert renewed(page) == page.read_text(encoding="utf-8"), "run python -m tools.properties"


def test_what_does_nothing_says_so_in_the_documents():
    silent = [spec for spec in registry_of(load_profile("npu4000")) if spec.effect.startswith("none")]
    assert silent
    for spec in silent:
        assert f"`{spec.name}`" in PAGE
        assert spec.effect.startswith("none: ")
        assert spec.effect in PAGE


@pytest.mark.parametrize(
    ("hint", "profile", "tiles", "dma_engines", "requests"),
    [
        present(re.fullmatch(r"\| (\w+) \| `(\w+)` \| (\d+).*? \| (\d+).*? \| (\d+) \|", line)).groups()
        for line in PAGE.splitlines()
        if re.match(r"\| (THROUGHPUT|LATENCY) \|", line)
    ],
)
def test_the_documented_table_of_hints_holds(hint, profile, tiles, dma_engines, requests):
    delegate = NPUDelegate(profile, options={"PERFORMANCE_HINT": hint})
    assert (delegate.target.tiles, delegate.target.dma_engines) == (int(tiles), int(dma_engines))
    assert delegate.get_property("OPTIMAL_NUMBER_OF_INFER_REQUESTS") == int(requests)
