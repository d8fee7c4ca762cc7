"""The import of a compiled model from the sections of a file, without claims of delegates and without a compilation."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ...basics.unforeseen import rejecting_unforeseen
from ...delegate import Delegate, Kernel
from ...errors import DelegateError, GraphError, InputError, LimitError, ModelFormatError, ShapeError
from ...formats.input_shapes import ALL_KNOWN, ClosedShapes
from ...formats.ms.in_model import ModelFiles
from ...formats.ms.reader import read_ms_buffer
from ...formats.ms.separate_constants import NO_FILES, Constants
from ...formats.ms.tensors.external import Bytes
from ...ir import Graph
from ...partition.options import FASTEST
from ...reporting.plain import from_plain
from ...runtime.lifetimes.session import open_session
from ...runtime.planning.layout import GraphLayout, KernelLayout
from ...runtime.planning.plan_log import telling
from ...runtime.planning.restoring import restore
from ...runtime.records.records import PartitionRecord
from ...runtime.settings import Settings
from ...sections.sections import SectionedFile
from ...tensors.tensor import Tensor
from ..tensors.port import Bounds
from .device_names import Names, renamed_layouts, renamed_record
from .header import check_delegates, check_kind, check_versions, chosen_delegates
from .parts import ModelParts
from .sources import give_sources

NO_WEIGHTS: Mapping[str, Bytes] = {}


def parts_from(
    file: SectionedFile,
    settings: Settings,
    weights: Mapping[str, Bytes] = NO_WEIGHTS,
    source: str = "",
    files: ModelFiles = NO_FILES,
    read: Callable[[], Graph] | None = None,
) -> ModelParts:
    """The parts of the compiled model in a file, as exported.

    The file has the partition; ``settings.partition`` matters for later compilations for other shapes.

    Args:
        file: with a checked header; every section is checked before the function returns.
        settings: the delegates of the compilation, and the settings of runs. With ``placement`` "fastest" the delegates
            of the fastest plan are chosen among them.
        weights: the constants outside of the file, by their hash.
        source: the name of the weights' source, for messages.
        files: of the model, with the constants that lie in them; their contents are unchanged since the export.
        read: gives the graph of the compilation. A model that is read again for known shapes needs ``read`` for other
            shapes than the shapes of the file.

    Raises:
        ModelFormatError: the file has no compiled model, was altered, or was written by another release; or ``weights``
            are of another model.
        DelegateBuildError: the model was compiled for other delegates or for another device.
        DelegateUnavailable: the device is absent.
        LiteDelegateError: see ``runtime.planning.restoring.restore``.
    """
    check_kind(file)
    check_versions(file)
    with _rejecting(file):
        if settings.partition.placement == FASTEST:
            settings = replace(settings, delegates=chosen_delegates(file, settings.delegates))
        names = check_delegates(file, settings.delegates)
    with _checking(file), _rejecting(file):
        constants = Constants(file.view("constants"), weights, source, files)
        return _parts_from(file, settings, constants, names, read)


def _parts_from(
    file: SectionedFile, settings: Settings, constants: Constants, names: Names, read: Callable[[], Graph] | None
) -> ModelParts:
    plan = json.loads(bytes(file.section("plan")))
    record = from_plain(PartitionRecord, json.loads(bytes(file.section("record"))), "record")
    layouts = from_plain(tuple[GraphLayout, ...], plan["graphs"], "plan")
    record, layouts = renamed_record(record, names), renamed_layouts(layouts, names)
    record, settings = _with_threads(record, settings)
    graphs = {name: _graph(file, name, constants, plan) for name in ("graph", "prepared") if name in file}
    graph, prepared = graphs["graph"], graphs.get("prepared", graphs["graph"])
    shapes = {v: tuple(dims) for v, dims in zip(prepared.inputs, plan["shapes"], strict=True) if dims is not None}
    with telling(graph, settings):
        session = open_session(settings.delegates)
    try:
        for absent in session.absent.values():
            raise absent
        make = _Importing(file, {delegate.name: delegate for delegate in settings.delegates})
        scheduled = restore(prepared, shapes, settings, session, layouts, record, make)
    finally:
        session.let_go()  # the plan holds the session, too
    if plan.get("reads_again"):
        if read is None:
            return ModelParts(graph, scheduled, ALL_KNOWN, None)
        graph = read()
    closed = ClosedShapes({graph.inputs[position]: tuple(dims) for position, dims in plan["closed"]})
    error = None if plan["shape_error"] is None else ShapeError(plan["shape_error"])
    return ModelParts(graph, scheduled, closed, error, _bounds(plan.get("bounds")))


def _with_threads(record: PartitionRecord, settings: Settings) -> tuple[PartitionRecord, Settings]:
    """The record, and the settings with the measured number of threads; the user's own number of threads wins."""
    threads = record.threads if settings.leaves_threads_open else 0
    return replace(record, threads=threads), replace(settings, chosen_threads=threads)


def _bounds(found: Any) -> Bounds | None:
    bounds: Bounds | None = from_plain(Bounds | None, found, "bounds")
    return bounds


def graph_in(file: SectionedFile) -> Graph:
    """The graph of the compilation, without its plan and its kernels.

    Raises:
        ModelFormatError: the file has no compiled model, was altered, or was written by another release; or the file
            lacks the weights.
    """
    check_kind(file)
    check_versions(file)
    with _rejecting(file):
        plan = json.loads(bytes(file.section("plan")))
        return _graph(file, "graph", Constants(file.section("constants"), NO_WEIGHTS), plan)


class _Importing:
    """Imports the graph kernels of a file, one after the other."""

    def __init__(self, file: SectionedFile, delegates: Mapping[str, Delegate]) -> None:
        self._file = file
        self._delegates = delegates
        self._count = 0

    def __call__(self, layout: KernelLayout, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        data = self._file.section(f"kernel/{self._count}")
        self._count += 1
        return self._delegates[layout.delegate].import_kernel(data, inputs, outputs)


def _graph(file: SectionedFile, name: str, constants: Constants, plan: Mapping[str, Any]) -> Graph:
    graph = read_ms_buffer(file.section(name), constants)
    give_sources(graph, plan["sources"][name])
    return graph


@contextmanager
def _checking(file: SectionedFile) -> Iterator[None]:
    """Checks all sections in another thread during the block; an error of a section replaces an error of the block."""
    checker = file.checking()
    try:
        yield
    finally:
        checker.wait()


@contextmanager
def _rejecting(file: SectionedFile) -> Iterator[None]:
    """Turns errors of malformed sections into ``ModelFormatError`` with the name of the file."""
    try:
        with rejecting_unforeseen(file.where, DelegateError):
            yield
    except (LimitError, DelegateError):
        raise
    except (ModelFormatError, GraphError, InputError, ShapeError) as e:
        text = str(e)
        raise ModelFormatError(text if text.startswith(file.where) else f"{file.where}: {text}") from e
