"""The graph kernel of a run: a device model for each of its parts, compiled."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ...delegate import Boundary, Kernel
from ..blob import Origin
from ..compiler.compile import compile_run
from ..compiler.parts import RunPart, connected_parts
from ..device import Device
from ..ir.ports import buffer_ports
from ..ir.target import Target
from .device_model import DeviceModel
from .graph import NPUGraph


def compiled_models(run: Sequence[Kernel], boundary: Boundary, target: Target, device: Device) -> list[DeviceModel]:
    """The parts of a run that no tensor connects, each as a model of its own.

    Raises:
        DelegateBuildError: the run cannot be compiled.
    """
    return [_model_of(part, boundary, target, device) for part in connected_parts(run, boundary)]


def graph_of(name: str, boundary: Boundary, models: Sequence[DeviceModel], origin: Origin) -> NPUGraph:
    """The graph kernel that runs ``models`` in place of the run with that boundary."""
    return NPUGraph(name, boundary.inputs, boundary.outputs, models, origin)


def _model_of(part: RunPart, boundary: Boundary, target: Target, device: Device) -> DeviceModel:
    compiled = compile_run(part.kernels, part.boundary, target)
    module = compiled.module
    enters, leaves = buffer_ports(module.inputs, boundary.inputs), buffer_ports(module.outputs, boundary.outputs)
    constants = partial(module.pack_constants, target.compile_threads)
    return DeviceModel(compiled.program, enters, leaves, constants, device, target)
