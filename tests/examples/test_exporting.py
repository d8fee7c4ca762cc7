"""``examples/exporting``: files of Keras and PyTorch have as many digits right as the frameworks themselves had."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lite_delegate import Model
from lite_delegate.demo import load_test_set

FOLDER = Path(__file__).parents[2] / "examples" / "exporting"
RIGHT = 421
"""Of 450 held-out images: both scripts printed the number."""


@pytest.mark.parametrize(
    ("file", "package", "axes"),
    [("keras_digits.tflite", "tflite", (0, 1, 2, 3)), ("torch_digits.onnx", "onnx", (0, 3, 1, 2))],
)
def test_an_exported_network_reads_digits(file: str, package: str, axes: tuple[int, ...]) -> None:
    pytest.importorskip(package, reason=f"{package} is not installed")
    images, labels = load_test_set()
    model, x = Model(), np.ascontiguousarray(images.transpose(axes))
    model.build_from_file(FOLDER / file)
    model.resize(model.get_inputs(), [list(x.shape)])
    scores = model.predict([x])[0].get_data_to_numpy()
    assert (scores.argmax(axis=1) == labels).sum() == RIGHT
