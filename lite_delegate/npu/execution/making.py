"""The graph kernel of a run: a device model for each of its parts, compiled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...delegate import Boundary, Kernel
from ..blob import BlobModel, Origin
from ..compiler.compile import compile_run
from ..compiler.parts import RunPart, connected_parts
from ..device import Device
from ..device.instruction import Array
from ..ir.ports import buffer_ports
from ..ir.target import Target
from .device_model import DeviceModel
from .graph import NPUGraph
from .program_folder import named_folder
from .program_key import program_key

STEP_BYTES = 1024
"""What a step of a program takes of the driver's cache beside its constants, about."""


def compiled_models(
    run: Sequence[Kernel], boundary: Boundary, target: Target, device: Device, *, keeps: bool
) -> list[DeviceModel]:
    """The parts of a run that no tensor connects, each as a model of its own.

    Args:
        run: kernels in execution order.
        boundary: of the run.
        target: what to compile for.
        device: where the models are to run.
        keeps: whether its driver's cache may have them, and is to keep them.

    Raises:
        DelegateBuildError: the run cannot be compiled.
    """
    return [_model_of(part, boundary, target, device, keeps=keeps) for part in connected_parts(run, boundary)]


def graph_of(name: str, boundary: Boundary, models: Sequence[DeviceModel], origin: Origin) -> NPUGraph:
    """The graph kernel that runs ``models`` in place of the run with that boundary."""
    return NPUGraph(name, boundary.inputs, boundary.outputs, models, origin)


def _model_of(part: RunPart, boundary: Boundary, target: Target, device: Device, *, keeps: bool) -> DeviceModel:
    cache, key, folder = device.driver_cache, "", named_folder()
    if keeps:
        key = program_key(part, boundary, target)
        kept = cache.get(key, None if folder is None else folder.get)
        if isinstance(kept, BlobModel):
            return DeviceModel(kept.program, kept.inputs, kept.outputs, lambda: kept.constants, device, target)
    else:
        cache.bypass()
    compiled = compile_run(part.kernels, part.boundary, target)
    program, module = compiled.program, compiled.module
    enters, leaves = buffer_ports(module.inputs, boundary.inputs), buffer_ports(module.outputs, boundary.outputs)

    def constants() -> Mapping[int, Array]:
        made = module.pack_constants(target.compile_threads)
        if keeps:
            size = sum(each.nbytes for each in made.values()) + STEP_BYTES * len(program.steps)
            kept = BlobModel(program, enters, leaves, made)
            cache.put(key, kept, size)
            if folder is not None:
                folder.put(key, kept, boundary)
        return made

    return DeviceModel(program, enters, leaves, constants, device, target)
