"""Ethos-U through the real Vela: `make vendors` installs it; tests skip without it."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import tflite

from lite_delegate import Core
from lite_delegate.backends.ethosu import EthosUDelegate
from lite_delegate.backends.ethosu.compiling import compiled
from lite_delegate.backends.ethosu.output import VelaOutput
from lite_delegate.backends.ethosu.vela import VelaSettings
from lite_delegate.conformance.reports.results import Verdict
from lite_delegate.conformance.runner import run_case
from lite_delegate.conformance.suite import all_cases

for module, package in (("ethosu", "ethos-u-vela"), ("ai_edge_litert", "ai-edge-litert")):
    if find_spec(module) is None:
        pytest.skip(f"'{package}' is not installed: make vendors", allow_module_level=True)

INT8 = "ds_cnn_kws_int8.tflite"
TAKEN = ("AddFusion", "AvgPoolFusion", "Conv2DFusion", "FullConnection", "MaxPoolFusion")
SAMPLE = 3
"""Cases of an operator: Vela starts several times for each."""


def by_vela(path: Path, accelerator: str, folder: Path, written: str = "*_summary_*.csv") -> list[dict[str, str]]:
    """The rows of a table that Vela itself writes for a file: of its summary, which has one, or of its layers."""
    command = [sys.executable, "-m", "ethosu.vela", str(path), "--accelerator-config", accelerator]
    subprocess.run([*command, "--output-dir", str(folder), "--verbose-performance"], check=True, capture_output=True)
    (file,) = folder.glob(written)
    with file.open(newline="") as text:
        return list(csv.DictReader(text))


def cli(*arguments: str) -> str:
    """The output of a command."""
    command = [sys.executable, "-m", "lite_delegate", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.shared
@pytest.mark.parametrize("accelerator", ["u55-128", "u65-256", "u85-256"])
def test_cycles_and_times_are_vela_s_own(shared_models: Path, tmp_path: Path, accelerator: str) -> None:
    (own,) = by_vela(shared_models / INT8, f"ethos-{accelerator}", tmp_path)
    compiled = Core().compile_model(shared_models / INT8, f"ETHOSU.{accelerator}")
    (subgraph,) = compiled.partition.subgraphs
    assert all(node.subgraph is not None for node in compiled.partition.nodes)
    assert subgraph.estimated_us == pytest.approx(float(own["inference_time"]) * 1e6)


@pytest.mark.shared
def test_layers_of_a_profile_are_vela_s_own(shared_models: Path, tmp_path: Path) -> None:
    rows = by_vela(shared_models / INT8, "ethos-u55-128", tmp_path, "*_per-layer.csv")
    columns = ("Op Cycles", "MAC Count", "Staging Usage")
    own = [tuple(round(float(row[name])) for name in columns) for row in rows]
    command = ["benchmark", str(shared_models / INT8), "--delegate", "ethos-u55-128", "--profile", "--runs", "1"]
    report = json.loads(cli(*command, "--format", "json"))
    (subgraph,) = report["profile"]["subgraphs"]
    names = ("total_cycles", "macs", "memory_bytes")
    found = [tuple(layer[name] or 0 for name in names) for layer in subgraph["layers"]]
    assert sorted(found) == sorted(each for each in own if each[0])


@pytest.mark.shared
def test_vela_runs_once_for_a_cache(shared_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For claims; the whole model is compiled by then, and later builds find it in the cache."""
    calls: list[int] = []

    def counted(content: bytes, settings: VelaSettings) -> VelaOutput:
        calls.append(len(content))
        return compiled(content, settings)

    for module in ("claims", "graph", "blob"):
        monkeypatch.setattr(f"lite_delegate.backends.ethosu.{module}.compiled", counted)
    estimates = []
    for _ in range(2):
        core = Core()
        core.set_property({"CACHE_DIR": str(tmp_path)})
        estimates.append(core.compile_model(shared_models / INT8, "ETHOSU").partition.subgraphs[0].estimated_us)
    assert len(calls) == 1
    assert estimates[0]
    assert estimates[1] == estimates[0]


@pytest.mark.shared
def test_what_if_supposes_what_vela_leaves(shared_models: Path) -> None:
    command = ["report", str(shared_models / "ds_cnn_kws_f32.tflite"), "--delegate", "ethos-u55-128", "--what-if"]
    found = json.loads(cli(*command, "--format", "json"))["what_if"][0]
    assert (found["kind"], found["subject"]) == ("rule", "Vela must place the operator on the NPU")
    assert (found["kernels_delta"], found["subgraphs_after"], found["codes"]) == (12, 1, {"DTYPE": 12})


