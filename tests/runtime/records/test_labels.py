"""The words that people read for nodes."""

from __future__ import annotations

import pytest

from lite_delegate.runtime.records import NodeLabel, NodeRecord, SourceRecord, labels_of

CONV, RELU, SPLIT = (SourceRecord(name, kind) for name, kind in (("/c", "Conv"), ("/r", "Relu"), ("/s", "Split")))
LOOP = SourceRecord("add", "Add", ("loop", "body"), (3, 0))


def node(name: str, type_: str, *sources: SourceRecord) -> NodeRecord:
    return NodeRecord(name, type_, "CPU", None, None, "", sources=sources)


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ([node("n", "Conv2DFusion", CONV)], [("/c", "Conv")]),
        ([node("n", "Conv2DFusion", CONV, RELU)], [("/c (+1)", "Conv, Relu")]),
        ([node("n", "AddFusion", LOOP)], [("loop/body/add", "Add")]),
        ([node("n", "AddFusion")], [("n", "AddFusion")]),
        (
            [node("t", "Transpose", CONV), node("n", "Conv2DFusion", CONV)],
            [("t", "Transpose"), ("/c", "Conv")],
        ),
        (
            [node("t", "Transpose", CONV), node("n", "Conv2DFusion", CONV, RELU)],
            [("t", "Transpose"), ("/c (+1)", "Conv, Relu")],
        ),
        ([node("t", "Transpose", CONV)], [("/c", "Conv")]),
        (
            [node("a", "StridedSlice", SPLIT), node("b", "StridedSlice", SPLIT)],
            [("a", "StridedSlice"), ("b", "StridedSlice")],
        ),
    ],
    ids=["one", "fused", "inside", "no file", "transposed", "transposed and fused", "transpose alone", "several"],
)
def test_labels(nodes: list[NodeRecord], expected: list[tuple[str, str]]) -> None:
    found = labels_of(nodes)
    assert [found[each.name] for each in nodes] == [NodeLabel(*words) for words in expected]
