"""If, Loop and Scan with a backend: the nodes of bodies and branches run on it, in sessions that are made once."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from lite_delegate import (
    Context,
    Core,
    Delegate,
    DelegateWarning,
    Kernel,
    LimitError,
    Model,
    RejectCode,
    Rejected,
    SupportResult,
)
from lite_delegate.backends.lowering import NotLowered
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.onnxruntime.emitting.emitter import OnnxEmitter
from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.formats.tflite import read_tflite_buffer
from tests.formats.onnx.comparing import imported, parsed, peer
from tests.formats.tflite.models import G, Op, const, model_bytes, out
from tests.formats.tflite.test_graphs import X as TFLITE_X
from tests.formats.tflite.test_graphs import loop

Array = np.ndarray[Any, Any]
SHARED = {"onnxruntime": ("graph", "SharedSession"), "openvino": ("models.compiled", "SharedCompiledModel")}
"""What is loaded of a backend, by the module that has its class."""
DELEGATES: dict[str, type[Delegate]] = {"onnxruntime": OnnxRuntimeDelegate, "openvino": OpenVINODelegate}
RNG = np.random.default_rng(5)
W = (RNG.standard_normal((8, 8)) / 3).astype(np.float32)
X = RNG.standard_normal((2, 8)).astype(np.float32)

IF = """g (bool c, float[2,8] x) => (float[2,8] y) {
  y = If (c) <
    then_branch = th () => (float[2,8] a) { p = MatMul(x, w) a = Tanh(p) },
    else_branch = el () => (float[2,8] b) { q = Sigmoid(x) b = Add(q, x) }>
}"""
LOOP = """g (int64 trips, float[2,8] x) => (float[2,8] last, float[N,2,8] all) {
  r = Relu(x)
  last, all = Loop (trips, , r) <
    body = b (int64 i, bool go, float[2,8] s) => (bool again, float[2,8] next, float[2,8] each) {
      again = Identity(go)
      p = MatMul(s, w)
      t = Tanh(p)
      next = Add(t, x)
      each = Sigmoid(next)
    }>
}"""
SCAN = """g (float[2,8] h, float[5,2,8] x) => (float[2,8] last, float[5,2,8] all) {
  last, all = Scan <num_scan_inputs = 1,
    body = b (float[2,8] s, float[2,8] v) => (float[2,8] next, float[2,8] each) {
      p = MatMul(s, w)
      q = Add(p, v)
      next = Tanh(q)
      each = Neg(next)
    }> (h, x)
}"""
FIVE = RNG.standard_normal((5, 2, 8)).astype(np.float32)
CASES: dict[str, tuple[str, list[dict[str, Array]], set[str]]] = {
    "If": (IF, [{"c": np.array(c), "x": X} for c in (True, False)], {"MatMul", "Tanh", "Sigmoid", "Add"}),
    "Loop": (
        LOOP,
        [{"trips": np.array(n, np.int64), "x": X} for n in (7, 1, 30)],
        {"Relu", "MatMul", "Tanh", "Add", "Sigmoid"},
    ),
    "Scan": (SCAN, [{"h": X, "x": FIVE}, {"h": -X, "x": 2 * FIVE}], {"MatMul", "Add", "Tanh", "Neg"}),
}


def built(text: str, delegate: Delegate) -> tuple[Any, Model]:
    source = parsed(text, initializers={"w": W})
    context = Context()
    context.set_delegate(delegate)
    model = Model()
    model.build_from_graph(imported(source), context)
    return source, model


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("backend", DELEGATES)
def test_bodies_run_on_the_backend_and_give_what_the_peer_gives(
    backend: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(backend)
    text, runs, delegated = CASES[name]
    source, model = built(text, DELEGATES[backend]())
    nodes = model.get_partition().nodes
    taken = {word.type for node in nodes if node.subgraph for word in node.sources}
    assert delegated <= taken
    made = _counted(backend, monkeypatch)
    for inputs in runs:
        results = model.predict(inputs)
        for found, expected in zip(results, peer(source, inputs), strict=True):
            np.testing.assert_allclose(found.data, expected, rtol=1e-5, atol=1e-5)
    assert made == []


def _counted(backend: str, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Gets what is made from now on: a session of ONNX Runtime, a compiled model of OpenVINO."""
    module, name = SHARED[backend]
    kind = getattr(importlib.import_module(f"lite_delegate.backends.{backend}.{module}"), name)
    made: list[object] = []
    load = kind.load

    def counting(self: object) -> None:
        made.append(self)
        load(self)

    monkeypatch.setattr(kind, "load", counting)
    return made


