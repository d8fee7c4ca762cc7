"""Model: building, inputs and outputs, predictions, resizing, threads."""

from __future__ import annotations

import itertools
import threading
import time
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import (
    Boundary,
    Context,
    DataType,
    DelegateModel,
    DelegateWarning,
    Format,
    GraphError,
    InputError,
    Kernel,
    KernelError,
    LiteDelegateError,
    Model,
    ModelFormatError,
    ModelType,
    ShapeError,
    Tensor,
)
from lite_delegate.formats.ms import ms_bytes, write_ms
from lite_delegate.inference.shapes.plan_cache import MOST_PLANS
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive
from lite_delegate.testing.delegates import GroupKernel, NamedDelegate
from tests.math_threads import numpy_threads
from tests.runtime.graphs import binary, chain, unary, value


def built(graph: Graph, context: Context | None = None) -> Model:
    model = Model()
    model.build_from_graph(graph, context)
    return model


def two_inputs() -> Graph:
    a, b = value("a"), Value("b", DataType.FLOAT32, (2, 3))
    node = binary("sum", a, b)
    return Graph("main", [a, b], list(node.outputs), [node])


def test_prediction_through_tensors_of_the_model() -> None:
    model = built(two_inputs())
    for tensor, number in zip(model.get_inputs(), (1, 2), strict=True):
        tensor.set_data_from_numpy(np.full((2, 3), number, np.float32))
    (result,) = model.predict(model.get_inputs())
    assert (result.name, result.dtype, result.shape) == ("sum:0", DataType.FLOAT32, [2, 3])
    np.testing.assert_array_equal(result.get_data_to_numpy(), np.full((2, 3), 3))


def test_outputs_given_by_the_caller_are_filled_and_returned() -> None:
    model = built(chain(1))
    mine = Tensor(shape=[2, 3], dtype=DataType.FLOAT32)
    (returned,) = model.predict({"x": np.ones((2, 3), np.float32)}, [mine])
    assert returned is mine
    np.testing.assert_array_equal(mine.get_data_to_numpy(), np.full((2, 3), 2))


def test_outputs_that_share_memory_are_rejected() -> None:
    x = value("x")
    a, b = unary("a", x), unary("b", x)
    model = built(Graph("main", [x], [a.outputs[0], b.outputs[0]], [a, b]))
    memory = np.zeros(9, np.float32)
    first, second = (
        Tensor.describe("", DataType.FLOAT32, (2, 3), data=memory[i : i + 6].reshape(2, 3)) for i in (0, 3)
    )
    for outputs in ([first, first], [first, second]):
        with pytest.raises(InputError, match="Output 1 'b:0': the tensor shares memory with the tensor of an earlier"):
            model.predict({"x": np.ones((2, 3), np.float32)}, outputs)


def test_outputs_of_one_prediction_survive_the_next() -> None:
    model = built(chain(1))
    (first,) = model.predict({"x": np.zeros((2, 3), np.float32)})
    model.predict({"x": np.ones((2, 3), np.float32)})
    np.testing.assert_array_equal(first.get_data_to_numpy(), np.ones((2, 3)))


def test_output_that_is_a_view_of_an_input_is_a_copy() -> None:
    x = value("x", (2, 3))
    reshape = Node(
        "flat", make_primitive("Reshape"), [x, constant("shape", np.array([6], np.int32))], [value("y", (6,))]
    )
    model = built(Graph("main", [x], list(reshape.outputs), [reshape]))
    given = np.zeros((2, 3), np.float32)
    (result,) = model.predict({"x": given})
    result.get_data_to_numpy()[:] = 5
    assert given.sum() == 0


def test_constant_output_is_a_copy() -> None:
    fixed = constant("fixed", np.ones((2,), np.float32))
    model = built(Graph("main", [value("x")], [fixed, unary("n", value("x")).outputs[0]][:1], []))
    (result,) = model.predict({"x": np.zeros((2, 3), np.float32)})
    result.get_data_to_numpy()[:] = 5
    np.testing.assert_array_equal(fixed.data, [1, 1])


