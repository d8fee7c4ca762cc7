"""The random model of a seed."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tests.random_models import onnx_networks, onnx_operators, onnx_regions
from tests.random_models.ms_growing import MsGrowing, MsWriter
from tests.random_models.ms_quantized import quantized_chain
from tests.random_models.onnx_growing import Growing
from tests.random_models.sample import Sample, sample_of
from tests.random_models.steps import Array, NotAModel, Parts, Step, Writer, unread
from tests.random_models.tflite_growing import TfliteGrowing, TfliteWriter
from tests.random_models.tflite_operators import STEPS as TFLITE_OPERATORS
from tests.random_models.tflite_regions import STEPS as TFLITE_REGIONS
from tests.random_models.values import Values

OPSETS = (18, 20, 21, 22, 23)
KINDS = (np.float32, np.float32, np.float32, np.float32, np.float16, np.float64)
FAMILIES = (*(onnx_operators.STEPS,) * 5, *(onnx_networks.STEPS,) * 4, onnx_regions.STEPS)
TFLITE_FAMILIES = (*(TFLITE_OPERATORS,) * 12, TFLITE_REGIONS)
SHAPES = ((2, 3), (1, 4), (4,), (2, 3, 4), (1, 5, 2), (1, 2, 5, 6), (2, 3, 4, 4), (1, 4, 6, 5), ())
TFLITE_SHAPES = ((2, 3), (1, 4), (4,), (2, 3, 4), (1, 5, 6, 2), (2, 4, 4, 3), (1, 6, 5, 4), (1, 7, 7, 1))
SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24)
TRIES = 400
HAS_INTEGERS = 0.4
"""How often quantized operators in a row are added to a model of MindSpore Lite, and more nodes behind them."""
FORMATS_OF_SEEDS = ("onnx", "ms", "tflite", "onnx")
"""Formats of one seed after the other."""


def sample(seed: int) -> Sample:
    """The random model of a seed: the same in every process.

    Nodes that a runtime takes one by one are sometimes no model together; then another model is tried.
    """
    grown = {"onnx": _onnx, "ms": _ms, "tflite": _tflite}[FORMATS_OF_SEEDS[seed % len(FORMATS_OF_SEEDS)]]
    for attempt in itertools.count():
        try:
            return grown(seed, random.Random(f"model {seed} {attempt}"))
        except NotAModel:
            continue
    raise AssertionError


def _onnx(seed: int, rng: random.Random) -> Sample:
    g = Growing(rng, rng.choice(OPSETS))
    for _ in range(rng.randint(1, 3)):
        g.input(g.numbers(*rng.choice(SHAPES), dtype=rng.choice(KINDS)))
    _grow(rng, g.steps, lambda: rng.choice(rng.choice(FAMILIES))(g))
    if not g.steps:
        g.node("Identity", [g.inputs[0]])
    return _finished(seed, g, g.steps, g.writer)


def _tflite(seed: int, rng: random.Random) -> Sample:
    g = TfliteGrowing(rng)
    for _ in range(rng.randint(1, 3)):
        g.input(g.numbers(*rng.choice(TFLITE_SHAPES)))
    _grow(rng, g.steps, lambda: rng.choice(rng.choice(TFLITE_FAMILIES))(g))
    if not g.steps:
        raise NotAModel
    return _finished(seed, g, g.steps, TfliteWriter())


def _ms(seed: int, rng: random.Random) -> Sample:
    g = MsGrowing(rng)
    for _ in range(rng.randint(1, 2)):
        g.input(g.numbers(*rng.choice(TFLITE_SHAPES)))
    _grow(rng, g.steps, g.grow)
    if rng.random() < HAS_INTEGERS:
        quantized_chain(g)
        _grow(rng, g.steps, g.grow)
    if not g.steps:
        raise NotAModel
    return _finished(seed, g, g.steps, MsWriter())


def _grow(rng: random.Random, steps: Sequence[Step], more: Callable[[], object]) -> None:
    wanted = rng.choice(SIZES)
    for _ in range(TRIES):
        if len(steps) >= wanted:
            return
        more()


def _finished(seed: int, g: Values, steps: Sequence[Step], writer: Writer) -> Sample:
    results = [name for step in steps for name in step.gives]
    leaves = unread(steps) or results[-1:]
    outputs = [*leaves, *(name for name in results if name not in leaves and g.rng.random() < 0.1)]
    read = {name for step in steps for name in step.reads}
    inputs = {name: g.arrays[name] for name in g.inputs if name in read}
    constants = {name: g.arrays[name] for name in g.constants if name in read}
    open_dims = _open_dims(g.rng, inputs)
    return sample_of(seed, writer, Parts(tuple(steps), inputs, constants, outputs, open_dims, g.arrays))


def _open_dims(rng: random.Random, inputs: Mapping[str, Array]) -> dict[str, list[int | str]]:
    """Declarations with open dimensions, of some inputs of some models."""
    if rng.random() < 0.6:
        return {}
    found: dict[str, list[int | str]] = {}
    for name, array in inputs.items():
        if array.ndim and rng.random() < 0.7:
            every = rng.random() < 0.3
            found[name] = [f"{name}_{i}" if every or i == 0 else dim for i, dim in enumerate(array.shape)]
    return found
