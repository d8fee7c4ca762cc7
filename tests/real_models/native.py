"""The runtimes that models were made for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Run = Callable[[], list[Any]]


def native_name(path: Path) -> str:
    """For people."""
    return "LiteRT" if path.suffix == ".tflite" else "ONNX Runtime"


def native_run(path: Path, arrays: Sequence[Any]) -> Run:
    """A function that runs the model once from its beginning, states included, and gives its outputs.

    Raises:
        Exception: the runtime does not take the model.
    """
    return _litert(path, arrays) if path.suffix == ".tflite" else _onnxruntime(path, arrays)


def _onnxruntime(path: Path, arrays: Sequence[Any]) -> Run:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    fed = {each.name: array for each, array in zip(session.get_inputs(), arrays, strict=True)}
    return lambda: list(session.run(None, fed))


def _litert(path: Path, arrays: Sequence[Any]) -> Run:
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(str(path), num_threads=2)
    for detail, array in zip(interpreter.get_input_details(), arrays, strict=True):
        interpreter.resize_tensor_input(detail["index"], array.shape)
    interpreter.allocate_tensors()

    def run() -> list[Any]:
        interpreter.reset_all_variables()
        for detail, array in zip(interpreter.get_input_details(), arrays, strict=True):
            interpreter.set_tensor(detail["index"], array)
        interpreter.invoke()
        return [np.array(interpreter.get_tensor(detail["index"])) for detail in interpreter.get_output_details()]

    return run
