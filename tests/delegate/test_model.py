"""DelegateModel: boundaries, and what ``replace`` accepts and rejects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import pytest

from lite_delegate import Context, DataType, Delegate, DelegateBuildError, DelegateModel, Kernel, Model, Tensor
from tests.runtime.graphs import chain


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
    assert [k in model for k in originals] == [False, False]


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


def test_replace_takes_a_name_twice(model: DelegateModel) -> None:
    model.replace(0, 1, graph_kernel(model, 0, 1))
    model.replace(1, 2, graph_kernel(model, 1, 2))
    assert [k.name for k in model] == ["G", "G", "c"]


def test_replace_rejects_a_kernel_twice_and_nesting(model: DelegateModel) -> None:
    first = graph_kernel(model, 0, 1)
    model.replace(0, 1, first)
    with pytest.raises(DelegateBuildError, match="Kernel 'G' is in the model already"):
        model.replace(1, 2, first)
    with pytest.raises(DelegateBuildError, match="'G' cannot be part of another graph kernel"):
        model.replace(0, 2, graph_kernel(model, 0, 2, "H"))
    assert len(model) == 3


def test_span_rejects_kernels_that_are_no_stretch(model: DelegateModel) -> None:
    assert model.span(model[1:3]) == (1, 3)
    for run in ([], [model[0], model[2]], [Plain("z", "Z", [], [])]):
        with pytest.raises(DelegateBuildError, match="are not a stretch of this model's order"):
            model.span(run)


def test_absent_operands_keep_their_position(model: DelegateModel) -> None:
    assert [None if t is None else t.name for t in model[1].operands] == ["t", "x", None]
    assert names(model[1].inputs) == ["t", "x"]


def test_runs_are_those_that_are_not_replaced_yet(model: DelegateModel) -> None:
    a, b, c = model
    planned = DelegateModel([a, b, c], model.inputs, model.outputs, [range(1), range(1, 3)])
    assert list(planned.runs) == [(a,), (b, c)]
    planned.replace(0, 1, graph_kernel(planned, 0, 1))
    assert list(planned.runs) == [(b, c)]


def test_what_fails_in_a_model_that_was_made_by_itself_is_raised(model: DelegateModel) -> None:
    """Nobody is there to repair it, and a test of a delegate must see it."""

    class Claiming(Delegate):
        def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
            raise DelegateBuildError(f"'{run[0].name}' is odd")

    a, b, c = model
    with pytest.raises(DelegateBuildError, match="'b' is odd"):
        Claiming().build(DelegateModel([a, b, c], model.inputs, model.outputs, [range(1, 2)]))


def test_a_model_shows_what_authors_call_and_nothing_of_the_runtimes(model: DelegateModel) -> None:
    calls = {"inputs", "outputs", "variables", "runs", "primitive", "span", "boundary", "boundary_of", "replace"}
    calls |= {"mark_failed", "origin", "precisions", "rewrites", "samples", "threads"}
    assert {name for name in dir(model) if name[0] != "_"} == calls | {"count", "index"}


class Keeps(Delegate):
    """Builds nothing, and keeps the model."""

    name = "keeps"
    model: DelegateModel

    def build(self, model: DelegateModel) -> None:
        self.model = model


def test_nothing_is_replaced_once_build_has_returned() -> None:
    delegate, context, built = Keeps(), Context(), Model()
    context.set_delegate(delegate)
    built.build_from_graph(chain(2), context)
    late = delegate.model
    assert [kernel.name for kernel in late] == ["n0", "n1"]
    for call in (
        lambda: late.replace(0, 2, graph_kernel(late, 0, 2)),
        lambda: late.mark_failed(late[:1], ValueError()),
    ):
        with pytest.raises(DelegateBuildError, match="was called after build had ended"):
            call()
    assert [kernel.name for kernel in late] == ["n0", "n1"]
