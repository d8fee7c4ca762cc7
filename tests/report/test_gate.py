"""Requirements on reports: what is met, what is not, what is said, and which expressions are rejected."""

from __future__ import annotations

import operator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate import InputError
from lite_delegate.report import PartitionReport, parse_requirement, unmet
from lite_delegate.report.changes.gate_text import unmet_text
from lite_delegate.reporting.terminal import Page, laid_out_for
from tests.report.test_diff import of

REPORT = of(0, 1, 3)
"""3 of 5 delegated, 2 subgraphs, 96 bytes, nothing estimated."""


def is_met(text: str, report: PartitionReport = REPORT, baseline: PartitionReport | None = None) -> bool:
    return not unmet(report, [parse_requirement(text)], baseline)


@pytest.mark.parametrize(
    ("text", "met"),
    [
        ("coverage>=0.6", True),
        ("coverage>0.6", False),
        ("coverage==0.6", True),
        ("coverage>=0.61", False),
        ("subgraphs<=2", True),
        ("subgraphs<2", False),
        ("subgraphs!=2", False),
        ("minimum_subgraphs<=2", True),
        ("boundary_bytes<=96", True),
        ("boundary_bytes<96", False),
        ("kernels_delegated>=3", True),
        ("kernels_total==5", True),
        ("kernels_total>=1e3", False),
        ("estimated_us<=1000", False),
        ("estimated_us>0", False),
        ("  coverage  >=  0.5 ", True),
    ],
)
def test_requirements(text: str, met: bool) -> None:
    assert is_met(text) is met


def test_an_estimate_that_is_known() -> None:
    known = replace(REPORT, subgraphs=tuple(replace(s, estimated_us=2.5) for s in REPORT.subgraphs))
    assert is_met("estimated_us<=5", known)
    (missed,) = unmet(known, [parse_requirement("estimated_us<5")])
    assert missed.to_text() == "requirement not met: estimated_us<5: estimated_us, an estimate, is 5.0"


SIGNS = {"ge": ">=", "le": "<=", "eq": "==", "ne": "!=", "gt": ">", "lt": "<"}


@given(st.sampled_from(sorted(SIGNS)), st.integers(0, 4))
def test_each_operator_is_the_one_of_its_sign(name: str, bound: int) -> None:
    assert is_met(f"subgraphs{SIGNS[name]}{bound}") == getattr(operator, name)(2, bound)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "METRIC OPERATOR NUMBER"),
        ("coverage", "METRIC OPERATOR NUMBER"),
        ("coverage=0.9", "METRIC OPERATOR NUMBER"),
        ("coverage=>0.9", "METRIC OPERATOR NUMBER"),
        ("coverage>=", "METRIC OPERATOR NUMBER"),
        (">=0.9", "METRIC OPERATOR NUMBER"),
        ("coverage>=0.9 or so", "METRIC OPERATOR NUMBER"),
        ("speed>=3", "no metric 'speed', there are coverage, kernels_total"),
        ("coverage>=much", "expected a number or 'baseline', found 'much'"),
        ("coverage>=nan", "found 'nan'"),
        ("coverage<=inf", "found 'inf'"),
        ("coverage<=>0.1", "METRIC OPERATOR NUMBER"),
    ],
)
def test_expressions_that_are_none(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_requirement(text)


def test_against_a_baseline() -> None:
    worse, better = of(0, 3), of(0, 1, 2, 3)
    assert is_met("coverage>=baseline", REPORT, worse)
    assert is_met("coverage>=baseline", REPORT, REPORT)
    assert not is_met("coverage>=baseline", REPORT, better)
    assert not is_met("subgraphs<=baseline", REPORT, better)


def test_a_baseline_that_cannot_be_compared_with() -> None:
    with pytest.raises(InputError, match="give --baseline"):
        is_met("coverage>=baseline")
    with pytest.raises(InputError, match="baseline does not know estimated_us"):
        is_met("estimated_us<=baseline", REPORT, REPORT)


def test_text_names_the_nodes_that_changed() -> None:
    better = of(0, 1, 2, 3)
    text = unmet_text(unmet(REPORT, [parse_requirement("coverage>=baseline")], better), REPORT, better)
    assert text.splitlines() == [
        "requirement not met: coverage>=baseline: coverage is 0.6 (baseline: 0.8)",
        "nodes that changed against the baseline:",
        "  ~ n2 (AddFusion)",
        "      before: named",
        "      after:  CPU, OPERATOR: 'n2' is not in the list",
    ]


def test_text_names_the_nodes_on_the_cpu_without_a_baseline() -> None:
    missed = unmet(REPORT, [parse_requirement("coverage>=0.9"), parse_requirement("subgraphs<=1")])
    assert unmet_text(missed, REPORT).splitlines() == [
        "requirement not met: coverage>=0.9: coverage is 0.6",
        "requirement not met: subgraphs<=1: subgraphs is 2",
        "nodes that stay on the CPU:",
        "  n2 (AddFusion)",
        "      OPERATOR: 'n2' is not in the list",
        "  n4 (AddFusion)",
        "      OPERATOR: 'n4' is not in the list",
    ]


def test_text_when_no_node_is_behind_it() -> None:
    whole = of(0, 1, nodes=2)
    text = unmet_text(unmet(whole, [parse_requirement("kernels_total>=3")], whole), whole, whole)
    assert text.splitlines()[1:] == ["no node changed against the baseline", "no node stays on the CPU"]


def test_text_is_bounded() -> None:
    many = of(nodes=40)
    missed = unmet(many, [parse_requirement("coverage>0")])
    assert unmet_text(missed, many).splitlines()[-1] == "  and 30 more"
    assert unmet_text(missed, many, of(*range(40), nodes=40)).splitlines()[-1] == "  and 30 more"


def test_requirements_are_marked_where_colours_are_shown() -> None:
    missed = unmet(REPORT, [parse_requirement("coverage>=0.9")])
    with laid_out_for(Page(colours=True)):
        first = unmet_text(missed, REPORT).splitlines()[0]
    assert first == f"\x1b[31m{missed[0].to_text()}\x1b[0m"
