"""The making of a run's graph kernel: a compiled device model for each part of the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ...delegate import Boundary, Kernel
from ...tensors.tensor import Tensor
from ..blob import BlobModel, BlobOrigin
from ..compiler.parts import RunPart, connected_parts
from ..device import Device
from ..device.programs.instruction import Array
from ..driver_ir.adapter import driver_ir
from ..driver_ir.layout import versions_of
from ..driver_ir.vcl import DriverCompiler
from ..ir.ports import BufferPort
from ..ir.target import Target
from .device_model import DeviceModel
from .graph import NPUGraph
from .program_folder import named_folder

STEP_BYTES = 1024
"""The approximate bytes of a program's step in the driver's cache, constants left out."""


def compiled_models(
    run: Sequence[Kernel],
    boundary: Boundary,
    target: Target,
    device: Device,
    tell: Callable[[str], object],
    *,
    keeps: bool,
) -> list[DeviceModel]:
    """The parts of a run that no tensor connects, each as a model of its own.

    Args:
        run: kernels in execution order.
        boundary: the boundary of the run.
        target: the target to compile for.
        device: the device that is to run the models.
        tell: gets the messages of the driver's compiler for each part.
        keeps: whether the driver's cache is asked for the programs, and keeps them.

    Raises:
        DelegateBuildError: the run cannot be compiled.
    """
    parts = connected_parts(run, boundary)
    return [_model_of(part, boundary, target, device, tell, keeps=keeps) for part in parts]


def graph_of(name: str, boundary: Boundary, models: Sequence[DeviceModel], origin: BlobOrigin) -> NPUGraph:
    """The graph kernel that runs ``models`` in place of the run with that boundary."""
    return NPUGraph(name, boundary.inputs, boundary.outputs, models, origin)


def _model_of(
    part: RunPart, boundary: Boundary, target: Target, device: Device, tell: Callable[[str], object], *, keeps: bool
) -> DeviceModel:
    """The device model of a part, from the driver's cache or compiled. The driver gets an in-memory model, and nothing
    else from the delegate.
    """
    versions = versions_of(target.profile.driver_ir)
    driver = DriverCompiler(target.profile, versions, compile_threads=target.compile_threads)
    ir = driver_ir(part, target, driver.versions)
    cache, key, folder = device.driver_cache, "", named_folder()
    if keeps:
        key = ir.key()
        kept = cache.get(key, None if folder is None else folder.get)
        if isinstance(kept, BlobModel):
            return _device_model(kept, part, boundary, lambda: kept.constants, device, target)
    else:
        cache.bypass()
    compiled = driver.compile(ir)
    tell(compiled.log)
    made = BlobModel(compiled.program, compiled.inputs, compiled.outputs, {})
    module = compiled.module

    def constants() -> Mapping[int, Array]:
        packed = module.pack_constants(target.compile_threads)
        if keeps:
            size = sum(each.nbytes for each in packed.values()) + STEP_BYTES * len(made.program.steps)
            kept = replace(made, constants=packed)
            cache.put(key, kept, size)
            if folder is not None:
                folder.put(key, kept, part.boundary)
        return packed

    return _device_model(made, part, boundary, constants, device, target)


def _device_model(
    model: BlobModel,
    part: RunPart,
    boundary: Boundary,
    constants: Callable[[], Mapping[int, Array]],
    device: Device,
    target: Target,
) -> DeviceModel:
    """A program of a part, for the tensors of the whole run."""
    enters = _of_whole(model.inputs, part.boundary.inputs, boundary.inputs)
    leaves = _of_whole(model.outputs, part.boundary.outputs, boundary.outputs)
    return DeviceModel(model.program, enters, leaves, constants, device, target)


def _of_whole(ports: Sequence[BufferPort], mine: Sequence[Tensor], whole: Sequence[Tensor]) -> tuple[BufferPort, ...]:
    """Ports of a part by the numbers that their tensors have in the whole run."""
    places = {tensor: place for place, tensor in enumerate(whole)}
    return tuple(replace(port, tensor=places[mine[port.tensor]]) for port in ports)
