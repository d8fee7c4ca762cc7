"""VCL, the part of the driver that reads in-memory models and hands them to its compiler."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ...data_class import dataclass
from ...delegate import Boundary, Kernel, Rejected
from ...errors import DelegateBuildError, ModelFormatError
from ...flatbuffer.decoder import Tables
from ...flatbuffer.problem import FormatProblem
from ...formats.ms.external import Bytes, SideFiles
from ...formats.ms.reader import read_ms_buffer
from ...ir import Graph, Node, Value
from ...tensor import Tensor
from ..compiler.compile import compile_run
from ..compiler.compiled import Compiled
from ..ir.ports import BufferPort, buffer_ports
from ..ir.target import Target
from ..operators.claims import claim
from ..profiles import Profile
from ..profiles.digest import profile_hash
from ..semantics.kernel_view import KernelView
from .adapter import LOCATION
from .layout import INSIDE, VERSIONS, DriverIR, Parts, Version, parts_of, text_of
from .options import target_from


@dataclass(frozen=True, slots=True)
class Layer:
    """What the compiler says of a kernel.

    Attributes:
        name: the kernel's.
        type: its operator.
        rejection: why the device does not take it; None where it does.
    """

    name: str
    type: str
    rejection: Rejected | None


@dataclass(frozen=True, slots=True, eq=False)
class _Opened:
    """An in-memory model that was checked."""

    version: Version
    target: Target
    kernels: Sequence[Kernel]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]


class DriverCompiler:
    """The compiler in the driver of a device.

    Args:
        profile: the device.
        versions: of in-memory models that it takes.
        compile_threads: that it may use.
    """

    def __init__(self, profile: Profile, versions: Sequence[Version] = VERSIONS, compile_threads: int = 1) -> None:
        self.versions = versions
        self._profile = profile
        self._threads = compile_threads

    def query(self, ir: DriverIR) -> Sequence[Layer]:
        """What the compiler says of each kernel of an in-memory model, in its order; nothing is compiled.

        Raises:
            ModelFormatError: as ``compile``.
        """
        return _layers(self._opened(ir))

    def compile(self, ir: DriverIR) -> CompiledIR:
        """The program of an in-memory model.

        Raises:
            ModelFormatError: it is none, was cut or altered, is of a version that is not known, or for another device.
            DelegateBuildError: it cannot be compiled, or has a kernel that the device does not take.
        """
        opened = self._opened(ir)
        for layer in _layers(opened):
            if layer.rejection is not None:
                raise DelegateBuildError(f"Kernel '{layer.name}' ({layer.type}): {layer.rejection.reason}.")
        boundary = Boundary(opened.inputs, opened.outputs, ())
        compiled = compile_run(opened.kernels, boundary, opened.target)
        size = sum(each.nbytes for each in ir.weights)
        said = (
            f"in-memory model {text_of([opened.version])}: {len(opened.kernels)} kernels, {len(ir.content)} bytes, "
            f"{size} bytes of constants by reference; program of {len(compiled.program.steps)} steps"
        )
        return CompiledIR(compiled, opened.inputs, opened.outputs, said)

    def _opened(self, ir: DriverIR) -> _Opened:
        parts = parts_of(ir.content, self.versions)
        target = self._target(parts)
        graph = read_ms_buffer(parts.graph, _Weights(_weights(parts, ir.weights)))
        kernels, inputs, outputs = _kernels(graph)
        wanted = parts.options["inputs"]
        if wanted > len(inputs):
            raise ModelFormatError(f"In-memory model: it is to have {wanted} inputs, its graph has {len(inputs)}.")
        return _Opened(parts.version, target, kernels, inputs[:wanted], outputs)

    def _target(self, parts: Parts) -> Target:
        options = parts.options
        if not isinstance(options, dict) or set(options) != {"inputs", "profile", "target", "weights"}:
            raise ModelFormatError("In-memory model: its options must be inputs, profile, target and weights.")
        if type(options["inputs"]) is not int or options["inputs"] < 0:
            raise ModelFormatError(f"In-memory model: inputs must be a number, is {options['inputs']!r}.")
        if options["profile"] != profile_hash(self._profile):
            raise ModelFormatError(
                f"In-memory model: it is for another device than this of profile '{self._profile.name}'."
            )
        if not isinstance(options["target"], dict):
            raise ModelFormatError("In-memory model: target must be the choices by name.")
        return target_from(options["target"], self._profile, self._threads)


class CompiledIR:
    """What the driver gives for an in-memory model.

    Args:
        compiled: its program.
        inputs: the model's.
        outputs: the model's.
        log: what the driver says of it, one line.
    """

    def __init__(self, compiled: Compiled, inputs: Sequence[Tensor], outputs: Sequence[Tensor], log: str) -> None:
        self.log = log
        self.program, self.module = compiled.program, compiled.module
        self.inputs: tuple[BufferPort, ...] = buffer_ports(compiled.module.inputs, inputs)
        self.outputs: tuple[BufferPort, ...] = buffer_ports(compiled.module.outputs, outputs)


def _layers(opened: _Opened) -> Sequence[Layer]:
    answers = [claim(each, opened.target.claiming) for each in opened.kernels]
    rejections = [answer if isinstance(answer, Rejected) else None for answer in answers]
    return [Layer(each.name, each.type, why) for each, why in zip(opened.kernels, rejections, strict=True)]


class _Weights(SideFiles):
    """Constants by their numbers."""

    def __init__(self, weights: Sequence[memoryview]) -> None:
        super().__init__(None)
        self._weights = weights

    def read(self, entries: Tables) -> Bytes:
        """The bytes of a constant, as a read-only view.

        Raises:
            FormatProblem: there are no such.
        """
        if len(entries) != 1:
            raise FormatProblem(f"expected exactly one entry, found {len(entries)}")
        (entry,) = entries
        location, number, length = entry["location"], entry["offset"], entry["length"]
        known = location == LOCATION and 0 <= number < len(self._weights)
        if not known or len(self._weights[number]) != length:
            raise FormatProblem(f"expected {length} bytes of constant {number} in '{location}', which are not there")
        return np.frombuffer(self._weights[number], np.uint8)


def _weights(parts: Parts, given: Sequence[memoryview]) -> Sequence[memoryview]:
    """The large constants by number: those inside, or those that were handed over."""
    sizes: Any = parts.options["weights"]
    if not isinstance(sizes, list) or not all(type(size) is int and size >= 0 for size in sizes):
        raise ModelFormatError("In-memory model: weights must be sizes.")
    if parts.version == INSIDE:
        expected, found = sum(sizes), len(parts.constants)
        if expected != found:
            raise ModelFormatError(f"In-memory model: expected {expected} bytes of weights, found {found}.")
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
