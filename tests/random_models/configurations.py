"""The ways in which a random model is run: every delegate, every profile, both doors, through files and back."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from onnxruntime.capi.onnxruntime_pybind11_state import NotImplemented, RuntimeException

from lite_delegate import Context, Core, Delegate, Model, PartitionOptions
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.formats import read_model
from lite_delegate.formats.ms import write_ms
from lite_delegate.ir import Graph
from lite_delegate.npu import NPUDelegate
from lite_delegate.onnx_backend.onnx_file import write_onnx
from lite_delegate.passes.optimize import optimize
from tests.random_models.onnx_growing import plain_session
from tests.random_models.sample import EXACT, HALF, Sample
from tests.random_models.steps import Array

Run = Callable[[Sample, Path], list[Array]]
"""The outputs of a sample's model, in order; the path is a folder to write to."""


@dataclass(frozen=True)
class Configuration:
    """One way to run a model.

    Attributes:
        name: as it is typed.
        run: runs it.
        size: how far results may move: as if each number on the way was moved by this, relative to itself.
    """

    name: str
    run: Run
    size: float = EXACT


class NoKernel(Exception):
    """ONNX Runtime has no kernel for an operator of what was written, which is no fault of the file."""


def _named(found: Sequence[tuple[str, Array]], sample: Sample) -> list[Array]:
    """Outputs in the order of the file: some ways to run a model give them another order."""
    known = dict(found)
    return [known[name] for name in sample.outputs]


def _predicted(file: Path, sample: Sample, delegates: Sequence[Delegate] = (), placement: str = "count") -> list[Array]:
    context = Context()
    context.set_delegates(delegates)
    context.partition = PartitionOptions(placement=placement)
    with Model() as model:
        model.build_from_file(file, context=context)
        given = [tensor.name for tensor in model.get_inputs()]
        outputs = model.predict({name: sample.inputs[name] for name in given})
        return _named([(tensor.name, np.array(tensor.get_data_to_numpy())) for tensor in outputs], sample)


def _written(sample: Sample, folder: Path) -> Path:
    file = folder / f"model{sample.writer.suffix}"
    file.write_bytes(sample.content)
    return file


def _on(make: Sequence[Callable[[], Delegate]], sample: Sample, folder: Path, placement: str = "count") -> list[Array]:
    return _predicted(_written(sample, folder), sample, [each() for each in make], placement)


def _through_core(device: str, sample: Sample, folder: Path) -> list[Array]:
    shapes = {name: array.shape for name, array in sample.inputs.items()}
    compiled = Core().compile_model(str(_written(sample, folder)), device, shapes=shapes)
    try:
        results = compiled(dict(sample.inputs))
        return _named([(port.name, np.array(results[port.name])) for port in compiled.outputs], sample)
    finally:
        compiled.close()


def _through_ms(make: Sequence[Callable[[], Delegate]], sample: Sample, folder: Path) -> list[Array]:
    """Converted to ``.ms`` and read from there."""
    write_ms(optimize(read_model(_written(sample, folder))).graph, folder / "model.ms")
    return _predicted(folder / "model.ms", sample, [each() for each in make])


def _back_to_onnx(sample: Sample, folder: Path) -> list[Array]:
    """Converted to ``.onnx`` and run by ONNX Runtime as it stands there."""
    file = folder / "back.onnx"
    write_onnx(optimize(_with_shapes(sample, folder)).graph, file)
    try:
        session = plain_session(file.read_bytes())
    except NotImplemented as e:
        raise NoKernel(str(e)) from e
    given = {each.name: sample.inputs[each.name] for each in session.get_inputs()}
    names = [each.name for each in session.get_outputs()]
    try:
        found = session.run(names, given)
    except RuntimeException as e:
        if "does not support double yet" not in str(e):
            raise
        raise NoKernel(str(e)) from e  # recurrent layers say so only when they run
    return _named([*zip(names, map(np.asarray, found), strict=True)], sample)


def _compiled(make: Callable[[], Delegate], sample: Sample, folder: Path) -> list[Array]:
    """Compiled into a file, and run from there."""
    context, file = Context(), folder / "model.ldm"
    context.set_delegate(make())
    with Model() as model:
        model.build_from_graph(_with_shapes(sample, folder), context)
        model.export(file)
    return _predicted(file, sample, [make()])


def _with_shapes(sample: Sample, folder: Path) -> Graph:
    """The model with the shapes of the inputs that it is judged with."""
    shapes = {name: array.shape for name, array in sample.inputs.items()}
    return read_model(_written(sample, folder), {name: shape for name, shape in shapes.items() if shape})


RUNTIME = partial(OnnxRuntimeDelegate, threads=1)
OPENVINO = partial(OpenVINODelegate, threads=1)
_FLOAT32: Mapping[str, object] = {"INFERENCE_PRECISION_HINT": "f32"}


def _npu(profile: str, precision: str) -> Callable[[], Delegate]:
    return partial(NPUDelegate, profile, options={"INFERENCE_PRECISION_HINT": precision})


def _npus() -> list[Configuration]:
    profiles = [(name, "f32") for name in ("generic", "kirin", "npu3720", "npu4000")]
    profiles += [(name, "f16") for name in ("generic", "kirin", "npu3720", "npu4000", "myriad_x", "hddl")]
    return [
        Configuration(f"npu:{name}:{kind}", partial(_on, (_npu(name, kind),)), HALF if kind == "f16" else EXACT)
        for name, kind in profiles
    ]


CONFIGURATIONS: Mapping[str, Configuration] = {
    each.name: each
    for each in (
        Configuration("none", partial(_on, ())),
        Configuration("onnxruntime", partial(_on, (RUNTIME,))),
        Configuration("openvino", partial(_on, (OPENVINO,))),
        *_npus(),
        Configuration("auto", partial(_on, (RUNTIME, OPENVINO), placement="fastest")),
        Configuration("HETERO:NPU,CPU", partial(_through_core, "HETERO:NPU.4000,CPU"), HALF),
        Configuration("HETERO:OPENVINO,CPU", partial(_through_core, "HETERO:OPENVINO,CPU")),
        Configuration("ms", partial(_through_ms, ())),
        Configuration("ms:openvino", partial(_through_ms, (OPENVINO,))),
        Configuration("onnx", _back_to_onnx),
        Configuration("ldm:onnxruntime", partial(_compiled, RUNTIME)),
        Configuration("ldm:openvino", partial(_compiled, OPENVINO)),
        Configuration("ldm:npu", partial(_compiled, _npu("npu4000", "f32"))),
    )
}
"""By name; the first is the one that the others are not asked for where it refuses a model."""
DEAR = frozenset({"auto"})
"""Those that take long, and get every tenth model."""


def chosen(pattern: str) -> list[Configuration]:
    """The configurations whose names a regular expression finds."""
    return [each for name, each in CONFIGURATIONS.items() if re.search(pattern, name)]
