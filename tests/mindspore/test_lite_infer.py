"""LiteInfer: models of models and of files, for the shapes of examples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import (
    Context,
    DelegateWarning,
    FallbackError,
    InputError,
    LiteDelegateError,
    LiteInfer,
    Model,
    ModelClosed,
    ModelParallelRunner,
    ShapeError,
    Tensor,
)
from lite_delegate.formats.ms import write_ms
from lite_delegate.ir import DataType, Graph, Value
from lite_delegate.testing.delegates import NamedDelegate
from tests.mindspore.test_converter import WEIGHT, small_onnx
from tests.runtime.graphs import binary, chain

X = np.arange(8, dtype=np.float32).reshape(2, 4)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of x @ WEIGHT, of an open batch."""
    small_onnx(tmp_path / "small.onnx", "N")
    return tmp_path / "small.onnx"


def test_a_file_and_an_example_of_its_input(path: Path) -> None:
    with LiteInfer(path, X) as infer:
        (x,) = infer.get_inputs()
        assert (x.shape, infer.get_outputs()[0].shape) == ([2, 4], [2, 3])
        x.set_data_from_numpy(X)
        np.testing.assert_allclose(infer.predict([x])[0].data, X @ WEIGHT, rtol=1e-6)
        infer.resize(infer.get_inputs(), [[5, 4]])
        assert infer.predict([np.ones((5, 4), np.float32)])[0].shape == [5, 3]
    with pytest.raises(ModelClosed):
        infer.predict([X])


def test_without_examples_dimensions_stay_open(path: Path) -> None:
    infer = LiteInfer(str(path))
    assert infer.get_inputs()[0].shape == [-1, 4]
    assert infer.predict({"x": X})[0].shape == [2, 3]


def test_a_model_stays_as_it_is_and_gives_its_context() -> None:
    context, delegate = Context(), NamedDelegate(["n0"])
    context.set_delegate(delegate)
    model = Model()
    model.build_from_graph(chain(2), context)
    infer = LiteInfer(model, Tensor(shape=[4, 3], dtype=DataType.FLOAT32))
    assert (model.get_inputs()[0].shape, infer.get_inputs()[0].shape) == ([2, 3], [4, 3])
    assert set(infer.model.query().values()) == set(model.query().values())
    assert infer.model.context is context
    assert set(LiteInfer(model, context=Context()).model.query().values()) == {"CPU"}
    infer.close()
    np.testing.assert_array_equal(model.predict([np.ones((2, 3), np.float32)])[0].data, np.full((2, 3), 4))


@pytest.mark.parametrize("given", [((2, 3), (2, 3)), ([(2, 3), (2, 3)],)])
def test_examples_may_stand_in_lists(given: Any) -> None:
    def example(shape: Any) -> Any:
        return [example(s) for s in shape] if isinstance(shape, list) else np.zeros(shape, np.float32)

    a, b = (Value(name, DataType.FLOAT32, (2, 3)) for name in "ab")
    node = binary("sum", a, b)
    model = Model()
    model.build_from_graph(Graph("main", [a, b], list(node.outputs), [node]))
    infer = LiteInfer(model, *map(example, given))
    assert [each.shape for each in infer.get_inputs()] == [[2, 3], [2, 3]]


def test_models_of_one_group_share_constants(tmp_path: Path) -> None:
    from lite_delegate.ir import Node, constant, make_primitive

    x, y = Value("x", DataType.FLOAT32, (1, 32)), Value("y", DataType.FLOAT32, (1, 32))
    weight = constant("w", np.ones((32, 32), np.float32))
    write_ms(Graph("main", [x], [y], [Node("m", make_primitive("MatMulFusion"), [x, weight], [y])]), tmp_path / "m.ms")

    def array(group: int | None) -> tuple[LiteInfer, Any]:
        infer = LiteInfer(tmp_path / "m.ms", model_group_id=group)
        (node,) = infer.model.compiled.graph.nodes
        (array,) = [value.data for value in node.inputs if value is not None and value.data is not None]
        return infer, array

    made = [array(7), array(7), array(8), array(None)]
    assert made[0][1] is made[1][1]
    assert len({id(each) for _, each in made}) == 3


def test_config_is_of_this_model_alone(path: Path) -> None:
    with pytest.raises(FallbackError):
        LiteInfer(path, config={"lite_delegate": {"strict": "yes"}}, context=_with_delegate())
    model = Model()
    model.build_from_file(path)
    assert LiteInfer(model, config={"lite_delegate": {"optimize": "none"}}).model.context.optimize == "none"
    assert model.context.optimize == "general"


def _with_delegate() -> Context:
    context = Context()
    context.set_delegate(NamedDelegate(["none"]))
    return context


class Dense:
    """A network of another package."""


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((Dense(),), {}, r"model_or_net must be Model or path of a model file, but got Dense\. .*mindspore\.export"),
        (("", Dense()), {}, r"net_inputs element must be Tensor, numpy\.ndarray, number, .*, but got Dense\."),
        (("",), {"context": "cpu"}, r"context must be Context, but got str\."),
        (("",), {"model_group_id": "a"}, r"model_group_id must be int, but got str\."),
        (("",), {"config": [1]}, r"config must be dict, but got list\."),
        (("",), {"config": {"a": 1}}, r"config value must be dict, but got int\."),
    ],
)
def test_arguments_of_the_wrong_type(arguments: Any, options: Any, message: str) -> None:
    with pytest.raises(TypeError, match=f"^{message}"):
        LiteInfer(*arguments, **options)


@pytest.mark.parametrize(
    ("examples", "error", "message"),
    [
        ([X, X], InputError, r"must be one example for each input \('x'\), got 2"),
        ([X.astype(np.float64)], InputError, "net_inputs 0 must be FLOAT32 as input 'x', got FLOAT64"),
        ([np.zeros((2, 5), np.float32)], ShapeError, "got 5 and 4"),
        ([1.0], InputError, "'x': expected 2 dimensions"),
    ],
)
def test_examples_that_do_not_fit(path: Path, examples: Any, error: type[LiteDelegateError], message: str) -> None:
    with pytest.raises(error, match=message):
        LiteInfer(path, *examples)


def test_a_model_that_was_not_built() -> None:
    with pytest.raises(LiteDelegateError, match="has not been built"):
        LiteInfer(Model())


def test_what_a_delegate_did_not_take_is_said_in_the_line_of_the_user(path: Path) -> None:
    with pytest.warns(DelegateWarning) as said:
        LiteInfer(path, context=_with_delegate())
    with pytest.warns(DelegateWarning) as also_said:
        ModelParallelRunner().build_from_file(path, context=_with_delegate())
    assert {w.filename for w in (*said, *also_said)} == {__file__}
