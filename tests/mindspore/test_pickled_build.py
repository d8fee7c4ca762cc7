"""Models and contexts in pickles: a model is built once more, with its context and its shapes."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from threading import Lock
from typing import Any

import numpy as np
import pytest

from lite_delegate import Context, Delegate, Model, ModelClosed, ModelType, Tensor
from lite_delegate.demo import model_path
from lite_delegate.devices.registry.delegate_spec import resolve_delegate
from lite_delegate.isolated import IsolatedDelegate
from lite_delegate.mindspore.parallel_runner import ModelParallelRunner
from lite_delegate.npu import NPUDelegate
from tests.inference.model_file.models import weighted

X = np.random.default_rng(0).random((1, 8, 8, 1)).astype(np.float32)
COPIES: list[Callable[[Model], Model]] = [
    *(lambda model, n=n: pickle.loads(pickle.dumps(model, n)) for n in (2, 3, 4, 5)),
    copy.copy,
    copy.deepcopy,
]


def built(*delegates: Delegate) -> Model:
    context, model = Context(), Model()
    context.set_delegates(delegates)
    model.build_from_file(model_path(), context=context)
    return model


def seen(model: Model) -> tuple[bytes, object]:
    x = np.repeat(X, model.get_inputs()[0].shape[0], 0)
    return model.predict([x])[0].data.tobytes(), model.get_partition()


@pytest.mark.parametrize("copied", COPIES)
def test_a_model_is_built_once_more(copied: Callable[[Model], Model]) -> None:
    model = built(NPUDelegate(options={"NPU_TURBO": "YES"}))
    model.context.strict = False
    found = copied(model)
    assert seen(found) == seen(model)
    assert found.context.get_property("NPU_TURBO") is True
    found.close()
    model.predict([X])


def test_another_process_gives_the_same() -> None:
    context, model = Context(), Model()
    context.target = ["npu", "cpu"]
    model.build_from_file(model_path(), context=context)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(seen, model).result() == seen(model)


def test_a_resized_model_keeps_its_shapes() -> None:
    model = built()
    model.resize(model.get_inputs(), [[3, 8, 8, 1]])
    found = pickle.loads(pickle.dumps(model))
    assert found.get_inputs()[0].shape == [3, 8, 8, 1]
    assert seen(found) == seen(model)


def test_buffers_and_graphs_pickle() -> None:
    models = [Model(), Model()]
    models[0].build_from_buffer(model_path().read_bytes(), ModelType.MINDIR_LITE)
    models[1].build_from_graph(weighted())
    x = np.zeros((32, 32), np.float32)
    for model, given in zip(models, (X, x), strict=True):
        found = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(found.predict([given])[0].data, model.predict([given])[0].data)


def test_a_model_without_a_build_pickles() -> None:
    pickle.loads(pickle.dumps(Model())).build_from_file(model_path())


def test_a_context_pickles_after_a_build_and_with_shapes() -> None:
    context, model = Context(), Model()
    context.target, context.input_shapes = ["npu", "cpu"], {0: [1, 8, 8, 1]}
    model.build_from_file(model_path(), context=context)
    assert pickle.loads(pickle.dumps(context)).input_shapes == {0: (1, 8, 8, 1)}


@pytest.mark.parametrize("spec", ["isolated:npu", "npu"])
def test_a_delegate_of_a_spec_is_made_of_the_spec(spec: str) -> None:
    delegate = resolve_delegate(spec)
    assert delegate is not None
    model = built(delegate)
    found = pickle.loads(pickle.dumps(model))
    assert isinstance(found.context.delegate, IsolatedDelegate) == (spec != "npu")
    assert seen(found) == seen(model)


class Locked(Delegate):
    """A delegate that does not pickle."""

    name = "locked"

    def __init__(self) -> None:
        self.lock = Lock()


class Remade(Locked):
    """A delegate that tells how another process makes one like it."""

    def __init__(self) -> None:
        super().__init__()
        self.remake = Remade


def test_a_delegate_that_does_not_pickle_is_named() -> None:
    model = built(Locked())
    with pytest.raises(TypeError, match=r"^Delegate 'locked' does not pickle \(TypeError: .*lock.*\): give its class"):
        pickle.dumps(model)
    assert isinstance(pickle.loads(pickle.dumps(built(Remade()))).context.delegate, Remade)


def test_an_operator_that_does_not_pickle_is_named() -> None:
    lock: Any = Lock()
    context, model = Context(), Model()
    context.register_custom("Mine", lambda inputs, attributes: [lock, inputs, attributes])
    model.build_from_graph(weighted(), context)
    with pytest.raises(TypeError, match="The kernel of custom operator 'Mine' does not pickle"):
        pickle.dumps(model)


def test_what_cannot_be_built_once_more_says_so() -> None:
    model = Model()
    model.build_from_graph(weighted())
    with pytest.raises(TypeError, match=r"This CompiledModel cannot be pickled: .* Pickle the Model"):
        pickle.dumps(model.compiled)
    weight = Tensor(np.zeros((32, 32), np.float32))
    weight.name = "weight"
    model.update_weights([[weight]])
    with pytest.raises(TypeError, match="weights were updated"):
        pickle.dumps(model)
    model.close()
    with pytest.raises(ModelClosed):
        pickle.dumps(model)


def test_a_parallel_runner_refers_to_its_model() -> None:
    with pytest.raises(TypeError, match=r"^ModelParallelRunner belongs to its process, .*: pickle its model, a Model"):
        pickle.dumps(ModelParallelRunner())
