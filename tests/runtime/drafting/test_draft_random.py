"""Boundaries and positions after any sequence of replacements, against a plain walk over the kernels."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate import DataType, DelegateModel, Kernel, Tensor
from lite_delegate.delegate.model import view_of
from lite_delegate.runtime.drafting.draft import GraphDraft


class Plain(Kernel):
    def execute(self) -> None:
        raise AssertionError("never run")


def tensor(name: str) -> Tensor:
    return Tensor.describe(name, DataType.FLOAT32, (1,))


@st.composite
def drafts(draw: st.DrawFn) -> GraphDraft:
    x = tensor("x")
    tensors, kernels = [x], []
    for i in range(draw(st.integers(1, 9))):
        reads = draw(st.lists(st.sampled_from(tensors), min_size=1, max_size=3))
        tensors.append(tensor(f"t{i}"))
        kernels.append(Plain(f"k{i}", "Plain", reads, tensors[-1:]))
    outputs = draw(st.lists(st.sampled_from(tensors[1:]), min_size=1, max_size=2, unique=True))
    return GraphDraft(kernels, [x], outputs)


def plain_boundary(model: DelegateModel, start: int, stop: int) -> tuple[list[str], list[str]]:
    inside = model[start:stop]
    made = [t for k in inside for t in k.outputs]
    read = [t for k in inside for t in k.inputs if t not in made]
    outside = [t for i, k in enumerate(model) if not start <= i < stop for t in k.inputs] + list(model.outputs)
    return list(dict.fromkeys(t.name for t in read)), [t.name for t in made if t in outside]


def check(model: DelegateModel) -> None:
    for start in range(len(model)):
        for stop in range(start + 1, len(model) + 1):
            boundary = model.boundary(start, stop)
            found = [t.name for t in boundary.inputs], [t.name for t in boundary.outputs]
            assert found == plain_boundary(model, start, stop)
            assert model.span(model[start:stop]) == (start, stop)


@given(drafts(), st.data())
@settings(max_examples=100, deadline=None)
def test_boundaries_follow_replacements(draft: GraphDraft, data: st.DataObject) -> None:
    model = view_of(draft)
    before = list(model)
    check(model)
    for number in range(data.draw(st.integers(1, 4))):
        single = [i for i, k in enumerate(model) if k not in draft.replaced]
        if not single:
            break
        start = data.draw(st.sampled_from(single))
        stop = start + 1
        while stop in single and data.draw(st.booleans()):
            stop += 1
        boundary = model.boundary(start, stop)
        model.replace(start, stop, Plain(f"G{number}", "Graph", boundary.inputs, boundary.outputs))
        check(model)
        if data.draw(st.booleans()):
            draft.restore(model[start], ValueError("not today"))
            check(model)
    for kernel in draft.replaced:
        draft.restore(kernel, ValueError("not today"))
    assert list(model) == before
    check(model)
