"""Opening an in-memory model: the driver checks its version, its device, its choices, its weights and its graph."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...delegate import Kernel
from ...errors import ModelFormatError
from ...flatbuffer.decoder import Tables
from ...flatbuffer.problem import FormatProblem
from ...formats.ms.reader import read_ms_buffer
from ...formats.ms.tensors.external import Bytes, SideFiles
from ...ir import Graph, Node, Value
from ...tensors.tensor import Tensor
from ..ir.target import Target
from ..profiles import Profile
from ..profiles.digest import profile_hash
from ..semantics.kernel_view import KernelView
from .adapter import LOCATION
from .layout import INSIDE, DriverIR, LayoutParts, Version, parts_of
from .options import target_from


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """An in-memory model that was checked.

    Attributes:
        version: the version of its bytes.
        target: the target to compile for.
        kernels: the kernels in execution order.
        inputs: the inputs of the run.
        outputs: the outputs of the run.
    """

    version: Version
    target: Target
    kernels: Sequence[Kernel]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]


def opened(ir: DriverIR, versions: Sequence[Version], profile: Profile, compile_threads: int) -> Opened:
    """The contents of an in-memory model.

    Args:
        ir: the model.
        versions: that the driver takes.
        profile: the driver's device.
        compile_threads: that compiling may use.

    Raises:
        ModelFormatError: it is none, was cut or altered, is of a version that is not known, or for another device.
    """
    parts = parts_of(ir.content, versions)
    target = _target(parts, profile, compile_threads)
    kernels, inputs, outputs = _kernels(_graph(parts, _weights(parts, ir.weights)))
    wanted = parts.options["inputs"]
    if wanted > len(inputs):
        raise ModelFormatError(
            f"In-memory model: it is to have {counted(wanted, 'input')}, its graph has {len(inputs)}."
        )
    return Opened(parts.version, target, kernels, inputs[:wanted], outputs)


def _target(parts: LayoutParts, profile: Profile, compile_threads: int) -> Target:
    options = parts.options
    if not isinstance(options, dict) or set(options) != {"inputs", "profile", "target", "weights"}:
        raise ModelFormatError("In-memory model: its options must be inputs, profile, target and weights.")
    if type(options["inputs"]) is not int or options["inputs"] < 0:
        raise ModelFormatError(f"In-memory model: inputs must be a number, is {options['inputs']!r}.")
    if options["profile"] != profile_hash(profile):
        raise ModelFormatError(f"In-memory model: it is for another device than this of profile '{profile.name}'.")
    if not isinstance(options["target"], dict):
        raise ModelFormatError("In-memory model: target must be the choices by name.")
    return target_from(options["target"], profile, compile_threads)


def _graph(parts: LayoutParts, weights: Sequence[memoryview]) -> Graph:
    try:
        return read_ms_buffer(parts.graph, _Weights(weights))
    except ModelFormatError as e:
        raise ModelFormatError(f"In-memory model: its graph cannot be read: {e}") from None


class _Weights(SideFiles):
    """Constants by their numbers."""

    def __init__(self, weights: Sequence[memoryview]) -> None:
        super().__init__(None)
        self._weights = weights

    def read(self, entries: Tables) -> Bytes:
        """The bytes of a constant, as a read-only view.

        Raises:
            FormatProblem: the bytes do not exist.
        """
        if len(entries) != 1:
            raise FormatProblem(f"expected exactly one entry, found {len(entries)}")
        (entry,) = entries
        location, number, length = entry["location"], entry["offset"], entry["length"]
        known = location == LOCATION and 0 <= number < len(self._weights)
        if not known or len(self._weights[number]) != length:
            raise FormatProblem(
                f"expected {counted(length, 'byte')} of constant {number} in '{location}', which are not there"
            )
        return np.frombuffer(self._weights[number], np.uint8)


def _weights(parts: LayoutParts, given: Sequence[memoryview]) -> Sequence[memoryview]:
    """The large constants by number: the constants inside, or the constants that were handed over."""
    sizes: Any = parts.options["weights"]
    if not isinstance(sizes, list) or not all(type(size) is int and size >= 0 for size in sizes):
        raise ModelFormatError("In-memory model: weights must be sizes.")
    if parts.version == INSIDE:
        expected, found = sum(sizes), len(parts.constants)
        if expected != found:
            raise ModelFormatError(
                f"In-memory model: expected {counted(expected, 'byte')} of weights, found {found:,}."
            )
        return [parts.constants[start:end] for start, end in pairwise(accumulate(sizes, initial=0))]
    if [each.nbytes for each in given] != sizes:
        raise ModelFormatError(f"In-memory model: expected {len(sizes)} weights of its sizes, got {len(given)}.")
    return given


def _kernels(graph: Graph) -> tuple[list[Kernel], tuple[Tensor, ...], tuple[Tensor, ...]]:
    """The kernels of a graph, its inputs and its outputs."""
    tensors: dict[Value, Tensor] = {}

    def tensor(value: Value) -> Tensor:
        if value not in tensors:
            described = value.name, value.dtype, value.shape, value.format
            params, is_const = value.quant_params, value.data is not None
            tensors[value] = Tensor.describe(*described, data=value.data, is_const=is_const, quant_params=params)
        return tensors[value]

    kernels: list[Kernel] = [_kernel(node, tensor) for node in graph.nodes]
    return kernels, tuple(map(tensor, graph.inputs)), tuple(map(tensor, graph.outputs))


def _kernel(node: Node, tensor: Any) -> Kernel:
    inputs = [None if each is None else tensor(each) for each in node.inputs]
    kernel = KernelView(node.name, node.op_type, inputs, [tensor(each) for each in node.outputs], node.primitive)
    kernel.quant_type = node.quant_type
    return kernel
