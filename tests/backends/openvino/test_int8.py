"""Quantized models run on OpenVINO's 8-bit kernels where these are exact, and give what ONNX Runtime gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper

from lite_delegate import Core
from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.backends.openvino.models.exactness import has_exact_products
from lite_delegate.inference import CompiledModel
from lite_delegate.onnx_backend import prepare
from tests.backends.one_input import one_input, unoptimized
from tests.backends.openvino.chosen import chosen

pytest.importorskip("openvino", reason="the package openvino is not installed")
RNG = np.random.default_rng(3)
X = RNG.uniform(-4, 4, (1, 32, 8, 8)).astype(np.float32)
STEP = np.float32(0.25)
NARROW, FULL = 64, 127


def two_convolutions(path: Path, largest: int, step: np.float32 = STEP) -> Path:
    """uint8, and weights of int8 up to a number with a scale for each channel; the second convolution has groups.

    Args:
        path: of the file.
        largest: of the weights.
        step: of the outputs.
    """
    arrays: dict[str, Any] = {"xs": np.float32(4 / 127), "xz": np.uint8(128), "ys": step, "yz": np.uint8(120)}
    nodes = [helper.make_node("QuantizeLinear", ["x", "xs", "xz"], ["q0"])]
    for number, group in enumerate((1, 4)):
        weight = RNG.integers(-largest, largest + 1, (32, 32 // group, 3, 3)).astype(np.int8)
        weight.ravel()[0] = largest
        scales = RNG.uniform(0.5, 1, 32).astype(np.float32) / (largest * 3)
        if number == 0:
            scales *= step / STEP
        arrays |= {f"w{number}": weight, f"s{number}": scales, f"z{number}": np.zeros(32, np.int8)}
        given = ["xs", "xz"] if number == 0 else ["ys", "yz"]
        nodes += [
            helper.make_node("DequantizeLinear", [f"q{number}", *given], [f"d{number}"]),
            helper.make_node("DequantizeLinear", [f"w{number}", f"s{number}", f"z{number}"], [f"v{number}"], axis=0),
            helper.make_node("Conv", [f"d{number}", f"v{number}"], [f"c{number}"], pads=[1] * 4, group=group),
            helper.make_node("QuantizeLinear", [f"c{number}", "ys", "yz"], [f"q{number + 1}"]),
        ]
    nodes.append(helper.make_node("DequantizeLinear", ["q2", "ys", "yz"], ["y"]))
    onnx.save(one_input(nodes, arrays, X.shape), path)
    return path


def kinds(compiled: CompiledModel) -> list[str]:
    """The element types in which OpenVINO computes the convolutions of a model."""
    return chosen(compiled, ["Convolution"])


def steps_off(compiled: CompiledModel, path: Path, step: np.float32 = STEP) -> float:
    """The largest distance from ONNX Runtime's result, in steps of the output."""
    expected = unoptimized(path, X)
    (found,) = compiled.create_infer_request().infer({"x": X})
    assert np.ptp(expected) > 50 * step
    return float(np.abs(np.asarray(found) - expected).max() / step)


def test_weights_whose_products_are_exact_everywhere_run_on_8_bit_kernels(tmp_path: Path) -> None:
    path = two_convolutions(tmp_path / "m.onnx", NARROW)
    compiled = Core().compile_model(path, "OPENVINO")
    assert [kind.lower().endswith(("i8", "u8")) for kind in kinds(compiled)] == [True, True]
    assert steps_off(compiled, path) <= 2  # one for each convolution


@pytest.mark.shows("OPENVINO", "INT8_KERNELS")
def test_others_do_where_the_processor_is_exact_or_where_they_are_asked_to(tmp_path: Path) -> None:
    path = two_convolutions(tmp_path / "m.onnx", FULL)
    exact = Core().compile_model(path, "OPENVINO")
    assert {kind.lower().endswith(("i8", "u8")) for kind in kinds(exact)} == {has_exact_products("CPU")}
    assert steps_off(exact, path) <= 2
    every = Core().compile_model(path, "OPENVINO", {"INT8_KERNELS": "ALL"})
    assert {kind.lower().endswith(("i8", "u8")) for kind in kinds(every)} == {True}


@pytest.mark.parametrize("largest", [NARROW, FULL])
def test_steps_may_be_small(tmp_path: Path, largest: int) -> None:
    step = np.float32(1e-10)
    path = two_convolutions(tmp_path / "m.onnx", largest, step)
    assert steps_off(Core().compile_model(path, "OPENVINO"), path, step) <= 2


