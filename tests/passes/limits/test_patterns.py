"""Patterns of real models beyond a delegate's limits: one subgraph, and what ONNX's evaluator computes, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

from lite_delegate import Context, Model, PartitionOptions
from lite_delegate.delegate import DelegateLimits
from lite_delegate.formats.onnx import read_onnx_buffer
from lite_delegate.passes.optimize import optimize
from tests.passes.limits.narrow import ATTENTIONS, PATTERNS, NarrowDelegate, attention

LAYOUTS = ((0, 2, 3, 1), (0, 3, 1, 2))
FOUR = DelegateLimits(max_rank=4)


def built(model, delegate=None, rewrite=True, **options):
    context = Context()
    context.partition = PartitionOptions(**options)
    context.set_delegate(delegate)
    context.rewrite = rewrite
    made = Model()
    made.build_from_graph(optimize(read_onnx_buffer(model.SerializeToString())).graph, context)
    return made


def image(model):
    shape = [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
    return np.random.default_rng(3).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("limits", [FOUR, DelegateLimits(4, LAYOUTS)], ids=["four axes", "two layouts"])
@pytest.mark.parametrize("name", PATTERNS)
def test_one_subgraph_and_the_same_numbers(name, limits):
    model = PATTERNS[name]()
    x = image(model)
    made = built(model, NarrowDelegate(limits, missing=("DepthToSpace", "SpaceToDepth")))
    record = made.get_partition()
    assert {node.device for node in record.nodes} == {"narrow"}, [(n.name, n.reason) for n in record.nodes if n.reason]
    assert len(record.subgraphs) == 1
    found = made.predict([x])[0].get_data_to_numpy()
    np.testing.assert_array_equal(found, built(model).predict([x])[0].get_data_to_numpy())
    (expected,) = ReferenceEvaluator(model).run(None, {"x": x})
    np.testing.assert_allclose(found, np.asarray(expected), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("how", ATTENTIONS)
def test_attention_is_three_slices_with_a_reshape_and_a_transpose_each(how):
    record = built(attention(how), NarrowDelegate(FOUR)).get_partition()
    types = [node.type for node in record.nodes]
    assert types.count("SliceFusion") == 3
    assert max(len(t.shape or ()) for node in record.nodes for t in (*node.inputs, *node.outputs)) == 4
    assert {rewrite.rule for rewrite in record.rewrites} == {"movement"}
    assert {"Reshape1"} <= {source.name for rewrite in record.rewrites for source in rewrite.sources}


def test_the_switch_leaves_nodes_as_they_are():
    model = attention(ATTENTIONS[0])
    record = built(model, NarrowDelegate(FOUR), rewrite=False).get_partition()
    assert record.rewrites == ()
    assert "SliceFusion" not in {node.type for node in record.nodes}
    assert len(record.subgraphs) == 2


def test_a_delegate_that_states_no_limits_is_asked_about_nodes_as_they_are():
    record = built(attention(ATTENTIONS[0]), NarrowDelegate(DelegateLimits())).get_partition()
    assert record.rewrites == ()
    assert len(record.subgraphs) == 1


def test_without_a_delegate_nothing_is_rewritten():
    assert built(attention(ATTENTIONS[0])).get_partition().rewrites == ()


def test_only_what_the_delegate_does_not_have_in_any_form_is_left():
    delegate = NarrowDelegate(FOUR, missing=("SliceFusion", "StridedSlice"))
    record = built(attention(ATTENTIONS[0]), delegate).get_partition()
    assert {node.type for node in record.nodes if node.device == "CPU"} == {"StridedSlice"}


def test_what_would_stay_rejected_stays_as_it_is():
    """Reshape alone cannot be had, and every other form of the chain needs it as well."""
    delegate = NarrowDelegate(FOUR, missing=("Reshape", "SliceFusion", "StridedSlice", "Transpose"))
    record = built(attention(ATTENTIONS[0]), delegate).get_partition()
    assert record.rewrites == ()
    assert [node.type for node in record.nodes].count("Split") == 1


def test_slices_of_the_kind_that_the_delegate_has():
    delegate = NarrowDelegate(FOUR, missing=("SliceFusion",))
    record = built(attention(ATTENTIONS[1]), delegate).get_partition()
    assert [node.type for node in record.nodes].count("StridedSlice") == 3
    assert len(record.subgraphs) == 1


def test_the_files_names_still_say_where_things_run():
    record = built(attention(ATTENTIONS[0]), NarrowDelegate(FOUR), affinity={"Split3": "CPU"}).get_partition()
    held = [node for node in record.nodes if "Split3" in {source.name for source in node.sources}]
    assert held
    assert {node.device for node in held} == {"CPU"}