def test_outputs_are_described_before_anything_runs() -> None:
    (meta,) = built(chain(1)).get_outputs()
    assert (meta.name, meta.dtype, meta.shape, meta.element_num, meta.data_size) == (
        "n0:0",
        DataType.FLOAT32,
        [2, 3],
        6,
        24,
    )
    assert meta.format == Format.NHWC


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([], r"The model has 2 inputs \('a', 'b'\), got 0"),
        ([Tensor(np.zeros((2, 3), np.float32))], "2 inputs"),
        ([Tensor(np.zeros((2, 3), np.float64))] * 2, "Input 0 'a': expected a Tensor of FLOAT32, got FLOAT64"),
        ([Tensor(np.zeros((3, 2), np.float32))] * 2, r"Input 0 'a': expected shape \[2, 3\], got \[3, 2\]"),
        ([Tensor(np.zeros((2, 3, 1), np.float32))] * 2, "expected shape"),
        ({"a": np.zeros((2, 3), np.float32)}, "Nothing was given for the inputs 1 'b'"),
        ({"a": 0, "b": 0, "c": 0}, "There is no input 'c'"),
        (np.zeros((2, 3), np.float32), "2 inputs"),
        ([1, 2], r"Input 0 'a': expected shape \[2, 3\], got \[\]"),
        ({"a": np.zeros((2, 3), np.int32), "b": np.zeros((2, 3), np.float32)}, "'a': expected FLOAT32, got int32"),
    ],
)
def test_inputs_that_do_not_fit_are_rejected_before_anything_runs(inputs: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        built(two_inputs()).predict(inputs)


def test_inputs_in_the_wrong_order_are_rejected_by_name() -> None:
    model = built(two_inputs())
    with pytest.raises(InputError, match="Input 0 'a': got the tensor 'b'"):
        model.predict(list(reversed(model.get_inputs())))


@pytest.mark.parametrize("inputs", ["x", ["x", "y"], [object(), object()]])
def test_inputs_of_the_wrong_type_are_a_type_error(inputs: Any) -> None:
    with pytest.raises(TypeError, match="but got"):
        built(two_inputs()).predict(inputs)


@pytest.mark.parametrize(("outputs", "error"), [([], InputError), ("y", TypeError), ([1], TypeError)])
def test_outputs_that_do_not_fit_are_rejected(outputs: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        built(chain(1)).predict({"x": np.ones((2, 3), np.float32)}, outputs)


def test_a_kernel_that_fails_is_named() -> None:
    x, index = value("x", (4,)), Value("i", DataType.INT32, (1,))
    gather = Node(
        "pick", make_primitive("Gather"), [x, index, constant("axis", np.array(0, np.int32))], [value("y", (1,))]
    )
    model = built(Graph("main", [x, index], list(gather.outputs), [gather]))
    with pytest.raises(KernelError, match=r"Node 'pick' \(Gather\): "):
        model.predict({"x": np.zeros(4, np.float32), "i": np.array([9], np.int32)})


def test_shapes_that_cannot_be_are_named_at_build() -> None:
    node = binary("sum", value("a", (2, 3)), value("b", (4, 5)))
    graph = Graph("main", [v for v in node.inputs if v], list(node.outputs), [node])
    with pytest.raises(ShapeError, match=r"Node 'sum' \(AddFusion\): .*\(2, 3\), \(4, 5\)"):
        built(graph)


def test_a_model_is_built_once() -> None:
    model = built(chain(1))
    with pytest.raises(LiteDelegateError, match="built already"):
        model.build_from_graph(chain(1))


def test_a_model_that_was_not_built_says_so() -> None:
    with pytest.raises(LiteDelegateError, match="call build_from_file first"):
        Model().get_inputs()


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"model_path": 3, "model_type": ModelType.MINDIR_LITE}, TypeError),
        ({"model_path": "x.ms", "model_type": 4}, TypeError),
        ({"model_path": "x.ms", "model_type": ModelType.MINDIR_LITE, "context": "cpu"}, TypeError),
        ({"model_path": "x.ms", "model_type": ModelType.MINDIR_LITE, "config_path": "nowhere"}, LiteDelegateError),
        ({"model_path": "x.ms", "model_type": ModelType.MINDIR_LITE, "dec_key": b"k"}, LiteDelegateError),
        ({"model_path": "x.mindir", "model_type": ModelType.MINDIR}, ModelFormatError),
        ({"model_path": "nowhere.ms", "model_type": ModelType.MINDIR_LITE}, ModelFormatError),
    ],
)
def test_build_arguments_are_checked(arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        Model().build_from_file(**arguments)


def test_building_from_bytes() -> None:
    for data in (ms_bytes(chain(2)), bytearray(ms_bytes(chain(2))), memoryview(ms_bytes(chain(2)))):
        model = Model()
        model.build_from_buffer(data, ModelType.MINDIR_LITE)
        np.testing.assert_array_equal(model.predict({"x": np.zeros((2, 3), np.float32)})[0].data, np.full((2, 3), 3))


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("text", ModelType.MINDIR_LITE), TypeError),
        ((b"", 4), TypeError),
        ((b"", ModelType.MINDIR), ModelFormatError),
        ((b"", ModelType.MINDIR_LITE), ModelFormatError),
        ((b"MSL2" * 10, ModelType.MINDIR_LITE), ModelFormatError),
    ],
)
def test_bytes_that_are_no_model_are_rejected(arguments: tuple[Any, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        Model().build_from_buffer(*arguments)


def test_configuration_without_effect_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "chain.ms"
    write_ms(chain(1), path)
    with pytest.warns(DelegateWarning, match="have no effect"):
        Model().build_from_file(path, ModelType.MINDIR_LITE, config_dict={"common": {"enable_pre_inference": "true"}})
    for wrong in ({"config_dict": "common"}, {"config_path": 3}):
        with pytest.raises(TypeError, match="but got"):
            Model().build_from_file(path, ModelType.MINDIR_LITE, **wrong)


def test_text_of_a_model(tmp_path: Path) -> None:
    path = tmp_path / "chain.ms"
    write_ms(chain(1), path)
    model = Model()
    assert str(model) == "model_path: ."
    model.build_from_file(str(path), ModelType.MINDIR_LITE)
    assert str(model) == f"model_path: {path}."


def test_graphs_are_verified_and_contexts_checked() -> None:
    with pytest.raises(GraphError, match="'lost' must come from"):
        Model().build_from_graph(Graph("main", [], [value("lost")], []))
    with pytest.raises(TypeError, match="context must be Context"):
        Model().build_from_graph(chain(1), "cpu")  # type: ignore[arg-type]


def test_failing_to_build_leaves_the_model_unbuilt(tmp_path: Path) -> None:
    model = Model()
    with pytest.raises(ModelFormatError):
        model.build_from_file(tmp_path / "nowhere.ms", ModelType.MINDIR_LITE)
    model.build_from_graph(chain(1))


def test_targets_that_are_not_here_are_warned_of() -> None:
    context = Context()
    context.target = ["ascend", "cpu"]
    with pytest.warns(DelegateWarning, match="ascend is not available"):
        built(chain(1), context)


@pytest.mark.parametrize("delegate", [None, NamedDelegate(["n1"])])
def test_resize_there_and_back(delegate: NamedDelegate | None) -> None:
    context = Context()
    context.set_delegate(delegate)
    model = built(chain(3), context)
    for shape in ([5, 3], [2, 3], [2, 3], [1, 7]):
        model.resize(model.get_inputs(), [shape])
        assert model.get_inputs()[0].shape == shape
        assert model.get_outputs()[0].shape == shape
        (result,) = model.predict({"x": np.zeros(shape, np.float32)})
        np.testing.assert_array_equal(result.get_data_to_numpy(), np.full(shape, 6))
        assert len(model.get_partition().subgraphs) == (delegate is not None)


def test_going_back_to_known_shapes_plans_nothing_anew() -> None:
    context = Context()
    delegate = NamedDelegate(None)
    context.set_delegate(delegate)
    model = built(chain(3), context)
    model.resize(model.get_inputs(), [[5, 3]])
    made = len(delegate.made)
    model.resize(model.get_inputs(), [[2, 3]])
    model.resize(model.get_inputs(), [[5, 3]])
    assert len(delegate.made) == made == 2


def test_failed_resize_leaves_the_model_as_it_was() -> None:
    model = built(two_inputs())
    with pytest.raises(ShapeError):
        model.resize(model.get_inputs(), [[4, 3], [5, 3]])
    assert [t.shape for t in model.get_inputs()] == [[2, 3], [2, 3]]
    ones = np.ones((2, 3), np.float32)
    np.testing.assert_array_equal(model.predict({"a": ones, "b": ones})[0].get_data_to_numpy(), ones * 2)


@pytest.mark.parametrize(
    ("dims", "error"),
    [
        ([[2, 3]], ValueError),
        ([[2, 3], [2, -1]], ValueError),
        ("ab", TypeError),
        ([1, 2], TypeError),
        ([[1.5], [1]], TypeError),
    ],
)
def test_resize_checks_its_arguments(dims: Any, error: type[Exception]) -> None:
    model = built(two_inputs())
    with pytest.raises(error):
        model.resize(model.get_inputs(), dims)


def test_open_dimensions_take_any_size() -> None:
    model = built(chain(1, (-1, 3)))
    assert model.get_outputs()[0].shape == [-1, 3]
    for n in (1, 4):
        assert model.predict({"x": np.zeros((n, 3), np.float32)})[0].shape == [n, 3]
    with pytest.raises(InputError, match=r"expected shape \[0.., 3\], got \[1, 4\]"):
        model.predict({"x": np.zeros((1, 4), np.float32)})


class FollowingKernel(GroupKernel):
    """A graph kernel that can be forked and can follow new shapes."""

    forks = 0

    def execute(self) -> None:
        self.outputs[0].data = self.inputs[0].data + np.float32(1)

    def resize(self) -> None:
        return None

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        type(self).forks += 1
        twin = object.__new__(type(self))
        Kernel.__init__(twin, self.name, self.type, list(inputs), list(outputs))
        twin.kernels, twin.prepared = (), 0
        return twin


class FollowingDelegate(NamedDelegate):
    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        kernel = super().create_graph_kernel(run, model)
        self.made[-1] = FollowingKernel(kernel.name, model.boundary_of(run), ())
        return self.made[-1]


def test_graph_kernels_that_can_follow_are_reused_on_resize() -> None:
    context = Context()
    delegate = FollowingDelegate(None)
    context.set_delegate(delegate)
    model = built(chain(1), context)
    model.resize(model.get_inputs(), [[9, 1]])
    assert len(delegate.made) == 1
    np.testing.assert_array_equal(model.predict({"x": np.zeros((9, 1), np.float32)})[0].data, np.ones((9, 1)))


@pytest.mark.parametrize("delegate", [None, NamedDelegate(None), FollowingDelegate(None)])
def test_parallel_predictions_do_not_disturb_each_other(delegate: NamedDelegate | None) -> None:
    context = Context()
    context.set_delegate(delegate)
    context.cpu.thread_num = 1
    model = built(chain(1, (64, 64)), context)
    wrong: list[int] = []

    def work(number: int) -> None:
        given = np.full((64, 64), number, np.float32)
        for _ in range(50):
            (result,) = model.predict({"x": given})
            if not (result.get_data_to_numpy() == number + 1).all():
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_graph_kernels_are_reused_all_or_none() -> None:
    """n0 can follow, n2 cannot: reusing only n0's kernel would take the name that the delegate gives the new one."""

    class HalfFollowing(NamedDelegate):
        def build(self, model: DelegateModel) -> None:
            self.numbers = itertools.count()
            super().build(model)

        def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
            name, boundary = f"Graph{next(self.numbers)}", model.boundary_of(run)
            if run[0].name == "n0":
                return FollowingKernel(name, boundary, ())
            return GroupKernel(name, boundary, run)

    context = Context()
    context.set_delegate(HalfFollowing(["n0", "n2"]))
    model = built(chain(3), context)
    model.resize(model.get_inputs(), [[9, 1]])
    assert len(model.get_partition().subgraphs) == 2
    np.testing.assert_array_equal(model.predict({"x": np.zeros((9, 1), np.float32)})[0].data, np.full((9, 1), 6))


class ReusingKernel(GroupKernel):
    """A graph kernel without ``fork`` that writes every result into the same array, and must not be entered twice."""

    def __init__(self, boundary: Boundary) -> None:
        super().__init__("Reusing", boundary, ())
        self.result = np.zeros((2, 3), np.float32)
        self.inside = 0
        self.most_inside = 0

    def execute(self) -> None:
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
        time.sleep(0.002)
        self.result[:] = self.inputs[0].data + 1
        self.outputs[0].data = self.result
        self.inside -= 1


class ReusingDelegate(NamedDelegate):
    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        self.made.append(ReusingKernel(model.boundary_of(run)))
        return self.made[-1]


def test_a_kernel_that_cannot_be_forked_is_entered_by_one_run_at_a_time() -> None:
    context = Context()
    delegate = ReusingDelegate(None)
    context.set_delegate(delegate)
    model = built(chain(1), context)
    given = {"x": np.zeros((2, 3), np.float32)}
    threads = [threading.Thread(target=lambda: [model.predict(given) for _ in range(5)]) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (kernel,) = delegate.made
    assert isinstance(kernel, ReusingKernel)
    assert kernel.most_inside == 1


def test_results_of_a_kernel_that_reuses_its_arrays_stay() -> None:
    context = Context()
    context.set_delegate(ReusingDelegate(None))
    model = built(chain(1), context)
    (first,) = model.predict({"x": np.zeros((2, 3), np.float32)})
    model.predict({"x": np.ones((2, 3), np.float32)})
    np.testing.assert_array_equal(first.data, np.ones((2, 3)))


def test_memory_of_a_long_chain_is_that_of_a_few_tensors() -> None:
    size = 1 << 20
    model = built(chain(20, (size,)))
    given = {"x": np.zeros(size, np.float32)}
    tracemalloc.start()
    model.predict(given)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * size * 4


def test_the_oldest_plan_goes_first() -> None:
    model = built(chain(1))
    for n in range(1, 2 * MOST_PLANS):
        model.resize(model.get_inputs(), [[n, 3]])
    plans = model._plans
    assert plans is not None
    assert plans.count == MOST_PLANS
    assert model.predict({"x": np.zeros((n, 3), np.float32)})[0].shape == [n, 3]


def test_resizing_makes_shapes_unknown_behind_operators_without_inference() -> None:
    class OddDelegate(NamedDelegate):
        def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
            boundary = model.boundary_of(run)

            class Odd(Kernel):
                def execute(self) -> None:
                    self.outputs[0].data = self.inputs[0].data * 2

            return Odd("Odd", "Odd", boundary.inputs, boundary.outputs)

    x = value("x")
    odd = Node("odd", make_primitive("Custom", type="Odd"), [x], [value("odd:0")])
    context = Context()
    context.set_delegate(OddDelegate(["odd"]))
    model = built(Graph("main", [x], list(odd.outputs), [odd]), context)
    assert model.get_outputs()[0].shape == [2, 3]
    model.resize(model.get_inputs(), [[4, 3]])
    assert model.get_outputs()[0].shape == [-2]
    assert model.predict({"x": np.ones((4, 3), np.float32)})[0].shape == [4, 3]


def test_intermediate_buffers_are_freed_after_their_last_use() -> None:
    model = built(chain(4))
    plan = model.compiled.plan
    (segment,) = plan.graphs[0].segments
    freed = [slot for step in segment.steps for slot in step.frees]
    between = {step.writes[0] for step in segment.steps[:-1]}
    assert between <= set(freed)
    assert len(freed) == len(set(freed))
    assert not set(freed) & set(plan.graphs[0].output_slots)


def test_thread_num_limits_the_math_library() -> None:
    seen: list[int] = []

    class Spy(GroupKernel):
        def execute(self) -> None:
            seen.extend(numpy_threads())
            super().execute()

    class SpyDelegate(NamedDelegate):
        def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
            return Spy("Spy", model.boundary_of(run), run)

    context = Context()
    context.set_delegate(SpyDelegate(None))
    context.cpu.thread_num = 1
    built(chain(1), context).predict({"x": np.zeros((2, 3), np.float32)})
    assert seen
    assert set(seen) == {1}
