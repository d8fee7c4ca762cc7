"""What an application reads off a model's outputs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .catalog import Answer

_BLANK = 0
"""Of models that read text: the class that stands between characters."""


def answer_of(answer: Answer, outputs: Sequence[Any], path: Path) -> Any:
    """The answer: a class, whether something is there, or a text.

    Args:
        answer: what is read off.
        outputs: of the model.
        path: of the model; one that reads text has its characters in it.
    """
    y = np.asarray(outputs[answer.output])
    if answer.kind == "above":
        return bool(y.max() > answer.threshold)
    if answer.kind == "argmax":
        axis = answer.axis % y.ndim
        others = tuple(i for i in range(y.ndim) if i != axis)
        scores = y.max(axis=others) if answer.reduce == "max" else y.mean(axis=others)
        return int(np.argmax(scores[answer.first :]))
    return _text(y[0], _characters(path))


def _characters(path: Path) -> list[str]:
    import onnx

    model = onnx.load(path, load_external_data=False)
    found = next(each.value for each in model.metadata_props if each.key == "character")
    return ["", *found.splitlines(), " "]


def _text(scores: Any, characters: Sequence[str]) -> str:
    """The characters of the best classes, without repeats and blanks."""
    best = scores.argmax(axis=-1).tolist()
    kept = [c for i, c in enumerate(best) if c != _BLANK and (i == 0 or c != best[i - 1])]
    return "".join(characters[c] for c in kept)
