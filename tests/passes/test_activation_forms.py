"""ActivationFormsPass, case by case as its docstring numbers them; what each function gives is written by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import ALL_QUANTIZED_KERNELS, KernelRegistry
from lite_delegate_kernels._quantization import NodeQuantization, Quantization

from lite_delegate import DataType, Model
from lite_delegate.ir import Graph, QuantParam, Value, constant
from lite_delegate.ir.types.enums import QuantType
from lite_delegate.passes import ActivationFormsPass
from lite_delegate.passes.clamp import NO_LOWER, NO_UPPER
from tests.passes.fusion.formulas import NUMBERS
from tests.passes.random_graphs import Builder, run

Make = Callable[[Builder, Value], Any]
LARGEST = float(np.finfo(np.float32).max)
INFINITE = float("inf")


def clip(low: float, high: float) -> Make:
    return lambda b, x: b.node("Clip", x, min=low, max=high)


def activation(name: str, **more: Any) -> Make:
    return lambda b, x: b.node("Activation", x, activation_type=name, **more)


def form_of(graph: Graph) -> dict[str, Any]:
    made = ActivationFormsPass().call(graph).graph
    (node,) = made.nodes
    assert len(node.inputs) == 1
    return {"op": node.op_type, **node.primitive.given()}


def leaky(slope: float) -> Callable[[Any], Any]:
    return lambda x: np.where(x > 0, x, np.float32(slope) * x)


FORMS: dict[str, tuple[Make, dict[str, Any], Callable[[Any], Any]]] = {
    "leaky": (
        lambda b, x: b.node("LeakyRelu", x, negative_slope=0.25),
        {"op": "Activation", "activation_type": "LEAKY_RELU", "alpha": 0.25},
        leaky(0.25),
    ),
    "one slope": (
        lambda b, x: b.node("PReLUFusion", x, b.const([[0.25]])),
        {"op": "Activation", "activation_type": "LEAKY_RELU", "alpha": 0.25},
        leaky(0.25),
    ),
    "elu": (
        lambda b, x: b.node("Elu", x, alpha=0.5),
        {"op": "Activation", "activation_type": "ELU", "alpha": 0.5},
        lambda x: np.where(x > 0, x, 0.5 * (np.exp(x) - 1)),
    ),
    "relu": (clip(0, INFINITE), {"op": "Activation", "activation_type": "RELU"}, lambda x: np.maximum(x, 0)),
    "relu by the largest": (
        clip(0, LARGEST),
        {"op": "Activation", "activation_type": "RELU"},
        lambda x: np.maximum(x, 0),
    ),
    "relu6": (clip(0, 6), {"op": "Activation", "activation_type": "RELU6"}, lambda x: np.clip(x, 0, 6)),
    "relu6 by constants": (
        lambda b, x: b.node("Clip", x, b.const(0), b.const([6]), min=-INFINITE, max=INFINITE),
        {"op": "Activation", "activation_type": "RELU6"},
        lambda x: np.clip(x, 0, 6),
    ),
    "relu6 as hard tanh": (
        activation("HARD_TANH", min_val=0, max_val=6),
        {"op": "Activation", "activation_type": "RELU6"},
        lambda x: np.clip(x, 0, 6),
    ),
    "a range": (
        clip(-0.5, 1.5),
        {"op": "Activation", "activation_type": "HARD_TANH", "min_val": -0.5, "max_val": 1.5},
        lambda x: np.clip(x, -0.5, 1.5),
    ),
    "relu1": (
        activation("RELU1"),
        {"op": "Activation", "activation_type": "HARD_TANH", "min_val": -1.0, "max_val": 1.0},
        lambda x: np.clip(x, -1, 1),
    ),
    "from below": (
        clip(2, INFINITE),
        {"op": "Activation", "activation_type": "HARD_TANH", "min_val": 2.0, "max_val": NO_UPPER},
        lambda x: np.maximum(x, 2),
    ),
    "from above": (
        clip(-INFINITE, 2),
        {"op": "Activation", "activation_type": "HARD_TANH", "min_val": NO_LOWER, "max_val": 2.0},
        lambda x: np.minimum(x, 2),
    ),
    "abs": (activation("ABS"), {"op": "Abs"}, np.abs),
}


@pytest.mark.parametrize("name", FORMS)
def test_1_to_4_each_function_has_one_form(name: str) -> None:
    make, form, function = FORMS[name]
    b = Builder()
    x = b.input("x", NUMBERS.shape)
    graph = b.graph(make(b, x))
    assert form_of(graph) == form
    model = Model()
    model.build_from_graph(graph)
    (y,) = model.predict({"x": NUMBERS})
    np.testing.assert_allclose(y.get_data_to_numpy(), function(NUMBERS), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("low", [-INFINITE, -2.0, 0.0, 2.0**-10])
@pytest.mark.parametrize("high", [0.5, 6.0, LARGEST, INFINITE])
@pytest.mark.parametrize("dtype", [DataType.FLOAT32, DataType.FLOAT16, DataType.FLOAT64])
def test_3_the_same_bits_at_the_ends(low: float, high: float, dtype: DataType) -> None:
    kind = {DataType.FLOAT16: np.float16, DataType.FLOAT64: np.float64}.get(dtype, np.float32)
    ends = [-INFINITE, -3, -0.0, 0.0, 1e-4, 0.5, 5.999, 6.001, 60000, np.nan]
    x = np.array(ends if high == LARGEST else [*ends, INFINITE], kind)
    b = Builder()
    graph = b.graph(b.node("Clip", b.input("x", x.shape, dtype), min=low, max=high))
    with np.errstate(over="ignore"):
        bounds = np.asarray(low).astype(kind), np.asarray(high).astype(kind)
    np.testing.assert_array_equal(run(graph, {"x": x})[0], np.clip(x, *bounds))


@pytest.mark.parametrize(
    "make",
    [
        clip(NO_LOWER, 5),
        clip(-INFINITE, -1),
        clip(-INFINITE, 0),
        lambda b, x: b.node("PReLUFusion", x, b.const(np.arange(13) / 8)),
        lambda b, x: b.node("PReLUFusion", x, b.const(INFINITE)),
        lambda b, x: b.node("PReLUFusion", x, b.const(0.1, np.float64)),
        lambda b, x: b.node("PReLUFusion", x, b.input("slope", (1,))),
        lambda b, x: b.node("Clip", x, b.input("low", ()), max=6.0),
        lambda b, x: b.node("Clip", x, b.const([1.0, 2.0]), max=6.0),
        activation("RELU6"),
        activation("HARD_TANH", min_val=-1, max_val=2),
        activation("TANH"),
    ],
)
def test_others_stay(make: Make) -> None:
    b = Builder()
    graph = b.graph(make(b, b.input("x", NUMBERS.shape)))
    assert ActivationFormsPass().call(graph).graph is graph


@pytest.mark.parametrize("dtype", [DataType.INT32, DataType.INT8, DataType.INT64])
def test_3_whole_numbers_stay(dtype: DataType) -> None:
    b = Builder()
    graph = b.graph(b.node("Clip", b.input("x", (4,), dtype), min=0.0, max=6.0))
    assert ActivationFormsPass().call(graph).graph is graph


def test_3_doubles_keep_a_bound_that_no_float32_holds() -> None:
    b = Builder()
    x = b.input("x", (4,), DataType.FLOAT64)
    graph = b.graph(b.node("Clip", x, b.const(0.1, np.float64), b.const(1e300, np.float64)))
    assert ActivationFormsPass().call(graph).graph is graph


QUANTIZED: dict[str, Make] = {
    "leaky": FORMS["leaky"][0],
    "elu": FORMS["elu"][0],
    "relu6": FORMS["relu6"][0],
    "range": FORMS["a range"][0],
    "relu1": FORMS["relu1"][0],
    "abs": FORMS["abs"][0],
}


def quantized(make: Make, dtype: DataType, scales: tuple[float, ...] = (0.05,)) -> Graph:
    b = Builder()
    x = replace(b.input("x", (256,), dtype), quant_params=tuple(QuantParam(s, 3) for s in scales))
    b.inputs[0] = x
    y = make(b, x)
    b.nodes[0].quant_type = QuantType.QUANT_ALL
    b.nodes[0].outputs[0] = y = replace(y, quant_params=(QuantParam(0.03, -1),))
    return b.graph(y)


@pytest.mark.parametrize("dtype", [DataType.INT8, DataType.UINT8])
@pytest.mark.parametrize("name", QUANTIZED)
def test_5_all_256_integers_give_what_they_gave(name: str, dtype: DataType) -> None:
    graph = quantized(QUANTIZED[name], dtype)
    made = ActivationFormsPass().call(graph).graph
    assert made.nodes[0].op_type in ("Activation", "Abs")
    assert made.nodes[0].quant_type == QuantType.QUANT_ALL
    assert made is not graph
    x = np.arange(256, dtype=np.uint8).view(np.int8 if dtype == DataType.INT8 else np.uint8)
    (node,) = graph.nodes
    kernel = KernelRegistry((), ALL_QUANTIZED_KERNELS).find(node.op_type, quantized=True)
    assert kernel is not None
    quantization = NodeQuantization((Quantization((0.05,), (3,)),), (Quantization((0.03,), (-1,)),))
    want = kernel.run(x, quantization=quantization, **node.primitive.attributes())
    np.testing.assert_array_equal(run(made, {"x": x})[0], np.asarray(want).reshape(-1))


def test_5_clamps_with_several_scales_and_quantized_slopes_stay() -> None:
    several = quantized(QUANTIZED["range"], DataType.INT8, tuple(np.linspace(0.01, 0.1, 256)))
    slope = replace(constant("slope", np.array([3], np.int8)), quant_params=(QuantParam(0.1, 0),))
    sloped = quantized(lambda b, x: b.node("PReLUFusion", x, slope), DataType.INT8)
    for graph in (several, sloped):
        assert ActivationFormsPass().call(graph).graph is graph


def test_the_name_in_the_file_stays() -> None:
    b = Builder()
    graph = b.graph(b.node("LeakyRelu", b.input("x", (2,)), negative_slope=0.5))
    (node,) = ActivationFormsPass().call(graph).graph.nodes
    assert node.name == graph.nodes[0].name