def between_steps(path: Path) -> Path:
    """A quantized Clip whose bounds lie between the steps of what it reads, and no weights."""
    arrays = {"xs": np.float32(4 / 127), "xz": np.int8(0), "ys": np.float32(1 / 255), "yz": np.uint8(106)}
    arrays |= {"low": np.float32(-0.41), "high": np.float32(0.583)}
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "xs", "xz"], ["q0"]),
        helper.make_node("DequantizeLinear", ["q0", "xs", "xz"], ["d0"]),
        helper.make_node("Clip", ["d0", "low", "high"], ["c"]),
        helper.make_node("QuantizeLinear", ["c", "ys", "yz"], ["q1"]),
        helper.make_node("DequantizeLinear", ["q1", "ys", "yz"], ["d1"]),
        helper.make_node("Relu", ["d1"], ["y"]),
    ]
    onnx.save(one_input(nodes, arrays, X.shape), path)
    return path


def test_roundings_stay_where_nothing_is_multiplied_in_integers(tmp_path: Path) -> None:
    path, step = between_steps(tmp_path / "m.onnx"), np.float32(1 / 255)
    compiled = Core().compile_model(path, "OPENVINO")
    assert steps_off(compiled, path, step) <= 1
    compiled.export_model(tmp_path / "m.blob")
    again = Core().import_model(tmp_path / "m.blob", "OPENVINO")
    assert steps_off(again, path, step) <= 1


@pytest.mark.parametrize("bounds", [(1.0, 2.0), (-2.0, -1.0), (0.25, 2.0), (-0.5, 0.125)])
@pytest.mark.parametrize("largest", [0, NARROW])
@pytest.mark.parametrize("quantized", [False, True])
def test_a_clip_may_lie_beyond_what_integers_stand_for(
    tmp_path: Path, quantized: bool, largest: int, bounds: tuple[float, float]
) -> None:
    """Behind a convolution of weights that stay integers or of real ones, where all become one integer."""
    step = np.float32(1 / 256)
    arrays: dict[str, Any] = {
        "s": step,
        "z": np.uint8(128),
        "low": np.float32(bounds[0]),
        "high": np.float32(bounds[1]),
    }
    arrays |= {"xs": np.float32(4 / 127), "xz": np.uint8(128), "cs": np.float32(1 / 5), "sw": np.float32(1 / 200)}
    arrays["w"] = RNG.integers(-largest, largest + 1, (4, 32, 3, 3)).astype(np.int8)
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "xs", "xz"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "xs", "xz"], ["d"]),
        helper.make_node("DequantizeLinear", ["w", "sw"], ["v"]),
        helper.make_node("Conv", ["d", "v"], ["c"]),
        helper.make_node("QuantizeLinear", ["c", "cs", "xz"], ["e"]),
        helper.make_node("DequantizeLinear", ["e", "cs", "xz"], ["f"]),
        helper.make_node("Clip", ["f" if quantized else "c", "low", "high"], ["k"]),
        helper.make_node("QuantizeLinear", ["k", "s", "z"], ["r"]),
        helper.make_node("DequantizeLinear", ["r", "s", "z"], ["y"]),
    ]
    if not largest:
        arrays["w"] = (RNG.standard_normal((4, 32, 3, 3)) / 8).astype(np.float32)
        nodes[2] = helper.make_node("Identity", ["w"], ["v"])
    path = tmp_path / "m.onnx"
    onnx.save(one_input([*nodes[:4], *nodes[4 if quantized else 6 :]], arrays, X.shape, (1, 4, 6, 6)), path)
    (found,) = prepare(onnx.load(path), delegate=OpenVINODelegate(threads=1)).run([X])
    assert np.abs(found - unoptimized(path, X)).max() <= 1.01 * step


@pytest.mark.parametrize("given", [np.uint8, np.int8])
@pytest.mark.parametrize("bounds", [(-0.41, 0.583), (-0.33, 0.31), (0.21, 9.0), (-9.0, 0.049)])
def test_a_clip_of_integers_keeps_its_bounds_behind_integer_kernels(
    tmp_path: Path, bounds: tuple[float, float], given: type[np.integer]
) -> None:
    """They lie between the steps of what is clipped."""
    step = np.float32(1 / 200)
    arrays: dict[str, Any] = {
        "s": step,
        "z": np.uint8(128),
        "low": np.float32(bounds[0]),
        "high": np.float32(bounds[1]),
    }
    arrays |= {"xs": np.float32(4 / 127), "cs": np.float32(1 / 10), "sw": np.float32(1 / 2000)}
    arrays["xz"] = arrays["cz"] = np.array(128 if given is np.uint8 else 0, given)
    arrays["w"] = RNG.integers(-NARROW, NARROW + 1, (4, 32, 3, 3)).astype(np.int8)
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "xs", "xz"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "xs", "xz"], ["d"]),
        helper.make_node("DequantizeLinear", ["w", "sw"], ["v"]),
        helper.make_node("Conv", ["d", "v"], ["c"]),
        helper.make_node("QuantizeLinear", ["c", "cs", "cz"], ["e"]),
        helper.make_node("DequantizeLinear", ["e", "cs", "cz"], ["f"]),
        helper.make_node("Clip", ["f", "low", "high"], ["k"]),
        helper.make_node("QuantizeLinear", ["k", "s", "z"], ["r"]),
        helper.make_node("DequantizeLinear", ["r", "s", "z"], ["y"]),
    ]
    path = tmp_path / "m.onnx"
    onnx.save(one_input(nodes, arrays, X.shape, (1, 4, 6, 6)), path)
    compiled = Core().compile_model(path, "OPENVINO")
    assert [kind.lower().endswith(("i8", "u8")) for kind in kinds(compiled)] == [True]
    (found,) = compiled.create_infer_request().infer({"x": X})
    expected = unoptimized(path, X)
    off = np.abs(np.asarray(found) - expected) / step
    assert off.max() <= 21  # a convolution is one of its steps off, and that is 20 of the output's
    assert (off <= 1.01).mean() > 0.99


