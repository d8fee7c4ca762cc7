"""Delegates that are translated line by line return codes: each is understood, none is taken for success."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from lite_delegate import (
    Context,
    DelegateBuildError,
    DelegateExecuteError,
    DelegateModel,
    DelegateWarning,
    Kernel,
    Model,
    RejectCode,
    Status,
)
from lite_delegate.delegate.answers.status import fault_of
from lite_delegate.ir import Graph
from lite_delegate.testing.delegates import GroupKernel, NamedDelegate
from tests.runtime.graphs import chain

UNSIGNED_ERROR = 4294967295
"""kLiteError, as the C++ interface has it."""


class Translated(NamedDelegate):
    """Returns codes where others return nothing."""

    def __init__(self, **codes: object) -> None:
        super().__init__(None)
        self.codes = codes

    def init(self):
        return self.codes.get("init")

    def build(self, model: DelegateModel):
        super().build(model)
        return self.codes.get("build")

    def create_graph_kernel(self, run, model: DelegateModel) -> Kernel:
        return Graphs("g", model.boundary_of(run), run, self.codes)


class Graphs(GroupKernel):
    """The same of a graph kernel."""

    def __init__(self, name, boundary, kernels, codes: dict[str, object]) -> None:
        super().__init__(name, boundary, kernels)
        self.codes = codes

    def prepare(self):
        super().prepare()
        return self.codes.get("prepare")

    def execute(self):
        super().execute()
        return self.codes.get("execute")

    def fork(self, inputs, outputs):
        return None

    def resize(self):
        answer = self.codes.get("resize")
        if isinstance(answer, Exception):
            raise answer
        return answer


def built(delegate: Translated, graph: Graph | None = None) -> tuple[Model, list[str]]:
    context, model = Context(), Model()
    context.set_delegate(delegate)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.build_from_graph(graph or chain(3), context)
    return model, [str(each.message) for each in told if issubclass(each.category, DelegateWarning)]


def devices(model: Model) -> set[tuple[str, RejectCode | None]]:
    return {(n.device, n.code) for n in model.get_partition().nodes}


def predicted(model: Model) -> np.ndarray:
    inputs = model.get_inputs()
    inputs[0].set_data_from_numpy(np.ones(inputs[0].shape, np.float32))
    return model.predict(inputs)[0].get_data_to_numpy()


@pytest.mark.parametrize("code", [None, 0, Status.RET_OK])
def test_codes_of_success_are_success(code: object) -> None:
    model, told = built(Translated(init=code, build=code, prepare=code, execute=code))
    assert not told
    assert devices(model) == {("named", None)}
    np.testing.assert_array_equal(predicted(model), predicted(built(Translated())[0]))


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (-1, "returned RET_ERROR (-1)"),
        (UNSIGNED_ERROR, "returned RET_ERROR (-1)"),
        (Status.RET_NOT_SUPPORT, "returned RET_NOT_SUPPORT (-7)"),
        (3, "returned 3, which is no Status"),
        (False, "returned False; expected None, or a Status such as RET_OK"),
        (True, "returned True; expected None, or a Status such as RET_OK"),
        ("ok", "returned 'ok'; expected None, or a Status such as RET_OK"),
    ],
)
def test_everything_else_is_a_fault_with_its_name(answer: object, fault: str) -> None:
    assert fault_of(answer) == fault


@pytest.mark.parametrize("code", [Status.RET_NOT_SUPPORT, -7])
def test_an_init_that_is_not_supported_leaves_all_to_the_cpu(code: object) -> None:
    model, told = built(Translated(init=code))
    assert devices(model) == {("CPU", RejectCode.NO_DEVICE)}
    assert len(told) == 1
    assert "init returned RET_NOT_SUPPORT (-7)" in told[0]


@pytest.mark.parametrize("code", [Status.RET_ERROR, -1, False])
def test_an_init_that_fails_fails_the_model(code: object) -> None:
    with pytest.raises(DelegateBuildError, match="Delegate 'named': init returned"):
        built(Translated(init=code))


def test_a_build_that_fails_keeps_nothing() -> None:
    model, told = built(Translated(build=Status.RET_ERROR))
    assert devices(model) == {("CPU", RejectCode.COMPILE_FAILED)}
    assert len(told) == 1
    assert "build returned RET_ERROR (-1)" in told[0]


def test_a_prepare_that_fails_keeps_nothing() -> None:
    model, told = built(Translated(prepare=Status.RET_MEMORY_FAILED))
    assert devices(model) == {("CPU", RejectCode.COMPILE_FAILED)}
    assert len(told) == 1
    assert "prepare of 'g' (Group) returned RET_MEMORY_FAILED (-6)" in told[0]


def test_an_execute_that_fails_is_an_error() -> None:
    model, _ = built(Translated(execute=Status.RET_OP_EXECUTE_FAILURE))
    with pytest.raises(DelegateExecuteError, match=r"execute returned RET_OP_EXECUTE_FAILURE \(-303\)"):
        predicted(model)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Status.RET_ERROR, "resize returned RET_ERROR (-1)"),
        (RuntimeError("driver says no"), "resize failed: RuntimeError: driver says no"),
    ],
)
def test_a_resize_that_fails_is_said_and_planned_anew(answer: object, said: str) -> None:
    model, _ = built(Translated(resize=answer))
    with pytest.warns(DelegateWarning, match="planned anew") as told:
        model.resize(model.get_inputs(), [[5, 3]])
    (text,) = [str(each.message) for each in told if issubclass(each.category, DelegateWarning)]
    assert text == f"Graph kernel 'g' (Group): {said}; the model is planned anew for the new shapes."
    assert devices(model) == {("named", None)}


@pytest.mark.parametrize("answer", [Status.RET_NOT_SUPPORT, -7])
def test_a_resize_that_is_not_supported_is_planned_anew_in_silence(answer: object) -> None:
    model, _ = built(Translated(resize=answer))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.resize(model.get_inputs(), [[5, 3]])
    assert devices(model) == {("named", None)}
