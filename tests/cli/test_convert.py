"""``lite-delegate convert``, as a user runs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lite_delegate import Context, Model, ModelType
from lite_delegate.demo import model_path
from lite_delegate.formats.ms import read_ms, write_ms
from lite_delegate.ir import Graph, difference
from lite_delegate.passes.table import PASSES
from tests.commands import COMMAND, call
from tests.passes.random_graphs import Builder, run
from tests.terminal import on_terminal


def network() -> Graph:
    b = Builder()
    y = b.node("Activation", b.conv(b.input("first", (1, 3, 4, 4)), 4), activation_type="RELU")
    z = b.conv(b.node("AddFusion", y, b.input("second", (1, 4, 4, 4))), 2)
    graph = b.graph(z, y)
    z.name, y.name = "last", "middle"
    return graph


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "in.ms"
    write_ms(network(), path)
    return path


def test_an_optimized_model_gives_the_same_under_the_same_names(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.ms"
    done = call("convert", model, "-o", out)
    assert done.stdout == f"{out}: 7 nodes, 8 before\n"
    assert done.stderr == ""
    old, new = read_ms(model), read_ms(out)
    assert [v.name for v in new.inputs] == ["first", "second"]
    assert [v.name for v in new.outputs] == ["last", "middle"]
    for a, b in zip(run(new), run(old), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_none_writes_what_was_read(model: Path, tmp_path: Path) -> None:
    call("convert", model, "-o", tmp_path / "out.ms", "--optimize", "none")
    assert difference(read_ms(model), read_ms(tmp_path / "out.ms")) is None


def test_a_model_does_not_take_its_own_place(model: Path) -> None:
    before = model.read_bytes()
    assert "is a file that is read, of MODEL; name another file" in call("convert", model, "-o", model, status=2).stderr
    assert model.read_bytes() == before


@pytest.mark.parametrize(("suffix", "beside"), [(".ms", "out.msw"), (".onnx", "out.onnx.data")])
def test_a_file_beside_it_that_is_not_its_own_is_left_alone(
    model: Path, tmp_path: Path, suffix: str, beside: str
) -> None:
    out, side = tmp_path / f"out{suffix}", tmp_path / beside
    side.write_bytes(b"of somebody else")
    said = call("convert", model, "-o", out, "--external-data-threshold", "10", status=2).stderr
    assert f"'{side}' is there already and does not belong to '{out}'" in said
    assert (side.read_bytes(), out.exists()) == (b"of somebody else", False)
    side.unlink()
    call("convert", model, "-o", out, "--external-data-threshold", "10")
    before = side.read_bytes(), out.read_bytes()
    call("convert", model, "-o", out, "--external-data-threshold", "200")
    assert (len(side.read_bytes()) < len(before[0]), out.read_bytes() != before[1]) == (True, True)


@pytest.mark.parametrize("suffix", [".ms", ".onnx"])
def test_weights_of_the_model_are_not_replaced_by_those_of_its_conversion(tmp_path: Path, suffix: str) -> None:
    """Both models would have their weights in one file."""
    model, out = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    write_ms(network(), tmp_path / "first.ms")
    call("convert", tmp_path / "first.ms", "-o", out, "--external-data-threshold", "10")
    model.write_bytes(out.read_bytes())
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    said = call("convert", model, "-o", out, "--external-data-threshold", "10", status=2).stderr
    assert "is a file that is read, of MODEL" in said
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(("threshold", "outside"), [(432, 1), (433, 0)])
def test_constants_of_a_size_go_beside_the_model(model: Path, tmp_path: Path, threshold: int, outside: int) -> None:
    """The largest constant is 4 x 3 x 3 x 3 float32: 432 bytes; the other weight has 2 x 3 x 3 x 4: 288."""
    out = tmp_path / "out.ms"
    call("convert", model, "-o", out, "--external-data-threshold", threshold)
    assert (tmp_path / "out.msw").exists() is bool(outside)
    for a, b in zip(run(read_ms(out)), run(read_ms(model)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_the_digits_of_the_demo(tmp_path: Path) -> None:
    call("convert", model_path(), "-o", tmp_path / "digits.ms")
    for a, b in zip(run(read_ms(tmp_path / "digits.ms")), run(read_ms(model_path())), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


BAD = {
    "no such file": (["missing.ms"], "missing.ms"),
    "no model": (["text.ms"], "text.ms"),
    "of another kind": (["in.ms", "-o", "out.pb"], "must be a .ms, .onnx or .tflite file, got 'out.pb'"),
    "no such folder": (["in.ms", "-o", "nowhere/out.ms"], "'nowhere' is not a directory"),
    "output is a folder": (["in.ms", "-o", "folder.ms"], "folder.ms"),
    "level": (["in.ms", "--optimize", "most"], "'most' is not one of 'none', 'general'"),
    "threshold": (["in.ms", "--external-data-threshold", "-1"], "-1"),
    "shape without name": (["in.ms", "--input-shape", "1,3"], "NAME=D,D,... with dimensions of at least 1, got '1,3'"),
    "shape of zero": (["in.ms", "--input-shape", "x=1,0"], "at least 1, got 'x=1,0'"),
    "shape twice": (["in.ms", "--input-shape", "x=1", "--input-shape", "x=2"], "names 'x' twice"),
    "shape that does not fit": (["in.ms", "--input-shape", "first=1,3,4,5"], "of 'first' must fit [1, 3, 4, 4], got"),
    "signature of a .ms file": (["in.ms", "--signature", "serve"], "signatures are for .tflite models"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_message_and_no_file(name: str, model: Path, tmp_path: Path) -> None:
    (tmp_path / "text.ms").write_text("no model")
    (tmp_path / "folder.ms").mkdir()
    before = sorted(tmp_path.iterdir())
    arguments, message = BAD[name]
    output = [] if "-o" in arguments else ["-o", "out.ms"]
    done = call("convert", *arguments, *output, cwd=tmp_path, status=2)
    assert message in done.stderr
    assert sorted(tmp_path.iterdir()) == before
    if done.stderr.startswith("lite-delegate: "):
        assert done.stderr.count("\n") == 1


def test_a_file_that_cannot_be_written_leaves_what_was_there(model: Path, tmp_path: Path) -> None:
    old = tmp_path / "out.ms"
    old.write_bytes(b"old")
    damaged = tmp_path / "damaged.ms"
    damaged.write_bytes(model.read_bytes()[:200])
    call("convert", damaged, "-o", old, status=2)
    assert old.read_bytes() == b"old"


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo terminals are for Unix")
@pytest.mark.parametrize(("delay", "shown"), [(0.1, True), (60.0, False)])
def test_a_bar_shows_on_a_terminal_for_what_takes_long(model: Path, tmp_path: Path, delay: float, shown: bool) -> None:
    """Reading takes half a second here: the bar appears while it lasts."""
    code = (
        "import sys, time, lite_delegate.cli.convert as c, lite_delegate.cli.frame.loudness as l;"
        f"l.AFTER_SECONDS = {delay}; read = c.read_model;"
        "c.read_model = lambda *given: (time.sleep(0.5), read(*given))[1];"
        f"sys.argv = ['x', 'convert', {str(model)!r}, '-o', {str(tmp_path / 'out.ms')!r}];"
        "from lite_delegate.cli.main import main; main()"
    )
    text = on_terminal([sys.executable, "-c", code])
    assert ("reading in.ms" in text) is shown
    assert bool(text.strip()) is shown


def test_imported_models_are_optimized_when_they_are_built_and_ms_files_are_not(model: Path, tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    from onnx import TensorProto, helper

    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, (1, 2)) for n in "xy")
    nodes = [helper.make_node("Identity", ["x"], ["a"]), helper.make_node("Sigmoid", ["a"], ["b"]),
             helper.make_node("Mul", ["a", "b"], ["y"])]  # fmt: skip
    made = helper.make_model(helper.make_graph(nodes, "g", [x], [y]), opset_imports=[helper.make_opsetid("", 17)])
    path = tmp_path / "swish.onnx"
    path.write_bytes(made.SerializeToString())
    assert kernels(path, "general") == ["Activation"]
    assert kernels(path, "none").count("MulFusion") == 1
    call("convert", path, "-o", tmp_path / "plain.ms", "--optimize", "none")
    assert kernels(tmp_path / "plain.ms", "general").count("MulFusion") == 1


def kernels(path: Path, optimize: str) -> list[str]:
    context = Context()
    context.optimize = optimize
    model = Model()
    model.build_from_file(path, ModelType.MINDIR_LITE, context)
    return [k.type for k in model.get_partition().nodes]


def test_another_level_is_rejected_by_the_context() -> None:
    with pytest.raises(ValueError, match="optimize"):
        Context().optimize = "most"


def test_command_is_listed() -> None:
    assert "convert" in subprocess.run([*COMMAND, "--help"], capture_output=True, text=True, check=True).stdout


def test_chosen_passes_run_in_the_order_given(model: Path, tmp_path: Path) -> None:
    names = ("--passes", "place-transposes,dead-code", "--print-after", "all")
    done = call("convert", model, "-o", tmp_path / "o.ms", *names)
    after = [line for line in done.stderr.splitlines() if line.startswith("after ")]
    assert after == ["after place-transposes:", "after dead-code:"]
    assert "'middle' FLOAT32[1, 4, 4, 4] = Activation(" in done.stderr
    none = call("convert", model, "-o", tmp_path / "none.ms", "--passes", "")
    assert none.stdout == f"{tmp_path / 'none.ms'}: 8 nodes, 8 before\n"


def test_the_graph_is_printed_after_the_passes_that_are_named(model: Path, tmp_path: Path) -> None:
    names = ("--print-after", "dead-code", "--print-after", "affine-fusion")
    done = call("convert", model, "-o", tmp_path / "o.ms", *names)
    after = [line for line in done.stderr.splitlines() if line.startswith("after ")]
    assert after == ["after dead-code:", "after affine-fusion:", "after dead-code:"]


def test_passes_are_listed_without_a_model() -> None:
    lines = call("convert", "--list-passes").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(PASSES)
    assert all(len(line.split()) > 3 for line in lines)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--passes", "dead-code,swish-fuson"), "There is no pass 'swish-fuson'. Did you mean 'swish-fusion'"),
        (("--passes", "dequantize-weights"), "'dequantize-weights' must run after pass 'unpack-constants'"),
        (("--print-after", "deadcode"), "There is no pass 'deadcode'. Did you mean 'dead-code'"),
        (
            ("--passes", "dead-code", "--print-after", "swish-fusion"),
            "this pass does not run; these do: dead-code",
        ),
    ],
)
def test_mistakes_with_passes_take_one_line(
    model: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = call("convert", model, "-o", tmp_path / "o.ms", *arguments, status=2)
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "o.ms").exists()
