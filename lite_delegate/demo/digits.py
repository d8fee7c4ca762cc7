"""The digits model, its held-out images, and how the model fares with a delegate."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ..basics.data_class import dataclass
from ..delegate import Delegate
from ..mindspore.context.context import Context
from ..mindspore.model import Model
from ..report import PartitionReport, partition_report

Array = np.ndarray[Any, Any]

GRAY_LEVELS = 16
"""The stored pixels are 0 (paper) to 16 (ink); the model wants 0 to 1."""
PREDICTIONS = 5
"""Predictions per model; the fastest is the one least disturbed by whatever else the computer does."""


@dataclass(frozen=True, slots=True)
class DemoResult:
    """The digits model on the CPU alone, and with a delegate.

    Attributes:
        n_images: number of held-out images.
        accuracy_cpu: share of the images that the CPU's predictions classify right, 0 to 1.
        accuracy_delegate: the same with the delegate.
        largest_difference: the most that one probability of one image differs between the two.
        seconds_cpu: seconds that this computer takes for one prediction of all images on the CPU, the fastest of
            ``PREDICTIONS``.
        seconds_delegate: the same with the delegate. Of a simulated device it is the simulation's time.
        partition: what ran where with the delegate, and why.
    """

    n_images: int
    accuracy_cpu: float
    accuracy_delegate: float
    largest_difference: float
    seconds_cpu: float
    seconds_delegate: float
    partition: PartitionReport

    def to_text(self) -> str:
        """The partition, then the figures, as text for a terminal."""
        lines = [
            f"{self.n_images} real handwritten digits that the model was not trained on:",
            _figures("on the CPU", self.accuracy_cpu, self.seconds_cpu),
        ]
        if self.partition.delegate != "none":
            name = f"with delegate {self.partition.delegate}"
            lines.append(_figures(name, self.accuracy_delegate, self.seconds_delegate))
            lines.append(f"  largest difference of a probability: {self.largest_difference:.2g}")
            lines.append("Times are this computer's. A simulated device's are those of its simulation.")
        return "\n".join((self.partition.to_text(), "", *lines))


def model_path() -> Path:
    """The model file: images float32 (N, 8, 8, 1), 0 to 1, to probabilities float32 (N, 10); N is 1 until resized."""
    return Path(str(files(__package__) / "digits.ms"))


def load_test_set() -> tuple[Array, Array]:
    """Images that the model was not trained on, ready for it, and the digits they show.

    Returns:
        Images float32 (N, 8, 8, 1), 0 (paper) to 1 (ink), and labels uint8 (N,), 0 to 9.
    """
    with (files(__package__) / "digits_test.npz").open("rb") as file, np.load(file) as stored:
        return stored["images"].astype(np.float32) / GRAY_LEVELS, stored["labels"]


def run_demo(delegate: Delegate | None) -> DemoResult:
    """Classifies the held-out images on the CPU and with a delegate; None compares the CPU with itself.

    Raises:
        LiteDelegateError: the delegate failed in a way that falling back to the CPU cannot mend.
    """
    images, labels = load_test_set()
    cpu, delegated = _built_for(images, None), _built_for(images, delegate)
    expected, seconds_cpu = _predict(cpu, images)
    found, seconds_delegate = _predict(delegated, images)
    return DemoResult(
        n_images=len(images),
        accuracy_cpu=_accuracy(expected, labels),
        accuracy_delegate=_accuracy(found, labels),
        largest_difference=float(np.abs(found - expected).max()),
        seconds_cpu=seconds_cpu,
        seconds_delegate=seconds_delegate,
        partition=partition_report(delegated),
    )


def _built_for(images: Array, delegate: Delegate | None) -> Model:
    context = Context()
    context.set_delegate(delegate)
    model = Model()
    model.build_from_file(model_path(), context=context)
    model.resize(model.get_inputs(), [images.shape])
    return model


def _predict(model: Model, images: Array) -> tuple[Array, float]:
    """Probabilities (N, 10), and the seconds of the fastest prediction."""
    (tensor,) = model.get_inputs()
    tensor.set_data_from_numpy(images)
    seconds = []
    for _ in range(PREDICTIONS):
        start = perf_counter()
        (probabilities,) = model.predict([tensor])
        seconds.append(perf_counter() - start)
    return probabilities.get_data_to_numpy(), min(seconds)


def _accuracy(probabilities: Array, labels: Array) -> float:
    return float(np.mean(probabilities.argmax(axis=1) == labels))


def _figures(where: str, accuracy: float, seconds: float) -> str:
    return f"  {where:<20} {accuracy:.2%} right, {seconds * 1e3:.1f} ms for all of them"