@pytest.mark.shared
def test_a_file_for_a_board_is_a_whole_model_or_none(shared_models: Path, tmp_path: Path) -> None:
    source, board = str(shared_models / "ds_cnn_kws_f32.tflite"), tmp_path / "board.tflite"
    with pytest.raises(subprocess.CalledProcessError) as caught:
        cli("compile", source, "--delegate", "ethos-u55-128", "-o", str(board))
    said = caught.value.stderr.splitlines()[-1]
    assert said.startswith("lite-delegate: A file for a device holds a whole model, but the CPU runs 'CONV_2D-0'")
    assert "unsupported DataType Float32" in said
    assert caught.value.returncode == 2
    assert not board.exists()


@pytest.mark.shared
def test_results_are_those_of_the_reference_kernels(shared_models: Path) -> None:
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    kind = OpResolverType.BUILTIN_REF
    plain = Interpreter(str(shared_models / INT8), experimental_op_resolver_type=kind)
    plain.allocate_tensors()
    request = Core().compile_model(shared_models / INT8, "ETHOSU").create_infer_request()
    for x in np.random.default_rng(3).integers(-128, 128, (20, 1, 49, 10, 1), np.int8):
        plain.set_tensor(plain.get_input_details()[0]["index"], x)
        plain.invoke()
        expected = plain.get_tensor(plain.get_output_details()[0]["index"])
        np.testing.assert_array_equal(np.array(request.infer([x])[0]), expected)


@pytest.mark.shared
def test_floats_stay_on_the_cpu_with_vela_s_reasons(shared_models: Path) -> None:
    with pytest.warns(UserWarning, match="does not claim any of 12 kernels"):
        compiled = Core().compile_model(shared_models / "ds_cnn_kws_f32.tflite", "HETERO:ETHOSU,CPU")
    for node in compiled.partition.nodes:
        assert node.subgraph is None
        assert node.code == "DTYPE"
        assert "Operation has tensor with unsupported DataType Float32; Feature-map dataTypes" in node.reason


def constants(path: Path) -> dict[bytes, bytes]:
    """The tensors of a file that have content, by name: the NPU's commands, and its weights."""
    model = tflite.Model.GetRootAsModel(path.read_bytes(), 0)
    graph, found = model.Subgraphs(0), {}
    for tensor in map(graph.Tensors, range(graph.TensorsLength())):
        buffer = model.Buffers(tensor.Buffer())
        if buffer.DataLength():
            found[tensor.Name()] = buffer.DataAsNumpy().tobytes()
    return found


@pytest.mark.shared
def test_the_file_for_the_board_has_the_commands_and_weights_of_vela_s(shared_models: Path, tmp_path: Path) -> None:
    board = tmp_path / "board.tflite"
    cli("compile", str(shared_models / INT8), "--delegate", "ethos-u55-128", "-o", str(board))
    by_vela(shared_models / INT8, "ethos-u55-128", tmp_path)
    found = constants(board)
    assert sorted(found) == [b"ethos_u_command_stream", b"read_only"]
    assert found == constants(tmp_path / INT8.replace(".tflite", "_vela.tflite"))


@pytest.mark.shared
def test_a_compiled_model_is_read_again_without_vela(shared_models: Path, tmp_path: Path) -> None:
    compiled = Core().compile_model(shared_models / INT8, "ETHOSU")
    compiled.export_model(tmp_path / "kws.ldm")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("lite_delegate.backends.ethosu.graph.compiled", None)
        again = Core().import_model(tmp_path / "kws.ldm", "ETHOSU")
    assert again.partition.subgraphs[0].estimated_us == compiled.partition.subgraphs[0].estimated_us


@pytest.mark.parametrize("op_type", TAKEN)
def test_cases_of_integers(op_type: str) -> None:
    delegate = EthosUDelegate()
    cases = [case for case in all_cases([op_type]) if str(getattr(case.inputs[0], "dtype", "")) in ("int8", "int16")]
    found = [run_case(case, delegate, force=False, closely=False) for case in cases[:SAMPLE]]
    assert [result.name for result in found if result.verdict is Verdict.OVER_CLAIM] == []
