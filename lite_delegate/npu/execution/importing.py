"""Graph kernels from blobs, on the device that they were compiled for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...errors import DelegateBuildError, InputError, ModelFormatError
from ...tensors.tensor import Tensor
from ..blob import Blob, BlobModel, BlobOrigin
from ..device import Device
from ..device.programs.instruction import Array
from ..ir import compiler_version
from ..ir.target import Target
from ..options import Options
from ..profiles import Profile
from ..profiles.digest import profile_hash
from .device_model import DeviceModel
from .graph import NPUGraph

NOT_IMPORTED = frozenset({"VPU_CUSTOM_LAYERS", "NPU_MAX_TILES"})
"""Options of a blob that do not concern its programs: the claims, and the number of the device's tiles."""


def origin_of(options: Options) -> BlobOrigin:
    """The origin of programs that are compiled now, with the number of their compute tiles."""
    profile, tiles = options.profile, str(options.target.tiles)
    return BlobOrigin(
        profile.name, profile_hash(profile), profile.driver_version, {**options.identity(), "NPU_TILES": tiles}
    )


def key_of(options: Options) -> dict[str, str]:
    """The facts that the bytes of newly compiled graph kernels depend on, by name."""
    profile = options.profile
    return {
        "profile": profile.name,
        "profile_digest": profile_hash(profile),
        "driver_version": profile.driver_version,
        "compiler_version": compiler_version.COMPILER_VERSION,
        "architecture": profile.platform,
        "tiles": str(options.target.tiles),
        **options.key(),
    }


def check_key(key: Mapping[str, str], options: Options) -> None:
    """Checks that graph kernels under a key can be imported.

    Raises:
        DelegateBuildError: they were compiled for another device, or for more tiles than programs may use here.
    """
    here, advice = key_of(options), "Compile the model for this device, or import it on that one."
    for name in ("profile", "profile_digest", "driver_version", "compiler_version", "architecture"):
        if key.get(name) != here[name]:
            raise DelegateBuildError(
                f"The model was compiled for an NPU of {name} '{key.get(name)}', this device has '{here[name]}'. "
                f"{advice}"
            )
    _check_tiles("The model", key.get("tiles", ""), options)


def _check_tiles(what: str, tiles: str, options: Options) -> None:
    profile, most = options.profile, options.max_tiles
    if not tiles.isdecimal() or int(tiles) <= most:
        return
    has = f"NPU {profile.platform or profile.name} has {profile.compute.tiles}"
    raise DelegateBuildError(
        f"{what} was compiled for {tiles} tiles, programs may use {most} here (NPU_MAX_TILES; {has}). Compile it with "
        f"NPU_TILES {most} or less, or import it on a device with {tiles} tiles."
    )


def bound_to(kernel: NPUGraph, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> NPUGraph:
    """A graph kernel for other tensors.

    Raises:
        ModelFormatError: these are not of the element types and shapes that it was compiled for.
    """
    for theirs, mine in ((kernel.inputs, inputs), (kernel.outputs, outputs)):
        expected, found = _kinds(theirs), _kinds(mine)
        if expected != found:
            raise ModelFormatError(f"NPU blob of '{kernel.name}': expected tensors {expected}, found {found}.")
    return kernel.fork(inputs, outputs)


def _kinds(tensors: Sequence[Tensor]) -> str:
    return ", ".join(f"{tensor.dtype.name} {list(tensor.shape)}" for tensor in tensors)


def imported(blob: Blob, options: Options, device_for: Callable[[Target], Device]) -> NPUGraph:
    """The graph kernel of a blob, not prepared yet.

    Args:
        options: the choices that apply when a program runs; the blob has the choices of the compilation.
        device_for: gives the device on which programs of a target are loaded.

    Raises:
        DelegateBuildError: the blob was compiled for another device, or for more tiles than programs may use here.
        ModelFormatError: the blob's options are no options of this device.
    """
    _check_device(blob, options.profile)
    _check_tiles(f"NPU blob of '{blob.graph}'", blob.origin.options.get("NPU_TILES", ""), options)
    compiled = {name: value for name, value in blob.origin.options.items() if name not in NOT_IMPORTED}
    try:
        target = options.changed(compiled).target
    except InputError as e:
        raise ModelFormatError(f"NPU blob of '{blob.graph}': {e}") from e
    device = device_for(target)
    models = [_device_model(model, device, target) for model in blob.models]
    return NPUGraph(blob.graph, blob.inputs, blob.outputs, models, blob.origin)


def _device_model(model: BlobModel, device: Device, target: Target) -> DeviceModel:
    def constants() -> Mapping[int, Array]:
        return model.constants

    return DeviceModel(model.program, model.inputs, model.outputs, constants, device, target)


def _check_device(blob: Blob, profile: Profile) -> None:
    origin, advice = blob.origin, "Compile the model for this device, or import it on that one."
    for what, compiled, here in (
        ("profile", origin.profile, profile.name),
        ("driver version", origin.driver_version, profile.driver_version),
    ):
        if compiled != here:
            raise DelegateBuildError(
                f"NPU blob of '{blob.graph}' was compiled for {what} '{compiled}', this device has '{here}'. {advice}"
            )
    if origin.profile_hash != profile_hash(profile):
        raise DelegateBuildError(
            f"NPU blob of '{blob.graph}' was compiled for another device of profile '{profile.name}': "
            f"figures or limits of the profile have changed since. {advice}"
        )
