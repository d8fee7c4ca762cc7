"""The installed command, as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lite_delegate import DataType
from lite_delegate.cli.main import one_line
from lite_delegate.demo import load_test_set, model_path
from lite_delegate.formats.ms import write_ms
from lite_delegate.ir import Graph, Node, Value, make_primitive
from tests.commands import call
from tests.runtime.graphs import chain, value


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "chain.ms"
    write_ms(chain(3), path)
    return path


def test_the_installed_script_is_the_same_command() -> None:
    script = Path(sys.executable).parent / "lite-delegate"
    by_script = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert by_script.stdout == call("--version").stdout


def test_demo_shows_partition_reason_and_accuracy() -> None:
    text = call("demo").stdout
    assert "put in equal forms" in text
    assert "has no LayerNormFusion" in " ".join(text.split("put in equal forms")[1].split("why")[1].split()[:60])
    assert "NpuGraph0" in text
    assert text.count("% right") == 2


def test_run_with_given_inputs_writes_outputs_under_their_names(model: Path, tmp_path: Path) -> None:
    x, y = tmp_path / "x.npy", tmp_path / "y.npz"
    np.save(x, np.ones((2, 3), np.float32))
    done = call("run", model, "--input", f"x={x}", "--output", y)
    with np.load(y) as outputs:
        assert list(outputs) == ["n2:0"]
        np.testing.assert_array_equal(outputs["n2:0"], np.full((2, 3), 7))
    assert "random" not in done.stdout
    assert "0 of 3 kernels on 'none'" in done.stdout


def test_run_without_inputs_is_random_and_repeatable(model: Path, tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.npz" for name in "abc"]
    for file, seed in zip(files, (7, 7, 8), strict=True):
        assert f"random inputs (seed {seed}): x" in call("run", model, "--random-seed", seed, "--output", file).stdout
    a, b, c = (np.load(file)["n2:0"] for file in files)
    np.testing.assert_array_equal(a, b)
    assert not np.array_equal(a, c)


def test_run_follows_the_shape_of_the_input(model: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones((5, 4), np.float32))
    assert "[5, 4]" in call("run", model, "--input", f"x={tmp_path / 'x.npy'}").stdout


def test_run_of_the_digits_on_the_npu(tmp_path: Path) -> None:
    images, labels = load_test_set()
    np.save(tmp_path / "images.npy", images[:50])
    out = tmp_path / "out.npz"
    call("run", model_path(), "--delegate", "npu", "--input", f"image={tmp_path / 'images.npy'}", "--output", out)
    (probabilities,) = np.load(out).values()
    assert (probabilities.argmax(axis=1) == labels[:50]).mean() > 0.9


def test_report_as_text_json_and_file(tmp_path: Path) -> None:
    text = call("report", model_path()).stdout
    assert "delegated  11 of 11 kernels" in text
    out = tmp_path / "report.json"
    arguments = ("report", model_path(), "--delegate", "npu:kirin", "--format", "json", "-o", out)
    assert call(*arguments).stdout == ""
    data = json.loads(out.read_text())
    assert (data["kernels_delegated"], data["minimum_subgraphs"]) == (25, 1)
    assert call(*arguments, "--no-rewrite").stdout == ""
    data = json.loads(out.read_text())
    assert (data["kernels_delegated"], data["minimum_subgraphs"]) == (10, 2)
    assert call("report", model_path(), "--delegate", "none", "--format", "json").stdout.startswith("{")


def test_info_as_text_and_json() -> None:
    assert "LayerNormFusion" in call("info", model_path()).stdout
    data = json.loads(call("info", model_path(), "--format", "json").stdout)
    assert data["inputs"] == [{"name": "image", "dtype": "FLOAT32", "shape": [1, 8, 8, 1], "format": "NHWC"}]
    assert data["outputs"] == [{"name": "probabilities", "dtype": "FLOAT32", "shape": [1, 10], "format": None}]
    assert {"type": "Softmax", "nodes": 1, "cpu_kernel": True} in data["operators"]


def test_conformance_of_the_cpu_and_of_the_npu() -> None:
    assert "0 wrong, 0 failed, 0 rejected" in call("conformance", "--op", "Softmax", "--op", "Concat").stdout
    data = json.loads(call("conformance", "--delegate", "npu", "--op", "Conv2DFusion", "--format", "json").stdout)
    assert data["conformant"]
    assert data["totals"]["passed"] > 20


WRONG_DELEGATE = """
import numpy as np
from lite_delegate import Delegate, Kernel, Supported

