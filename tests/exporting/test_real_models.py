"""Trained models of packages, read and written: the same operators, and the same bits of LiteRT for both files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert")
pytest.importorskip("tflite")

from ai_edge_litert.interpreter import Interpreter, OpResolverType

from lite_delegate.exporting import tflite_content
from lite_delegate.formats import read_model
from tests.real_models.packages import cache_folder

MODELS = {
    "pyopen-wakeword-*/**/alexa.tflite": {},
    "pyopen-wakeword-*/**/hey_jarvis.tflite": {"RESHAPE": 1},
    "pymicro-wakeword-*/**/okay_nabu.tflite": {},
    "mediapipe-*/**/hand_recrop.tflite": {},
    "mediapipe-*/**/iris_landmark.tflite": {},
    "mediapipe-*/**/face_detection_short_range.tflite": {},
}
"""By place in the folder of packages: the operators of the file that the written one lacks."""


def interpreter(content: bytes) -> Any:
    kind = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    made = Interpreter(model_content=content, experimental_op_resolver_type=kind)
    made.allocate_tensors()
    return made


@pytest.mark.parametrize("place", MODELS)
def test_a_trained_model_is_the_same_after_it_is_written(place: str) -> None:
    found: list[Path] = sorted(cache_folder().glob(place))
    if not found:
        pytest.skip("the package is not in the cache: python -m tests.real_models downloads it")
    both = [interpreter(found[0].read_bytes()), interpreter(tflite_content(read_model(found[0])))]
    rng = np.random.default_rng(3)
    for _ in range(3):  # some keep a state
        results = []
        detail = both[0].get_input_details()[0]
        x = (rng.uniform(-1, 1, detail["shape"]) * (1 if detail["dtype"] == np.float32 else 100)).astype(
            detail["dtype"]
        )
        for each in both:
            each.set_tensor(each.get_input_details()[0]["index"], x)
            each.invoke()
            results.append([each.get_tensor(y["index"]) for y in each.get_output_details()])
        for old, new in zip(*results, strict=True):
            np.testing.assert_array_equal(new, old)
    before, after = (Counter(op["op_name"] for op in each._get_ops_details()) for each in both)
    assert before - after == Counter(MODELS[place])
