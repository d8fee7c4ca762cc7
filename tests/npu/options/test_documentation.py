"""The table of docs/npu/options.md says what the table of options says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.options import OPTIONS
from tests.present import present

PAGE = (Path(__file__).parents[3] / "docs" / "npu" / "options.md").read_text(encoding="utf-8")
ROWS = {
    cells[0].strip("` "): [cell.strip() for cell in cells[1:]]
    for line in PAGE.splitlines()
    if line.startswith("| `") and len(cells := line.strip("|").split("|")) == 5 and cells[0].strip("` ").isupper()
}


def test_every_option_is_documented_with_its_access():
    assert list(ROWS) == list(OPTIONS)
    for name, option in OPTIONS.items():
        access, values, _, effect = ROWS[name]
        assert access == ("RO" if option.read_only else "RW"), name
        assert bool(values) is not option.read_only, name
        assert effect, name


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if re.fullmatch(r"[A-Z_]+|-?\d+", row[2])])
def test_documented_defaults_are_the_defaults(name, monkeypatch):
    monkeypatch.delenv("LITE_DELEGATE_NPU_LOG_LEVEL", raising=False)
    value = NPUDelegate().get_property(name)
    written = {True: "YES", False: "NO"}[value] if isinstance(value, bool) else str(value)
    assert ROWS[name][2] == written


@pytest.mark.parametrize(
    "name", [name for name, row in ROWS.items() if re.fullmatch(r"[A-Z_0-9]+(, [A-Z_0-9]+)+", row[1])]
)
def test_documented_values_are_allowed_and_others_are_not(name):
    delegate = NPUDelegate()
    for value in ROWS[name][1].split(", "):
        delegate.set_property({name: value})
    with pytest.raises(ValueError, match=name):
        delegate.set_property({name: "SOMETHING_ELSE"})


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
