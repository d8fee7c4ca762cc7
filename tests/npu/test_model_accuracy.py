"""Real models in every precision: how often they are right, and errors within what was derived for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import Context, Model, ModelType, Tensor
from lite_delegate.demo.digits import load_test_set, model_path
from lite_delegate.formats.ms import ms_bytes, read_ms
from lite_delegate.ir import Graph
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.device.programs.program import ElementType
from tests.npu.quantizing import captured, quantized
from tests.npu.semantics.error_chains import FloatChain, IntegerChain
from tests.npu.small_cnn import small_cnn
from tests.present import present

Array = np.ndarray[Any, Any]
SIGMAS = 6
"""A normally distributed error is beyond six standard deviations once in 500 million numbers."""
SHARED = 3.0
"""Decibels of noise more than expected: all images share the roundings of the weights, which do not average out."""
PRECISIONS = ("f16", "f32", "int8")
IMAGES, LABELS = load_test_set()
FITTED = 300
"""Images before it are fitted to and measured for ranges, those from it on are classified."""


def predicted(graph: Graph, images: Array, delegate: NPUDelegate | None) -> Array:
    """What a model file of the graph gives; with a delegate it must run on it from end to end, in one piece."""
    context, model = Context(), Model()
    context.set_delegate(delegate)
    model.build_from_buffer(ms_bytes(graph), ModelType.MINDIR_LITE, context)
    model.resize(model.get_inputs(), [list(images.shape)])
    if delegate is not None:
        assert {node.subgraph for node in model.get_partition().nodes} == {"NpuGraph0"}
    (result,) = model.predict([Tensor(images)])
    return result.data


def in_precision(graph: Graph, precision: str, calibration: Array, images: Array) -> tuple[Array, Any, Graph]:
    """The device's result, the chain that its errors follow, and the graph that ran."""
    if precision == "int8":
        made = quantized(graph, captured(graph, calibration))
        return predicted(made.graph, images, NPUDelegate()), IntegerChain(made), made.graph
    delegate = NPUDelegate(options={"INFERENCE_PRECISION_HINT": precision})
    element = ElementType.FLOAT16 if precision == "f16" else ElementType.FLOAT32
    return predicted(graph, images, delegate), FloatChain(element), graph


def digits() -> Graph:
    return read_ms(model_path())


def scores_of_digits() -> Graph:
    """The demo's model without its softmax."""
    graph = digits()
    return Graph(graph.name, graph.inputs, [present(graph.nodes[-1].inputs[0])], graph.nodes[:-1])


def cnn() -> Graph:
    return small_cnn(IMAGES[:FITTED], LABELS[:FITTED])


def right(scores: Array, labels: Array) -> float:
    return float((scores.argmax(axis=1) == labels).mean())


def signal_to_noise(got: Array, want: Array) -> float:
    """In decibels."""
    noise = np.square(got.astype(np.float64) - want).sum()
    return float(10 * np.log10(np.square(want.astype(np.float64)).sum() / noise))


@pytest.mark.parametrize(("make", "least"), [(digits, 0.97), (cnn, 0.86)], ids=["demo", "small_cnn"])
@pytest.mark.parametrize("precision", PRECISIONS)
def test_classifiers_stay_as_good(make: Callable[[], Graph], least: float, precision: str) -> None:
    """Images that neither weights nor ranges were made from; float16 and float32 classify every one alike."""
    images, labels = IMAGES[FITTED:], LABELS[FITTED:]
    want = predicted(make(), images, None)
    got, _, _ = in_precision(make(), precision, IMAGES[:FITTED], images)
    assert right(want, labels) >= least
    assert right(got, labels) >= right(want, labels) - (0.02 if precision == "int8" else 0.0)
    if precision != "int8":
        np.testing.assert_array_equal(got.argmax(axis=1), want.argmax(axis=1))


@pytest.mark.parametrize("make", [scores_of_digits, cnn])
@pytest.mark.parametrize("precision", PRECISIONS)
def test_scores_are_within_what_was_derived(make: Callable[[], Graph], precision: str) -> None:
    """Ranges are measured on the same images here, so that nothing saturates."""
    graph = make()
    got, chain, _ = in_precision(graph, precision, IMAGES, IMAGES)
    check_errors(got, *chain.run(graph, IMAGES))


def check_errors(got: Array, exact: Array, bound: Array, deviation: Array) -> None:
    error = np.abs(got - exact)
    assert (error <= bound).all()
    assert (error <= SIGMAS * deviation).all()
    assert SIGMAS * deviation.max() < 0.15 * np.abs(exact).max(), "an expectation that says nothing"
    expected = 10 * np.log10(np.square(exact).sum() / np.square(deviation).sum())
    assert signal_to_noise(got, exact) >= expected - SHARED


def test_an_int8_model_gives_what_the_reference_kernels_give() -> None:
    """Bit for bit: integer layers are exact on both sides, and no other result of this model is near a half."""
    for make in (digits, cnn):
        got, _, graph = in_precision(make(), "int8", IMAGES[:FITTED], IMAGES)
        np.testing.assert_array_equal(got, predicted(graph, IMAGES, None).astype(np.float16).astype(np.float32))


@pytest.mark.shared
@pytest.mark.parametrize("precision", PRECISIONS)
def test_lenet_is_within_what_was_derived(shared_models: Path, precision: str) -> None:
    graph = read_ms(shared_models / "lenet_tod_infer.ms")
    with np.load(shared_models / "lenet_tod_infer.npz") as expected:
        (given,) = (expected[name] for name in expected.files if name.startswith("in:"))
    got, chain, _ = in_precision(graph, precision, given, given)
    check_errors(got, *chain.run(graph, given))