WHOLE = {
    "If": IF,
    "Scan": SCAN,
    "a choice of what is there": """g (bool c, float[2,8] x) => (float[2,8] y) {
      t = Tanh(x)
      y = If (c) <
        then_branch = th () => (float[2,8] a) { a = Identity(t) },
        else_branch = el () => (float[2,8] b) { b = Neg(t) }>
    }""",
    "a loop of a known number of rounds": LOOP.replace("int64 trips, ", "").replace("Loop (trips", "Loop (seven"),
    "a loop that ends before it has to": """g (float[2,8] x) => (float[2,8] last, int64 rounds) {
      one = Constant<value = int64 {1}>()
      zero = Constant<value = int64 {0}>()
      most = Constant<value = float {4.0}>()
      last, rounds = Loop (seven, , x, zero) <
        body = b (int64 i, bool go, float[2,8] s, int64 n) => (bool again, float[2,8] next, int64 m) {
          next = Add(s, x)
          m = Add(n, one)
          a = Abs(next)
          t = ReduceMax<keepdims = 0>(a)
          again = Less(t, most)
        }>
    }""",
    "a loop that reads the number of its round": """g (float[2,8] x) => (float[2,8] last) {
      last = Loop (seven, , x) <
        body = b (int64 i, bool go, float[2,8] s) => (bool again, float[2,8] next) {
          again = Identity(go)
          f = Cast<to = 1>(i)
          p = MatMul(s, w)
          next = Add(p, f)
        }>
    }""",
    "a value that is carried and kept": """g (float[2,8] x) => (float[2,8] last, float[N,2,8] all) {
      last, all = Loop (seven, , x) <
        body = b (int64 i, bool go, float[2,8] s) => (bool again, float[2,8] next, float[2,8] each) {
          again = Identity(go)
          next = Tanh(s)
          each = Identity(next)
        }>
    }""",
    "a loop that carries nothing": """g (float[2,8] x) => (float[2,8] last, float[N,2,8] all) {
      last, all = Loop (seven, , x) <
        body = b (int64 i, bool go, float[2,8] s) => (bool again, float[2,8] next, float[2,8] each) {
          again = Identity(go)
          next = Identity(s)
          each = Tanh(s)
        }>
    }""",
    "a loop in a loop that is kept": """g (float[2,8] x) => (float[2,8] last, float[N,3,2,8] all) {
      last, all = Loop (seven, , x) <
        body = b (int64 i, bool go, float[2,8] s) => (bool again, float[2,8] next, float[3,2,8] each) {
          again = Identity(go)
          three = Constant<value = int64 {3}>()
          p = MatMul(s, w)
          next, kept = Loop (three, , p) <
            body = c (int64 j, bool more, float[2,8] t) => (bool on, float[2,8] u, float[2,8] k) {
              on = Identity(more)
              f = Cast<to = 1>(i)
              v = Add(t, f)
              u = Tanh(v)
              k = Sub(u, x)
            }>
          each = Relu(kept)
        }>
    }""",
    "a choice in a loop": """g (float[2,8] x) => (float[2,8] last) {
      last = Loop (seven, , x) <
        body = b (int64 i, bool go, float[2,8] s) => (bool again, float[2,8] next) {
          again = Identity(go)
          four = Constant<value = int64 {4}>()
          early = Less(i, four)
          next = If (early) <
            then_branch = th () => (float[2,8] a) { p = MatMul(s, w) a = Tanh(p) },
            else_branch = el () => (float[2,8] b) { b = Sub(s, x) }>
        }>
    }""",
    "a loop in a choice": """g (bool c, float[2,8] x) => (float[2,8] y) {
      y = If (c) <
        then_branch = th () => (float[2,8] a) {
          a = Loop (seven, , x) <
            body = b (int64 i, bool go, float[2,8] s) => (bool again, float[2,8] next) {
              again = Identity(go)
              p = MatMul(s, w)
              next = Tanh(p)
            }>
        },
        else_branch = el () => (float[2,8] d) { d = Neg(x) }>
    }""",
    "a loop that changes places": """g (float[2,8] x) => (float[2,8] a, float[2,8] b) {
      y = Neg(x)
      z = Relu(x)
      a, b = Loop (seven, , y, z) <
        body = b (int64 i, bool go, float[2,8] s, float[2,8] t) => (bool again, float[2,8] u, float[2,8] v) {
          again = Identity(go)
          u = Identity(t)
          v = Add(s, x)
        }>
    }""",
}
COUNTED = {  # OpenVINO computes no int64
    ("openvino", "a loop that ends before it has to"),
    ("openvino", "a choice in a loop"),
}
UNBOUNDED = "a constant must bound its rounds: nothing ends it on a device"
LEFT = {
    "a loop of any number of rounds that are kept": (LOOP, UNBOUNDED),
    "a loop whose results are kept until it ends": (
        LOOP.replace("int64 trips, ", "")
        .replace("Loop (trips", "Loop (seven")
        .replace("again = Identity(go)", "n = ReduceMax<keepdims = 0>(s) again = Less(n, n)"),
        "how many rounds there are must be known",
    ),
    "a loop that ends by itself": (
        """g (float[2,8] x) => (float[2,8] last, int64 rounds) {
      one = Constant<value = int64 {1}>()
      zero = Constant<value = int64 {0}>()
      most = Constant<value = float {40.0}>()
      last, rounds = Loop ( , , x, zero) <
        body = b (int64 i, bool go, float[2,8] s, int64 n) => (bool again, float[2,8] next, int64 m) {
          next = Add(s, x)
          m = Add(n, one)
          a = Abs(next)
          t = ReduceMax<keepdims = 0>(a)
          again = Less(t, most)
        }>
    }""",
        UNBOUNDED,
    ),
    "a loop whose rounds are counted from outside": (
        """g (int64 trips, float[2,8] x) => (float[2,8] last) {
      last = Loop (trips, , x) <
        body = b (int64 i, bool go, float[2,8] s) => (bool again, float[2,8] next) {
          again = Identity(go)
          f = Cast<to = 1>(i)
          p = MatMul(s, w)
          next = Add(p, f)
        }>
    }""",
        UNBOUNDED,
    ),
    "a loop in a loop": (
        """g (float[2,8] x) => (float[2,8] y) {
          y = Loop (seven, , x) <
            body = b (int64 i, bool go, float[2,8] s) => (bool again, float[2,8] next) {
              again = Identity(go)
              next = Loop (i, , s) <
                body = c (int64 j, bool more, float[2,8] t) => (bool on, float[2,8] u) {
                  on = Identity(more)
                  u = Add(t, x)
                }>
            }>
        }""",
        "a round may call nothing but the next one",
    ),
}


