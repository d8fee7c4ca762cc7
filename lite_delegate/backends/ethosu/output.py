"""Vela's output: the compiled file, the operators that stay on the processor with reasons, and its estimates.

Vela prints a warning for each operator that it leaves::

    Warning (supported operators) operator: CONV_2D, ofm: 'NAME'
    Reason: Tensors must be of type: ...
    more about the rule, over several lines

and writes two files of comma-separated values, by layer and for the whole model.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from pathlib import Path

from ...basics.data_class import dataclass

_WARNING = re.compile(r"^Warning \([^)]*\) operator: (\S+), ofm: '(.*)'$")
_REASON = "Reason: "
_TYPE = re.compile(r"(unsupported DataType \S+) \(.*\)$")
"""A reason about an element type, with the name of the tensor, which differs from operator to operator."""
_NPU = "NPU"
LAYERS, SUMMARY = "*_per-layer.csv", "*_summary_*.csv"


@dataclass(frozen=True, slots=True)
class VelaLayer:
    """One operator of the compiled model, with Vela's estimates.

    Attributes:
        operator: the operator of the file that it was made of.
        instruction: the NPU's operator.
        result: the name of its result in the file.
        is_on_npu: whether the NPU runs it.
        cycles: of the accelerator's clock.
        macs: multiplications and additions.
        nbytes: the bytes that it reads and writes in all memories.
        memory: the bytes of fast memory that are in use meanwhile.
    """

    operator: str
    instruction: str
    result: str
    is_on_npu: bool
    cycles: int
    macs: int
    nbytes: int
    memory: int


@dataclass(frozen=True, slots=True)
class VelaSummary:
    """Vela's estimates for one inference.

    Attributes:
        clock_hz: the clock of the accelerator in the system that was compiled for.
        cycles: the cycles of an inference.
        seconds: the time of an inference.
        macs: multiplications and additions.
        sram_bytes: the fast memory that is needed.
        flash_bytes: the memory for weights and programs.
        system: the system and the memory mode that the figures are for.
    """

    clock_hz: float
    cycles: int
    seconds: float
    macs: int
    sram_bytes: int
    flash_bytes: int
    system: str


@dataclass(frozen=True, slots=True, eq=False)
class VelaOutput:
    """What Vela made of a file.

    Attributes:
        content: the compiled ``.tflite`` file.
        reasons: why operators stay on the processor, by the names of their results.
        layers: all operators.
        summary: the estimates for one inference; None where the NPU runs nothing.
    """

    content: bytes
    reasons: Mapping[str, str]
    layers: tuple[VelaLayer, ...]
    summary: VelaSummary | None


def read_output(content: bytes, printed: str, folder: Path) -> VelaOutput:
    """The output that Vela printed, and wrote into a folder."""
    layers = tuple(map(_layer, _rows(folder, LAYERS)))
    rows = _rows(folder, SUMMARY)
    summary = _summary(rows[0]) if rows and any(layer.is_on_npu for layer in layers) else None
    return VelaOutput(content, reasons_in(printed), layers, summary)


def reasons_in(printed: str) -> dict[str, str]:
    """The reasons of warnings, by the names of the operators' results."""
    found: dict[str, str] = {}
    lines = iter([*printed.splitlines(), ""])
    for line in lines:
        warning = _WARNING.match(line.strip())
        if warning is None:
            continue
        said: list[str] = []
        for more in lines:
            if not more.strip():
                break
            said.append(_TYPE.sub(r"\1", more.strip().removeprefix(_REASON)))
        found.setdefault(warning[2], f"{warning[1]}: {'; '.join(said)}")
    return found


def _rows(folder: Path, pattern: str) -> list[dict[str, str]]:
    file = next(iter(sorted(folder.glob(pattern))), None)
    if file is None:
        return []
    with file.open(newline="", encoding="utf-8") as text:
        return list(csv.DictReader(text))


def _layer(row: Mapping[str, str]) -> VelaLayer:
    nbytes = sum(_number(row, name) for name in ("SRAM AC", "DRAM AC", "OnFlash AC", "OffFlash AC"))
    return VelaLayer(
        row.get("Original Operator", ""),
        row.get("NNG Operator", ""),
        row.get("Name", ""),
        row.get("Target", _NPU) == _NPU,
        round(_number(row, "Op Cycles")),
        round(_number(row, "MAC Count")),
        round(nbytes),
        round(_number(row, "Staging Usage")),
    )


def _summary(row: Mapping[str, str]) -> VelaSummary:
    kib = 1024
    return VelaSummary(
        _number(row, "core_clock"),
        round(_number(row, "cycles_total")),
        _number(row, "inference_time"),
        round(_number(row, "nn_macs")),
        round(_number(row, "sram_memory_used") * kib),
        round(_number(row, "off_chip_flash_memory_used") * kib),
        f"{row.get('system_config', '')}, {row.get('memory_mode', '')}",
    )


def _number(row: Mapping[str, str], name: str) -> float:
    """A number of a row; 0 where it is absent or none."""
    try:
        found = float(row.get(name) or 0)
    except ValueError:
        return 0.0
    return found if found == found else 0.0  # NaN
