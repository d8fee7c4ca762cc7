"""A failing case as files: a model, its inputs, the expected outputs, and the command that shows the failure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from lite_delegate_kernels import STRING_DTYPE, unpack_strings

from ...delegate_spec import NO_OPTIONS
from ...formats.ms import ms_bytes
from ..case import Array, ConformanceCase
from ..case_graph import case_graph, variable_inputs
from ..results import CaseResult


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
    model = ms_bytes(case_graph(case))
    folder = directory / f"{case.op_type}-{re.sub(r'[^A-Za-z0-9_.-]+', '_', case.name)}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.ms").write_bytes(model)
    inputs = {name: folder / f"{name}.npy" for name in variable_inputs(case)}
    for name, x in variable_inputs(case).items():
        np.save(inputs[name], _saved(x))
    for i, y in enumerate(case.outputs):
        np.save(folder / f"expected_{i}.npy", _saved(y))
    command = ["lite-delegate", "run", str(folder / "model.ms"), "--delegate", spec]
    for key, value in options.items():
        command += ["--delegate-option", f"{key}={value}"]
    for name, file in inputs.items():
        command += ["--input", f"{name}={file}"]
    command += ["--output", str(folder / "got.npz")]
    (folder / "command.txt").write_text(f"{shlex.join(command)}\n{_remarks(case, result)}", encoding="utf-8")
    return folder


def _saved(x: Array) -> Array:
    """The array as the command line reads and writes it: strings as numpy has them."""
    if x.dtype != STRING_DTYPE:
        return x
    return np.array([s.decode("utf-8", "surrogateescape") for s in unpack_strings(x)], dtype=np.str_)


def _remarks(case: ConformanceCase, result: CaseResult) -> str:
    """Remarks beside the command, as comments of a shell."""
    inputs = ", ".join("absent" if x is None else f"{x.dtype}{list(x.shape)}" for x in case.inputs)
    lines = [
        "Run it where the suite was run; output_I in got.npz must be as in expected_I.npy.",
        f"{case.op_type} {dict(case.attributes)} of {inputs} (rtol {case.rtol:g}, atol {case.atol:g})",
        f"{result.failure or result.outcome}: {result.detail}",
    ]
    return "".join(f"# {' '.join(line.split())}\n" for line in lines)
