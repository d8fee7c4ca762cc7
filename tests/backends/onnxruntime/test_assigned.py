"""What a provider does not take is not delegated, whatever ONNX Runtime would do with it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper

from lite_delegate import Context, DelegateWarning, FallbackError, Model, ModelType, RejectCode
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.onnxruntime.graph import BoundSession, loaded
from lite_delegate.backends.onnxruntime.sessions.session import SessionSettings, options_of
from lite_delegate.conformance.judging.case import ConformanceCase
from lite_delegate.conformance.judging.case_graph import case_graph
from lite_delegate.report import partition_report

AZURE = "AzureExecutionProvider"
"""It is built in everywhere, and takes only operators that call a service."""
HALF = "HalfExecutionProvider"
CPU = "CPUExecutionProvider"
SESSION = "lite_delegate.backends.onnxruntime.sessions.session"
X = np.linspace(-2, 2, 8, dtype=np.float32).reshape(1, 8)


def content() -> bytes:
    nodes = [
        helper.make_node("Relu", ["x"], ["a"], "positive"),
        helper.make_node("Add", ["a", "x"], ["b"], "sum"),
        helper.make_node("Erf", ["b"], ["c"], "error"),
        helper.make_node("Mul", ["c", "x"], ["y"], "product"),
    ]
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 8]) for name in "xy")
    graph = helper.make_graph(nodes, "g", [x], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    return bytes(model.SerializeToString())


def built(delegate: OnnxRuntimeDelegate, *, strict: bool = False) -> tuple[Model, list[str]]:
    context = Context()
    context.set_delegate(delegate)
    context.strict = strict
    model = Model()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.build_from_buffer(content(), ModelType.MINDIR, context)
    return model, [str(each.message) for each in told if issubclass(each.category, DelegateWarning)]


def gives_what_the_file_gives(model: Model) -> None:
    expected = ort.InferenceSession(content(), providers=[CPU]).run(None, {"x": X})[0]
    inputs = model.get_inputs()
    inputs[0].set_data_from_numpy(X)
    np.testing.assert_allclose(model.predict(inputs)[0].get_data_to_numpy(), expected, rtol=1e-5, atol=1e-6)


def is_all_on_the_cpu(model: Model) -> None:
    nodes = model.get_partition().nodes
    assert [(n.device, n.code, n.provider) for n in nodes] == [("CPU", RejectCode.COMPILE_FAILED, "")] * 4
    assert all(AZURE in n.reason for n in nodes)


def test_a_provider_that_takes_nothing_gets_nothing() -> None:
    model, told = built(OnnxRuntimeDelegate(AZURE))
    is_all_on_the_cpu(model)
    assert [n.reason for n in model.get_partition().nodes][2] == (
        f"{AZURE} does not take it: ONNX Runtime would run Erf on its {CPU}"
    )
    assert len(told) == 1
    assert "4 kernels go back to the CPU" in told[0]
    gives_what_the_file_gives(model)


def test_strict_raises_for_a_provider_that_takes_nothing() -> None:
    with pytest.raises(FallbackError, match=f"COMPILE_FAILED: {AZURE} does not take it"):
        built(OnnxRuntimeDelegate(AZURE), strict=True)


def test_a_release_that_cannot_tell_makes_no_session_of_which_the_cpu_runs_a_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(f"{SESSION}.records_assignment", lambda: False)
    monkeypatch.setattr("lite_delegate.backends.onnxruntime.sessions.assigned.records_assignment", lambda: False)
    model, _ = built(OnnxRuntimeDelegate(AZURE))
    assert {(n.device, n.code) for n in model.get_partition().nodes} == {("CPU", RejectCode.COMPILE_FAILED)}
    assert all("fallback to CPU EP has been explicitly disabled" in n.reason for n in model.get_partition().nodes)
    gives_what_the_file_gives(model)


def test_a_provider_that_takes_half_gets_that_half(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{SESSION}.runtime", lambda: packaged(sessions_of({"Relu", "Add", "Mul"})))
    model, told = built(OnnxRuntimeDelegate(HALF))
    nodes = {n.name: n for n in model.get_partition().nodes}
    delegated = {name for name, node in nodes.items() if node.device == "onnxruntime"}
    assert delegated == {"positive", "sum", "product"}
    assert {nodes[name].provider for name in delegated} == {HALF}
    assert nodes["error"].code is RejectCode.COMPILE_FAILED
    assert nodes["error"].reason == f"{HALF} does not take it: ONNX Runtime would run Erf on its {CPU}"
    assert len(model.get_partition().subgraphs) == 2
    assert len(told) == 1
    gives_what_the_file_gives(model)


def test_a_report_says_what_the_session_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{SESSION}.runtime", lambda: packaged(sessions_of({"Relu", "Add", "Mul"})))
    report = partition_report(built(OnnxRuntimeDelegate(HALF))[0])
    assert [node["provider"] for node in report.to_dict()["nodes"]] == [HALF, HALF, "", HALF]
    assert f"read back  {HALF} runs 3 of 3 delegated kernels, says onnxruntime" in report.to_text()


def test_a_provider_whose_libraries_cannot_be_loaded_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """ONNX Runtime logs that, and makes a session of its CPU provider."""
    monkeypatch.setattr(f"{SESSION}.runtime", lambda: packaged(sessions_of((), providers=[CPU])))
    model, told = built(OnnxRuntimeDelegate(HALF))
    assert {(n.device, n.code) for n in model.get_partition().nodes} == {("CPU", RejectCode.NO_DEVICE)}
    (text,) = told
    assert f"without '{HALF}': it has {CPU} alone" in text


def test_a_provider_that_raises_when_it_is_made_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """By default the package would print that, and make a session of the CPU provider."""

    def session(*_: Any, enable_fallback: int = 1, **__: Any) -> Any:
        assert not enable_fallback
        raise RuntimeError("libcudnn.so.9: cannot open shared object file")

    monkeypatch.setattr(f"{SESSION}.runtime", lambda: packaged(session))
    model, (text,) = built(OnnxRuntimeDelegate(HALF))
    assert {n.code for n in model.get_partition().nodes} == {RejectCode.NO_DEVICE}
    assert "libcudnn.so.9" in text


def test_a_delegate_looks_for_its_provider_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[bytes] = []
    whole: Any = sessions_of({"Relu", "Add", "Mul", "Erf"})

    class Noted(whole):  # type: ignore[misc]
        def __init__(self, model: bytes, options: Any, **told: Any) -> None:
            made.append(model)
            super().__init__(model, options, **told)

    monkeypatch.setattr(f"{SESSION}.runtime", lambda: packaged(Noted))
    delegate = OnnxRuntimeDelegate(HALF)
    assert [len(built(delegate)[0].get_partition().subgraphs) for _ in range(2)] == [1, 1]
    assert len(made) == 3


def test_an_operator_that_is_gone_is_left_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """ONNX Runtime's CPU hands the input of such a model on as its output."""
    monkeypatch.setattr(f"{SESSION}.runtime", lambda: packaged(sessions_of(())))
    x = np.linspace(-2, 2, 8, dtype=np.float64).reshape(1, 8)
    context, model = Context(), Model()
    context.set_delegate(OnnxRuntimeDelegate(HALF))
    model.build_from_graph(case_graph(ConformanceCase("one", "Depend", (x, x), (x,))), context)
    assert [node.provider for node in model.get_partition().nodes] == [HALF]
    np.testing.assert_array_equal(model.predict([x, x])[0].get_data_to_numpy(), x)


