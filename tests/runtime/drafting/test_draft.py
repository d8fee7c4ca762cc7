"""GraphDraft: what the runtime does with a graph of which delegates take their parts."""

from __future__ import annotations

import pytest

from lite_delegate import DelegateBuildError, DelegateModel
from lite_delegate.delegate.model import view_of
from lite_delegate.runtime.drafting.draft import GraphDraft
from tests.delegate.test_model import Plain, graph_kernel, tensor


@pytest.fixture
def draft() -> GraphDraft:
    """x, w -> a -> t -> b -> u -> c -> y; b also reads x; t is an output too."""
    x, w, t, u, y = tensor("x"), tensor("w", is_const=True), tensor("t"), tensor("u"), tensor("y")
    kernels = [Plain("a", "A", [x, w], [t]), Plain("b", "B", [t, x, None], [u]), Plain("c", "C", [u, t], [y])]
    return GraphDraft(kernels, [x], [y, t])


@pytest.fixture
def model(draft: GraphDraft) -> DelegateModel:
    """What a delegate sees of the draft."""
    return view_of(draft)


def test_the_delegates_replacements_are_kept_with_what_they_stand_for(draft: GraphDraft, model: DelegateModel) -> None:
    kernel, originals = graph_kernel(model, 1, 3), model[1:3]
    model.replace(1, 3, kernel)
    assert draft.replaced == {kernel: tuple(originals)}
    assert list(draft) == list(model) == [model[0], kernel]


def test_restore_puts_the_originals_back_with_the_reason(draft: GraphDraft, model: DelegateModel) -> None:
    before = list(model)
    kernel = graph_kernel(model, 0, 2)
    model.replace(0, 2, kernel)
    failure = RuntimeError("lost")
    draft.restore(kernel, failure)
    assert list(model) == before
    assert draft.failures == {before[0]: failure, before[1]: failure}


def test_only_what_is_offered_may_be_replaced(draft: GraphDraft, model: DelegateModel) -> None:
    a, b, c = model
    draft.offer([[b]])
    assert model.runs == ((b,),)
    assert [model.primitive(k) is None for k in (a, c)] == [True, True]
    with pytest.raises(DelegateBuildError, match=r"'a' \(A\) cannot be replaced: it is not offered to this delegate"):
        model.replace(0, 2, graph_kernel(model, 0, 2))
    assert list(model) == [a, b, c]
    model.replace(1, 2, made := graph_kernel(model, 1, 2))
    assert (list(model), draft.remaining) == ([a, made, c], ())


def test_what_is_withheld_may_not_be_replaced(draft: GraphDraft, model: DelegateModel) -> None:
    a, b, c = model
    draft.withhold([b])
    assert draft.remaining == ((a,), (c,))
    with pytest.raises(DelegateBuildError, match="not offered"):
        model.replace(0, 3, graph_kernel(model, 0, 3))


def test_graph_kernels_of_others_stay_and_count_as_replaced(draft: GraphDraft, model: DelegateModel) -> None:
    a, b, c = model
    other = graph_kernel(model, 1, 2, "Other")
    standing = GraphDraft([a, other, c], model.inputs, model.outputs, [range(1)], replaced={other: [b]})
    later = view_of(standing)
    assert standing.replaced == {other: (b,)}
    assert later.primitive(other) is None
    assert standing.stretches({a, other, c}) == ((a,), (c,))
    with pytest.raises(DelegateBuildError, match="Graph kernel 'Other' cannot be part of another graph kernel"):
        later.replace(0, 2, graph_kernel(later, 0, 2, "New"))
    later.replace(0, 1, graph_kernel(later, 0, 1, "Other"))
    assert [k.name for k in later] == ["Other", "Other", "c"]


def test_what_is_adopted_may_share_its_name(draft: GraphDraft, model: DelegateModel) -> None:
    a, b, _ = model
    draft.adopt([a], graph_kernel(model, 0, 1))
    model.replace(1, 2, graph_kernel(model, 1, 2))
    assert [k.name for k in model] == ["G", "G", "c"]
    with pytest.raises(DelegateBuildError, match="not a stretch"):
        draft.adopt([b], graph_kernel(model, 2, 3))


def test_names_may_come_again_after_an_offer(draft: GraphDraft, model: DelegateModel) -> None:
    model.replace(0, 1, graph_kernel(model, 0, 1))
    draft.offer([[model[1]]])
    model.replace(1, 2, graph_kernel(model, 1, 2))
    assert [k.name for k in model] == ["G", "G", "c"]


def test_failures_are_kept_by_stretch_until_they_are_forgotten(draft: GraphDraft, model: DelegateModel) -> None:
    a, b, c = model
    error = DelegateBuildError("no")
    draft.mark_failed([a, b], error)
    model.replace(2, 3, made := graph_kernel(model, 2, 3))
    draft.restore(made, error)
    assert draft.failed_runs == (((a, b), error), ((c,), error))
    assert draft.failures == dict.fromkeys((a, b, c), error)
    draft.begin()
    assert list(draft.failed_runs) == []
    assert dict(draft.failures) == {}