class Graph(Kernel):
    def execute(self):
        self.outputs[0].data = np.zeros(self.outputs[0].shape, np.float32)

class Wrong(Delegate):
    name = "wrong"
    def supports(self, kernel):
        return Supported()
    def create_graph_kernel(self, run, model):
        b = model.boundary_of(run)
        return Graph("G", "G", b.inputs, b.outputs)

class NotCompiling(Delegate):
    name = "wrong"
    def supports(self, kernel):
        return Supported()
    def create_graph_kernel(self, run, model):
        raise ValueError("no\\nway")

class NotADelegate:
    pass

class NeedsArguments(Delegate):
    def __init__(self, port):
        pass
"""


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    (tmp_path / "my_wrong.py").write_text(WRONG_DELEGATE)
    return tmp_path


def test_a_warning_is_one_line(wrong: Path, model: Path) -> None:
    done = call("run", model, "--delegate", "my_wrong:NotCompiling", cwd=wrong)
    assert done.stderr.startswith("lite-delegate: warning: ")
    assert done.stderr.endswith("no; way\n")
    assert done.stderr.count("\n") == 1
    assert "0 of 3 kernels on 'wrong', 0 subgraphs" in done.stdout


def test_each_command_has_one_line_in_the_list_of_commands() -> None:
    listed = call("--help").stdout.partition("Commands:")[2]
    assert "report diff" in listed
    assert "..." not in listed


def test_conformance_of_a_wrong_delegate_exits_1(wrong: Path) -> None:
    done = call("conformance", "--delegate", "my_wrong:Wrong", "--op", "Softmax", cwd=wrong, status=1)
    assert "wrong: Softmax " in done.stdout


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("gpu", "npu:PROFILE, package.module:ClassName, file.py:ClassName or isolated:SPEC, got 'gpu'"),
        ("npu:nonesuch", "nonesuch"),
        ("npu:", "npu:PROFILE, package.module:ClassName, file.py:ClassName or isolated:SPEC, got 'npu:'"),
        ("my_missing:Wrong", "cannot import it: ModuleNotFoundError"),
        ("my_wrong:Missing", "cannot import it: AttributeError"),
        ("my_wrong:NotADelegate", "must be a class derived from lite_delegate.Delegate"),
        ("my_wrong:NeedsArguments", 'option "port" of NeedsArguments is required: --delegate-option port=...'),
    ],
)
def test_bad_delegate_specs_are_one_line_and_status_2(wrong: Path, spec: str, message: str) -> None:
    done = call("report", model_path(), "--delegate", spec, cwd=wrong, status=2)
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("command", ["run", "report", "info"])
def test_bad_files_are_one_line_and_status_2(command: str, tmp_path: Path) -> None:
    (tmp_path / "empty.ms").touch()
    (tmp_path / "text.ms").write_text("hello, I am no model")
    for name in ("missing.ms", "empty.ms", "text.ms", "."):
        done = call(command, tmp_path / name, status=2)
        assert done.stderr.startswith("lite-delegate: ")
        assert len(done.stderr.strip().splitlines()) == 1
        assert done.stdout == ""


def test_bad_inputs_are_one_line_and_status_2(model: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "double.npy", np.ones((2, 3)))
    np.save(tmp_path / "rank.npy", np.ones((2, 3, 1), np.float32))
    np.savez(tmp_path / "many.npz", a=np.ones(1))
    (tmp_path / "junk.npy").write_bytes(b"\x93NUMPY\x01\x00junk")
    for given, message in [
        ("x", "--input x: cannot read 'x': No such file"),
        ("x=", "--input must be NAME=FILE.npy, got 'x='; the model's inputs are x"),
        (f"y={tmp_path / 'double.npy'}", "the model's inputs are x"),
        (f"x={tmp_path / 'double.npy'}", "x: the model's input is FLOAT32 [2, 3], '"),
        (f"x={tmp_path / 'double.npy'}", "double.npy' has float64 [2, 3]"),
        (f"x={tmp_path / 'rank.npy'}", "rank.npy' has float32 [2, 3, 1]"),
        (f"x={tmp_path / 'many.npz'}", "has no array of that name"),
        (f"x={tmp_path / 'junk.npy'}", "cannot read"),
        (f"x={tmp_path / 'missing.npy'}", "missing.npy': No such file"),
        (f"x={tmp_path}", "expected a file, found a directory"),
        (f"x={model}", "is neither a .npy nor a .npz file"),
    ]:
        done = call("run", model, "--input", given, status=2)
        assert message in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1


def test_the_only_input_of_a_model_needs_no_name(model: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.full((2, 3), 2, np.float32))
    named, unnamed = tmp_path / "named.npz", tmp_path / "unnamed.npz"
    call("run", model, "--input", f"x={tmp_path / 'x.npy'}", "--output", named)
    call("run", model, "--input", tmp_path / "x.npy", "--output", unnamed)
    with np.load(named) as expected, np.load(unnamed) as found:
        assert sorted(found) == sorted(expected)
        for name in expected:
            np.testing.assert_array_equal(found[name], expected[name])


def test_the_commands_of_a_cache_are_a_group() -> None:
    shown = call("cache", "--help").stdout
    assert [line.split()[0] for line in shown.partition("Commands:\n")[2].splitlines()] == [
        *("clear", "explain", "list", "prune", "verify")
    ]
    assert "--cache-dir DIR" in call("cache", "list", "--help").stdout
    listed = call("--help").stdout.partition("Commands:\n")[2]
    assert "  cache " in listed
    assert "  report diff " in listed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("report", "chain.ms", "--max-subgraphs", -1),
            "'--max-subgraphs': -1 is not in the range x>=0. See '",
        ),
        (("report", "chain.ms", "--format", "nonesuch"), "'nonesuch' is not one of"),
        (("report", "chain.ms", "chain.ms"), "unexpected extra argument"),
        (("report",), "Missing argument 'MODEL'"),
        (("report", "diff", "a.json"), "Missing argument 'B.json'"),
        (("nonesuch",), "No such command 'nonesuch'. See '"),
        (("reprot", "chain.ms"), "No such command 'reprot'. Did you mean 'report'? See '"),
        (("cache", "lst"), "No such command 'lst'. Did you mean 'list'? See '"),
        (("report", "chain.ms", "--delegate", "oepnvino"), "got 'oepnvino'. Did you mean 'openvino'?"),
        (("--nonesuch",), "No such option '--nonesuch'"),
        (
            ("calibrate", "chain.ms", "--delegate", "npu", "--delegate", "none"),
            "takes one --delegate, got npu and none",
        ),
    ],
)
def test_mistakes_on_the_command_line_are_one_line_and_status_2(
    model: Path, arguments: tuple[object, ...], message: str
) -> None:
    done = call(*arguments, cwd=model.parent, status=2)
    assert message in done.stderr
    assert done.stderr.startswith("lite-delegate: ")
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


def test_without_arguments_there_is_the_help() -> None:
    assert "Commands:" in call(status=2).stderr


def test_no_output_is_written_when_another_cannot_be(model: Path, tmp_path: Path) -> None:
    benchmark = ("benchmark", model, "--runs", 1, "--trace", tmp_path / "trace.json", "-o", tmp_path / "no" / "b.txt")
    assert "is not a directory" in call(*benchmark, status=2).stderr
    assert not (tmp_path / "trace.json").exists()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("one", "one"),
        ("two  words\n", "two words"),
        ("2 nodes:\n  a: why\n  b: why not", "2 nodes: a: why; b: why not"),
        ("One sentence.\n\nAnother.", "One sentence. Another."),
    ],
)
def test_messages_of_several_lines_are_shown_in_one(text: str, line: str) -> None:
    assert one_line(text) == line


def test_an_input_given_twice_is_a_mistake(model: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones((2, 3), np.float32))
    given = ("--input", f"x={tmp_path / 'x.npy'}")
    assert "--input names 'x' twice" in call("run", model, *given, *given, status=2).stderr


@pytest.mark.parametrize("command", ["run", "calibrate", "benchmark"])
def test_open_dimensions_that_do_not_fit_are_explained(command: str, tmp_path: Path) -> None:
    x, y = value("x", (-1, 4)), value("y")
    graph = Graph(
        "g",
        [x],
        [y],
        [
            Node(
                "n",
                make_primitive("Reshape"),
                [x, Value("to", DataType.INT32, (1,), data=np.array([8], np.int32))],
                [y],
            )
        ],
    )
    write_ms(graph, tmp_path / "open.ms")
    done = call(command, tmp_path / "open.ms", "--delegate", "npu", status=2)
    assert "The model cannot take x [1, 4]: " in done.stderr
    assert "unless --input or --input-shape says more" in done.stderr
    call(command, tmp_path / "open.ms", "--delegate", "npu", "--input-shape", "x=2,4")


def test_outputs_are_written_whole_or_not_at_all(model: Path, tmp_path: Path) -> None:
    call("run", model, "--output", tmp_path / "no" / "such" / "y.npz", status=2)
    before = set(tmp_path.iterdir())
    for folder in (".", "/", tmp_path):
        assert "is a directory" in call("run", model, "--output", folder, cwd=tmp_path, status=2).stderr
    y = tmp_path / "y.npz"
    y.write_text("precious")
    call("run", model, "--delegate", "npu:nonesuch", "--output", y, status=2)
    assert y.read_text() == "precious"
    assert set(tmp_path.iterdir()) == before | {y}


def test_strict_names_what_would_fall_back() -> None:
    done = call("run", model_path(), "--delegate", "npu:kirin", "--no-rewrite", "--strict", status=2)
    expected = "'block/norm' (LayerNormFusion): OPERATOR: NPU profile 'kirin' has no LayerNormFusion."
    assert f"strict mode: 1 kernel would run on the CPU: {expected}" in done.stderr


def test_operators_that_nobody_has_are_listed(tmp_path: Path) -> None:
    graph = chain(1)
    odd = Node("odd", make_primitive("Custom", type="Odd"), list(graph.outputs), [value("z")])
    graph.nodes.append(odd)
    graph.outputs = list(odd.outputs)
    write_ms(graph, tmp_path / "odd.ms")
    done = call("run", tmp_path / "odd.ms", status=2)
    assert "'odd' (Custom, FLOAT32)" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_run_takes_and_gives_strings(tmp_path: Path) -> None:
    sentence, grams = value("sentence", (1,), DataType.STRING), value("grams", None, DataType.STRING)
    node = Node("pairs", make_primitive("SkipGram", ngram_size=2), [sentence], [grams])
    model, x, y = tmp_path / "pairs.ms", tmp_path / "x.npy", tmp_path / "y.npz"
    write_ms(Graph("main", [sentence], [grams], [node]), model)
    np.save(x, np.array(["gr\u00fcn und blau"]))
    done = call("run", model, "--input", f"sentence={x}", "--output", y)
    assert "STRING" in done.stdout
    with np.load(y) as outputs:
        assert outputs["grams"].tolist() == ["gr\u00fcn und", "und blau"]
    failed = call("run", model, status=2)
    assert "Input 'sentence' is of strings; give it with --input" in failed.stderr