def test_inputs_that_are_copied_when_they_are_bound_are_bound_for_each_run() -> None:
    """ONNX Runtime copies the inputs of providers that do not read the host's memory."""
    whole = sessions_of({"Relu", "Add", "Erf", "Mul"})
    copies: list[Any] = []

    def session(*arguments: Any, **named: Any) -> Any:
        made = whole(*arguments, **named)
        binding = made.io_binding()
        bind = binding.bind_cpu_input

        def bind_a_copy(name: str, array: Any) -> None:
            copies.append(array.copy())
            bind(name, copies[-1])

        binding.bind_cpu_input = bind_a_copy
        made.io_binding = lambda: binding
        return made

    x, y = X.copy(), np.empty_like(X)
    bound = BoundSession(loaded(session(content(), ort.SessionOptions())))
    run = bound.bind([x], [y])
    for change in (0, 1, 2):
        x += np.float32(change)
        run()
        expected = ort.InferenceSession(content(), providers=[CPU]).run(None, {"x": x})[0]
        np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)


def test_the_cpu_provider_is_not_asked() -> None:
    key = "session.record_ep_graph_assignment_info"
    for provider, is_asked in ((CPU, False), (AZURE, True)):
        options = options_of(content(), SessionSettings(provider))
        assert _has(options, key) is is_asked
    model, told = built(OnnxRuntimeDelegate())
    assert not told
    assert {(n.device, n.provider) for n in model.get_partition().nodes} == {("onnxruntime", CPU)}


def _has(options: Any, key: str) -> bool:
    try:
        return bool(options.get_session_config_entry(key) == "1")
    except RuntimeError:  # there is no such entry
        return False


def packaged(session: Callable[..., Any]) -> Any:
    """The package ``onnxruntime`` with a provider more."""
    there = {name: getattr(ort, name) for name in ("SessionOptions", "OrtValue", "GraphOptimizationLevel")}
    return SimpleNamespace(
        **there,
        __version__=ort.__version__,
        get_available_providers=lambda: [HALF, CPU],
        InferenceSession=session,
    )


def sessions_of(taken: Collection[str], providers: Collection[str] = (HALF, CPU)) -> Callable[..., Any]:
    """Makes sessions with a provider that takes some operators.

    They are ONNX Runtime's own, which say of nodes of these operators what they say where a plugin takes them (one part
    for each stretch of the plugin's nodes, and one for each node of the CPU's).
    """

    class Session(ort.InferenceSession):  # type: ignore[misc]
        def __init__(self, model: bytes, options: Any, **told: Any) -> None:
            super().__init__(model, options, **{**told, "providers": [CPU]})

        def get_providers(self) -> list[str]:
            return list(providers)

        def get_provider_graph_assignment_info(self) -> list[Any]:
            nodes = [node for part in super().get_provider_graph_assignment_info() for node in part.get_nodes()]
            assert nodes
            return [
                SimpleNamespace(ep_name=HALF if node.op_type in taken else CPU, get_nodes=lambda node=node: [node])
                for node in nodes
            ]

    return Session
