"""Compiling a model for a device of any name: one, several that share it, or one that is made of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..inference.compiled_model import CompiledModel
from ..inference.compiling import compile_for_shapes
from ..ir import Graph
from ..partition import PartitionOptions
from ..runtime.settings import Settings
from .choosing import PassedOver, candidates
from .configured import ConfiguredDevices
from .names import Batch, DeviceName, Hetero, Multi, Physical
from .part_options import notes_of, part_options

if TYPE_CHECKING:
    from ..inference.source import Source


def compile_for(
    device: DeviceName,
    devices: ConfiguredDevices,
    source: Source,
    properties: Mapping[str, object],
    partition: PartitionOptions,
    said: list[str],
    mode: str,
) -> CompiledModel:
    """A model compiled for a device.

    Args:
        device: its name.
        devices: that there are.
        source: the model.
        properties: of the call, see ``with_cores``.
        partition: how HETERO splits it.
        said: gets what the user is to be warned of.
        mode: EXECUTION_MODE_HINT of the call, which AUTO chooses by.

    Raises:
        LiteDelegateError: see ``Core.compile_model``.
    """
    options = part_options(device, properties, devices.registry)
    unused = notes_of(device, properties, devices.registry)

    def settings_of(part: Physical | Hetero, passed: Sequence[str] = ()) -> Settings:
        notes = (*unused, *passed, *devices.notes(part, properties))
        return replace(devices.settings(part, properties, options), partition=partition, notes=notes)

    def compiled(part: Physical | Hetero, heard: list[str], passed: Sequence[str] = ()) -> CompiledModel:
        return source.compiled(settings_of(part, passed), heard)

    def is_cached(part: Physical) -> bool:
        return source.is_cached(settings_of(part))

    if isinstance(device, Physical | Hetero):
        parts = device.parts if isinstance(device, Hetero) else ()
        return compiled(device, said).with_priorities(parts)
    if isinstance(device, Multi):
        from .multi import compile_for_all

        found = compile_for_all(device.parts, lambda part: compiled(part, said), properties, said)
        return found.with_priorities(device.parts)
    if isinstance(device, Batch):
        from .batching import compile_batched

        part = device.part

        def batched(graph: Graph, sizes: Sequence[Sequence[int]]) -> CompiledModel:
            return compile_for_shapes(graph, sizes, settings_of(part), [])

        return compile_batched(compiled(part, said), batched, device.size, properties, said)
    from .auto import compile_auto
    from .exactness import why_inexact

    def exact(part: Physical, heard: list[str], passed: Sequence[str] = ()) -> CompiledModel:
        found = compiled(part, heard, passed)
        reason = why_inexact(found, mode)
        if reason:
            found.close()
            raise PassedOver(f"{reason}.")
        return found

    choices, weighs = candidates(device, devices.registry), not device.parts
    auto = compile_auto(choices, exact, is_cached, properties, said, devices.specs, weighs=weighs)
    return auto.with_priorities(choices)
