"""Models on Qualcomm's emulator of the HTP: placed, right, explained, counted, and written for a board.

The emulator takes one chip for each process, so all tests of this file are about one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from lite_delegate import Core, Delegate, DelegateUnavailable
from lite_delegate.backends.qnn import QnnDelegate
from lite_delegate.conformance.reports.results import CaseOutcome
from lite_delegate.conformance.runner import claimed_result
from lite_delegate.conformance.suite import all_cases
from tests.backends.one_input import one_input
from tests.commands import call
from tests.vendors.needed import need
from tests.vendors.running import distance, expected_of, random_inputs, results, runs_whole

need("onnxruntime_qnn", "onnxruntime-qnn")

CHIP = "QNN:SM8650"
PROVIDER = "QNNExecutionProvider"
NEW_INTERPRETER = {"LITE_DELEGATE_TEST": "1"}
"""With more environment, ``call`` starts the command in an interpreter of its own."""
BOARD = """
import sys
import numpy as np, onnxruntime as ort, onnxruntime_qnn
model, inputs, outputs = sys.argv[1:]
ort.register_execution_provider_library("QNNExecutionProvider", onnxruntime_qnn.get_library_path())
devices = [each for each in ort.get_ep_devices() if each.ep_name == "QNNExecutionProvider"]
options = ort.SessionOptions()
options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
options.add_provider_for_devices(devices[:1], {"backend_type": "htp", "htp_arch": "75", "soc_model": "57"})
session = ort.InferenceSession(model, options)
(y,) = session.run(None, {each.name: np.load(inputs) for each in session.get_inputs()})
np.save(outputs, y)
print([each.name for each in (*session.get_inputs(), *session.get_outputs())])
"""


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Core:
    """Answers of trials are found once for all tests."""
    made = Core()
    made.set_property("QNN", {"TRIAL_FOLDER": str(tmp_path_factory.mktemp("trials"))})
    return made


@pytest.fixture
def with_softsign(tmp_path: Path) -> Path:
    operators = [("Softsign", "x", "s", "the_softsign"), ("Relu", "s", "y", "the_relu")]
    nodes = [helper.make_node(op, [x], [y], name) for op, x, y, name in operators]
    onnx.save(one_input(nodes, {}, (1, 8)), tmp_path / "softsign.onnx")
    return tmp_path / "softsign.onnx"


def test_the_device_is_listed_and_standard_output_is_clean() -> None:
    done = call("devices", "--format", "json", env=NEW_INTERPRETER)
    found = {each["name"]: each for each in json.loads(done.stdout)["devices"]}
    assert (found["QNN"]["available"], found["QNN"]["simulated"]) == (True, True)
    assert found[f"ONNXRUNTIME.{PROVIDER}"]["available"]


@pytest.mark.shared
@pytest.mark.parametrize(("name", "steps"), [("ds_cnn_kws_f32", 0.01), ("ds_cnn_kws_int8", 1)])
def test_a_model_runs_whole_and_right(core: Core, shared_models: Path, name: str, steps: float) -> None:
    path = shared_models / f"{name}.tflite"
    compiled = core.compile_model(path, CHIP)
    runs_whole(compiled, PROVIDER)
    inputs = random_inputs(compiled)
    assert distance(results(compiled, inputs), expected_of(path, inputs)) <= steps


def test_a_refusal_has_the_plugins_reason(core: Core, with_softsign: Path) -> None:
    compiled = core.compile_model(with_softsign, "HETERO:QNN:SM8650,CPU")
    nodes = {node.name: node for node in compiled.partition.nodes}
    assert nodes["the_softsign"].subgraph is None
    assert nodes["the_softsign"].reason.startswith(f"{PROVIDER} does not take it: ONNX Runtime would run Softsign")
    assert "Operators of type 'Softsign' are not supported" in nodes["the_softsign"].reason
    assert nodes["the_relu"].provider == PROVIDER
    inputs = random_inputs(compiled)
    assert distance(results(compiled, inputs), expected_of(with_softsign, inputs)) < 0.002


def test_a_report_is_nothing_but_json(with_softsign: Path) -> None:
    done = call("report", with_softsign, "--delegate", "qnn:SM8650", "--format", "json", env=NEW_INTERPRETER)
    assert json.loads(done.stdout)["kernels_delegated"] == 1


@pytest.mark.shared
def test_a_model_is_compiled_once_and_read_again(core: Core, shared_models: Path, tmp_path: Path) -> None:
    compiled = core.compile_model(shared_models / "ds_cnn_kws_int8.tflite", CHIP)
    inputs = random_inputs(compiled)
    expected = results(compiled, inputs)
    compiled.export_model(tmp_path / "m.ldm")
    again = core.import_model(tmp_path / "m.ldm", CHIP)
    runs_whole(again, PROVIDER)
    assert distance(results(again, inputs), expected) == 0


@pytest.mark.shared
def test_the_file_for_the_board_needs_onnx_runtime_and_the_plugin_alone(
    core: Core, shared_models: Path, tmp_path: Path
) -> None:
    path, file = shared_models / "ds_cnn_kws_int8.tflite", tmp_path / "board.onnx"
    done = call("compile", path, "--delegate", "qnn:SM8650", "-o", file, env=NEW_INTERPRETER)
    assert "on SM8650." in done.stdout.splitlines()[-2]
    (node,) = onnx.load(file).graph.node
    assert node.op_type == "EPContext"
    compiled = core.compile_model(path, CHIP)
    (x,) = inputs = random_inputs(compiled)
    np.save(tmp_path / "x.npy", x)
    command = [sys.executable, "-c", BOARD, str(file), str(tmp_path / "x.npy"), str(tmp_path / "y.npy")]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1] == str([compiled.inputs[0].name, compiled.outputs[0].name])
    assert distance([np.load(tmp_path / "y.npy")], results(compiled, inputs)) == 0


@pytest.mark.shared
def test_layers_have_cycles(core: Core, shared_models: Path) -> None:
    compiled = core.compile_model(shared_models / "ds_cnn_kws_int8.tflite", CHIP, {"PERF_COUNT": "YES"})
    request = compiled.create_infer_request()
    request.infer(random_inputs(compiled))
    counted = {each.node_name: each.cycles for each in request.get_profiling_info() if each.cycles}
    assert any("DEPTHWISE_CONV_2D-1" in name for name in counted)
    assert all(cycles > 0 for cycles in counted.values())


@pytest.mark.parametrize(
    ("op_type", "name"),
    [
        ("SubFusion", "int8_outer"),
        ("Activation", "hsigmoid_float32"),
        ("Erf", "small"),
        ("SpaceToDepth", "block_2"),
        ("TopKFusion", "rank_2_last_ties"),
    ],
)
def test_operators_in_another_form_are_right(op_type: str, name: str) -> None:
    (case,) = (each for each in all_cases([op_type]) if each.name == name)
    assert claimed_result(case, QnnDelegate("SM8650")).outcome is CaseOutcome.PASSED


def test_weights_that_several_products_read(core: Core, tmp_path: Path) -> None:
    weight = np.random.default_rng(4).standard_normal((8, 8)).astype(np.float32)
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"]),
        helper.make_node("Add", ["a", "w"], ["b"]),
        helper.make_node("Gemm", ["b", "w"], ["y"], transB=1),
    ]
    path = tmp_path / "model.onnx"
    onnx.save(one_input(nodes, {"w": weight}, (8, 8)), path)
    compiled = core.compile_model(path, CHIP)
    runs_whole(compiled, PROVIDER)
    inputs = random_inputs(compiled)
    expected = expected_of(path, inputs)
    assert distance(results(compiled, inputs), expected) <= 0.005 * np.abs(expected[0]).max()


def test_hard_sigmoids_and_error_functions_between_integers_are_delegated(core: Core, tmp_path: Path) -> None:
    names = ["x", "h", "e"]
    nodes, scale, zero = [], np.array(0.04, np.float32), np.array(-10, np.int8)
    for before, after, op in zip(names, [*names[1:], "y"], ["HardSigmoid", "Erf", "Relu"], strict=True):
        nodes += [
            helper.make_node("QuantizeLinear", [before, "scale", "zero"], [f"{before}_q"]),
            helper.make_node("DequantizeLinear", [f"{before}_q", "scale", "zero"], [f"{before}_d"]),
            helper.make_node(op, [f"{before}_d"], [after], f"the_{op}"),
        ]
    path = tmp_path / "model.onnx"
    onnx.save(one_input(nodes, {"scale": scale, "zero": zero}, (2, 64)), path)
    compiled = core.compile_model(path, CHIP)
    runs_whole(compiled, PROVIDER)
    inputs = random_inputs(compiled)
    assert distance(results(compiled, inputs), expected_of(path, inputs)) <= 1.5 * scale


def test_another_chip_in_this_process_is_one_line(core: Core, with_softsign: Path) -> None:
    core.compile_model(with_softsign, "HETERO:QNN:SM8650,CPU")
    with pytest.raises(DelegateUnavailable) as caught:
        core.compile_model(with_softsign, "QNN:SM8750")
    assert "emulates Qualcomm's 'SM8650' already, and cannot emulate 'SM8750' as well" in str(caught.value)
    assert "isolated:qnn:SM8750 has a process of its own" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_chips_beside_each_other(core: Core, tmp_path: Path) -> None:
    """One of them in a process of its own."""
    nodes = [helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Softmax", ["r"], ["y"])]
    onnx.save(one_input(nodes, {}, (1, 8)), tmp_path / "m.onnx")
    core.register_device("OTHER", lambda options: Delegate.isolated("qnn:SM8550"))
    models = [core.compile_model(tmp_path / "m.onnx", device) for device in (CHIP, "OTHER")]
    for seed in range(2):
        inputs = random_inputs(models[0], seed)
        expected = expected_of(tmp_path / "m.onnx", inputs)
        for each in models:
            runs_whole(each, PROVIDER)
            assert 0 < distance(results(each, inputs), expected) < 1e-3  # the chips compute in float16
    first, other = (each.device_file() for each in models)
    assert (first.runtime.endswith("on SM8650"), other.runtime.endswith("on SM8550")) == (True, True)
    assert first.content != other.content
