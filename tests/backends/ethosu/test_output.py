"""Vela's output, in its format and made up: warnings, and the files of estimates."""

from __future__ import annotations

from pathlib import Path

from lite_delegate.backends.ethosu.graph import left_kernels
from lite_delegate.backends.ethosu.output import VelaSummary, read_output, reasons_in
from lite_delegate.backends.tflite_file.tflite_run import TfliteRunFile

PRINTED = """\
Warning: No configuration file specified. Compilation may be invalid or non-optimal.

Warning (supported operators) operator: RELU, ofm: 'a;b'
Reason: Operation has tensor with unsupported DataType Float32 (a;b_act)
Feature-map dataTypes must be one of {"INT16", "INT8"}

Warning (semantic) operator: SOFTMAX, ofm: 'y'
Reason: Axis must be the last one, op has axis=1

Network summary for model
"""
LAYERS = """\
Original Operator,NNG Operator,Target,Staging Usage,Op Cycles,SRAM AC,DRAM AC,OnFlash AC,OffFlash AC,MAC Count,Name
Conv2D,Conv2D,NPU,12992,26201,6048,0,0,5776,320000,a;b
Conv2D,Relu,NPU,0,0,0,0,0,0,0,a;b
Gather,Passthrough,CPU,0,NaN,0,0,0,0,,inner/value#2
"""
SUMMARY = """\
system_config,memory_mode,core_clock,inference_time,sram_memory_used,off_chip_flash_memory_used,nn_macs,cycles_total
Ethos_U55_High_End_Embedded,Shared_Sram,500000000.0,0.000191664,21.90625,32.09375,2664792,95832
"""
RUN = TfliteRunFile(b"", {"a;b": "conv-0", "y": "softmax-1"})


def written(folder: Path) -> Path:
    """A folder with both files."""
    (folder / "model_per-layer.csv").write_text(LAYERS)
    (folder / "model_summary_Ethos_U55_High_End_Embedded.csv").write_text(SUMMARY)
    return folder


def test_reasons_name_the_operator_and_no_tensor() -> None:
    assert reasons_in(PRINTED) == {
        "a;b": "RELU: Operation has tensor with unsupported DataType Float32; "
        'Feature-map dataTypes must be one of {"INT16", "INT8"}',
        "y": "SOFTMAX: Axis must be the last one, op has axis=1",
    }


def test_layers_and_summary(tmp_path: Path) -> None:
    output = read_output(b"file", PRINTED, written(tmp_path))
    first, fused, left = output.layers
    assert (first.instruction, first.cycles, first.macs, first.memory) == ("Conv2D", 26201, 320000, 12992)
    assert first.nbytes == 6048 + 5776
    assert (fused.instruction, fused.cycles) == ("Relu", 0)
    assert (left.is_on_npu, left.cycles, left.macs) == (False, 0, 0)
    system = "Ethos_U55_High_End_Embedded, Shared_Sram"
    assert output.summary == VelaSummary(5e8, 95832, 0.000191664, 2664792, 22432, 32864, system)


def test_kernels_that_are_left(tmp_path: Path) -> None:
    left = left_kernels(RUN, read_output(b"file", PRINTED, written(tmp_path)))
    assert list(left) == ["conv-0", "softmax-1", "inner"]
    assert left["inner"] == "Gather: Vela leaves it to the processor"


def test_without_files_there_are_no_estimates(tmp_path: Path) -> None:
    output = read_output(b"file", "", tmp_path)
    assert (output.layers, output.summary, output.reasons) == ((), None, {})
