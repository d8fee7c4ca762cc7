"""``report`` and ``run`` say the same of every model: how many kernels on the delegate, in how many subgraphs.

The models are the small ones made here, the one that ships with the package, the development models, and all in the
folder that the environment variable LITE_DELEGATE_MORE_MODELS names.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

import lite_delegate.demo
from lite_delegate.formats.ms import write_ms
from tests.commands import invoke
from tests.inference.shapes.test_open_shapes import reshaped_to_2x4
from tests.passes.random_graphs import Builder
from tests.runtime.graphs import chain
from tests.runtime.planning.shapes.test_preparing import filled, view

MADE = {
    "chain": chain(3),
    "open": chain(3, (-1, 3)),
    "view": view(Builder(), (-1, 3, 4)),
    "filled": filled((-1,)),
    "not_1": reshaped_to_2x4(),
}
MORE = (
    sorted(Path(os.environ["LITE_DELEGATE_MORE_MODELS"]).iterdir()) if "LITE_DELEGATE_MORE_MODELS" in os.environ else []
)
SUFFIXES = (".ms", ".onnx", ".tflite")


def check(path: Path, options: Sequence[str] = ()) -> None:
    report = invoke("report", path, "--delegate", "npu", "--format", "json", *options)
    run = invoke("run", path, "--delegate", "npu", *options)
    assert report.exit_code == run.exit_code, report.output + run.output
    if report.exit_code:
        assert report.stderr == run.stderr
        return
    said = json.loads(report.stdout)
    found = re.search(r"(\d+) of (\d+) kernels? on 'npu', (\d+) subgraph", run.stdout)
    assert found is not None, run.output
    assert [said["kernels_delegated"], said["kernels_total"], len(said["subgraphs"])] == [*map(int, found.groups())]


@pytest.mark.parametrize("name", MADE)
def test_on_models_made_here(name: str, tmp_path: Path) -> None:
    write_ms(MADE[name], tmp_path / f"{name}.ms")
    check(tmp_path / f"{name}.ms")
    check(tmp_path / f"{name}.ms", ["--optimize", "none"])


def test_on_the_model_that_ships_with_the_package() -> None:
    check(Path(lite_delegate.demo.__file__).parent / "digits.ms")


@pytest.mark.parametrize("name", ["lenet_tod_infer.ms", "ds_cnn_kws_f32.tflite", "ds_cnn_kws_int8.tflite"])
def test_on_development_models(name: str, shared_models: Path) -> None:
    if name.endswith(".tflite"):
        pytest.importorskip("tflite")
    check(shared_models / name)


@pytest.mark.parametrize("path", [each for each in MORE if each.suffix in SUFFIXES], ids=lambda path: str(path.name))
def test_on_more_models(path: Path) -> None:
    check(path)