def inputs_of(source: Any) -> list[dict[str, Array]]:
    """Two sets of inputs for a model, by their names."""
    known: dict[str, Array] = {"x": X, "c": np.array(True), "h": X, "trips": np.array(5, np.int64)}
    names = [value.name for value in source.graph.input]
    first = {name: FIVE if name == "x" and "h" in names else known[name] for name in names}
    second = {**{name: -array for name, array in first.items() if name != "c"}, "c": np.array(False)}
    return [first, {name: np.asarray(abs(second[name])) if name == "trips" else second[name] for name in names}]


def whole(text: str, delegate: Delegate) -> tuple[Any, Model]:
    source = parsed(text, initializers={"w": W, "seven": np.array(7, np.int64)})
    context = Context()
    context.set_delegate(delegate)
    context.on_delegate_error = "fallback"
    model = Model()
    model.build_from_graph(imported(source), context)
    return source, model


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("backend", DELEGATES)
def test_loops_and_choices_are_handed_over_whole(backend: str, name: str) -> None:
    pytest.importorskip(backend)
    source, model = whole(WHOLE[name], DELEGATES[backend]())
    partition = model.get_partition()
    if (backend, name) not in COUNTED:
        (only,) = partition.subgraphs
        assert {node.subgraph for node in partition.nodes} == {only.name}
    else:
        assert any("is int64" in note for note in partition.notes)
    for inputs in inputs_of(source):
        for found, expected in zip(model.predict(inputs), peer(source, inputs), strict=True):
            np.testing.assert_allclose(found.data, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", WHOLE)
def test_the_cpu_takes_over_from_a_device_that_fails(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from onnxruntime import InferenceSession

    source, model = whole(WHOLE[name], OnnxRuntimeDelegate())

    def lost(*_: object) -> None:
        raise RuntimeError("the device was lost")

    monkeypatch.setattr(InferenceSession, "run_with_iobinding", lost)
    inputs = inputs_of(source)[0]
    with pytest.warns(DelegateWarning, match="the device was lost"):
        results = model.predict(inputs)
    for found, expected in zip(results, peer(source, inputs), strict=True):
        np.testing.assert_allclose(found.data, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", LEFT)
def test_what_is_not_handed_over_whole_says_why(name: str) -> None:
    text, why = LEFT[name]
    source, model = whole(text, OnnxRuntimeDelegate())
    partition = model.get_partition()
    assert any("is not handed over whole" in note and why in note for note in partition.notes)
    for inputs in inputs_of(source):
        for found, expected in zip(model.predict(inputs), peer(source, inputs), strict=True):
            np.testing.assert_allclose(found.data, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", [name for name in WHOLE if ("openvino", name) not in COUNTED])
@pytest.mark.parametrize("backend", DELEGATES)
def test_compiled_models_keep_what_is_handed_over_whole(backend: str, name: str) -> None:
    pytest.importorskip(backend)
    device = backend.upper()
    source = parsed(WHOLE[name], initializers={"w": W, "seven": np.array(7, np.int64)})
    core = Core()
    compiled = core.compile_model(imported(source), device)
    again = core.import_model(compiled.export_model(), device)
    for model in (again, core.import_model(again.export_model(), device)):
        for inputs in inputs_of(source):
            for found, expected in zip(model(inputs), peer(source, inputs), strict=True):
                np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_rounds_within_rounds_count_for_the_step_limit() -> None:
    source = parsed(WHOLE["a loop in a loop that is kept"], initializers={"w": W, "seven": np.array(7, np.int64)})
    context = Context()
    context.set_delegate(OnnxRuntimeDelegate())
    context.step_limit = 20
    model = Model()
    model.build_from_graph(imported(source), context)
    (note,) = [each for each in model.get_partition().notes if "is not handed over whole" in each]
    assert "its 28 rounds are more than Context.step_limit, 20" in note
    inputs = inputs_of(source)[0]
    for found, expected in zip(model.predict(inputs), peer(source, inputs), strict=True):
        np.testing.assert_allclose(found.data, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("limit", [1, 5])
@pytest.mark.parametrize("backend", DELEGATES)
def test_loops_of_tflite_are_handed_over_whole(backend: str, limit: int) -> None:
    pytest.importorskip(backend)
    context = Context()
    context.set_delegate(DELEGATES[backend]())
    model = Model()
    model.build_from_graph(read_tflite_buffer(loop(limit, starts_at=0)), context)
    partition = model.get_partition()
    (only,) = partition.subgraphs
    assert {node.subgraph for node in partition.nodes} == {only.name}
    count, doubled = model.predict([TFLITE_X.data])
    assert count.data == limit
    np.testing.assert_array_equal(doubled.data, TFLITE_X.data * np.float32(2**limit))


@pytest.mark.parametrize("backend", DELEGATES)
def test_a_loop_that_may_never_end_ends_at_the_step_limit(backend: str) -> None:
    pytest.importorskip(backend)
    context = Context()
    context.set_delegate(DELEGATES[backend]())
    context.step_limit = 50
    model = Model()
    model.build_from_graph(read_tflite_buffer(loop(7)), context)
    (note,) = [each for each in model.get_partition().notes if "is not handed over whole" in each]
    assert UNBOUNDED in note
    assert model.predict([np.array(0, np.int32), TFLITE_X.data])[0].data == 7
    with pytest.raises(LimitError, match="step_limit"):
        model.predict([np.array(-1000, np.int32), TFLITE_X.data])


@pytest.mark.parametrize("backend", DELEGATES)
def test_a_loop_of_more_rounds_than_the_step_limit_is_not_handed_over(backend: str) -> None:
    pytest.importorskip(backend)
    context = Context()
    context.set_delegate(DELEGATES[backend]())
    context.step_limit = 50
    model = Model()
    model.build_from_graph(read_tflite_buffer(loop(2**31 - 1, starts_at=0)), context)
    (note,) = [each for each in model.get_partition().notes if "is not handed over whole" in each]
    assert "its 2,147,483,647 rounds are more than Context.step_limit, 50" in note
    with pytest.raises(LimitError, match="step_limit"):
        model.predict([TFLITE_X.data])


@pytest.mark.parametrize("backend", DELEGATES)
def test_a_loop_that_never_begins_has_a_reason(backend: str) -> None:
    number, five = out("int32", ()), const(np.int32(5))
    condition = G([number, five, out("bool", ())], [Op("LESS", [1, 1], [2], "LessOptions")], [0], [2], "condition")
    body = G([number, five, number], [Op("ADD", [0, 1], [2], "AddOptions")], [0], [2], "body")
    options = {"condSubgraphIndex": 1, "bodySubgraphIndex": 2}
    main = G([number, number], [Op("WHILE", [0], [1], "WhileOptions", options)], [0], [1])
    context = Context()
    context.set_delegate(DELEGATES[backend]())
    model = Model()
    model.build_from_graph(read_tflite_buffer(model_bytes([main, condition, body])), context)
    (note,) = [each for each in model.get_partition().notes if "is not handed over whole" in each]
    assert note.endswith("is never called.")
    assert model.predict([np.array(3, np.int32)])[0].data == 3


def test_a_kernel_that_the_backend_rejects_is_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    check = OnnxEmitter.check

    def without_tanh(self: OnnxEmitter, op: str, *rest: Any) -> None:
        if op == "Tanh":
            raise NotLowered(RejectCode.OPERATOR, "there is no Tanh today")
        check(self, op, *rest)

    monkeypatch.setattr(OnnxEmitter, "check", without_tanh)
    source, model = whole(SCAN, OnnxRuntimeDelegate())
    (note,) = [each for each in model.get_partition().notes if "is not handed over whole" in each]
    assert note.endswith("in it: there is no Tanh today.")
    for inputs in inputs_of(source):
        for found, expected in zip(model.predict(inputs), peer(source, inputs), strict=True):
            np.testing.assert_allclose(found.data, expected, rtol=1e-5, atol=1e-5)


def test_a_delegate_that_takes_no_control_flow_comes_first_to_what_bodies_run() -> None:
    class Tanhs(OnnxRuntimeDelegate):
        name = "tanhs"
        takes_control_flow = False

        def supports(self, kernel: Kernel) -> SupportResult:
            return super().supports(kernel) if kernel.type == "Activation" else Rejected(RejectCode.OPERATOR, "no Tanh")

    source = parsed(SCAN, initializers={"w": W})
    context = Context()
    context.set_delegates([Tanhs(), OnnxRuntimeDelegate()])
    model = Model()
    model.build_from_graph(imported(source), context)
    owners = {node.device for node in model.get_partition().nodes if node.type == "Activation"}
    assert owners == {"tanhs"}
