"""What must become of a damaged file of each kind: it works, or is one of our errors. Anything else is a finding."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path

import numpy as np
from click.testing import CliRunner

from lite_delegate import Context, Delegate, LiteDelegateError, Model, ModelType
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.cli.main import main
from lite_delegate.demo import model_path
from lite_delegate.formats.ms import read_ms_buffer
from lite_delegate.formats.onnx import read_onnx_buffer
from lite_delegate.formats.tflite import read_tflite_buffer
from lite_delegate.ir import Graph
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.driver_ir.layout import DriverIR
from lite_delegate.npu.driver_ir.vcl import DriverCompiler
from lite_delegate.passes.optimize import optimize
from lite_delegate.runtime.budget import Budget
from lite_delegate.runtime.execution.random_inputs import not_random, random_array
from lite_delegate.sections.sections import open_sections
from tests.fuzz.ms import check_round_trip
from tests.fuzz.mutations import BINARY, TEXT, Mutate
from tests.fuzz.rehash import read_and_rehash, rehashed_driver_ir, rehashed_sections

Judge = Callable[[bytes], str]
"""Gives in a few words how far a file got; raises what nobody should ever see."""

MEMORY = 512 << 20
"""Bytes that a model may take."""
STEPS = 2_000
"""Calls that a model may make, and millions of terms of one kernel."""


DELEGATES: Mapping[str, Callable[[], Delegate | None]] = {
    "the CPU": lambda: None,
    "the NPU": NPUDelegate,
    "ONNX Runtime": partial(OnnxRuntimeDelegate, threads=1),
    "OpenVINO": partial(OpenVINODelegate, threads=1),
}


def _model(read: Callable[[bytes], Graph], content: bytes) -> str:
    stage = "read"
    try:
        graph = read(content)
        stage = "optimized"
        best = graph if read is read_ms_buffer else optimize(graph).graph
        for name, delegate in DELEGATES.items():
            stage = f"built for {name}"
            _predict(best, delegate())
    except LiteDelegateError as e:
        return f"not {stage}: {type(e).__name__}: {e}"
    return "ran"


def _predict(graph: Graph, delegate: Delegate | None) -> None:
    context = Context()
    context.set_delegate(delegate)
    context.memory_limit, context.step_limit = MEMORY, STEPS
    with Model() as model:
        model.build_from_graph(graph, context)
        rng = np.random.default_rng(0)
        tensors = model.get_inputs()
        if any(map(not_random, tensors)):
            return
        model.predict([random_array(t, rng, Budget(MEMORY)) for t in tensors])


def _ms(content: bytes) -> str:
    with_round_trip = _model(read_ms_buffer, content)
    if not with_round_trip.startswith("not read"):
        check_round_trip(read_ms_buffer(content))
    return with_round_trip


def _blob(content: bytes) -> str:
    rng = np.random.default_rng(0)
    try:
        graph = NPUDelegate().import_blob(read_and_rehash(content))
        graph.prepare()
        for tensor in graph.inputs:
            tensor.data = random_array(tensor, rng, Budget(MEMORY))
        graph.execute()
    except LiteDelegateError as e:
        return f"rejected: {type(e).__name__}: {e}"
    return "ran"


def _driver_ir(content: bytes) -> str:
    delegate = NPUDelegate()
    try:
        compiled = DriverCompiler(delegate.profile).compile(DriverIR(memoryview(rehashed_driver_ir(content))))
        compiled.module.pack_constants()
    except LiteDelegateError as e:
        return f"rejected: {type(e).__name__}: {e}"
    return "compiled"


def _compiled(content: bytes) -> str:
    content = rehashed_sections(content)
    context = Context()
    context.memory_limit, context.step_limit = MEMORY, STEPS
    try:
        names = [each["name"] for each in open_sections(content).fields["delegates"]]
    except (LiteDelegateError, LookupError, TypeError):
        names = []
    if "npu" in names:
        context.set_delegate(NPUDelegate())
    try:
        with Model() as model:
            model.build_from_buffer(content, ModelType.MINDIR_LITE, context)
            rng = np.random.default_rng(0)
            tensors = model.get_inputs()
            if not any(map(not_random, tensors)):
                model.predict([random_array(t, rng, Budget(MEMORY)) for t in tensors])
    except LiteDelegateError as e:
        return f"rejected: {type(e).__name__}: {e}"
    return "ran"


def _command(suffix: str, arguments: Callable[[Path], list[str]], content: bytes) -> str:
    """The command over the file, in this process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file{suffix}"
        path.write_bytes(content)
        result = CliRunner().invoke(main, arguments(path))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return f"status {result.exit_code}: {result.stderr.strip()}"


def _report(*options: str) -> list[str]:
    return ["report", str(model_path()), "--format", "json", *options]


COMMANDS: Mapping[str, tuple[str, Callable[[Path], list[str]]]] = {
    "profile": (".toml", lambda p: _report("--delegate", f"npu:{p}")),
    "layers": (".xml", lambda p: _report("--delegate", "npu", "--delegate-option", f"VPU_CUSTOM_LAYERS={p}")),
    "affinity": (".json", lambda p: _report("--affinity", str(p))),
    "times": (".json", lambda p: _report("--placement", "cost", "--times", str(p))),
    "baseline": (".json", lambda p: _report("--require", "coverage>=baseline", "--baseline", str(p))),
    "input": (".npz", lambda p: ["run", str(model_path()), "--input", f"image={p}"]),
}
"""The commands that read what lies beside a model, and the suffix of what they read."""
TEXTS = frozenset({"profile", "layers", "affinity", "times", "baseline"})


@cache
def judge_of(kind: str) -> Judge:
    """The judge of a kind of file."""
    models: Mapping[str, Judge] = {
        "ms": _ms,
        "onnx": partial(_model, read_onnx_buffer),
        "tflite": partial(_model, read_tflite_buffer),
        "blob": _blob,
        "driver_ir": _driver_ir,
        "compiled": _compiled,
    }
    return models[kind] if kind in models else partial(_command, *COMMANDS[kind])


def mutations_of(kind: str) -> tuple[Mutate, ...]:
    """The damage that files of a kind are done."""
    return TEXT if kind in TEXTS else BINARY


def judged(kind: str, content: bytes) -> str:
    """How far a file got; what is said to the user on the way goes nowhere.

    Raises:
        Exception: a finding.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return judge_of(kind)(content)
