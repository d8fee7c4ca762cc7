"""The compile call: a model is compiled for a device of any name, a physical device or a device made of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...basics.data_class import dataclass
from ...cache import CacheStatus
from ...inference.compiling.compilation import compile_for_shapes
from ...inference.compiling.garbage_collection import loading
from ...inference.model.compiled_model import CompiledModel
from ...ir import Graph
from ...partition import PartitionOptions
from ...runtime.settings import Settings
from ..registry.names import Auto, Batch, DeviceName, Hetero, Multi, Physical
from ..settings.auto_choice import PassedOver, candidates
from ..settings.configured_devices import ConfiguredDevices
from ..settings.part_options import PartOptions, notes_of, part_options

if TYPE_CHECKING:
    from ...inference.compiling.uncompiled_model import FileOptions, UncompiledModel


@loading
def compile_for(
    device: DeviceName,
    devices: ConfiguredDevices,
    source: UncompiledModel,
    properties: Mapping[str, object],
    partition: PartitionOptions,
    said: list[str],
    mode: str,
) -> CompiledModel:
    """A model compiled for a device.

    Args:
        device: the name of the device.
        devices: the devices of the core, with their properties.
        source: the model.
        properties: the properties of the call, see ``with_cores``.
        partition: how HETERO splits the model.
        said: receives the warnings for the user.
        mode: EXECUTION_MODE_HINT of the call, by which AUTO chooses.

    Raises:
        LiteDelegateError: see ``Core.compile_model``.
    """
    options = part_options(device, properties, devices.registry)
    unused = notes_of(device, properties, devices.registry)
    call = _Call(devices, source, properties, partition, said, options, unused)
    if isinstance(device, Physical):
        return call.compiled(device, said)
    if isinstance(device, Hetero):
        return call.compiled(device, said, among=device.parts)
    if isinstance(device, Multi):
        return _shared(call, device)
    if isinstance(device, Batch):
        return _batched(call, device)
    return _chosen(call, device, mode)


@dataclass(frozen=True, slots=True, eq=False)
class _Call:
    """The arguments of one call of ``compile_for``, and the options and notes of the device's parts."""

    devices: ConfiguredDevices
    source: UncompiledModel
    properties: Mapping[str, object]
    partition: PartitionOptions
    said: list[str]
    options: PartOptions
    unused: Sequence[str]

    def settings_of(self, part: Physical | Hetero, passed: Sequence[str] = ()) -> Settings:
        """The settings of a device; ``passed`` are the notes on the devices that AUTO passed over before."""
        notes = (*self.unused, *passed, *self.devices.notes(part, self.properties))
        settings = self.devices.settings(part, self.properties, self.options)
        return replace(settings, partition=self.partition, notes=notes)

    def compiled(
        self,
        part: Physical | Hetero,
        heard: list[str],
        passed: Sequence[str] = (),
        *,
        among: Sequence[Physical] = (),
    ) -> CompiledModel:
        """The model compiled for one device; ``heard`` receives the warnings, ``among`` are the call's devices."""
        settings = self.settings_of(part, passed)
        return self.source.compiled(settings, self._files(settings), heard, tuple(map(str, among)))

    def is_cached(self, part: Physical) -> bool:
        """Whether the cache has the model compiled for a device."""
        settings = self.settings_of(part)
        cache = self._files(settings).cache
        return cache is not None and self.source.outcome(settings, cache).status is CacheStatus.HIT

    @staticmethod
    def _files(settings: Settings) -> FileOptions:
        from ...inference.compiling.uncompiled_model import file_options

        return file_options(settings)


def _shared(call: _Call, device: Multi) -> CompiledModel:
    from ..virtual.multi import compile_for_all

    def whole(part: Physical) -> CompiledModel:
        return call.compiled(part, call.said, among=device.parts)

    return compile_for_all(device.parts, whole, call.properties, call.said)


def _batched(call: _Call, device: Batch) -> CompiledModel:
    from ..virtual.batch_compilation import compile_batched

    def batched(graph: Graph, sizes: Sequence[Sequence[int]]) -> CompiledModel:
        return compile_for_shapes(graph, sizes, call.settings_of(device.part), [])

    return compile_batched(call.compiled(device.part, call.said), batched, device.size, call.properties, call.said)


def _chosen(call: _Call, device: Auto, mode: str) -> CompiledModel:
    from ..settings.exactness import why_inexact
    from ..virtual.auto import compile_auto

    devices = call.devices
    choices, weighs = candidates(device, devices.registry, devices.why_absent), not device.parts

    def exact(part: Physical, heard: list[str], passed: Sequence[str] = ()) -> CompiledModel:
        found = call.compiled(part, heard, passed, among=choices)
        reason = why_inexact(found, mode)
        if reason:
            found.close()
            raise PassedOver(f"{reason}.")
        return found

    return compile_auto(choices, exact, call.is_cached, call.properties, call.said, devices.specs, weighs=weighs)
