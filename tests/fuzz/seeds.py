"""The files that a campaign starts from, by kind: built by code, and the development models where they are."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from lite_delegate import Context, LiteDelegateError, Model
from lite_delegate.conformance.judging.case_graph import case_graph
from lite_delegate.conformance.suite import all_cases
from lite_delegate.delegate import DelegateModel, Kernel
from lite_delegate.demo import model_path
from lite_delegate.formats.ms import ms_bytes
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.compiler.parts import connected_parts
from lite_delegate.npu.driver_ir.adapter import driver_ir
from lite_delegate.npu.driver_ir.layout import INSIDE
from lite_delegate.npu.execution.graph import NPUGraph
from lite_delegate.npu.profiles.load import PACKAGED
from lite_delegate.report import partition_report
from tests.fuzz.ms import samples

CASES_PER_OPERATOR = 6
"""Conformance cases that become ``.ms`` files; more would be the same few tables again."""
EARLY_CASES = 1_000
"""Conformance cases of the first operators, which are soon made: they have tensors and attributes of most kinds."""
MAX_SEED_BYTES = 300_000
"""Larger files are all weights: their mutations hit numbers that any value is right for."""


def seeds(kind: str) -> list[bytes]:
    """The contents of the seeds of a kind, in a fixed order."""
    return [content for content in SEEDS[kind]() if len(content) <= MAX_SEED_BYTES]


def _development_models(suffix: str) -> list[bytes]:
    beside = Path(__file__).resolve().parents[3] / "shared" / "models"
    folder = Path(os.environ.get("LITE_DELEGATE_MODELS", beside))
    return [path.read_bytes() for path in sorted(folder.rglob(f"*{suffix}")) if path.is_file()]


def _ms() -> list[bytes]:
    found: list[bytes] = []
    counts: dict[str, int] = {}
    for case in all_cases():
        counts[case.op_type] = counts.get(case.op_type, 0) + 1
        if counts[case.op_type] > CASES_PER_OPERATOR:
            continue
        try:
            found.append(ms_bytes(case_graph(case)))
        except LiteDelegateError:
            continue  # a case that no file can hold
    return [*samples(), *found, *_development_models(".ms")]


def _onnx() -> list[bytes]:
    from tests.formats.onnx.node_suite import cases

    models = (case.model.SerializeToString() for case in cases())
    return [*models, *_development_models(".onnx")]


def _tflite() -> list[bytes]:
    from tests.fuzz.tflite import samples as made

    return [*made(), *_development_models(".tflite")]


def _blob() -> list[bytes]:
    context, model, found = Context(), Model(), []
    context.set_delegate(NPUDelegate())
    model.build_from_file(model_path(), context=context)
    found += [k.export_blob() for k in model.compiled.graph_kernels if isinstance(k, NPUGraph)]
    for case in islice(all_cases(), 0, None, 17):
        context, model = Context(), Model()
        context.set_delegate(NPUDelegate())
        try:
            model.build_from_graph(case_graph(case), context)
        except LiteDelegateError:
            continue
        found += [k.export_blob() for k in model.compiled.graph_kernels if isinstance(k, NPUGraph)]
    return found


class _Recording(NPUDelegate):
    """Keeps the in-memory models of the runs that it compiles, with all constants inside."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[bytes] = []

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        parts = connected_parts(run, model.boundary_of(run))
        self.kept += [bytes(driver_ir(part, self.target, [INSIDE]).content) for part in parts]
        return super().create_graph_kernel(run, model)


def _driver_ir() -> list[bytes]:
    delegate = _Recording()
    context = Context()
    context.set_delegate(delegate)
    Model().build_from_file(model_path(), context=context)
    for case in islice(all_cases(), 0, EARLY_CASES, 40):
        try:
            Model().build_from_graph(case_graph(case), context)
        except LiteDelegateError:
            continue
    return delegate.kept


def _compiled() -> list[bytes]:
    found = []
    for delegate in (None, NPUDelegate()):
        context, model = Context(), Model()
        context.set_delegate(delegate)
        model.build_from_file(model_path(), context=context)
        found.append(model.export())
    for case in islice(all_cases(), 0, None, 31):
        context, model = Context(), Model()
        try:
            model.build_from_graph(case_graph(case), context)
            found.append(model.export())
        except LiteDelegateError:
            continue  # a case that the CPU cannot run, or that no file can hold
    return found


def _profile() -> list[bytes]:
    return [path.read_bytes() for path in sorted(PACKAGED.glob("*.toml"))] + [b'base = "generic"\ntiles = 4\n']


def _affinity() -> list[bytes]:
    return [b'{"conv1": "npu", "softmax": "CPU"}', b'{"a": "CPU", "b": "npu", "c": "CPU"}', b"{}"]


def _built(*, plan_only: bool) -> Model:
    context, model = Context(), Model()
    context.set_delegate(NPUDelegate())
    context.plan_only = plan_only
    model.build_from_file(model_path(), context=context)
    return model


def _times() -> list[bytes]:
    return [_built(plan_only=False).calibrate(runs=1).to_json().encode()]


def _baseline() -> list[bytes]:
    return [partition_report(_built(plan_only=True)).to_json().encode()]


def _layers() -> list[bytes]:
    return [
        b'<CustomLayers>\n<CustomLayer type="Abs"/>\n<CustomLayer type="Softmax" name="soft"/>\n</CustomLayers>\n',
        b'<CustomLayers><CustomLayer name="conv1"/></CustomLayers>',
    ]


def _input() -> list[bytes]:
    import io

    found = []
    for array in (np.zeros((1, 8, 8, 1), np.float32), np.zeros((2, 3), np.float64), np.array(["a", "b"])):
        file = io.BytesIO()
        np.save(file, array)
        found.append(file.getvalue())
    file = io.BytesIO()
    np.savez(file, image=np.zeros((1, 8, 8, 1), np.float32))
    return [*found, file.getvalue()]


SEEDS: Mapping[str, Callable[[], list[bytes]]] = {
    "ms": _ms,
    "onnx": _onnx,
    "tflite": _tflite,
    "blob": _blob,
    "driver_ir": _driver_ir,
    "compiled": _compiled,
    "profile": _profile,
    "layers": _layers,
    "affinity": _affinity,
    "times": _times,
    "baseline": _baseline,
    "input": _input,
}
"""By kind of file: model formats, compiled models, what the NPU's compiler takes and gives, what commands read."""
