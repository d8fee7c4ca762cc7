"""DelegateModel: boundaries, and what ``replace`` accepts and rejects."""

from __future__ import annotations

from typing import cast

import pytest

from lite_delegate import DataType, DelegateBuildError, DelegateModel, Kernel, Tensor


class Plain(Kernel):
    def execute(self) -> None:
        raise AssertionError("never run here")


def tensor(name: str, *, is_const: bool = False) -> Tensor:
    return Tensor.describe(name, DataType.FLOAT32, (4,), is_const=is_const)


@pytest.fixture
def model() -> DelegateModel:
    """x, w -> a -> t -> b -> u -> c -> y; b also reads x; t is a model output too."""
    x, w, t, u, y = tensor("x"), tensor("w", is_const=True), tensor("t"), tensor("u"), tensor("y")
    kernels = [Plain("a", "A", [x, w], [t]), Plain("b", "B", [t, x, None], [u]), Plain("c", "C", [u, t], [y])]
    return DelegateModel(kernels, [x], [y, t])


def names(tensors: tuple[Tensor, ...]) -> list[str]:
    return [t.name for t in tensors]


def graph_kernel(model: DelegateModel, start: int, stop: int, name: str = "G") -> Plain:
    boundary = model.boundary(start, stop)
    return Plain(name, "Graph", boundary.inputs, boundary.outputs)


@pytest.mark.parametrize(
    ("start", "stop", "inputs", "outputs", "constants", "nbytes"),
    [
        (0, 3, ["x"], ["t", "y"], ["w"], 48),
        (0, 1, ["x"], ["t"], ["w"], 32),
        (1, 2, ["t", "x"], ["u"], [], 48),
        (1, 3, ["t", "x"], ["y"], [], 48),
    ],
)
def test_boundary(
    model: DelegateModel,
    start: int,
    stop: int,
    inputs: list[str],
    outputs: list[str],
    constants: list[str],
    nbytes: int,
) -> None:
    boundary = model.boundary(start, stop)
    assert (names(boundary.inputs), names(boundary.outputs)) == (inputs, outputs)
    assert (names(boundary.constants), boundary.nbytes) == (constants, nbytes)


def test_replace_returns_the_index_after_the_new_kernel(model: DelegateModel) -> None:
    kernel = graph_kernel(model, 1, 3)
    originals = model[1:3]
    assert model.replace(1, 3, kernel) == 2
    assert list(model) == [model[0], kernel]
    assert model.replaced == {kernel: tuple(originals)}


def test_primitive_of_an_inserted_graph_kernel_is_none(model: DelegateModel) -> None:
    kernel = graph_kernel(model, 0, 1)
    model.replace(0, 1, kernel)
    assert model.primitive(kernel) is None


@pytest.mark.parametrize(("start", "stop"), [(-1, 1), (0, 4), (2, 2), (2, 1), (3, 4)])
def test_replace_rejects_ranges_outside_the_model(model: DelegateModel, start: int, stop: int) -> None:
    with pytest.raises(DelegateBuildError, match=r"is not a non-empty range inside the model's 3 kernels"):
        model.replace(start, stop, Plain("G", "Graph", [], []))
    assert len(model) == 3


def test_replace_rejects_a_kernel_that_does_not_give_what_is_needed_outside(model: DelegateModel) -> None:
    boundary = model.boundary(0, 2)
    with pytest.raises(DelegateBuildError, match="outputs must include 'u'"):
        model.replace(0, 2, Plain("G", "Graph", boundary.inputs, boundary.outputs[:1]))


def test_replace_rejects_outputs_that_the_run_does_not_make(model: DelegateModel) -> None:
    boundary = model.boundary(0, 1)
    with pytest.raises(DelegateBuildError, match="output 'other' is not made by the kernels it replaces"):
        model.replace(0, 1, Plain("G", "Graph", boundary.inputs, [*boundary.outputs, tensor("other")]))


def test_replace_rejects_inputs_that_are_not_there_yet(model: DelegateModel) -> None:
    boundary = model.boundary(0, 1)
    with pytest.raises(DelegateBuildError, match="input 'u' is not there before"):
        model.replace(0, 1, Plain("G", "Graph", [*boundary.inputs, model[1].outputs[0]], boundary.outputs))


def test_replace_rejects_what_is_no_kernel(model: DelegateModel) -> None:
    with pytest.raises(DelegateBuildError, match="must be replaced by a Kernel, got str"):
        model.replace(0, 1, cast("Kernel", "kernel"))


