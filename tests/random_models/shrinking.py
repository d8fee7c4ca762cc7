"""A failing model made small: the first value that is wrong, and no node before it that is not needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import onnx
from onnx import helper, numpy_helper

from tests.random_models.growing import IR_VERSION, Step, plain_session, value_info
from tests.random_models.sample import Sample

Shows = Callable[[Sample], bool]
"""Whether a smaller model still shows the fault."""
MOST_TRIES = 200


def shrunk(sample: Sample, shows: Shows) -> Sample:
    """The smallest part of a model that was found to show a fault; the model itself where no part does.

    1. The outputs are tried one by one, then the results on the way, first to last.
    2. Then each output, and each node, is tried to be left out: what a node gave becomes an input with the numbers
       that it had.
    3. Then open dimensions are tried as known ones.

    Args:
        sample: the failing model.
        shows: whether a model fails in the same way.
    """
    tries = iter(range(MOST_TRIES))
    sample = _first(_one_output(sample), shows, tries) or sample
    while (smaller := _first(_one_less(sample), shows, tries)) is not None:
        sample = smaller
    return _first(_known_shapes(sample), shows, tries) or sample


def _first(candidates: Iterator[Sample], shows: Shows, tries: Iterator[int]) -> Sample | None:
    for candidate in candidates:
        if next(tries, None) is None:
            return None
        if _shows(candidate, shows):
            return candidate
    return None


def _shows(candidate: Sample, shows: Shows) -> bool:
    try:
        return shows(candidate)
    except Exception:  # a part that is no model
        return False


def _one_output(sample: Sample) -> Iterator[Sample]:
    made = [name for step in sample.steps for name in step.node.output if name]
    for name in dict.fromkeys((*made, *sample.outputs)):
        yield part_of(sample, sample.steps, [name])


def _one_less(sample: Sample) -> Iterator[Sample]:
    for name in sample.outputs if len(sample.outputs) > 1 else ():
        yield part_of(sample, sample.steps, [each for each in sample.outputs if each != name])
    for step in sample.steps:
        rest = [each for each in sample.steps if each is not step]
        if rest and not set(step.node.output) & set(sample.outputs):
            yield part_of(sample, rest, sample.outputs)


def _known_shapes(sample: Sample) -> Iterator[Sample]:
    yield part_of(sample, sample.steps, sample.outputs, is_open=False)


def part_of(sample: Sample, steps: Sequence[Step], outputs: Sequence[str], *, is_open: bool = True) -> Sample:
    """The model of some nodes; what they read and none of them gives is given.

    Args:
        sample: the whole.
        steps: the nodes, of which those that no output needs are left out.
        outputs: names of the values that it gives.
        is_open: whether inputs keep the open dimensions that they have.
    """
    wanted, kept = set(outputs), list[Step]()
    for step in reversed(steps):
        if wanted.intersection(step.node.output):
            kept.append(step)
            wanted.update(step.reads)
    kept.reverse()
    made = {name for step in kept for name in step.node.output}
    constants = {tensor.name for tensor in sample.model.graph.initializer}
    declared = {value.name: value for value in sample.model.graph.input} if is_open else {}
    given = sorted(wanted - made)
    inputs = {name: sample.arrays[name] for name in given if name not in constants}
    graph = helper.make_graph(
        [step.node for step in kept],
        "part",
        [declared.get(name) or value_info(name, array) for name, array in inputs.items()],
        [value_info(name, sample.arrays[name], [None] * sample.arrays[name].ndim) for name in outputs],
        [numpy_helper.from_array(sample.arrays[name], name) for name in given if name in constants],
    )
    model = helper.make_model(graph, opset_imports=sample.model.opset_import, ir_version=IR_VERSION)
    expected = [np.asarray(y) for y in plain_session(model).run(None, inputs)]
    return Sample(-1, model, inputs, expected, tuple(kept), sample.arrays)


def text_of(sample: Sample) -> str:
    """A model in ONNX's textual form."""
    text: str = onnx.printer.to_text(sample.model)
    return text
