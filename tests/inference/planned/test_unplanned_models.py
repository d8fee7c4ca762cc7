"""Models that cannot be planned before the shapes of their inputs are known: they build, and wait for shapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx")

import onnx

from lite_delegate import (
    Context,
    Core,
    DataType,
    InputError,
    KernelError,
    LiteDelegateError,
    Model,
    ModelParallelRunner,
    ModelType,
    ShapeError,
    UnsupportedOperatorError,
    make_stateful,
)
from lite_delegate.cache import CacheOptions, CacheStatus
from lite_delegate.ir import Node, Value, custom_primitive
from lite_delegate.npu import NPUDelegate
from tests.inference.shapes.test_open_shapes import reshaped_to_2x4
from tests.waiting_files import bordered, choice, convolved, enlarged, expected, image, pyramid

SIZES = ((1, 2, 4, 6), (3, 2, 8, 2))


def built(model: onnx.ModelProto, context: Context | None = None) -> Model:
    made = Model()
    made.build_from_buffer(model.SerializeToString(), ModelType.MINDIR_LITE, context)
    return made


def on_npu() -> Context:
    context = Context()
    context.set_delegate(NPUDelegate())
    return context


def saved(model: onnx.ModelProto, folder: Path) -> Path:
    path = folder / "model.onnx"
    onnx.save(model, path)
    return path


@pytest.mark.parametrize("place", ["cpu", "npu"])
def test_a_model_waits_and_is_planned_for_the_shapes_of_each_prediction(place: str) -> None:
    model = built(pyramid(), on_npu() if place == "npu" else None)
    assert [model.get_inputs()[0].shape, model.get_outputs()[0].shape] == [[-1, 2, -1, -1], [-1, -1, -1, -1]]
    assert isinstance(model.compiled.shape_error, ShapeError)
    (note,) = model.get_partition().notes
    assert note.startswith("Open dimensions: 'x' [N, 2, H, W] is taken as [1, 2, 1, 1]")
    assert "not planned before shapes are known because of: 1 node cannot run with these shapes: 'join'" in note
    assert {node.code for node in model.get_partition().nodes} == {"SHAPE"}
    for size in SIZES:
        x = image(*size)
        np.testing.assert_array_equal(model.predict([x])[0].data, expected(pyramid(), x))
        assert all(bool(node.subgraph) == (place == "npu") for node in model.get_partition().nodes)
    assert model.get_inputs()[0].shape == [-1, 2, -1, -1]


def test_shapes_that_do_not_fit_are_an_error_that_says_how_to_give_others() -> None:
    model = built(pyramid())
    with pytest.raises(ShapeError, match=r"'join'.*This is for 'x' \[1, 2, 3, 4\]: give 'x' \[N, 2, H, W\] shapes"):
        model.predict([image(1, 2, 3, 4)])
    assert model.predict([image(1, 2, 4, 4)])[0].shape == [1, 4, 4, 4]


def test_resize_plans_it() -> None:
    model = built(pyramid())
    model.resize(model.get_inputs(), [[1, 2, 4, 6]])
    assert [model.get_inputs()[0].shape, model.get_outputs()[0].shape] == [[1, 2, 4, 6], [1, 4, 4, 6]]
    x = image(1, 2, 4, 6)
    np.testing.assert_array_equal(model.predict([x])[0].data, expected(pyramid(), x))


@pytest.mark.parametrize("what", ["run", "be exported", "be calibrated"])
def test_a_call_that_needs_a_plan_says_how_to_get_a_plan(what: str) -> None:
    model = built(pyramid())
    calls: Mapping[str, Callable[[], object]] = {
        "run": model.create_request,
        "be exported": model.export,
        "be calibrated": model.calibrate,
    }
    with pytest.raises(ShapeError) as raised:
        calls[what]()
    assert str(raised.value).startswith(f"The model cannot {what} before the shapes of its inputs are known: give 'x'")
    for way in ("--input-shape x=D,D,...", "Context.input_shapes", "resize", "predict"):
        assert way in str(raised.value)


@pytest.mark.parametrize("shapes", [{"x": (1, 2, 4, 6)}, {0: [1, 2, 4, 6]}])
def test_a_context_says_shapes_by_name_or_position(shapes: Mapping[str | int, Sequence[int]]) -> None:
    context = Context()
    context.input_shapes = shapes
    model = built(pyramid(), context)
    assert [model.get_inputs()[0].shape, model.get_outputs()[0].shape] == [[1, 2, 4, 6], [1, 4, 4, 6]]
    x = image(1, 2, 4, 6)
    np.testing.assert_array_equal(model.predict([x])[0].data, expected(pyramid(), x))
    with pytest.raises(InputError, match="expected shape"):
        model.predict([image(1, 2, 4, 4)])


def test_a_context_says_ranges_and_a_file_of_sections_as_well() -> None:
    context = Context()
    context.input_shapes = {"x": (1, 2, (2, 8), 4)}
    ranged = built(pyramid(), context)
    for rows in (2, 8):
        x = image(1, 2, rows, 4)
        np.testing.assert_array_equal(ranged.predict([x])[0].data, expected(pyramid(), x))
    with pytest.raises(InputError, match=r"2\.\.8"):
        ranged.predict([image(1, 2, 10, 4)])


def test_a_section_says_shapes(tmp_path: Path) -> None:
    model = Model()
    sections = {"lite_delegate": {"input_shapes": "x:1,2,4,6"}}
    model.build_from_file(saved(pyramid(), tmp_path), config_dict=sections)
    assert model.get_inputs()[0].shape == [1, 2, 4, 6]
    with pytest.raises(InputError, match="NAME:D,D"):
        Model().build_from_file(saved(pyramid(), tmp_path), config_dict={"lite_delegate": {"input_shapes": "1,2"}})


@pytest.mark.parametrize(
    ("shapes", "says"),
    [
        ({"q": (1,)}, "names 'q', the model's inputs are 'x'"),
        ({1: (1,)}, "position 1, the model has 1 input"),
        ({0: (1, 2, 4, 4), "x": (1, 2, 4, 4)}, "twice"),
        ({"x": (1, 3, 4, 4)}, r"must fit \[-1, 2, -1, -1\]"),
        ({"x": (1, 2, 3, 4)}, "'join'"),
    ],
)
def test_wrong_shapes_of_a_context_are_errors(shapes: Mapping[str | int, Sequence[int]], says: str) -> None:
    context = Context()
    context.input_shapes = shapes
    with pytest.raises(LiteDelegateError, match=says):
        built(pyramid(), context)


@pytest.mark.parametrize("shapes", [{True: (1,)}, {"x": ((3, 2),)}, {"x": ("a",)}])
def test_wrong_shapes_are_an_error_at_once(shapes: Mapping[str | int, Sequence[int]]) -> None:
    context = Context()
    with pytest.raises(InputError):
        context.input_shapes = shapes
    with pytest.raises(TypeError):
        context.input_shapes = [1, 2]  # type: ignore[assignment]
    assert context.input_shapes == {}


def test_a_model_that_no_device_can_run_is_an_error_when_it_is_built() -> None:
    with pytest.raises(UnsupportedOperatorError, match=r"of\.nobody\.Strange") as raised:
        built(pyramid(extra="Strange"))
    assert not isinstance(raised.value, ShapeError)


def test_an_operator_that_no_device_can_run_is_an_error_before_a_failing_shape() -> None:
    graph = reshaped_to_2x4()
    made = Value("z", DataType.FLOAT32, None)
    strange = Node("strange", custom_primitive("of.nobody.Strange", {}), list(graph.outputs), [made])
    with pytest.raises(UnsupportedOperatorError, match=r"of\.nobody\.Strange"):
        Model().build_from_graph(replace(graph, outputs=[made], nodes=[*graph.nodes, strange]))


@pytest.mark.parametrize("device", ["CPU", "AUTO", "HETERO:NPU,CPU", "MULTI:CPU", "BATCH:CPU(2)"])
@pytest.mark.filterwarnings("ignore::lite_delegate.DelegateWarning")
def test_a_device_takes_it_for_the_shapes_of_each_run(device: str) -> None:
    compiled = Core().compile_model(pyramid().SerializeToString(), device)
    assert compiled.input().shape_text == "[0.., 2, 0.., 0..]"
    request = compiled.create_infer_request()
    for size in SIZES:
        x = image(*size)
        np.testing.assert_array_equal(request.infer([x])[0], expected(pyramid(), x))
        np.testing.assert_array_equal(compiled([x])[0], expected(pyramid(), x))
    compiled.close()


def test_a_device_that_needs_bounds_gets_them_by_position() -> None:
    compiled = Core().compile_model(pyramid().SerializeToString(), "NPU", shapes={0: [1, 2, (2, 8), 4]})
    for rows in (2, 8):
        x = image(1, 2, rows, 4)
        np.testing.assert_array_equal(compiled([x])[0], expected(pyramid(), x))


def test_a_query_is_for_shapes_that_the_model_takes() -> None:
    where = Core().query_model(pyramid().SerializeToString(), "NPU").where
    assert where == dict.fromkeys(("pool", "enlarge", "join"), "NPU")


@pytest.mark.parametrize("model", [enlarged(), bordered()], ids=["Resize", "Pad"])
def test_a_model_that_takes_1_is_planned_for_it_and_for_others(model: onnx.ModelProto) -> None:
    one = built(model)
    assert one.compiled.shape_error is None
    for batch in (2, 1) if model.graph.node[0].op_type == "Pad" else (2,):
        x = image(batch, 3, 4, 4)
        np.testing.assert_allclose(one.predict([x])[0].data, expected(model, x), rtol=1e-6)


def test_plans_share_their_weights() -> None:
    model = built(convolved())
    held: list[Value | None] = []
    for size in (4, 8):
        x = image(1, 8, size, size)
        np.testing.assert_array_equal(model.predict([x])[0].data, expected(convolved(), x))
        nodes = model.compiled.parts().scheduled.graph.nodes
        held.append(next(node for node in nodes if node.op_type == "Conv2DFusion").inputs[1])
    first, second = (each.data for each in held if each is not None)
    assert first is not None
    assert second is not None
    assert held[0] is not held[1]
    assert np.shares_memory(first, second)


def test_an_export_is_for_the_shapes_that_were_said(tmp_path: Path) -> None:
    open_ = Core().compile_model(bordered().SerializeToString(), "CPU")
    with pytest.raises(ShapeError, match=r"say which before it is exported: give 'x' \[N, 3, 4, 4\]"):
        open_.export_model()
    x = image(2, 3, 4, 4)
    closed = Core().compile_model(bordered().SerializeToString(), "CPU", shapes={"x": [2, 3, 4, 4]})
    again = Core().import_model(closed.export_model())
    np.testing.assert_array_equal(again([x])[0], expected(bordered(), x))
    with pytest.raises(InputError, match=r"expected shape \[2, 3, 4, 4\]"):
        again([image(1, 3, 4, 4)])
    path = tmp_path / "model.ldm"
    path.write_bytes(closed.export_model())
    context = Context()
    context.input_shapes = {"x": (2, 3, 4, 4)}
    with pytest.raises(InputError, match="was compiled before"):
        Model().build_from_file(path, context=context)


def test_the_cache_has_what_is_planned_and_it_still_takes_other_shapes(tmp_path: Path) -> None:
    context = on_npu()
    context.cache = CacheOptions(tmp_path / "cache")
    path = saved(bordered(), tmp_path)
    for status in (CacheStatus.MISS, CacheStatus.HIT):
        model = Model()
        model.build_from_file(path, context=context)
        assert model.cache_outcome.status is status
        for batch in (1, 2):
            x = image(batch, 3, 4, 4)
            np.testing.assert_array_equal(model.predict([x])[0].data, expected(bordered(), x))
    waiting = Model()
    waiting.build_from_file(saved(pyramid(), tmp_path), context=context)
    assert waiting.cache_outcome.status is CacheStatus.BYPASSED
    assert "waits for the shapes" in waiting.cache_outcome.reason


def test_a_runner_of_many_threads_takes_it(tmp_path: Path) -> None:
    runner = ModelParallelRunner()
    runner.build_from_file(saved(pyramid(), tmp_path))
    for size in SIZES:
        x = image(*size)
        np.testing.assert_array_equal(runner.predict([x])[0].data, expected(pyramid(), x))


def test_states_are_made_of_inputs_of_a_model_that_waits() -> None:
    model = pyramid()
    model.graph.input.append(onnx.helper.make_tensor_value_info("sum", onnx.TensorProto.FLOAT, ["N", 2, "H", "W"]))
    model.graph.node.append(onnx.helper.make_node("Add", ["x", "sum"], ["next"], "add"))
    model.graph.output.append(onnx.helper.make_tensor_value_info("next", onnx.TensorProto.FLOAT, ["N", 2, "H", "W"]))
    graph = make_stateful(model.SerializeToString(), {"sum": "next"}, {"sum": np.zeros((1, 2, 4, 4), np.float32)})
    request = Core().compile_model(graph, "CPU").create_infer_request()
    x = image(1, 2, 4, 4)
    for times in (1, 2, 3):
        np.testing.assert_array_equal(request.infer([x])[0], expected(pyramid(), x))
        np.testing.assert_array_equal(request.query_state()[0].value, x * times)


def test_a_branch_that_does_not_fit_fails_when_it_is_reached() -> None:
    model = built(choice())
    x, first, second = image(6), np.array(True), np.array(False)
    np.testing.assert_array_equal(model.predict([x, first])[0].data, expected(choice(), x, first))
    with pytest.raises(KernelError, match=r"far_border.*cannot run with these shapes"):
        model.predict([x, second])
    long = image(12)
    np.testing.assert_array_equal(model.predict([long, second])[0].data, expected(choice(), long, second))
