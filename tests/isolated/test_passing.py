"""What passes between the processes: kernels, constants, profiles, properties, warnings, shapes, control flow."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import (
    Boundary,
    Context,
    Core,
    DataType,
    Delegate,
    DelegateError,
    DelegateModel,
    Kernel,
    Model,
    RejectCode,
    Rejected,
    Supported,
    SupportResult,
)
from lite_delegate.formats.ms import write_ms
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive
from lite_delegate.isolated import IsolatedDelegate
from lite_delegate.isolated.passing.channel import plain_loads
from lite_delegate.npu import NPUDelegate
from tests.backends.test_control_flow import CASES
from tests.backends.test_control_flow import built as bodies
from tests.formats.onnx.comparing import peer
from tests.isolated.chains import chain
from tests.isolated.delegates import AddingDelegate, SurveyingDelegate
from tests.isolated.faulty import FaultyDelegate


class HostKernel(Kernel):
    """Runs the reference kernels of its nodes; the delegate states what it sees in its name."""

    def __init__(self, boundary: Boundary, run: Sequence[Kernel], name: str) -> None:
        super().__init__(name, "Host", boundary.inputs, boundary.outputs)
        self.run = run

    def execute(self) -> None:
        for kernel in self.run:
            kernel.execute()


def described(kernel: Kernel) -> str:
    """All that a delegate may read of a kernel."""
    tensors = [
        (
            t.name,
            t.dtype.name,
            t.shape,
            t.format.name,
            t.quant_params,
            t.is_const,
            t.data.tolist() if t.is_const else None,
            t.file_place,
        )
        for t in (*kernel.inputs, *kernel.outputs)
    ]
    return repr((kernel.name, kernel.type, kernel.primitive, kernel.quant_type, kernel.sources, tensors))


class HostDelegate(Delegate):
    """Takes everything, and says in the names of its graph kernels what it saw."""

    name = "host"

    def supports(self, kernel: Kernel) -> SupportResult:
        return Supported()

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        return HostKernel(model.boundary_of(run), run, "; ".join(map(described, run)))


def built(delegate: Delegate, graph: Graph | Path) -> Model:
    context, model = Context(), Model()
    context.set_delegate(delegate)
    context.strict = True
    if isinstance(graph, Path):
        model.build_from_file(str(graph), context=context)
    else:
        model.build_from_graph(graph, context)
    return model


def weighted() -> Graph:
    """y = x W + b, with weights of 64 KiB."""
    rng = np.random.default_rng(1)
    x, y = Value("x", DataType.FLOAT32, (2, 128)), Value("y", DataType.FLOAT32, (2, 128))
    weight, bias = rng.random((128, 128), np.float32), rng.random(128, np.float32)
    node = Node(
        "dense", make_primitive("FullConnection", has_bias=True), [x, constant("w", weight), constant("b", bias)], [y]
    )
    return Graph("weighted", [x], [y], [node])


@pytest.mark.parametrize("is_file", [False, True])
def test_kernels_are_seen_as_they_are(tmp_path: Path, is_file: bool) -> None:
    """Also the weights, in a mapped file or in memory."""
    path = tmp_path / "model.ms"
    write_ms(weighted(), path)
    graph = path if is_file else weighted()
    there, here = built(IsolatedDelegate(HostDelegate), graph), built(HostDelegate(), graph)
    (mine,), (theirs,) = here.get_graph_kernels(), there.get_graph_kernels()
    assert theirs.name == mine.name
    assert ("FilePlace" in mine.name) is is_file
    x = np.random.default_rng(2).random((2, 128), np.float32)
    results = [model.predict({"x": x})[0].get_data_to_numpy() for model in (here, there)]
    np.testing.assert_allclose(results[0], results[1], rtol=1e-5)


def test_outputs_of_open_shapes() -> None:
    x, y, z = (Value(name, DataType.FLOAT32 if name == "x" else DataType.INT32, None) for name in "xyz")
    x.shape = (5,)
    nodes = [Node("non_zero", make_primitive("NonZero"), [x], [y]), Node("abs", make_primitive("Abs"), [y], [z])]
    model = built(IsolatedDelegate(HostDelegate), Graph("open", [x], [z], nodes))
    for array in ([1, 0, 2, 0, 3], [0, 0, 0, 0, 1], [0] * 5):
        (found,) = model.predict({"x": np.array(array, np.float32)})
        np.testing.assert_array_equal(found.get_data_to_numpy().ravel(), np.flatnonzero(array))


def test_new_shapes() -> None:
    delegate = IsolatedDelegate(AddingDelegate)
    context, model = Context(), Model()
    context.set_delegate(delegate)
    model.build_from_graph(chain(2), context)
    for size in (4, 6, 4):
        model.resize(model.get_inputs(), [[size]])
        (found,) = model.predict({"x": np.zeros(size, np.float32)})
        np.testing.assert_array_equal(found.get_data_to_numpy(), np.full(size, 2))
    assert delegate.started == 1


def test_layers_and_properties() -> None:
    core = Core()
    core.register_device("MINE", lambda options: IsolatedDelegate("tests.isolated.faulty:FaultyDelegate", options))
    assert core.get_property("MINE", "SPEED") == 5
    core.set_property("MINE", {"ISOLATED_BUILD_SECONDS": 9})
    assert core.get_property("MINE", "ISOLATED_BUILD_SECONDS") == 9
    compiled = core.compile_model(chain(2), "HETERO:MINE,CPU")
    request = compiled.create_infer_request()
    request.start_async({"x": np.zeros(4, np.float32)})
    request.wait()
    np.testing.assert_array_equal(request.get_output_tensor(0).data, np.full(4, 2))
    assert "adding: layer" in {info.node_name for info in request.get_profiling_info()}


def _given(delegate: Delegate, options: object) -> Delegate:
    return delegate


def test_profiles_of_a_simulated_device() -> None:
    names = []
    for delegate in (NPUDelegate(), IsolatedDelegate(NPUDelegate)):
        core = Core()
        core.register_device("ONE", partial(_given, delegate))
        request = core.compile_model(weighted(), "ONE").create_infer_request()
        request.infer({"x": np.ones((2, 128), np.float32)})
        names.append([info.node_name for info in request.get_profiling_info()])
    assert names[0] == names[1]


@pytest.mark.parametrize("name", CASES)
def test_loops_and_choices(name: str) -> None:
    pytest.importorskip("onnxruntime")
    text, runs, delegated = CASES[name]
    source, model = bodies(text, IsolatedDelegate("onnxruntime"))
    assert delegated <= {word.type for node in model.get_partition().nodes if node.subgraph for word in node.sources}
    for inputs in runs:
        for found, expected in zip(model.predict(inputs), peer(source, inputs), strict=True):
            np.testing.assert_allclose(found.get_data_to_numpy(), expected, rtol=1e-5, atol=1e-5)


def test_objects_of_other_packages_are_not_made_here() -> None:
    assert plain_loads(pickle.dumps({"a": (1, DataType.INT8, np.float32(2))})) == {"a": (1, DataType.INT8, 2)}
    for thing in (partial(print), pickle.loads, FaultyDelegate):
        with pytest.raises(pickle.UnpicklingError):
            plain_loads(pickle.dumps(thing))


def test_what_cannot_pass_is_an_error_of_one_line() -> None:
    delegate = IsolatedDelegate(partial(FaultyDelegate, "answer", "get_property"))
    with pytest.raises(DelegateError, match="cannot be passed") as caught:
        delegate._keeper.ask("delegate", "get_property", "SPEED")
    assert "\n" not in str(caught.value)
    assert delegate.version() == "isolated, 1"


def test_the_survey_and_files_for_a_device_pass() -> None:
    model, context = Model(), Context()
    context.set_delegate(IsolatedDelegate(SurveyingDelegate))
    model.build_from_graph(chain(3), context)
    first, *others = model.get_partition().nodes
    assert first.reason == f"surveyed {first.name}, {', '.join(node.name for node in others)}"
    assert [bool(node.subgraph) for node in others] == [True, True, False]
    (kernel,) = model.get_graph_kernels()
    (delegate,) = model.compiled.parts().delegates.values()
    file = delegate.device_file(kernel)
    assert file is not None
    assert (file.suffix, file.runtime) == (".bin", "a board")
    assert file.content


class _ByName:
    """What Python 3.11.0 to 3.11.3 make of a member of an enumeration, or of any other attribute."""

    def __init__(self, of: object, name: str) -> None:
        self._call = getattr, (of, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return self._call


def test_members_of_enumerations_pass_by_name() -> None:
    assert plain_loads(pickle.dumps(_ByName(RejectCode, "DTYPE"))) is RejectCode.DTYPE
    for of, name in ((RejectCode, "mro"), (RejectCode, "__class__"), (bytearray, "fromhex"), (Rejected, "__init__")):
        with pytest.raises(pickle.UnpicklingError, match="getattr"):
            plain_loads(pickle.dumps(_ByName(of, name)))
