"""Models with open dimensions: built for the rule's shapes, planned for the real ones at the first prediction."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
import pytest

from lite_delegate import Context, DataType, FallbackError, InputError, Kernel, Model, ShapeError, Tensor
from lite_delegate.compare import compare
from lite_delegate.delegate import RejectCode, Rejected, Supported, SupportResult
from lite_delegate.inference import compile_graph
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive
from lite_delegate.npu import NPUDelegate
from lite_delegate.runtime.settings import Settings
from lite_delegate.testing.delegates import NamedDelegate
from tests.runtime.graphs import chain, unary


class KnownOnly(NamedDelegate):
    """Claims what has known shapes, as devices do."""

    name = "known"
    most = 99

    def supports(self, kernel: Kernel) -> SupportResult:
        if not all(t.has_known_shape for t in (*kernel.inputs, *kernel.outputs)):
            return Rejected(RejectCode.SHAPE, "must have known shapes")
        if kernel.outputs[0].shape[0] > self.most:
            return Rejected(RejectCode.SHAPE, "too large")
        return Supported()


def built(graph: Graph, delegate: NamedDelegate | None = None, *, strict: bool = False) -> Model:
    context = Context()
    context.set_delegate(KnownOnly(None) if delegate is None else delegate)
    context.strict = strict
    model = Model()
    model.build_from_graph(graph, context)
    return model


def delegated(model: Model) -> tuple[int, int]:
    nodes = model.get_partition().nodes
    return sum(node.subgraph is not None for node in nodes), len(nodes)


def ones(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def test_it_is_planned_for_1_and_the_record_says_so() -> None:
    model = built(chain(2, (-1, 3)), strict=True)
    assert delegated(model) == (2, 2)
    assert model.get_partition().notes[0].startswith("Open dimensions: 'x' [-1, 3] is taken as [1, 3]")
    assert [model.get_inputs()[0].shape, model.get_outputs()[0].shape] == [[-1, 3], [-1, 3]]
    assert model.compiled.inputs[0].shape == [1, 3]


def test_a_prediction_plans_for_its_shapes_and_keeps_the_plan() -> None:
    delegate = KnownOnly(None)
    model = built(chain(2, (-1, 3)), delegate)
    for rows in (4, 1, 4, 2):
        np.testing.assert_array_equal(model.predict([ones(rows, 3)])[0].data, np.full((rows, 3), 4.0))
        assert delegated(model) == (2, 2)
        assert model.compiled.inputs[0].shape == [rows, 3]
    assert len(delegate.made) == 3
    assert delegate.inits == 1
    assert not model.get_partition().notes
    assert model.get_outputs()[0].shape == [-1, 3]


def test_other_shapes_may_be_claimed_otherwise() -> None:
    delegate = KnownOnly(None)
    delegate.most = 2
    model = built(chain(2, (-1, 3)), delegate)
    model.predict([ones(3, 3)])
    assert delegated(model) == (0, 2)
    model.predict([ones(2, 3)])
    assert delegated(model) == (2, 2)
    strict = built(chain(2, (-1, 3)), delegate, strict=True)
    with pytest.raises(FallbackError):
        strict.predict([ones(3, 3)])
    np.testing.assert_array_equal(strict.predict([ones(1, 3)])[0].data, np.full((1, 3), 4.0))


def test_a_shape_that_does_not_fit_is_rejected_with_the_shape_of_the_file() -> None:
    model = built(chain(1, (-1, 3)))
    for wrong in (ones(4, 4), ones(3)):
        with pytest.raises(InputError, match=r"expected shape \[0.., 3\], got"):
            model.predict([wrong])
    given = model.get_inputs()
    given[0].data = ones(5, 3)
    out = Tensor(shape=[5, 3], dtype=DataType.FLOAT32)
    model.predict(given, [out])
    np.testing.assert_array_equal(out.data, np.full((5, 3), 2.0))


def test_a_resized_model_has_its_shapes() -> None:
    model = built(chain(1, (-1, 3)))
    model.resize(model.get_inputs(), [[2, 3]])
    assert [model.get_inputs()[0].shape, model.get_outputs()[0].shape] == [[2, 3], [2, 3]]
    with pytest.raises(InputError, match=r"expected shape \[2, 3\], got \[4, 3\]"):
        model.predict([ones(4, 3)])


def reshaped_to_2x4() -> Graph:
    x, y = Value("x", DataType.FLOAT32, (-1, 4)), Value("y", DataType.FLOAT32, None)
    return Graph(
        "g", [x], [y], [Node("n", make_primitive("Reshape"), [x, constant("to", np.array([8], np.int32))], [y])]
    )


def test_a_model_that_cannot_be_1_is_planned_when_shapes_are_known() -> None:
    model = built(reshaped_to_2x4())
    assert delegated(model) == (0, 1)
    assert isinstance(model.compiled.shape_error, ShapeError)
    assert "not planned before shapes are known because of: Node 'n'" in model.get_partition().notes[0]
    assert model.predict([ones(2, 4)])[0].shape == [8]
    assert delegated(model) == (1, 1)
    with pytest.raises(ShapeError, match="Node 'n'"):
        model.predict([ones(3, 4)])
    assert model.predict([ones(2, 4)])[0].shape == [8]


def test_an_input_of_unknown_rank_is_planned_for_what_it_is() -> None:
    x = Value("x", DataType.FLOAT32, None)
    node = unary("n", x)
    model = built(Graph("g", [x], [node.outputs[0]], [node]))
    assert delegated(model) == (0, 1)
    for shape in ((2, 3), (4,)):
        assert model.predict([ones(*shape)])[0].shape == list(shape)
        assert delegated(model) == (1, 1)


def test_threads_with_other_shapes_get_their_own_results() -> None:
    model = built(chain(3, (-1, 3)))
    wrong: list[object] = []

    def predict(rows: int) -> None:
        for _ in range(20):
            found = model.predict([ones(rows, 3)])[0].data
            if not np.array_equal(found, np.full((rows, 3), 7.0)):
                wrong.append(found)

    threads = [threading.Thread(target=predict, args=(rows,)) for rows in (1, 2, 3, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_comparison_is_for_the_shapes_of_its_inputs() -> None:
    context = Context()
    context.set_delegate(KnownOnly(None))
    context.on_delegate_error = "fallback"
    model = Model()
    model.build_from_graph(chain(1, (-1, 3)), context)
    assert compare(model, {"x": ones(4, 3)}).passed


def test_a_compiled_model_is_for_one_set_of_shapes() -> None:
    compiled = compile_graph(chain(1, (-1, 3)), Settings())
    assert compiled.inputs[0].shape == [1, 3]
    assert compiled.declared_outputs()[0].shape == [-1, 3]
    with pytest.raises(InputError, match=r"expected shape \[1, 3\], got \[4, 3\]"):
        compiled.create_infer_request().infer([ones(4, 3)])
    found = compiled.reshaped([(4, 3)]).create_infer_request().infer([ones(4, 3)])
    np.testing.assert_array_equal(found[0], np.full((4, 3), 2.0))


def test_settings_that_changed_make_another_plan_of_a_shape() -> None:
    context = Context()
    context.set_delegate(KnownOnly(None))
    model = Model()
    model.build_from_graph(chain(2), context)
    shapes: Sequence[list[int]] = ([4, 3], [2, 3])
    for shape in shapes:
        model.resize(model.get_inputs(), [shape])
        assert delegated(model) == (2, 2)
    context.partition = type(context.partition)(deny_names={"n0"})
    model.resize(model.get_inputs(), [[4, 3]])
    assert delegated(model) == (1, 2)


def test_options_of_a_delegate_that_changed_make_another_plan_of_a_shape() -> None:
    delegate = NPUDelegate()
    context = Context()
    context.set_delegate(delegate)
    model = Model()
    model.build_from_graph(chain(2, (8, 16)), context)
    first = model.compiled
    model.resize(model.get_inputs(), [[4, 16]])
    delegate.set_property({"INFERENCE_PRECISION_HINT": "f32"})
    model.resize(model.get_inputs(), [[8, 16]])
    assert model.compiled is not first
    third = np.full((8, 16), np.float32(1 / 3))
    np.testing.assert_array_equal(model.predict([third])[0].data, third + np.float32(1) + np.float32(2))
