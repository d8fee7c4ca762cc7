"""The runs of one request on the command line: its states, and its inputs and outputs step by step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import click
import numpy as np

from ...basics.data_class import dataclass
from ...errors import InputError
from ...inference import CompiledModel, make_stateful
from ...ir import DataType, Graph
from ...runtime.array_files import FileArray
from ...runtime.budget import Budget
from ...tensors.tensor import Tensor

Array = np.ndarray[Any, Any]

steps_option = click.option(
    "--steps",
    type=click.IntRange(1),
    metavar="N",
    help="Run it N times as one request, whose states go on from run to run. An --input may have a first dimension of "
    "N, and outputs have; random inputs have the seeds from --random-seed on.",
)
stateful_option = click.option(
    "--stateful",
    multiple=True,
    metavar="INPUT=OUTPUT",
    help="Make an input a state of requests: each run gives it the output of the run before. It begins with "
    "its --input, where there is that option, else with zeros. Repeatable.",
)


@dataclass(frozen=True, slots=True)
class Output:
    """An output to be shown and written."""

    name: str
    dtype: DataType
    shape: Sequence[int]
    data: Array


def inputs_of_steps(
    graph: Graph, given: Mapping[str, FileArray], steps: int, budget: Budget
) -> list[Mapping[str, Array | FileArray]]:
    """The inputs of each step: a part of an array with one dimension more than the input, or the whole array.

    Raises:
        InputError: an array has one dimension more, but it is not as long; or its file is damaged.
        LimitError: it takes more memory than there is.
    """
    ranks = {value.name: None if value.shape is None else len(value.shape) for value in graph.inputs}
    parted = [name for name, array in given.items() if array.ndim - 1 == ranks[name]]
    wrong = next((name for name in parted if given[name].shape[0] != steps), None)
    if wrong is not None:
        raise InputError(
            f"--input {wrong}: its first dimension is {given[wrong].shape[0]}, expected {steps} as --steps."
        )
    arrays = {name: given[name].load(budget) for name in parted}
    return [{**given, **{name: array[n] for name, array in arrays.items()}} for n in range(steps)]


def outputs_of_steps(compiled: CompiledModel, inputs: Sequence[Mapping[str, Array]]) -> list[Output]:
    """The outputs of one request's runs: joined where all have one shape, else step by step."""
    request = compiled.create_infer_request()
    found: list[list[Array]] = [[] for _ in compiled.outputs]
    for each in inputs:
        request.infer(each)
        for index, arrays in enumerate(found):
            arrays.append(saved(request.get_output_tensor(index)).copy())
    outputs: list[Output] = []
    for port, arrays in zip(compiled.outputs, found, strict=True):
        if len({array.shape for array in arrays}) == 1:
            joined = np.stack(arrays)
            outputs.append(Output(port.name, port.dtype, joined.shape, joined))
        else:
            outputs += [Output(f"{port.name}[{n}]", port.dtype, one.shape, one) for n, one in enumerate(arrays)]
    return outputs


def saved(tensor: Tensor) -> Array:
    """The contents of an output as numpy writes them."""
    return np.array(tensor.get_strings(), dtype=np.str_) if tensor.dtype == DataType.STRING else tensor.data


def with_states(graph: Graph, pairs: Sequence[str], given: Mapping[str, FileArray], budget: Budget) -> Graph:
    """A graph whose inputs are states, as far as ``--stateful`` says so.

    Args:
        graph: the graph of the model's file.
        pairs: texts ``INPUT=OUTPUT``.
        given: data of inputs; the data of a state is its initial value.

    Raises:
        InputError: a text is no such pair, or see ``make_stateful``.
    """
    inputs, outputs = ({value.name for value in values} for values in (graph.inputs, graph.outputs))
    split = [_split(text, inputs, outputs) for text in pairs]
    twice = next((name for name, count in Counter(name for name, _ in split).items() if count > 1), None)
    if twice is not None:
        raise InputError(f"--stateful names '{twice}' twice.")
    states = dict(split)
    initial = {name: array.load(budget) for name, array in given.items() if name in states}
    return make_stateful(graph, states, initial)


def _split(text: str, inputs: set[str], outputs: set[str]) -> tuple[str, str]:
    """The two names of a pair, which may have ``=`` in them: a split with names of the model comes first."""
    found = [(text[:i], text[i + 1 :]) for i, char in enumerate(text) if char == "="]
    if not any(before and after for before, after in found):
        raise InputError(f"--stateful must be INPUT=OUTPUT, got '{text}'.")
    return next((pair for pair in found if pair[0] in inputs and pair[1] in outputs), found[0])
