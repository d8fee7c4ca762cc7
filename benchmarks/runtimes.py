"""The runtimes that are compared, each as a call that computes: native ones, and ours through delegates."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lite_delegate import Context, Delegate, Model, PartitionOptions
from lite_delegate.benchmark.ran_on import RanOn, ran_on
from lite_delegate.report import PartitionReport, partition_report

Array = np.ndarray[Any, Any]
Feeds = Mapping[str, Array]
Call = Callable[[], list[Array]]
FLOAT32 = "f32"
CPU_PLUGIN, SECOND_CPU = "openvino_intel_cpu_plugin", "SECOND_CPU"
"""OpenVINO takes any name for a plugin's device that has the plugin's own in it."""


def native_onnx_runtime(path: Path, feeds: Feeds, threads: int, *, optimizes: bool = True) -> Call:
    """ONNX Runtime with the file; unless it optimizes, it computes what the file says."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    if not optimizes:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return lambda: list(session.run(None, dict(feeds)))


def native_openvino(path: Path, feeds: Feeds, threads: int, precision: str = FLOAT32, **more: Any) -> Call:
    """OpenVINO with the file."""
    import openvino

    core = openvino.Core()
    return _openvino(core, _read(core, path, feeds), "CPU", feeds, _config(threads, precision) | more)


def hetero_openvino(path: Path, feeds: Feeds, threads: int, elsewhere: Set[str]) -> Call:
    """OpenVINO's HETERO over the CPU, and the CPU once more for the nodes that give these values.

    A second device that nothing has to be copied to, and as fast as the first: no real one can be better.
    """
    import openvino

    core = openvino.Core()
    core.register_plugin(CPU_PLUGIN, SECOND_CPU)
    model = _read(core, path, feeds)
    for node in model.get_ops():
        moves = any(elsewhere & output.get_names() for output in node.outputs())
        node.get_rt_info()["affinity"] = SECOND_CPU if moves else "CPU"
    return _openvino(core, model, f"HETERO:CPU,{SECOND_CPU}", feeds, _config(threads, FLOAT32))


def _config(threads: int, precision: str) -> dict[str, Any]:
    return {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": precision}


def _read(core: Any, path: Path, feeds: Feeds) -> Any:
    model = core.read_model(str(path))
    model.reshape({name: list(array.shape) for name, array in feeds.items()})
    return model


def _openvino(core: Any, model: Any, device: str, feeds: Feeds, config: Mapping[str, Any]) -> Call:
    request = core.compile_model(model, device, dict(config)).create_infer_request()

    def call() -> list[Array]:
        return list(request.infer(feeds, share_inputs=True, share_outputs=True).values())

    return call


def has_openvino() -> bool:
    """Whether the package is installed."""
    return importlib.util.find_spec("openvino") is not None


def openvino_computes() -> list[str]:
    """The capabilities of OpenVINO's CPU, in OpenVINO's words."""
    import openvino

    return list(openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES"))


@dataclass(frozen=True)
class Ours:
    """A model of ours.

    Attributes:
        call: a prediction.
        report: how it is split.
        seconds: that building it took.
        ran: what runs where, and in which precision.
    """

    call: Call
    report: PartitionReport
    seconds: float
    ran: tuple[RanOn, ...]

    @property
    def where(self) -> str:
        """Where its nodes run, and what building it took."""
        ran = "; ".join(each.text for each in self.ran)
        return f"{ran}; {len(self.report.subgraphs)} subgraphs, built in {self.seconds:.2f} s"


def ours(
    delegates: Sequence[Delegate],
    path: Path,
    feeds: Feeds,
    threads: int,
    placement: str = "count",
    cpu_backends: str = "none",
    calibration_ms: int | None = PartitionOptions().calibration_ms,
) -> Ours:
    """A call of a compiled model of ours: the counterpart of ``session.run``, whose results are the caller's."""
    context = Context()
    context.cpu.backends = cpu_backends
    context.cpu.thread_num = threads
    context.set_delegates(delegates)
    context.partition = PartitionOptions(placement=placement, calibration_ms=calibration_ms)
    model, started = Model(), time.perf_counter()
    model.build_from_file(path, context=context)
    seconds = time.perf_counter() - started
    compiled, arrays = model.compiled, dict(feeds)
    return Ours(
        lambda: [np.asarray(each) for each in compiled(arrays)], partition_report(model), seconds, ran_on(model)
    )


def distance(found: Array, exact: Array) -> float:
    """Root of the mean square of the difference, relative to that of the exact result."""
    difference = np.sqrt(np.mean(np.square(found.astype(np.float64) - exact)))
    return float(difference / max(np.sqrt(np.mean(np.square(exact.astype(np.float64)))), np.finfo(np.float32).tiny))
