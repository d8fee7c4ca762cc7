"""Optimized models of ONNX Runtime, with their large constants beside them, and sessions of these models.

For the CPU an optimized model is the last form: weights lie as its kernels read them, and making a session rewrites no
nodes. ONNX Runtime maps weights that are in a file. Such a model is for processors with the same instructions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ....basics.data_class import dataclass
from ....errors import DelegateBuildError
from ....ir import is_at_place
from ....tensors.tensor import Array
from .in_files import FOLDER, referred
from .outside import Constant, put_back, taken_apart
from .properties import CPU_PROVIDER
from .session import SessionSettings, hand_over, made_session, options_of, runtime

WEIGHTS = "weights.bin"
"""The file that is named where the constants are in memory."""
LEAST_OUTSIDE = 1024
"""Bytes of a constant that is not in the model's own bytes."""


@dataclass(frozen=True, slots=True)
class Optimized:
    """A model as ONNX Runtime optimized it.

    Attributes:
        content: the model's bytes, without ``constants``.
        constants: the places of the main graph's constants in ``weights``.
        weights: the constants' bytes, which may be a mapped file; also of graphs in nodes, to which ``content`` refers.
    """

    content: bytes
    constants: Sequence[Constant]
    weights: memoryview

    def from_memory(self) -> bytes:
        """The model, whose constants are in ``WEIGHTS``."""
        return put_back(self.content, self.constants, WEIGHTS, 0)


def optimized(model: bytes, outside: Mapping[str, Array], settings: SessionSettings) -> Optimized:
    """The model that ONNX Runtime makes of one.

    Args:
        model: its bytes.
        outside: its constants that are not in them, by name.
        settings: threads, provider and the like.

    Raises:
        DelegateBuildError: ONNX Runtime cannot run the model, or not write it.
    """
    levels, options = runtime().GraphOptimizationLevel, options_of(model, settings)
    options.graph_optimization_level = levels.ORT_ENABLE_ALL if _is_last(settings) else levels.ORT_ENABLE_EXTENDED
    options.add_session_config_entry("session.optimized_model_external_initializers_file_name", WEIGHTS)
    options.add_session_config_entry(
        "session.optimized_model_external_initializers_min_size_in_bytes", str(LEAST_OUTSIDE)
    )
    hand_over(outside, options)
    from tempfile import TemporaryDirectory  # what only runs does without

    with TemporaryDirectory() as folder:
        written, weights = Path(folder) / "model.onnx", Path(folder) / WEIGHTS
        options.optimized_model_filepath = str(written)
        made_session(model, options, settings)
        content, constants = taken_apart(written.read_bytes())
        return Optimized(content, constants, memoryview(weights.read_bytes() if weights.exists() else b""))


def session_of_optimized(found: Optimized, settings: SessionSettings) -> Any:
    """A session for a model from ``optimized``; constants are read from their file, if it is in place.

    Raises:
        DelegateBuildError: ONNX Runtime cannot run the model.
    """
    session = _session_on_file(found, settings) if found.constants else None
    if session is not None:
        return session
    options = _options(found.content, settings)
    if len(found.weights):
        options.add_external_initializers_from_files_in_memory([WEIGHTS], [found.weights], [len(found.weights)])
    return made_session(found.from_memory(), options, settings)


def _session_on_file(found: Optimized, settings: SessionSettings) -> Any:
    """A session that reads constants in their file; None where they are in none, or another one is at its place now."""
    weights = np.frombuffer(found.weights, np.uint8)
    place = referred(weights)
    if place is None or WEIGHTS.encode() in found.content or not is_at_place(weights):
        return None
    options = _options(found.content, settings)
    options.add_session_config_entry(FOLDER, str(place.folder))
    try:
        session = made_session(put_back(found.content, found.constants, place.name, place.offset), options, settings)
    except DelegateBuildError:
        return None
    return session if is_at_place(weights) else None


def _options(model: bytes, settings: SessionSettings) -> Any:
    options = options_of(model, settings)
    if _is_last(settings):
        options.graph_optimization_level = runtime().GraphOptimizationLevel.ORT_DISABLE_ALL
    return options


def _is_last(settings: SessionSettings) -> bool:
    """Whether the model that is kept is the model that runs."""
    return settings.provider == CPU_PROVIDER