def test_replace_rejects_a_name_or_a_kernel_twice_and_nesting(model: DelegateModel) -> None:
    first = graph_kernel(model, 0, 1)
    model.replace(0, 1, first)
    with pytest.raises(DelegateBuildError, match="named 'G' is in the model already"):
        model.replace(1, 2, graph_kernel(model, 1, 2))
    with pytest.raises(DelegateBuildError, match="Kernel 'G' is in the model already"):
        model.replace(1, 2, first)
    with pytest.raises(DelegateBuildError, match="'G' cannot be part of another graph kernel"):
        model.replace(0, 2, graph_kernel(model, 0, 2, "H"))
    assert len(model) == 3


def test_restore_puts_the_originals_back_with_the_reason(model: DelegateModel) -> None:
    before = list(model)
    kernel = graph_kernel(model, 0, 2)
    model.replace(0, 2, kernel)
    failure = RuntimeError("lost")
    model.restore(kernel, failure)
    assert list(model) == before
    assert model.failures == {before[0]: failure, before[1]: failure}


def test_span_rejects_kernels_that_are_no_stretch(model: DelegateModel) -> None:
    assert model.span(model[1:3]) == (1, 3)
    for run in ([], [model[0], model[2]], [Plain("z", "Z", [], [])]):
        with pytest.raises(DelegateBuildError, match="are not a stretch of this model's order"):
            model.span(run)


def test_absent_operands_keep_their_position(model: DelegateModel) -> None:
    assert [None if t is None else t.name for t in model[1].operands] == ["t", "x", None]
    assert names(model[1].inputs) == ["t", "x"]


def test_only_what_is_offered_may_be_replaced(model: DelegateModel) -> None:
    a, b, c = model
    model.offer([[b]])
    assert model.runs == ((b,),)
    assert [model.primitive(k) is None for k in (a, c)] == [True, True]
    with pytest.raises(DelegateBuildError, match=r"'a' \(A\) cannot be replaced: it is not offered to this delegate"):
        model.replace(0, 2, graph_kernel(model, 0, 2))
    assert list(model) == [a, b, c]
    model.replace(1, 2, made := graph_kernel(model, 1, 2))
    assert (list(model), model.remaining) == ([a, made, c], ())


def test_what_is_withheld_may_not_be_replaced(model: DelegateModel) -> None:
    a, b, c = model
    model.withhold([b])
    assert model.remaining == ((a,), (c,))
    with pytest.raises(DelegateBuildError, match="not offered"):
        model.replace(0, 3, graph_kernel(model, 0, 3))


def test_graph_kernels_of_others_stay_and_count_as_replaced(model: DelegateModel) -> None:
    a, b, c = model
    other = graph_kernel(model, 1, 2, "Other")
    later = DelegateModel([a, other, c], model.inputs, model.outputs, [range(1)], replaced={other: [b]})
    assert later.replaced == {other: (b,)}
    assert later.primitive(other) is None
    assert later.stretches({a, other, c}) == ((a,), (c,))
    with pytest.raises(DelegateBuildError, match="Graph kernel 'Other' cannot be part of another graph kernel"):
        later.replace(0, 2, graph_kernel(later, 0, 2, "New"))
    later.replace(0, 1, graph_kernel(later, 0, 1, "Other"))
    assert [k.name for k in later] == ["Other", "Other", "c"]


def test_what_is_adopted_may_share_its_name(model: DelegateModel) -> None:
    a, b, _ = model
    model.adopt([a], graph_kernel(model, 0, 1))
    model.replace(1, 2, graph_kernel(model, 1, 2))
    assert [k.name for k in model] == ["G", "G", "c"]
    with pytest.raises(DelegateBuildError, match="named 'G' is in the model already"):
        model.replace(2, 3, graph_kernel(model, 2, 3))
    with pytest.raises(DelegateBuildError, match="not a stretch"):
        model.adopt([b], graph_kernel(model, 2, 3))


def test_names_may_come_again_after_an_offer(model: DelegateModel) -> None:
    model.replace(0, 1, graph_kernel(model, 0, 1))
    model.offer([[model[1]]])
    model.replace(1, 2, graph_kernel(model, 1, 2))
    assert [k.name for k in model] == ["G", "G", "c"]


def test_failures_are_kept_by_stretch_until_they_are_forgotten(model: DelegateModel) -> None:
    a, b, c = model
    error = DelegateBuildError("no")
    model.mark_failed([a, b], error)
    model.replace(2, 3, made := graph_kernel(model, 2, 3))
    model.restore(made, error)
    assert model.failed_runs == (((a, b), error), ((c,), error))
    assert model.failures == dict.fromkeys((a, b, c), error)
    model.forget_failures()
    assert (model.failed_runs, model.failures) == ((), {})
