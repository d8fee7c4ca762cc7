"""Reports read back from JSON: exact, tolerant of newer and older keys, and clear about what is broken."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate import InputError
from lite_delegate.report import PartitionReport
from lite_delegate.testing.delegates import NamedDelegate
from tests.report.test_partition_report import report_of

ADDED = {"schema_version", "inputs", "outputs", "options"}
ADDED_TO_NODES = {"attributes", "inputs", "outputs", "hint"}


def data() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(report_of(NamedDelegate(["n0", "n1", "n3"])).to_json())
    return found


def test_reports_written_before_keys_were_added_can_be_read() -> None:
    older = {key: value for key, value in data().items() if key not in ADDED}
    older["nodes"] = [{k: v for k, v in node.items() if k not in ADDED_TO_NODES} for node in older["nodes"]]
    report = PartitionReport.from_dict(older)
    assert (report.coverage, report.boundary_bytes) == (0.6, 96)
    assert report.nodes[0].inputs == ()


def test_keys_that_newer_versions_add_are_left_out() -> None:
    newer = data() | {"something": [1, {"new": True}]}
    newer["nodes"][0]["more"] = 5
    assert PartitionReport.from_dict(newer) == PartitionReport.from_dict(data())


def test_computed_keys_are_computed_anew() -> None:
    assert PartitionReport.from_dict(data() | {"coverage": 1.0}).coverage == 0.6


def broken(path: tuple[str | int, ...], value: object) -> dict[str, Any]:
    whole = data()
    inside: Any = whole
    for key in path[:-1]:
        inside = inside[key]
    if value is KeyError:
        del inside[path[-1]]
    else:
        inside[path[-1]] = value
    return whole


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("nodes",), KeyError, "report: the key 'nodes' is missing"),
        (("nodes", 3, "type"), KeyError, r"report.nodes\[3\]: the key 'type' is missing"),
        (("nodes", 3, "device"), 5, r"report.nodes\[3\].device: expected a string, found 5"),
        (("nodes", 2, "code"), "WHY", r"report.nodes\[2\].code: expected one of OPERATOR, .*, found 'WHY'"),
        (("nodes", 0, "inputs"), {}, r"report.nodes\[0\].inputs: expected a list, found {}"),
        (("nodes", 0, "attributes"), [], r"report.nodes\[0\].attributes: expected an object"),
        (("nodes", 0, "inputs", 0), "x", r"report.nodes\[0\].inputs\[0\]: expected an object, found 'x'"),
        (("nodes", 0, "inputs", 0, "constant"), 1, r"constant: expected true or false, found 1"),
        (("subgraphs", 0, "boundary_bytes"), True, "boundary_bytes: expected a whole number, found True"),
        (("subgraphs", 0, "boundary_bytes"), 1.5, "boundary_bytes: expected a whole number, found 1.5"),
        (("subgraphs", 0, "estimated_us"), "3", "estimated_us: expected a number, found '3'"),
        (("subgraphs", 0, "estimated_us"), 10**400, "estimated_us: expected a number, found 1000"),
        (("subgraphs", 0, "name"), "Other", "nodes are in subgraph 'Group0', which is not in its list"),
        (("options", "deny_types"), "Conv", "report.options.deny_types: expected a list, found 'Conv'"),
        (("options", "affinity"), {"n0": None}, "report.options.affinity.n0: expected a string, found None"),
        (
            ("options", "placement"),
            "none",
            "report.options: placement must be one of 'count', 'cost', 'fastest', got 'none'",
        ),
        (("options", "max_subgraphs"), -1, "report.options: max_subgraphs must be at least 0"),
        (("subgraphs", 0, "boundary_bytes"), 2**63, "boundary_bytes: expected a whole number of 64 bits, found 9223"),
        (("kernels_total",), 6, "3 of 6 kernels delegated by its numbers, but 3 of 5 by its nodes"),
        (("schema_version",), 2, "report.schema_version: expected 1, found 2"),
        (("schema_version",), "1", "report.schema_version: expected 1, found '1'"),
        (("notes",), "x" * 500, "report.notes: expected a list, found '" + "x" * 56 + r"\.\.\."),
    ],
    ids=lambda value: None if not isinstance(value, tuple) else ".".join(map(str, value)),
)
def test_broken_reports_say_where(path: tuple[str | int, ...], value: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        PartitionReport.from_dict(broken(path, value))


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "3", "[" * 100_000, '{"a":' * 100_000, "\x00", b"\xff\xfe\xfd", "9" * 10_000, "NaN"],
    ids=["empty", "open", "list", "null", "number", "lists", "objects", "zero", "bytes", "digits", "nan"],
)
def test_what_is_no_report_is_rejected(text: str | bytes) -> None:
    with pytest.raises(InputError, match=r"^report: "):
        PartitionReport.from_json(text)


def test_infinite_numbers_are_rejected() -> None:
    text = report_of(NamedDelegate(["n0"])).to_json().replace('"estimated_us": null', '"estimated_us": Infinity')
    with pytest.raises(InputError, match="expected a number, found inf"):
        PartitionReport.from_json(text)


def test_estimates_without_a_finite_sum_are_not_known_together() -> None:
    data = report_of(NamedDelegate(["n0", "n2"])).to_dict()
    for subgraph in data["subgraphs"]:
        subgraph["estimated_us"] = 1e308
    report = PartitionReport.from_dict(data)
    assert json.loads(report.to_json())["estimated_us"] is None
    assert PartitionReport.from_json(report.to_json()) == report


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=4), JSON)
def test_whatever_is_put_in_anywhere_gives_a_report_or_a_clear_error(steps: list[int], value: object) -> None:
    """Walks down by numbers, puts any value there, and reads: no exception but InputError, and what is read renders."""
    whole = data()
    inside: Any = whole
    for step in steps[:-1]:
        keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
        below = inside[keys[step % len(keys)]] if keys else None
        if not isinstance(below, dict | list) or not below:
            break
        inside = below
    keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
    inside[keys[steps[-1] % len(keys)]] = value
    try:
        report = PartitionReport.from_dict(whole)
    except InputError:
        return
    assert report.to_text()
    assert report.to_markdown()
    assert report.to_dot()
    assert PartitionReport.from_json(report.to_json()) == report
