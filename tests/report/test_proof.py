"""The blocks of the path that forces the number of subgraphs: they can be counted, and nothing of the path is lost."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.report.proof import Block, proofs
from lite_delegate.testing.delegates import NamedDelegate
from tests.report.html.reports import with_a_subgraph_of_the_model, with_two_delegates
from tests.report.test_diff import of
from tests.report.test_partition_report import report_of
from tests.runtime.graphs import chain


@given(st.lists(st.booleans(), min_size=1, max_size=30))
def test_a_chain_has_a_block_for_each_stretch_of_its_claims(claims: list[bool]) -> None:
    report = report_of(NamedDelegate([f"n{i}" for i, claimed in enumerate(claims) if claimed]), chain(len(claims)))
    stretches = "".join("x" if claimed else " " for claimed in claims).split()
    if len(stretches) < 2:
        assert proofs(report) == []
        return
    (proof,) = proofs(report)
    assert len(proof.blocks) == len(stretches) == report.minimum_subgraphs
    assert f"fewer than {len(stretches)} subgraphs" in proof.head
    assert tuple(name for block in proof.blocks for name in (*block.nodes, *block.behind)) == report.minimum_proof
    assert [block.subgraphs for block in proof.blocks] == [(s.name,) for s in report.subgraphs]


def test_a_block_that_options_split_is_one_block() -> None:
    report = of(0, 1, 3)
    names = ("First", "Second")
    split = tuple(replace(n, subgraph=names[i]) if i < 2 else n for i, n in enumerate(report.nodes))
    (proof,) = proofs(replace(report, nodes=split))
    assert proof.blocks == (Block(("n0", "n1"), names, ("n2",)), Block(("n3",), ("Group1",), ()))


def test_several_delegates_have_a_proof_each() -> None:
    (proof,) = proofs(with_two_delegates())
    assert "fewer than 2 subgraphs of 'one': others stand between the 2 blocks" in proof.head
    assert proof.blocks == (Block(("a",), ("G0",), ("b",)), Block(("c",), ("G2",), ()))


def test_blocks_of_two_graphs_are_two() -> None:
    """A delegated node at the end of one graph's path and one at the start of the next one's are not neighbors."""
    report = with_a_subgraph_of_the_model()
    outer = replace(report.nodes[0], device="npu", subgraph="Outer", code=None, reason="")
    both = replace(
        report,
        nodes=(outer, report.nodes[1]),
        minimum_subgraphs=2,
        minimum_proof=("outer", "inner"),
        kernels_delegated=2,
    )
    (proof,) = proofs(both)
    assert proof.blocks == (Block(("outer",), ("Outer",), ()), Block(("inner",), ("Group0",), ()))
    assert "no two of the 2 blocks on these paths, one for each graph, can be one:" in proof.head


def test_a_report_that_was_read_may_lack_the_path() -> None:
    report = report_of(NamedDelegate(["n0", "n2"]), chain(3))
    assert report.minimum_subgraphs == 2
    assert [proof.blocks for proof in proofs(replace(report, minimum_proof=()))] == [()]
