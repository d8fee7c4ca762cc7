"""``lite-delegate telemetry``: a device's activity and the use of its memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import numpy as np

from ..delegate import Telemetry
from ..devices.core import Core
from ..errors import InputError
from ..inference import CompiledModel, RequestQueue
from ..inference.tensors.port import largest
from ..reporting.plain import json_text
from ..reporting.terminal import table
from ..runtime.execution.random_inputs import not_random, random_array
from ..tensors.tensor import Tensor
from .frame.command import command
from .options.files import ModelFile
from .options.options import Dims, emit, format_option, input_shape_option
from .options.property_options import copy_weights_option

COLUMNS = ("runs", "elapsed us", "compute", "transfers", "in flight", "waiting", "memory", "peak", "of")


@command()
@click.argument("model", type=ModelFile(), required=False)
@click.option("--device", default="NPU", show_default=True, metavar="NAME", help="A device of 'lite-delegate devices'.")
@click.option("--readings", type=click.IntRange(1), default=1, show_default=True, help="The number of readings.")
@click.option(
    "--runs", type=click.IntRange(1), default=20, show_default=True, help="Runs of MODEL before each reading."
)
@click.option(
    "--requests",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Requests in flight; 0: as many as suit the device.",
)
@input_shape_option
@copy_weights_option
@format_option("text", "json")
def telemetry(
    model: Path | None,
    device: str,
    readings: int,
    runs: int,
    requests: int,
    shapes: Mapping[str, Dims],
    enable_mmap: bool,
    format_: str,
) -> None:
    """Reads the activity of a device: the use of compute units and transfers since the reading before, runs in flight
    and waiting, and its memory by compiled model and kind.

    With MODEL, the device is read while requests run on random inputs; without MODEL, it is read as it is. Times and
    shares of a simulated device follow its simulated clock: estimates.
    """
    core = Core()
    found: list[tuple[int, Telemetry]] = []
    if model is None:
        found = [(0, core.telemetry(device)) for _ in range(readings)]
    else:
        core.telemetry(device)  # before anything is compiled: a device may not tell
        kept = {} if enable_mmap else {"ENABLE_MMAP": "NO"}
        compiled = core.compile_model(model, device, kept, shapes=shapes)
        found = list(_read(core, compiled, device, (readings, runs, requests)))
    is_simulated = any(each.simulated for each in core.devices() if each.name.upper() == device.upper().split(".")[0])
    if format_ == "json":
        listed = [{"runs": count, **reading.to_dict()} for count, reading in found]
        emit(json_text({"device": device, "simulated": is_simulated, "readings": listed}), None)
        return
    emit(_text(found, is_simulated), None)


def _read(
    core: Core, compiled: CompiledModel, device: str, counts: tuple[int, int, int]
) -> Iterator[tuple[int, Telemetry]]:
    """The readings, each after a number of further runs have begun; the last requests are in flight."""
    readings, runs, requests = counts
    inputs = _random_inputs(compiled)
    with RequestQueue(compiled, requests) as queue:
        core.telemetry(device)
        for number in range(1, readings + 1):
            for _ in range(runs):
                queue.start_async(inputs)
            yield number * runs, core.telemetry(device)
        queue.wait_all()


def _random_inputs(compiled: CompiledModel) -> dict[str, Any]:
    tensors = [Tensor.describe(port.name, port.dtype, largest(port)) for port in compiled.inputs]
    for tensor in tensors:
        if obstacle := not_random(tensor):
            raise InputError(f"Input '{tensor.name}' {obstacle}: it cannot be filled with random numbers.")
    rng = np.random.default_rng(0)
    return {tensor.name: random_array(tensor, rng) for tensor in tensors}


def _text(found: list[tuple[int, Telemetry]], is_simulated: bool) -> str:
    rows = [
        (
            str(count),
            f"{each.elapsed_us:.1f}",
            f"{each.compute_use:.1%}",
            f"{each.transfer_use:.1%}",
            str(each.in_flight),
            str(each.waiting),
            f"{each.allocated_bytes:,}",
            f"{each.peak_bytes:,}",
            "" if each.total_bytes is None else f"{each.total_bytes:,}",
        )
        for count, each in found
    ]
    last = found[-1][1]
    kinds = [
        (model or "(no model)", kind, f"{nbytes:,}")
        for model, taken in last.by_model.items()
        for kind, nbytes in sorted(taken.items())
    ]
    lines = [table(COLUMNS, rows, right=COLUMNS)]
    if kinds:
        lines += ["", table(("model", "kind", "bytes"), kinds, right=("bytes",))]
    if is_simulated:
        lines += ["", "Times and shares are estimates: the device is simulated."]
    return "\n".join(lines)
