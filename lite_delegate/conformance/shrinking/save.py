"""A failing case as files: a model, its inputs, the expected outputs, and the command that shows the failure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ...basics.data_class import dataclass
from ...devices.registry.delegate_spec import NO_OPTIONS
from ...formats.ms import ms_bytes
from ...ir import Graph
from ...tensors.strings import as_numpy
from ..judging.case import Array, ConformanceCase
from ..judging.case_graph import case_graph, variable_inputs
from ..judging.chain import chain_graph
from ..judging.reference import reference_outputs_of
from ..patterns.pattern import Pattern
from ..reports.defects import Stage
from ..reports.results import CaseResult


def save_case(
    case: ConformanceCase,
    result: CaseResult,
    spec: str,
    directory: Path,
    options: Mapping[str, str] = NO_OPTIONS,
) -> Path:
    """Writes ``model.ms``, ``input_0.npy``, ..., ``expected_0.npy``, ... and, last, ``command.txt``.

    Args:
        case: the case as it is to be saved.
        result: what the delegate makes of it.
        spec: names the delegate.
        directory: where a directory for the case is made.
        options: of the delegate.

    Returns:
        The directory of the case.

    Raises:
        GraphError: the case cannot be written as a model: the format wants an input that is no constant.
        OSError: the files cannot be written.
    """
    inputs = ", ".join("absent" if x is None else f"{x.dtype}{list(x.shape)}" for x in case.inputs)
    about = f"{case.op_type} {dict(case.attributes)} of {inputs} (rtol {case.rtol:g}, atol {case.atol:g})"
    files = _Files(f"{case.op_type}-{case.name}", case_graph(case), variable_inputs(case), case.outputs, about)
    return _save(files, result, spec, directory, options)


def save_pattern(
    pattern: Pattern,
    result: CaseResult,
    spec: str,
    directory: Path,
    options: Mapping[str, str] = NO_OPTIONS,
) -> Path:
    """Saves a failing pattern; the expected outputs are those of the reference kernels."""
    chain = pattern.chain
    outputs = reference_outputs_of(chain)
    nodes = "; ".join(f"{node.op_type} {dict(node.attributes)}" for node in chain.nodes)
    files = _Files(result.id, chain_graph(chain, outputs), chain.inputs, outputs, nodes)
    return _save(files, result, spec, directory, options)


@dataclass(frozen=True, slots=True)
class _Files:
    """The contents to save, under a name: a graph, its arrays, the expected arrays, and a remark on the failure."""

    name: str
    graph: Graph
    inputs: Mapping[str, Array]
    outputs: Sequence[Array]
    about: str


def _save(files: _Files, result: CaseResult, spec: str, directory: Path, options: Mapping[str, str]) -> Path:
    model = ms_bytes(files.graph)
    folder = directory / re.sub(r"[^A-Za-z0-9_.-]+", "_", files.name)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.ms").write_bytes(model)
    inputs = {name: folder / f"{name}.npy" for name in files.inputs}
    for name, x in files.inputs.items():
        np.save(inputs[name], as_numpy(x))
    for i, y in enumerate(files.outputs):
        np.save(folder / f"expected_{i}.npy", as_numpy(y))
    command = ["lite-delegate", "run", str(folder / "model.ms"), "--delegate", spec]
    for key, value in options.items():
        command += ["--delegate-option", f"{key}={value}"]
    for name, file in inputs.items():
        command += ["--input", f"{name}={file}"]
    command += ["--output", str(folder / "got.npz")]
    (folder / "command.txt").write_text(f"{shlex.join(command)}\n{_remarks(files, result)}", encoding="utf-8")
    return folder


def _remarks(files: _Files, result: CaseResult) -> str:
    """Remarks beside the command, as comments of a shell."""
    lines = [
        "Run it where the suite was run; output I in got.npz must be as in expected_I.npy.",
        files.about,
        f"{result.failure or result.outcome}: {result.detail}",
    ]
    if result.defect is not None:
        lines.append(f"defect: {result.defect} {result.defect_place}")
    if result.stage not in (None, Stage.FIRST):
        lines.append(f"The failure does not show in one run, but in: {result.stage}.")
    return "".join(f"# {' '.join(line.split())}\n" for line in lines)
