"""The table of docs/npu/options.md says what the table of options says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lite_delegate.npu import NPUDelegate
from tests.present import present
from tools.properties import DOCS, renewed

PAGE = (Path(__file__).parents[3] / "docs" / "npu" / "options.md").read_text(encoding="utf-8")
ROWS = {
    cells[0].strip("` "): [cell.strip() for cell in cells[1:]]
    for line in PAGE.splitlines()
    if line.startswith("| `")
    and len(cells := re.split(r"(?<= )\|(?= )", line.strip("|"))) == 6
    and cells[0].strip("` ").isupper()
}
"""Access, values, default, when and effect of each property, as the page has them."""
WORD = r"[A-Z_0-9]*[A-Za-z][A-Za-z_0-9]*"
CHOICES = [name for name, row in ROWS.items() if re.fullmatch(rf"{WORD}(, {WORD})*( or |, ){WORD}", row[1])]
RANGES = {
    name: [int(each) for each in found.groups()]
    for name, row in ROWS.items()
    if (found := re.match(r"an integer, from (-?\d+) to (\d+)", row[1]))
}


@pytest.fixture(autouse=True)
def no_environment(monkeypatch):
    for name in ("LITE_DELEGATE_NPU_LOG_LEVEL", "OV_NPU_LOG_LEVEL"):
        monkeypatch.delenv(name, raising=False)


def test_the_page_has_every_property():
    names = NPUDelegate("npu4000").get_property("SUPPORTED_PROPERTIES")
    assert isinstance(names, tuple | list)
    assert sorted(ROWS) == sorted(names)
    assert len(CHOICES) > 10
    assert len(RANGES) > 3


@pytest.mark.parametrize("name", ROWS)
def test_the_documented_access_holds(name):
    delegate = NPUDelegate("npu4000")
    access, values = ROWS[name][:2]
    assert bool(values) == (access == "RW")
    if access == "RO":
        with pytest.raises(ValueError, match=f"{name} can only be read"):
            delegate.set_property({name: "1"})
    else:
        delegate.set_property({name: delegate.get_property(name)})


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if re.fullmatch(r"[A-Z_]+|-?\d+", row[2])])
def test_documented_defaults_are_the_defaults(name):
    value = NPUDelegate("npu4000").get_property(name)
    written = {True: "YES", False: "NO"}[value] if isinstance(value, bool) else str(value)
    assert ROWS[name][2] == written


@pytest.mark.parametrize("name", CHOICES)
def test_documented_values_are_allowed_and_others_are_not(name):
    delegate = NPUDelegate("npu4000")
    for value in re.split(", | or ", ROWS[name][1]):
        delegate.set_property({name: value})
    with pytest.raises(ValueError, match=name):
        delegate.set_property({name: "SOMETHING_ELSE"})


@pytest.mark.parametrize(("name", "ends"), RANGES.items())
def test_documented_ranges_are_allowed_and_what_is_beyond_is_not(name, ends):
    most = {"NPU_SIMULATE_ABSENT": "YES", "NPU_MAX_TILES": 64} if name in ("NPU_TILES", "NPU_MAX_TILES") else {}
    delegate = NPUDelegate("npu4000", options=most)
    for value in ends:
        delegate.set_property({name: value})
        assert delegate.get_property(name) is not None
    for value in (ends[0] - 1, ends[1] + 1):
        with pytest.raises(ValueError, match=name):
            delegate.set_property({name: value})


def test_the_table_is_what_the_registry_makes_of_it():
    page = DOCS / "npu" / "options.md"
    assert renewed(page) == page.read_text(encoding="utf-8"), "run python -m tools.properties"


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
