"""A conformance report as JUnit XML, which build servers read."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable

from ...basics.counted import counted
from .results import CaseOutcome, CaseResult, ConformanceData, ReasonResult, Verdict

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may have, escaped or not."""


def conformance_junit(report: ConformanceData) -> str:
    """One suite per operator and family of patterns; over-claims are failures, rejections are skipped."""
    root = ET.Element("testsuites", _counts(report.all), name=f"conformance of {_clean(report.delegate)}")
    grouped: dict[str, list[CaseResult]] = {}
    for result in report.all:
        grouped.setdefault(result.op_type, []).append(result)
    for op_type, results in sorted(grouped.items()):
        suite = ET.SubElement(root, "testsuite", _counts(results), name=op_type)
        for result in results:
            _add_case(suite, result)
    if report.without_cases:
        missing = ET.SubElement(root, "testsuite", name="operators", tests="1", failures="1", errors="0", skipped="0")
        case = ET.SubElement(missing, "testcase", classname="operators", name="every operator has cases")
        ET.SubElement(case, "failure", message=f"no cases: {', '.join(report.without_cases)}")
    if report.reasons():
        _add_reasons(root, report.reasons())
    ET.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _add_reasons(root: ET.Element, reasons: Iterable[ReasonResult]) -> None:
    """Adds the rejections, by reason, as properties of a suite without tests."""
    suite = ET.SubElement(root, "testsuite", _counts(()), name="rejected, by reason")
    properties = ET.SubElement(suite, "properties")
    for each in reasons:
        name = f"{each.code}: {each.reason}" if each.code else each.reason
        value = f"{counted(each.cases, 'case')}, {each.under_claimed} right by force: {', '.join(each.operators)}"
        ET.SubElement(properties, "property", name=_clean(name), value=_clean(value))


def _counts(results: Iterable[CaseResult]) -> dict[str, str]:
    kinds = [_kind(r) for r in results]
    return {
        "tests": str(len(kinds)),
        "failures": str(kinds.count("failure")),
        "errors": "0",
        "skipped": str(kinds.count("skipped")),
    }


def _kind(result: CaseResult) -> str:
    if result.verdict is Verdict.OVER_CLAIM:
        return "skipped" if result.known else "failure"
    return "" if result.outcome is CaseOutcome.PASSED else "skipped"


def _add_case(suite: ET.Element, result: CaseResult) -> None:
    case = ET.SubElement(suite, "testcase", classname=_clean(result.op_type), name=_clean(result.name))
    kind = _kind(result)
    if kind == "failure":
        failure = ET.SubElement(case, kind, type=str(result.defect or result.outcome), message=_clean(result.text))
        failure.text = _clean(f"{result.failure or result.outcome}: {result.text}")
    elif kind:
        known = f"known failure: {result.known}: " if result.known else ""
        ET.SubElement(case, kind, message=_clean(f"{known}{result.outcome}: {result.text}"))


def _clean(text: str) -> str:
    return _NOT_XML.sub("?", text)
