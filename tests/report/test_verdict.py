"""Whether delegating pays: by figures written down here."""

from __future__ import annotations

import json

import pytest

from lite_delegate import RejectCode
from lite_delegate.report import PartitionReport, Pays, partition_report
from lite_delegate.report.verdict import verdict_of
from lite_delegate.runtime.records import AlternativeRecord, DelegateRecord, NodeRecord, PlacementRecord, SubgraphRecord
from lite_delegate.testing.delegates import NamedDelegate
from tests.report.test_partition_report import model_of


def node(name: str, host_us: float | None, subgraph: str | None) -> NodeRecord:
    code = None if subgraph else RejectCode.OPERATOR
    return NodeRecord(name, "T", "npu" if subgraph else "CPU", subgraph, code, "", host_us=host_us)


def subgraph(estimated_us: float | None) -> SubgraphRecord:
    return SubgraphRecord("G", ("a",), (), (), 0, estimated_us=estimated_us)


@pytest.mark.parametrize(
    ("device_us", "pays", "words"),
    [
        (
            100.0,
            Pays.YES,
            "80% of the CPU's 1,000 us are delegated, and take 100 us there with transfers: 300 us in all",
        ),
        (300.0, Pays.YES, "2.0 times as fast"),
        (310.0, Pays.MAYBE, "2.0 times as fast"),
        (1790.0, Pays.MAYBE, "2.0 times as long"),
        (1800.0, Pays.NO, "2.0 times as long"),
        (None, Pays.MAYBE, "does not say how long its device takes"),
    ],
)
def test_estimates_are_believed_where_they_say_twice_as_much(device_us: float | None, pays: Pays, words: str) -> None:
    nodes = [node("a", 800.0, "G"), node("b", 200.0, None)]
    verdict = verdict_of(nodes, [subgraph(device_us)], [DelegateRecord("npu", 1, 1, 1, ())])
    assert verdict is not None
    assert (verdict.pays, verdict.share) == (pays, 0.8)
    assert words in verdict.text
    assert verdict.text.startswith(f"{pays.value}: ")
    assert "estimates" in verdict.text


@pytest.mark.parametrize(("chosen_us", "pays"), [(900.0, Pays.YES), (950.0, Pays.MAYBE), (1200.0, Pays.NO)])
def test_measured_times_need_less(chosen_us: float, pays: Pays) -> None:
    placed = PlacementRecord(1000.0, 900.0, chosen_us, "measured", "measured", "measured")
    nodes = [node("a", 800.0, "G"), node("b", 200.0, None)]
    verdict = verdict_of(nodes, [subgraph(1.0)], [DelegateRecord("npu", 1, 1, 1, (), placed)])
    assert verdict is not None
    assert (verdict.pays, verdict.device_us, verdict.source) == (pays, chosen_us - 200.0, "all measured")


@pytest.mark.parametrize(
    ("cpu_us", "pays", "words"),
    [
        (450.0, Pays.YES, "80% of the CPU's 450 us are delegated, and take 310 us there"),
        (430.0, Pays.MAYBE, "430 us are delegated"),
        (350.0, Pays.NO, "1.1 times as long as the CPU alone (all measured)"),
        (
            None,
            Pays.YES,
            "take 200 us there with transfers: 400 us in all, 2.5 times as fast as the CPU alone (measured;",
        ),
    ],
)
def test_plans_among_which_the_fastest_was_looked_for_are_measured(
    cpu_us: float | None, pays: Pays, words: str
) -> None:
    nodes = [node("a", 800.0, "G"), node("b", 200.0, None)]
    plans = [AlternativeRecord("npu, CPU", 400.0, chosen=True), AlternativeRecord("CPU", cpu_us, chosen=False)]
    verdict = verdict_of(nodes, [subgraph(None)], [DelegateRecord("npu", 1, 1, 1, ())], plans)
    assert verdict is not None
    assert verdict.pays == pays
    assert verdict.together_us == pytest.approx(400.0)
    assert words in verdict.text


def test_a_cpu_that_was_given_up_takes_as_long_at_least() -> None:
    nodes = [node("a", 800.0, "G"), node("b", 200.0, None)]
    given_up = AlternativeRecord("CPU", None, chosen=False, reason="given up after 50,000.0 us", given_up_us=50_000.0)
    plans = [AlternativeRecord("npu, CPU", 10_000.0, chosen=True), given_up]
    verdict = verdict_of(nodes, [subgraph(None)], [DelegateRecord("npu", 1, 1, 1, ())], plans)
    assert verdict is not None
    assert (verdict.pays, verdict.host_us) == (Pays.YES, 50_000.0)
    assert verdict.together_us == pytest.approx(10_000.0)
    assert verdict.text.endswith("5.0 times as fast as the CPU alone (measured; the CPU was given up after as long)")


def test_there_is_none_where_nothing_is_delegated_or_times_are_not_known() -> None:
    assert verdict_of([node("a", 1.0, None)], [], []) is None
    assert verdict_of([node("a", None, "G")], [subgraph(1.0)], []) is None
    assert partition_report(model_of(NamedDelegate([]))).verdict is None


def test_every_form_has_it() -> None:
    report = partition_report(model_of(NamedDelegate(["n0", "n2", "n3"])))
    assert report.verdict is not None
    data = json.loads(report.to_json())["verdict"]
    assert (data["pays"], data["text"]) == ("maybe", report.verdict.text)
    assert "\npays       maybe: " in report.to_text()
    assert "| pays | maybe: " in report.to_markdown()
    assert PartitionReport.from_json(report.to_json()).verdict == report.verdict
