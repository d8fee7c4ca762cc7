"""Weights that are replaced, and weights that models share."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lite_delegate import (
    Context,
    InputError,
    LiteDelegateError,
    Model,
    ModelGroup,
    ModelGroupFlag,
    ModelType,
    Tensor,
)
from lite_delegate.formats.ms import write_ms
from lite_delegate.ir import DataType, Graph, Node, Value, constant, make_primitive
from lite_delegate.npu import NPUDelegate

SIZE = 32


def product(weight: np.ndarray, batch: int = 2) -> Graph:
    """x @ w."""
    x = Value("x", DataType.FLOAT32, (batch, SIZE))
    y = Value("y", DataType.FLOAT32, (batch, SIZE))
    return Graph("main", [x], [y], [Node("product", make_primitive("MatMulFusion"), [x, constant("w", weight)], [y])])


def weights(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(SIZE, SIZE)).astype(np.float32)


def named(array: np.ndarray, name: str = "w") -> Tensor:
    tensor = Tensor(array)
    tensor.name = name
    return tensor


@pytest.mark.parametrize("on_npu", [False, True])
def test_new_weights_are_those_of_every_later_prediction(on_npu: bool) -> None:
    context = Context()
    context.set_delegate(NPUDelegate() if on_npu else None)
    model, x = Model(), np.eye(SIZE, dtype=np.float32)
    model.build_from_graph(product(weights(1), SIZE), context)
    model.update_weights([[named(weights(2))]])
    tolerance = 2e-3 if on_npu else 1e-6
    np.testing.assert_allclose(model.predict([x])[0].data, weights(2), rtol=tolerance, atol=tolerance)
    assert bool(model.get_graph_kernels()) == on_npu
    model.resize(model.get_inputs(), [[3, SIZE]])
    np.testing.assert_allclose(model.predict([x[:3]])[0].data, weights(2)[:3], rtol=tolerance, atol=tolerance)
    model.update_weights([[named(weights(3))]])
    np.testing.assert_allclose(model.predict([x[:3]])[0].data, weights(3)[:3], rtol=tolerance, atol=tolerance)
    model.resize(model.get_inputs(), [[SIZE, SIZE]])
    np.testing.assert_allclose(model.predict([x])[0].data, weights(3), rtol=tolerance, atol=tolerance)


def test_the_callers_array_may_change_afterwards() -> None:
    model, mine = Model(), weights(2)
    model.build_from_graph(product(weights(1), SIZE))
    tensor = named(mine)
    model.update_weights([[tensor]])
    tensor.data[...] = 0
    np.testing.assert_allclose(model.predict([np.eye(SIZE, dtype=np.float32)])[0].data, weights(2), rtol=1e-6)


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ([[named(weights(2), "v")]], InputError, "no constant 'v'"),
        ([[named(weights(2)[:4])]], InputError, r"'w' must be FLOAT32 \[32, 32\], got FLOAT32 \[4, 32\]"),
        ([[named(weights(2).astype(np.float64))]], InputError, "got FLOAT64"),
        ([[named(weights(2))], [named(weights(3))]], InputError, "two tensors are called 'w'"),
        ([named(weights(2))], TypeError, "weights element must be list, but got Tensor"),
        ([[weights(2)]], TypeError, "must be Tensor, but got ndarray"),
        ("w", TypeError, "weights must be list, but got str"),
    ],
)
def test_weights_that_do_not_fit_change_nothing(given: object, error: type[Exception], said: str) -> None:
    model = Model()
    model.build_from_graph(product(weights(1), SIZE))
    with pytest.raises(error, match=said):
        model.update_weights(given)  # type: ignore[arg-type]
    np.testing.assert_allclose(model.predict([np.eye(SIZE, dtype=np.float32)])[0].data, weights(1), rtol=1e-6)
    with pytest.raises(LiteDelegateError, match="call build_from_file first"):
        Model().update_weights([[named(weights(2))]])


def only_constant(model: Model) -> np.ndarray:
    (value,) = [v for v in model.compiled.graph.values() if v.data is not None]
    assert value.data is not None
    return value.data


@pytest.mark.parametrize("flags", list(ModelGroupFlag))
def test_models_of_a_group_share_equal_weights_where_asked_to(tmp_path: Path, flags: ModelGroupFlag) -> None:
    write_ms(product(weights(1)), tmp_path / "a.ms")
    write_ms(product(weights(1), 5), tmp_path / "b.ms")
    write_ms(product(weights(2)), tmp_path / "c.ms")
    models = [Model(), Model(), Model()]
    group = ModelGroup(flags)
    group.add_model(models)
    for model, name in zip(models, "abc", strict=True):
        model.build_from_file(tmp_path / f"{name}.ms", ModelType.MINDIR_LITE)
    a, b, c = map(only_constant, models)
    assert np.shares_memory(a, b) == (flags is not ModelGroupFlag.SHARE_WORKSPACE)
    assert not np.shares_memory(a, c)
    x = np.ones((2, SIZE), np.float32)
    np.testing.assert_allclose(models[0].predict([x])[0].data, x @ weights(1), rtol=1e-5)
    np.testing.assert_allclose(models[2].predict([x])[0].data, x @ weights(2), rtol=1e-5)


def test_a_group_takes_models_that_are_not_built_or_paths(tmp_path: Path) -> None:
    write_ms(product(weights(1)), tmp_path / "a.ms")
    group = ModelGroup(ModelGroupFlag.SHARE_WEIGHT)
    group.add_model([str(tmp_path / "a.ms")])
    group.cal_max_size_of_workspace(ModelType.MINDIR_LITE, Context())
    built = Model()
    built.build_from_file(tmp_path / "a.ms")
    with pytest.raises(LiteDelegateError, match="built already"):
        group.add_model([built])
    with pytest.raises(InputError, match="must not be empty"):
        group.add_model([])
    with pytest.raises(TypeError, match="models element must be str, but got Model"):
        group.add_model(["a.ms", Model()])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="flags must be ModelGroupFlag, but got int"):
        ModelGroup(1)  # type: ignore[arg-type]
    group.add_model([str(tmp_path / "absent.ms")])
    with pytest.raises(RuntimeError, match=r"absent\.ms"):
        group.cal_max_size_of_workspace(ModelType.MINDIR_LITE, Context())


def test_info_of_a_model_by_key(tmp_path: Path) -> None:
    write_ms(product(weights(1)), tmp_path / "a.ms")
    model = Model()
    model.build_from_file(tmp_path / "a.ms")
    keys = ("input_name", "input_shape", "output_name", "output_shape", "no_such_key")
    assert [model.get_model_info(key) for key in keys] == ["x", "2,32", "y", "2,32", ""]
    with pytest.raises(TypeError, match="key must be str, but got int"):
        model.get_model_info(3)  # type: ignore[arg-type]
