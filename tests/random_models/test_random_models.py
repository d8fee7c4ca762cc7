"""A slice of the campaign over random models, and that it sees what it is there to see."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from lite_delegate import DelegateExecuteError
from tests.random_models import worker
from tests.random_models.campaign import Campaign
from tests.random_models.configurations import CONFIGURATIONS, Configuration
from tests.random_models.judging import first_difference, judged, judged_in, still
from tests.random_models.models import sample
from tests.random_models.sample import Sample
from tests.random_models.shrinking import shrunk
from tests.random_models.steps import Array

NONE = CONFIGURATIONS["none"]


@pytest.mark.parametrize("seed", range(12))
def test_a_slice_in_every_configuration(seed: int) -> None:
    found = judged(sample(seed), list(CONFIGURATIONS.values()))
    assert [each for each in found if each.is_finding] == []


@pytest.mark.parametrize("start", range(1000, 1120, 30))
def test_a_slice_on_the_cpu_and_each_runtime(start: int) -> None:
    chosen = [CONFIGURATIONS[name] for name in ("none", "onnxruntime", "openvino", "npu:npu4000:f32")]
    for seed in range(start, start + 20):
        found = judged(sample(seed), chosen)
        assert [(seed, each) for each in found if each.is_finding] == []


def test_a_seed_gives_the_same_model_again() -> None:
    for seed in range(5):
        first, second = sample(seed), sample(seed)
        assert first.content == second.content
        for name, array in first.inputs.items():
            np.testing.assert_array_equal(array, second.inputs[name])


def test_models_have_operators_of_every_family_and_open_dimensions() -> None:
    models = [sample(seed) for seed in range(400)]
    operators = {operator for model in models for operator in model.operators}
    assert {"If", "Loop", "Scan", "LSTM", "GRU", "Conv", "QLinearConv", "MatMulInteger", "GatherND"} <= operators
    assert {"CONV_2D", "DEPTHWISE_CONV_2D", "QUANTIZE", "STRIDED_SLICE", "BATCH_MATMUL", "IF", "WHILE"} <= operators
    assert {"Conv2DFusion", "LayerNormFusion", "FullConnection", "StridedSlice", "BatchToSpaceND"} <= operators
    assert {"quantized Conv2DFusion", "quantized AddFusion", "quantized QuantDTypeCast"} <= operators
    assert {model.writer.suffix for model in models} == {".onnx", ".tflite", ".ms"}
    assert len(operators) > 300
    assert any(model.parts.open_dims for model in models)
    assert any(not model.parts.open_dims for model in models)


def _planted(fault: Callable[[list[Array]], list[Array]], op: str) -> Configuration:
    """A configuration that is right but for models with an operator."""

    def run(found: Sample, folder: Path) -> list[Array]:
        outputs = NONE.run(found, folder)
        return fault(outputs) if op in found.operators else outputs

    return Configuration("planted", run)


def _first_with(op: str, nodes: int = 6) -> Sample:
    """A model of several nodes, one of them of an operator."""
    known = (sample(seed) for seed in range(2000))
    return next(x for x in known if len(x.parts.steps) >= nodes and op in x.operators)


def _raise(outputs: list[Array]) -> list[Array]:
    raise DelegateExecuteError("planted")


FAULTS: dict[str, tuple[Callable[[list[Array]], list[Array]], str]] = {
    "numbers": (lambda outputs: [y + np.asarray(1, y.dtype) if y.dtype != bool else ~y for y in outputs], "wrong"),
    "shapes": (lambda outputs: [y[None] for y in outputs], "wrong"),
    "types": (lambda outputs: [y.astype(np.complex64) for y in outputs], "wrong"),
    "no numbers": (lambda outputs: [y * np.float32(np.nan) if y.dtype.kind == "f" else ~y for y in outputs], "wrong"),
    "errors": (_raise, "raised: DelegateExecuteError"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_planted_is_found_and_made_small(name: str) -> None:
    fault, outcome = FAULTS[name]
    whole, configuration = _first_with("Conv"), _planted(fault, "Conv")
    assert judged_in(whole, configuration, whole.allowed(configuration.size)).outcome == outcome
    small = shrunk(whole, still(configuration, outcome))
    assert small.operators == ["Conv"]
    assert judged_in(whole, NONE, whole.allowed(NONE.size)).outcome == "right"


def test_only_what_is_allowed_to_move_may_be_another_number() -> None:
    whole = _first_with("ArgMax")
    allowed = [np.zeros(y.shape) for y in whole.expected]
    at = next(i for i, y in enumerate(whole.expected) if y.dtype == np.int64 and y.size)
    changed = [np.array(y) for y in whole.expected]
    changed[at].flat[0] += 1
    assert "expected" in first_difference(whole, changed, allowed)
    allowed[at].flat[0] = 1
    assert first_difference(whole, changed, allowed) == ""


def test_a_campaign_goes_on_and_keeps_what_it_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that dies at its second model; the campaign notes that, keeps the model, and goes on."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys, os\n"
        "if 'tests.random_models.worker' in ' '.join(sys.orig_argv):\n"
        "    import tests.random_models.models as module\n"
        "    made = module.sample\n"
        "    module.sample = lambda seed: os.abort() if seed == 1 else made(seed)\n"
    )
    path = os.pathsep.join([str(tmp_path), str(Path(worker.__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", path)
    state = tmp_path / "state"
    Campaign(state, "^none$").run(2)
    again = Campaign(state)
    assert again.state.done == 2
    again.run(3)
    found = json.loads((state / "models.json").read_text())
    assert (found["done"], found["findings"]) == (3, [[1, "process"]])
    assert found["outcomes"]["none"] == {"right": 2}
    kept = state / "findings" / "1-process"
    assert "worker died: -6" in (kept / "about.txt").read_text()
    assert (kept / "model.ms").read_bytes() == sample(1).content
    assert set(np.load(kept / "inputs.npz")) == set(sample(1).inputs)
