from __future__ import annotations

import warnings

import numpy as np
import pytest

from lite_delegate import (
    Context,
    Delegate,
    DelegateUnavailable,
    DelegateWarning,
    DeviceLost,
    InputError,
    LiteDelegateError,
    Model,
    Tensor,
)
from lite_delegate.inference import compile_graph
from lite_delegate.mindspore.context.context_settings import settings_of
from lite_delegate.runtime.settings import Settings
from tests.inference.reusing import STEP, ReusingDelegate, built
from tests.runtime.failing import Failing, raising
from tests.runtime.graphs import chain

X = np.zeros((2, 3), np.float32)


def test_a_compiled_model_is_shared_by_requests() -> None:
    compiled = compile_graph(chain(2), Settings(delegates=(ReusingDelegate(["n0"]),)))
    first, second = compiled.create_infer_request(), compiled.create_infer_request()
    np.testing.assert_array_equal(first.infer([X])[0], X + STEP + 2)
    np.testing.assert_array_equal(second.infer([X + 1])[0], X + STEP + 3)
    assert [t.name for t in compiled.inputs] == ["x"]
    assert compiled.outputs[0].shape == [2, 3]
    assert list(compiled.delegates) == ["named"]
    assert list(compiled.graph_kernels.values()) == [("n0",)]


def test_settings_are_those_of_the_time_of_building() -> None:
    context, model = Context(), Model()
    context.set_delegate(ReusingDelegate())
    model.build_from_graph(chain(1), context)
    context.set_delegate(None)
    context.cpu.thread_num = 3
    assert len(model.compiled.settings.delegates) == 1
    assert model.compiled.settings.threads == 0
    assert (settings_of(context).delegates, settings_of(context).threads) == ((), 3)


def test_other_shapes_are_another_compiled_model() -> None:
    compiled = compile_graph(chain(1), Settings())
    other = compiled.reshaped([(5, 3)])
    assert (compiled.inputs[0].shape, other.inputs[0].shape) == ([2, 3], [5, 3])
    assert other.graph is compiled.graph
    assert other.create_infer_request().infer([np.zeros((5, 3), np.float32)])[0].shape == (5, 3)


def test_failures_are_seen_in_the_partition_and_not_in_the_plan() -> None:
    model = built(chain(1), ReusingDelegate())
    compiled = model.compiled
    assert not compiled.has_lost_device
    lost = Model()
    context = Context()
    context.set_delegate(Failing(raising(DeviceLost("gone."))))
    lost.build_from_graph(chain(1), context)
    with pytest.raises(DeviceLost):
        lost.predict({"x": X})
    assert lost.compiled.has_lost_device
    assert lost.compiled.partition.subgraphs[0].failures == 1
    assert lost.compiled.plan.record.subgraphs[0].failures == 0


def test_a_model_that_has_not_been_built_has_none() -> None:
    with pytest.raises(LiteDelegateError, match="has not been built"):
        _ = Model().compiled


class Absent(Delegate):
    name = "absent"

    def init(self) -> None:
        raise DelegateUnavailable("no device.")


class Raising(ReusingDelegate):
    def supports(self, kernel: object) -> None:
        raise OSError("bad luck")


@pytest.mark.parametrize("delegate", [Absent(), Raising()], ids=["absent", "raises when asked"])
def test_warnings_of_building_and_resizing_point_at_the_users_line(delegate: Delegate) -> None:
    context, model = Context(), Model()
    context.set_delegate(delegate)
    context.target = ["ascend"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.build_from_graph(chain(1), context)
        built_by = len(caught)
        model.resize(model.get_inputs(), [[4, 3]])
    assert 0 < built_by < len(caught)
    assert {w.filename for w in caught} == {__file__}
    assert {w.category for w in caught} == {DelegateWarning}


def test_warnings_come_also_where_building_fails() -> None:
    context, model = Context(), Model()
    context.set_delegate(Raising())
    context.strict = True
    with pytest.warns(DelegateWarning, match="bad luck") as caught, pytest.raises(LiteDelegateError, match="strict"):
        model.build_from_graph(chain(1), context)
    assert caught[0].filename == __file__


def test_a_warning_that_is_an_error_leaves_the_model_as_it_was() -> None:
    context, model = Context(), Model()
    context.set_delegate(Absent())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(DelegateWarning, match="not available"):
            model.build_from_graph(chain(1), context)
    with pytest.raises(LiteDelegateError, match="has not been built"):
        model.get_inputs()


@pytest.mark.parametrize("dims", [[2, 3, 1], [6], []])
def test_resize_rejects_another_rank(dims: list[int]) -> None:
    model = built(chain(1), ReusingDelegate())
    with pytest.raises(InputError, match=r"Input 'x': expected 2 dimensions, got "):
        model.resize(model.get_inputs(), [dims])
    assert model.get_inputs()[0].shape == [2, 3]


def test_an_unknown_rank_stays_free() -> None:
    graph = chain(1, (2, 3))
    graph.inputs[0].shape = None
    model = Model()
    model.build_from_graph(graph)
    for dims in ([4], [1, 2, 3], [5]):
        model.resize(model.get_inputs(), [dims])
        assert model.predict({"x": np.zeros(dims, np.float32)})[0].shape == dims


def test_outputs_are_written_to_the_callers_memory() -> None:
    model = built(chain(1), ReusingDelegate())
    mine = Tensor(np.full((2, 3), 7, np.float32))
    view = mine.get_data_to_numpy()
    (got,) = model.predict({"x": X}, [mine])
    assert got is mine
    np.testing.assert_array_equal(view, X + STEP)


def test_a_tensor_without_contents_is_filled() -> None:
    model = built(chain(1), ReusingDelegate())
    (mine,) = [Tensor(shape=[2, 3])]
    model.predict({"x": X}, [mine])
    np.testing.assert_array_equal(mine.get_data_to_numpy(), X + STEP)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (Tensor(np.zeros((3, 2), np.float32)), r"Output 0 'n0:0': expected shape \[2, 3\], got \[3, 2\]"),
        (Tensor(np.zeros((2, 3), np.int32)), "Output 0 'n0:0': expected FLOAT32, got INT32"),
    ],
)
def test_outputs_that_do_not_fit_are_rejected_before_anything_runs(wrong: Tensor, message: str) -> None:
    delegate = ReusingDelegate()
    model = built(chain(1), delegate)
    with pytest.raises(InputError, match=message):
        model.predict({"x": X}, [wrong])
    with pytest.raises(InputError, match=r"The model has 1 output"):
        model.predict({"x": X}, [])
    assert delegate.forks == 0


def test_a_model_of_one_device_tells_nothing_of_several() -> None:
    compiled = compile_graph(chain(1), Settings())
    for name in ("auto", "multi", "batch"):
        assert not hasattr(compiled, name)
        with pytest.raises(AttributeError, match=f"This compiled model has no '{name}', which is for a model that"):
            getattr(compiled, name)
    with pytest.raises(AttributeError, match="has no 'wait_ready', which is for a model that the CPU runs while AUTO"):
        compiled.wait_ready(0)