def joined(path: Path, zero: int, *, quantized: bool, moved: bool) -> Path:
    """A convolution of two tensors that are joined and quantized to int8.

    Args:
        path: of the file.
        zero: the zero point.
        quantized: whether each of the two is quantized alike before.
        moved: whether the integers change their order in between.
    """
    arrays: dict[str, Any] = {"s": np.float32(1 / 16), "z": np.int8(zero), "ys": STEP, "yz": np.int8(5)}
    arrays |= {"w": RNG.integers(-NARROW, NARROW + 1, (4, 64, 3, 3)).astype(np.int8), "sw": np.float32(1 / 500)}
    arrays |= {"half": np.float32(0.5)}
    nodes = [helper.make_node("Mul", ["x", "half"], ["h"])]
    for name in ("x", "h") if quantized else ():
        nodes.append(helper.make_node("QuantizeLinear", [name, "s", "z"], [f"{name}q"]))
        nodes.append(helper.make_node("DequantizeLinear", [f"{name}q", "s", "z"], [f"{name}d"]))
    nodes += [
        helper.make_node("Concat", ["xd", "hd"] if quantized else ["x", "h"], ["j"], axis=1),
        helper.make_node("QuantizeLinear", ["j", "s", "z"], ["q"]),
        helper.make_node("Transpose", ["q"], ["t"], perm=[0, 1, 3, 2]),
        helper.make_node("DequantizeLinear", ["t" if moved else "q", "s", "z"], ["d"]),
        helper.make_node("DequantizeLinear", ["w", "sw"], ["v"]),
        helper.make_node("Conv", ["d", "v"], ["c"]),
        helper.make_node("QuantizeLinear", ["c", "ys", "yz"], ["r"]),
        helper.make_node("DequantizeLinear", ["r", "ys", "yz"], ["y"]),
    ]
    kept = [node for node in nodes if moved or node.op_type != "Transpose"]
    onnx.save(one_input(kept, arrays, X.shape, (1, 4, 6, 6)), path)
    return path


@pytest.mark.parametrize("moved", [False, True])
@pytest.mark.parametrize("quantized", [False, True])
@pytest.mark.parametrize("zero", [-128, -20, 0, 30, 127])
def test_integers_below_0_are_joined(tmp_path: Path, zero: int, quantized: bool, moved: bool) -> None:
    """OpenVINO itself loses them where 0 stands for another number."""
    path = joined(tmp_path / "m.onnx", zero, quantized=quantized, moved=moved)
    compiled = Core().compile_model(path, "OPENVINO")
    assert moved or [kind.lower().endswith(("i8", "u8")) for kind in kinds(compiled)] == [True]
    (found,) = compiled.create_infer_request().infer({"x": X})
    expected = unoptimized(path, X)
    assert np.ptp(expected) > 20 * STEP
    assert np.abs(np.asarray(found) - expected).max() <= 1.01 * STEP


def test_a_layer_norm_of_a_matrix_may_become_integers() -> None:
    """Without a shift, the scale of each column is part of the rounding."""
    step = np.float32(1 / 64)
    arrays = {"w": RNG.standard_normal(16).astype(np.float32), "s": step, "z": np.uint8(128)}
    nodes = [
        helper.make_node("LayerNormalization", ["x", "w"], ["n"]),
        helper.make_node("QuantizeLinear", ["n", "s", "z"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["y"]),
    ]
    model = one_input(nodes, arrays, (3, 16))
    given = RNG.standard_normal((3, 16)).astype(np.float32)
    (expected,) = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": given})
    (found,) = prepare(model, delegate=OpenVINODelegate(threads=1)).run([given])
    assert np.abs(found - expected).max() <= 1.5 * step


def test_where_integers_are_used_is_in_the_key_of_the_cache() -> None:
    keys = [OpenVINODelegate(options={"INT8_KERNELS": value}).cache_key() for value in ("EXACT", "ALL")]
    assert keys[0] != keys[1]


def test_a_device_that_cannot_say_is_not_exact() -> None:
    assert not has_exact_products("NoneSuch")
