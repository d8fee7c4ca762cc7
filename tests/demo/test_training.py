import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate.demo import load_test_set, model_path
from lite_delegate.formats import read_model
from lite_delegate.ir import Graph, Value

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "train_demo_model.py"


def described(value: Value | None) -> tuple[Any, ...] | None:
    return None if value is None else (value.name, value.dtype, value.shape, value.format, value.is_constant)


def structure(graph: Graph) -> list[tuple[Any, ...]]:
    """Everything but the contents of the constants."""
    nodes = [(n.name, n.primitive, [*map(described, n.inputs)], [*map(described, n.outputs)]) for n in graph.nodes]
    return [(graph.name, graph.info, [*map(described, graph.inputs)], [*map(described, graph.outputs)]), *nodes]


def test_the_images_are_the_last_ones_of_the_data_set() -> None:
    datasets = pytest.importorskip("sklearn.datasets", reason="the data set comes with scikit-learn")
    digits = datasets.load_digits()
    images, labels = load_test_set()
    np.testing.assert_array_equal(images[..., 0] * 16, digits.images[-450:])
    np.testing.assert_array_equal(labels, digits.target[-450:])


def test_the_script_makes_a_model_of_the_same_structure(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the script trains with torch")
    pytest.importorskip("sklearn", reason="the data set comes with scikit-learn")
    command = [sys.executable, str(SCRIPT), "--epochs", "1", "--output", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "450 held-out images" in done.stdout
    made, committed = read_model(tmp_path / "digits.ms"), read_model(model_path())
    assert structure(made) == structure(committed)
    with np.load(tmp_path / "digits_test.npz") as test_set:
        images, labels = load_test_set()
        np.testing.assert_array_equal(test_set["images"] / np.float32(16), images)
        np.testing.assert_array_equal(test_set["labels"], labels)
