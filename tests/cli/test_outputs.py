"""No command writes over a file that it reads, whatever the parameters are called and whatever name the file has."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from lite_delegate.cli.frame.help_texts import COMMANDS
from lite_delegate.cli.main import main
from lite_delegate.cli.options.files import InputFile, OutputFile, OutputFolder, TextWithFile
from lite_delegate.formats.ms import write_ms
from tests.commands import call, invoke
from tests.formats.test_ms_writer import _side_graph
from tests.runtime.graphs import chain

NO_FILES = {
    "allow_names", "allow_types", "deny_names", "deny_types", "device", "groups", "names", "ops", "pins", "signature",
    "stateful", "shapes", "chosen", "shown", "memory_limit", "repair_tries", "calibration_ms", "requirements",
    "columns", "keep", "save", "types", "postprocess", "memory", "address", "resources", "label",
    "requests", "classes", "mean", "std", "repair_device", "smaller_than", "older_than", "max_bytes",
}  # fmt: skip
"""Parameters whose texts name no file."""
READS = (InputFile, TextWithFile)


def commands() -> Iterator[tuple[str, click.Command]]:
    for name in COMMANDS:
        command: click.Command | None = main
        for word in name.split():
            assert isinstance(command, click.Group)
            command = command.get_command(click.Context(command), word)
        assert command is not None
        yield name, command


def parameters(*kinds: type[InputFile | TextWithFile | OutputFile]) -> list[tuple[str, click.Parameter]]:
    return [(name, each) for name, command in commands() for each in command.params if isinstance(each.type, kinds)]


def test_each_parameter_that_may_name_a_file_has_a_type_that_takes_note_of_it() -> None:
    loose = [
        f"{name}: {each.name}"
        for name, command in commands()
        for each in command.params
        if isinstance(each.type, (click.Path, click.File, type(click.STRING)))
        and not isinstance(each.type, (*READS, OutputFile, OutputFolder))
        and each.name not in NO_FILES
    ]
    assert loose == []


def test_there_is_no_name_of_a_file_under_another_type() -> None:
    """What help calls FILE or DIR is one."""
    named = [
        f"{name}: {each.name}"
        for name, command in commands()
        for each in command.params
        if any(word in str(each.metavar or "") for word in ("FILE", "DIR", "json", "npy"))
        and not isinstance(each.type, (*READS, OutputFile, OutputFolder))
    ]
    assert named == []


def pairs() -> list[tuple[str, click.Parameter, click.Parameter]]:
    """Each output of each command with each of its inputs."""
    outputs, inputs = parameters(OutputFile), parameters(*READS)
    return [(name, out, read) for name, out in outputs for other, read in inputs if name == other]


def given(parameter: click.Parameter, path: Path) -> Sequence[str]:
    """A file as the value of a parameter."""
    text = {"inputs": f"x={path}", "spec": f"npu:{path}", "options": f"KEY={path}"}.get(str(parameter.name), str(path))
    return [text] if isinstance(parameter, click.Argument) else [parameter.opts[-1], text]


@pytest.mark.parametrize("reverse", [True, False])
@pytest.mark.parametrize(("name", "out", "read"), pairs(), ids=lambda each: getattr(each, "name", each))
def test_an_output_that_is_an_input_is_refused_before_anything_is_read(
    tmp_path: Path, name: str, out: click.Parameter, read: click.Parameter, reverse: bool
) -> None:
    path = tmp_path / "file.toml"
    path.write_bytes(b"nothing that any command could read")
    words = [given(out, path), given(read, path)]
    rest = [
        word
        for each in dict(commands())[name].params
        if each.required and each is not read and each is not out
        for word in given(each, tmp_path / "other")
    ]
    done = invoke(*name.split(), *rest, *(word for each in words[:: -1 if reverse else 1] for word in each))
    line = f"'{path}' is a file that is read, of {read.opts[-1] if isinstance(read, click.Option) else ''}"
    assert (done.exit_code, line in done.output, done.output.count("\n")) == (2, True, 1), done.output
    assert path.read_bytes() == b"nothing that any command could read"
    assert list(tmp_path.iterdir()) == [path]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """An ONNX model with its weights in a file."""
    weights = numpy_helper.from_array(np.ones((4, 4), np.float32), "w")
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 4]) for name in "xy")
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "g", [x], [y], [weights])
    path = tmp_path / "model.onnx"
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.save_model(made, path, save_as_external_data=True, location="weights.bin", size_threshold=0)
    return path


def names(path: Path, folder: Path) -> Iterator[Path]:
    """Other names of a file."""
    (folder / "sub").mkdir()
    yield path
    yield folder / "sub" / ".." / path.name
    yield folder / "soft"
    (folder / "soft").symlink_to(path)
    yield folder / "hard"
    os.link(path, folder / "hard")
    yield folder / "soft to hard"
    (folder / "soft to hard").symlink_to(folder / "hard")


@pytest.mark.parametrize("name", ["model.onnx", "weights.bin"])
def test_a_file_has_many_names(tmp_path: Path, model: Path, name: str) -> None:
    before = (tmp_path / name).read_bytes()
    for path in list(names(tmp_path / name, tmp_path)):
        done = invoke("report", model, "-o", path)
        assert (done.exit_code, "is a file that is read, of MODEL" in done.output) == (2, True), (path, done.output)
        assert (tmp_path / name).read_bytes() == before


def test_weights_of_an_ms_model_and_a_file_of_the_process(tmp_path: Path) -> None:
    write_ms(_side_graph(), tmp_path / "model.ms", external_data_threshold=100)
    before = (tmp_path / "model.msw").read_bytes()
    done = invoke("benchmark", tmp_path / "model.ms", "--trace", tmp_path / "model.msw")
    assert (done.exit_code, (tmp_path / "model.msw").read_bytes()) == (2, before)
    with (tmp_path / "model.ms").open("rb") as file:
        done = invoke("report", tmp_path / "model.ms", "-o", f"/dev/fd/{file.fileno()}")
    assert (done.exit_code, "('" in done.output) == (2, True), done.output


def test_two_outputs_are_two_files(tmp_path: Path) -> None:
    write_ms(chain(1), tmp_path / "model.ms")
    out = tmp_path / "out"
    done = invoke("benchmark", tmp_path / "model.ms", "--trace", out, "-o", tmp_path / "." / "out")
    assert (done.exit_code, f"--trace and --output are both '{out}'" in done.output) == (2, True), done.output
    call("benchmark", tmp_path / "model.ms", "--runs", "1", "--trace", "/dev/null", "-o", "/dev/null")


def test_other_files_are_replaced(tmp_path: Path) -> None:
    write_ms(chain(1), tmp_path / "model.ms")
    (tmp_path / "npu").write_bytes(b"an earlier report, called as a device")
    done = invoke("report", tmp_path / "model.ms", "--delegate", "npu", "-o", tmp_path / "npu")
    assert (done.exit_code, (tmp_path / "npu").read_bytes()[:2] != b"an") == (0, True), done.output
