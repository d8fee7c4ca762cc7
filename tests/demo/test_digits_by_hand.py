"""The model's probabilities against an evaluation in float64 that shares no code with the kernels."""

from typing import Any

import numpy as np
import pytest

from lite_delegate import Context, Model
from lite_delegate.demo import load_test_set, model_path
from lite_delegate.formats import read_model

Array = np.ndarray[Any, Any]


@pytest.fixture(scope="module")
def weights() -> dict[str, Array]:
    values = read_model(model_path()).values()
    return {v.name: v.data.astype(np.float64) for v in values if v.data is not None}


def conv(x: Array, weight: Array, bias: Array) -> Array:
    """Same-size convolution of x (H, W, C) with weight (K, h, w, C): one dot product per pixel and channel."""
    height, width, _ = x.shape
    channels, tall, wide, _ = weight.shape
    framed = np.zeros((height + tall - 1, width + wide - 1, x.shape[2]))
    framed[tall // 2 : tall // 2 + height, wide // 2 : wide // 2 + width] = x
    y = np.empty((height, width, channels))
    for row in range(height):
        for column in range(width):
            for k in range(channels):
                y[row, column, k] = (framed[row : row + tall, column : column + wide] * weight[k]).sum() + bias[k]
    return y


def pool(x: Array, of_window: Any) -> Array:
    height, width, channels = x.shape
    y = np.empty((height // 2, width // 2, channels))
    for row, column, k in np.ndindex(*y.shape):
        y[row, column, k] = of_window(x[2 * row : 2 * row + 2, 2 * column : 2 * column + 2, k])
    return y


def layer_norm(x: Array, gamma: Array, beta: Array) -> Array:
    y = np.empty_like(x)
    for row, column in np.ndindex(*x.shape[:2]):
        pixel = x[row, column]
        mean = sum(pixel) / len(pixel)
        variance = sum((pixel - mean) ** 2) / len(pixel)
        y[row, column] = (pixel - mean) / (variance + 1e-5) ** 0.5 * gamma + beta
    return y


def softmax(logits: Array) -> Array:
    powers: Array = np.exp(logits)
    normalized: Array = powers / powers.sum()
    return normalized


def probabilities_by_hand(image: Array, w: dict[str, Array]) -> Array:
    """Probabilities (10,) of an image (8, 8, 1)."""

    def layer(x: Array, name: str) -> Array:
        return conv(x, w[f"{name}/weight"], w[f"{name}/bias"])

    stem = pool(np.maximum(layer(image, "stem/conv"), 0), np.max)
    normalized = layer_norm(stem, w["block/norm/gamma"], w["block/norm/beta"])
    changes = layer(np.maximum(layer(normalized, "block/conv1"), 0), "block/conv2")
    block = np.maximum(changes + layer(stem, "block/shortcut"), 0)
    flat = pool(block, np.mean).reshape(-1)
    return softmax(np.array([flat @ row for row in w["head/dense/weight"]]) + w["head/dense/bias"])


@pytest.mark.parametrize("index", [0, 7, 100, 449])
def test_the_probabilities_are_those_of_a_direct_evaluation(index: int, weights: dict[str, Array]) -> None:
    image = load_test_set()[0][index]
    model = Model()
    model.build_from_file(model_path(), context=Context())
    (found,) = model.predict({"image": image[np.newaxis]})
    expected = probabilities_by_hand(image.astype(np.float64), weights)
    np.testing.assert_allclose(found.get_data_to_numpy()[0], expected, rtol=1e-4, atol=1e-6)
