"""The query call: where a model would run. The model is planned as for compiling, and nothing is compiled to run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...inference.compiling.compilation import compile_graph
from ...inference.compiling.query import Query, query_of
from ...inference.compiling.uncompiled_model import UncompiledModel, level_of
from ...inference.compiling.usual_shapes import fitting_shapes
from ...partition import PartitionOptions
from ..registry.names import Hetero, Physical
from ..settings.configured_devices import ConfiguredDevices
from ..settings.part_options import notes_of, part_options


def query_for(
    device: Physical | Hetero,
    devices: ConfiguredDevices,
    source: UncompiledModel,
    properties: Mapping[str, object],
    partition: PartitionOptions,
    said: list[str],
) -> Query:
    """Where the nodes of a model would run.

    Args:
        device: the name of the device.
        devices: the devices of the core, with their properties.
        source: the model.
        properties: the properties of the call, see ``with_cores``.
        partition: how HETERO splits the model.
        said: receives the warnings for the user.

    Raises:
        LiteDelegateError: see ``Core.query_model``.
    """
    settings = devices.settings(device, properties, part_options(device, properties, devices.registry))
    notes = notes_of(device, properties, devices.registry)
    planned = replace(settings, plan_only=True, strict=False, partition=partition, notes=notes)
    graph = source.graph(level_of(planned))
    compiled = compile_graph(graph, planned, said)
    if compiled.shape_error is not None and (shapes := fitting_shapes(graph)):
        compiled.close()
        compiled = compile_graph(graph, planned, said, {value.name: dims for value, dims in shapes.items()})
    compiled.close()
    return query_of(compiled.partition, has_cpu=not settings.strict)
