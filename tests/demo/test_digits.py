from collections.abc import Sequence

import numpy as np
import pytest

from lite_delegate import (
    Context,
    Delegate,
    DelegateModel,
    Kernel,
    Model,
    RejectCode,
    Rejected,
    Supported,
    SupportResult,
)
from lite_delegate.demo import load_test_set, model_path, run_demo
from lite_delegate.npu import NPUDelegate


class Twin(Delegate):
    """Runs everything but layer normalization, with the CPU's own kernels; ``error`` is added to the class 3."""

    name = "twin"

    def __init__(self, error: float = 0.0) -> None:
        self.error = error

    def supports(self, kernel: Kernel) -> SupportResult:
        if kernel.type == "LayerNormFusion":
            return Rejected(RejectCode.OPERATOR, "no layer normalization here")
        return Supported()

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        return TwinGraph(run, model, self.error)


class TwinGraph(Kernel):
    def __init__(self, run: Sequence[Kernel], model: DelegateModel, error: float) -> None:
        boundary = model.boundary_of(run)
        super().__init__(f"twin/{run[0].name}", "TwinGraph", boundary.inputs, boundary.outputs)
        self.run, self.error = run, error

    def execute(self) -> None:
        for kernel in self.run:
            kernel.execute()
        for tensor in self.outputs:
            if tensor.name == "probabilities":
                tensor.data = tensor.data + self.error * (np.arange(10) == 3).astype(np.float32)


def test_the_images_are_ready_for_the_model() -> None:
    images, labels = load_test_set()
    assert images.dtype == np.float32
    assert images.shape == (450, 8, 8, 1)
    assert (images.min(), images.max()) == (0.0, 1.0)
    assert labels.shape == (450,)
    assert np.bincount(labels).min() >= 40, "each of the ten digits is there often enough"
    assert len(np.bincount(labels)) == 10


def test_the_model_is_small() -> None:
    assert model_path().stat().st_size < 300_000


def test_the_model_classifies_images_it_was_not_trained_on() -> None:
    images, labels = load_test_set()
    model = Model()
    model.build_from_file(model_path(), context=Context())
    assert [(t.name, t.shape) for t in model.get_inputs()] == [("image", [1, 8, 8, 1])]
    assert [(t.name, t.shape) for t in model.get_outputs()] == [("probabilities", [1, 10])]
    model.resize(model.get_inputs(), [images.shape])
    (found,) = model.predict({"image": images})
    probabilities = found.get_data_to_numpy()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-5)
    assert np.mean(probabilities.argmax(axis=1) == labels) > 0.97


def test_the_layer_normalization_falls_back_and_splits_the_model_in_two() -> None:
    result = run_demo(Twin())
    assert [(n.name, n.code) for n in result.partition.fallback] == [("block/norm", RejectCode.OPERATOR)]
    assert [len(s.kernels) for s in result.partition.subgraphs] == [2, 8]
    assert result.partition.minimum_subgraphs == 2
    assert result.partition.subgraphs[1].inputs == ("block/norm", "stem/pool"), "the shortcut passes the fallback by"


def test_a_delegate_with_the_same_arithmetic_gives_the_same_answers() -> None:
    result = run_demo(Twin())
    assert result.n_images == 450
    assert result.largest_difference == 0.0
    assert result.accuracy_delegate == result.accuracy_cpu > 0.97
    assert result.seconds_cpu > 0.0
    assert result.seconds_delegate > 0.0


def test_a_wrong_delegate_shows() -> None:
    _, labels = load_test_set()
    result = run_demo(Twin(error=2.0))
    assert result.largest_difference == pytest.approx(2.0, abs=1e-6)
    assert result.accuracy_delegate == np.mean(labels == 3)
    assert result.accuracy_cpu > 0.97


def test_a_phone_npu_runs_the_layer_normalization_taken_apart() -> None:
    result = run_demo(NPUDelegate("kirin"))
    assert result.partition.fallback == ()
    assert len(result.partition.subgraphs) == 1
    assert [source.name for rewrite in result.partition.rewrites for source in rewrite.sources] == ["block/norm"]
    # Half precision rounds a logit (25 at most here) by up to 2**-7, and a softmax moves a probability by at most half
    # of what its logits move: 0.004 for the last rounding; the bound leaves room for those before it.
    assert 0.0 < result.largest_difference < 0.01
    assert abs(result.accuracy_delegate - result.accuracy_cpu) <= 1 / 450


def test_without_a_delegate_the_cpu_runs_it_all() -> None:
    result = run_demo(None)
    assert result.partition.kernels_delegated == 0
    assert result.largest_difference == 0.0


def test_the_text_says_what_ran_where_and_how_good_it_is() -> None:
    result = run_demo(Twin())
    partition, text = result.partition.to_text(), result.to_text()
    assert text.startswith(partition)
    figures = text.removeprefix(partition).split("\n")
    assert "450 real handwritten digits" in figures[2]
    assert f"on the CPU           {result.accuracy_cpu:.2%} right, {result.seconds_cpu * 1e3:.1f} ms" in figures[3]
    assert f"with delegate twin   {result.accuracy_delegate:.2%} right" in figures[4]
    assert figures[5].endswith("largest difference of a probability: 0")
    assert max(map(len, figures)) <= 100


def test_the_text_without_a_delegate_compares_nothing() -> None:
    assert "with delegate" not in run_demo(None).to_text()
