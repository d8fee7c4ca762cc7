"""Operators of ONNX that the ``.ms`` format has no number for, run as Custom nodes, against ONNX Runtime."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate.ir import custom_type
from lite_delegate.report.info.model_info import model_info

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
comparing = importlib.import_module("tests.formats.onnx.comparing")

RNG = np.random.default_rng(7)
Array = np.ndarray[Any, Any]


def _floats(*shape: int) -> Array:
    return RNG.normal(size=shape).astype(np.float32)


def _check(
    operator: str,
    inputs: dict[str, Array],
    folder: Path,
    outputs: int = 1,
    expected: list[Array] | None = None,
    by_reference: bool = False,
    opset: int = 20,
    **attributes: Any,
) -> None:
    """One node with all operands as inputs of the model, "" for one that is left out."""
    names = [name for name in inputs if not name.startswith("absent")]
    given = {name: inputs[name] for name in names}
    node = onnx.helper.make_node(
        operator, [name if name in names else "" for name in inputs], [f"y{i}" for i in range(outputs)], **attributes
    )
    kind = onnx.helper.np_dtype_to_tensor_dtype
    infos = [onnx.helper.make_tensor_value_info(n, kind(x.dtype), x.shape) for n, x in given.items()]
    results = [onnx.helper.make_empty_tensor_value_info(f"y{i}") for i in range(outputs)]
    model = onnx.helper.make_model(
        onnx.helper.make_graph([node], "g", infos, results),
        opset_imports=[onnx.helper.make_opsetid("", opset)],
        ir_version=10,
    )
    if by_reference:
        expected = importlib.import_module("onnx.reference").ReferenceEvaluator(model).run(None, given)
    graph = comparing.check(model, given, expected, folder=folder, rtol=1e-4, atol=1e-5)
    assert custom_type(graph.nodes[0].primitive) == f"ai.onnx.{operator}"


CONVOLUTIONS: list[dict[str, Any]] = [
    {},
    {"strides": [2, 1, 3], "pads": [1, 0, 2, 0, 1, 1]},
    {"dilations": [1, 2, 1]},
    {"auto_pad": "SAME_UPPER", "strides": [2, 2, 2]},
    {"auto_pad": "SAME_LOWER", "strides": [2, 1, 3]},
    {"auto_pad": "VALID"},
]


@pytest.mark.parametrize("attributes", CONVOLUTIONS, ids=str)
@pytest.mark.parametrize("group", [1, 2])
def test_convolution_over_volumes(attributes: dict[str, Any], group: int, tmp_path: Path) -> None:
    weight = _floats(6, 4 // group, 2, 3, 1)
    _check("Conv", {"x": _floats(2, 4, 5, 7, 4), "w": weight, "b": _floats(6)}, tmp_path, group=group, **attributes)


TRANSPOSED: list[dict[str, Any]] = [
    {},
    {"strides": [2, 1, 3], "pads": [1, 0, 0, 0, 1, 0]},
    {"strides": [2, 2, 2], "output_padding": [1, 0, 1]},
    {"strides": [2, 2, 2], "dilations": [1, 2, 1]},
    {"strides": [2, 2, 2], "output_shape": [6, 8, 7]},
    {"auto_pad": "SAME_UPPER", "strides": [2, 2, 2]},
    {"auto_pad": "SAME_LOWER", "strides": [2, 3, 2]},
]


@pytest.mark.parametrize("attributes", TRANSPOSED, ids=str)
@pytest.mark.parametrize("group", [1, 2])
def test_transposed_convolution_over_volumes(attributes: dict[str, Any], group: int, tmp_path: Path) -> None:
    weight = _floats(4, 6 // group, 2, 3, 2)
    _check("ConvTranspose", {"x": _floats(2, 4, 3, 4, 3), "w": weight}, tmp_path, group=group, **attributes)


@pytest.mark.parametrize("align", [0, 1])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["linear", "nearest", "cubic"])
def test_places_in_images(mode: str, padding: str, align: int, tmp_path: Path) -> None:
    grid = RNG.uniform(-1.7, 1.7, (2, 3, 4, 2)).astype(np.float32)
    _check(
        "GridSample", {"x": _floats(2, 3, 4, 5), "grid": grid}, tmp_path,
        mode=mode, padding_mode=padding, align_corners=align,
        # ONNX Runtime leaves places beyond the border where they are in this mode, ONNX does not.
        by_reference=(mode, padding) == ("cubic", "border"),
    )  # fmt: skip


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["linear", "nearest"])
def test_places_in_volumes(mode: str, padding: str, tmp_path: Path) -> None:
    grid = RNG.uniform(-1.7, 1.7, (1, 2, 3, 4, 3)).astype(np.float32)
    _check("GridSample", {"x": _floats(1, 2, 4, 5, 3), "grid": grid}, tmp_path, mode=mode, padding_mode=padding)


@pytest.mark.parametrize("operator", ["Acos", "Asin", "Atan"])
def test_angles(operator: str, tmp_path: Path) -> None:
    _check(operator, {"x": RNG.uniform(-1, 1, (3, 4)).astype(np.float32)}, tmp_path)


@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 1, 1), (5, 2, 2)])
def test_determinants(shape: tuple[int, ...], tmp_path: Path) -> None:
    _check("Det", {"x": _floats(*shape)}, tmp_path)


@pytest.mark.parametrize("transformation", ["half_pixel", "output_half_pixel"])
@pytest.mark.parametrize("ratio", [0, 2])
def test_means_of_regions(ratio: int, transformation: str, tmp_path: Path) -> None:
    rois = np.array([[0, 0, 7, 9], [2.5, 1, 4, 11.5], [-3, -2, 20, 3], [5, 5, 5.2, 5.1]], np.float32)
    inputs = {"x": _floats(2, 3, 6, 8), "rois": rois, "batch": np.array([0, 1, 1, 0])}
    _check(
        "RoiAlign", inputs, tmp_path, output_height=2, output_width=3, sampling_ratio=ratio, spatial_scale=0.7,
        coordinate_transformation_mode=transformation,
    )  # fmt: skip


def test_largest_of_regions(tmp_path: Path) -> None:
    inputs = {"x": _floats(1, 2, 6, 8), "rois": np.array([[0, 0, 7, 5]], np.float32), "batch": np.array([0])}
    _check("RoiAlign", inputs, tmp_path, output_height=2, output_width=2, sampling_ratio=2, mode="max")


def test_images_from_windows(tmp_path: Path) -> None:
    inputs = {"x": _floats(2, 12, 16), "image": np.array([4, 5]), "block": np.array([2, 3])}
    _check("Col2Im", inputs, tmp_path, pads=[0, 1, 1, 0])
    inputs = {"x": _floats(1, 4, 6), "image": np.array([5, 7]), "block": np.array([2, 2])}
    _check("Col2Im", inputs, tmp_path, strides=[2, 2], dilations=[2, 1])


@pytest.mark.parametrize("reduction", ["mul", "max", "min"])
def test_updates_of_elements(reduction: str, tmp_path: Path) -> None:
    inputs = {"x": _floats(3, 4), "i": np.array([[0, -1, 2, 2], [0, 1, 2, 0]]), "u": _floats(2, 4)}
    _check("ScatterElements", inputs, tmp_path, axis=0, reduction=reduction)


@pytest.mark.parametrize("reduction", ["mul", "max", "min"])
def test_updates_of_slices(reduction: str, tmp_path: Path) -> None:
    inputs = {"x": _floats(3, 4, 2), "i": np.array([[0, 3], [-1, 0], [0, 3]]), "u": _floats(3, 2)}
    _check("ScatterND", inputs, tmp_path, reduction=reduction)


@pytest.mark.parametrize("sorted", [0, 1])
def test_unique_slices(sorted: int, tmp_path: Path) -> None:
    x = np.array([[2, 1, 2, 0], [5, 4, 5, 0]], np.float32)
    _check("Unique", {"x": x}, tmp_path, outputs=4, axis=1, sorted=sorted)


def test_pooled_elements_back_in_place(tmp_path: Path) -> None:
    inputs = {"x": _floats(1, 1, 2, 2), "i": np.array([[[[1, 3], [4, 14]]]]), "shape": np.array([1, 1, 5, 5])}
    pooled = np.zeros(16, np.float32)
    pooled[[1, 3, 4, 14]] = inputs["x"].reshape(-1)
    # ONNX Runtime counts the places in the larger image, ONNX itself in the pooled one.
    expected = np.pad(pooled.reshape(1, 1, 4, 4), ((0, 0), (0, 0), (0, 1), (0, 1)))
    _check("MaxUnpool", inputs, tmp_path, kernel_shape=[2, 2], strides=[2, 2], expected=[expected])


@pytest.mark.parametrize("onesided", [0, 1])
def test_transforms_of_frames(onesided: int, tmp_path: Path) -> None:
    inputs = {"x": _floats(1, 12, 1), "step": np.array(3), "w": np.hanning(5).astype(np.float32), "n": np.array(5)}
    _check("STFT", inputs, tmp_path, onesided=onesided)
    _check("STFT", {"x": inputs["x"], "step": inputs["step"], "absent": inputs["w"], "n": inputs["n"]}, tmp_path)


def test_transforms_without_an_axis_are_along_the_first_but_the_batch_in_old_versions(tmp_path: Path) -> None:
    x = _floats(2, 6, 5, 1)
    _check("DFT", {"x": x}, tmp_path, opset=17, expected=[_pairs(np.fft.fft(x[..., 0], axis=1))])
    _check("DFT", {"x": x}, tmp_path, expected=[_pairs(np.fft.fft(x[..., 0], axis=2))])


def _pairs(y: np.ndarray) -> np.ndarray:
    return np.stack([y.real, y.imag], axis=-1).astype(np.float32)


@pytest.mark.parametrize(("inverse", "onesided"), [(0, 0), (0, 1), (1, 0)])
def test_transforms_along_an_axis_that_is_an_operand(inverse: int, onesided: int, tmp_path: Path) -> None:
    x = _floats(2, 6, 5, 1 + inverse)
    for inputs in (
        {"x": x, "absent": x, "axis": np.array(2)},
        {"x": x, "n": np.array(7), "axis": np.array(-3)},
    ):
        _check("DFT", inputs, tmp_path, inverse=inverse, onesided=onesided)


def test_bands_of_the_mel_scale(tmp_path: Path) -> None:
    numbers = {"bins": 8, "length": 64, "rate": 8000}
    inputs = {name: np.array(n) for name, n in numbers.items()}
    edges = {name: np.array(n, np.float32) for name, n in (("low", 80.0), ("high", 3900.0))}
    _check("MelWeightMatrix", {**inputs, **edges}, tmp_path)


@pytest.mark.parametrize("mode", ["TF", "IDF", "TFIDF"])
def test_counts_of_n_grams(mode: str, tmp_path: Path) -> None:
    x = np.array([[2, 3, 5, 4, 5, 6], [7, 8, 6, 7, 5, 6]], np.int32)
    _check(
        "TfIdfVectorizer", {"x": x}, tmp_path, mode=mode, min_gram_length=1, max_gram_length=2, max_skip_count=3,
        ngram_counts=[0, 4], ngram_indexes=[0, 1, 2, 3, 4, 5, 6], pool_int64s=[2, 3, 5, 4, 5, 6, 7, 8, 6, 7],
        weights=[0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
    )  # fmt: skip


def test_sums_of_products_with_diagonals(tmp_path: Path) -> None:
    _check("Einsum", {"x": _floats(2, 3, 3), "y": _floats(3, 2)}, tmp_path, equation="bii,ij->bj")


def test_shapes_with_zeros_that_are_operands(tmp_path: Path) -> None:
    _check("Reshape", {"x": _floats(0, 3), "shape": np.array([3, 0, 4])}, tmp_path, allowzero=1)


def test_maps_of_grids(tmp_path: Path) -> None:
    for align in (0, 1):
        inputs = {"theta": _floats(2, 2, 3), "size": np.array([2, 1, 3, 4])}
        _check("AffineGrid", inputs, tmp_path, align_corners=align)


def test_info_says_that_the_cpu_has_kernels_for_them(tmp_path: Path) -> None:
    text = "g (float[2,2] x) => (float y, float[2,2] z) { y = Det(x) z = Bernoulli(x) }"
    onnx.save(comparing.parsed(text), tmp_path / "m.onnx")
    operators = {each["type"]: each["cpu_kernel"] for each in model_info(tmp_path / "m.onnx")["operators"]}
    assert operators == {"Det": True, "Bernoulli": False}
