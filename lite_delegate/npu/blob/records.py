"""Blobs as records of the schema, and back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...basics.counted import counted
from ...errors import DelegateBuildError
from ...flatbuffer.problem import FormatProblem
from ...flatbuffer.schema import Record
from ...ir.types.data_type import DataType, from_numpy
from ...ir.types.format import Format
from ...ir.value import QuantParam
from ...tensors.tensor import Tensor
from ..device.instructions.instruction_set import INSTRUCTIONS
from ..device.program_check import check_program
from ..device.programs.instruction import Array, Instruction
from ..device.programs.memory import MemoryKind, MemoryRegion
from ..device.programs.program import Buffer, ElementType, Program, ProgramStep
from ..ir.ports import BufferPort
from .attributes import attribute_records, from_attributes
from .blob import Blob, BlobModel, BlobOrigin

CROSSING = frozenset(from_numpy(element.numpy) for element in ElementType)
"""Types of tensors that the device takes from the host, or gives to it."""
MOST_DIMENSIONS = 32
"""Arrays of the simulator have no more."""


def contents_record(blob: Blob) -> Record:
    """The record of a blob's contents."""
    origin = blob.origin
    return {
        "profile": origin.profile,
        "profile_hash": origin.profile_hash,
        "driver_version": origin.driver_version,
        "options": [{"key": key, "value": value} for key, value in sorted(origin.options.items())],
        "graph": blob.graph,
        "inputs": [_tensor_record(t) for t in blob.inputs],
        "outputs": [_tensor_record(t) for t in blob.outputs],
        "models": [_model_record(m) for m in blob.models],
    }


def blob_of(record: Record) -> Blob:
    """The blob of a record.

    Raises:
        FormatProblem: something in it cannot be; says where.
    """
    origin = BlobOrigin(
        profile=_text(record, "profile"),
        profile_hash=_text(record, "profile_hash"),
        driver_version=_text(record, "driver_version"),
        options={_text(option, "key"): _text(option, "value") for option in _tables(record, "options")},
    )
    inputs, outputs = (tuple(map(_tensor, _tables(record, name))) for name in ("inputs", "outputs"))
    models = tuple(_model(m, inputs, outputs) for m in _tables(record, "models"))
    given = sorted(port.tensor for model in models for port in model.outputs)
    if given != list(range(len(outputs))):
        raise FormatProblem(f"expected each of {counted(len(outputs), 'output')} once, found {given[:8]}", "models")
    return Blob(origin, _text(record, "graph"), inputs, outputs, models)


def _tensor_record(tensor: Tensor) -> Record:
    return {
        "name": tensor.name,
        "dtype": int(tensor.dtype),
        "format": int(tensor.format),
        "shape": np.array(tensor.shape, "<i8"),
        "scales": np.array([q.scale for q in tensor.quant_params], "<f8"),
        "zero_points": np.array([q.zero_point for q in tensor.quant_params], "<i4"),
    }


def _tensor(record: Record) -> Tensor:
    shape = _shape(_numbers(record, "shape"), "shape")
    scales, zero_points = (_numbers(record, name).tolist() for name in ("scales", "zero_points"))
    if len(scales) != len(zero_points):
        raise FormatProblem(f"expected as many scales as zero points, found {len(scales)} and {len(zero_points)}")
    params = tuple(QuantParam(scale, zero, inited=True) for scale, zero in zip(scales, zero_points, strict=True))
    dtype, format_ = _enum(DataType, record["dtype"]), _enum(Format, record["format"])
    if dtype not in CROSSING:
        raise FormatProblem(f"expected an element type that crosses to the device, found {dtype.name}", "dtype")
    return Tensor.describe(_text(record, "name"), dtype, shape, format_, quant_params=params)


def _model_record(model: BlobModel) -> Record:
    program = model.program
    return {
        "buffers": [
            {"element": str(b.element), "shape": np.array(b.shape, "<i8"), **_place_record(program, i)}
            for i, b in enumerate(program.buffers)
        ],
        "constants": [
            {"buffer": index, "data": np.ascontiguousarray(model.constants[index]).reshape(-1).view(np.uint8)}
            for index in program.constants
        ],
        "inputs": [_port_record(p) for p in model.inputs],
        "outputs": [_port_record(p) for p in model.outputs],
        "steps": [_step_record(s) for s in program.steps],
    }


def _model(record: Record, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> BlobModel:
    buffer_records = list(_tables(record, "buffers"))
    buffers = tuple(map(_buffer, buffer_records))
    placed = any(b["memory"] is not None for b in buffer_records)
    ports = [
        tuple(_port(p, buffers, tensors) for p in _tables(record, name))
        for name, tensors in (("inputs", inputs), ("outputs", outputs))
    ]
    constants = dict(_constant(c, buffers) for c in _tables(record, "constants"))
    program = Program(
        buffers=buffers,
        constants=tuple(constants),
        inputs=tuple(p.buffer for p in ports[0]),
        outputs=tuple(p.buffer for p in ports[1]),
        steps=tuple(map(_step, _tables(record, "steps"))),
        regions=tuple(map(_region, buffer_records)) if placed else (),
    )
    try:
        check_program(program)
    except DelegateBuildError as e:
        raise FormatProblem(str(e), "models") from e
    return BlobModel(program, ports[0], ports[1], constants)


def _place_record(program: Program, buffer: int) -> Record:
    if not program.regions:
        return {}
    region = program.regions[buffer]
    return {"memory": str(region.memory), "offset": region.offset, "part_of": region.part_of}


def _region(record: Record) -> MemoryRegion:
    return MemoryRegion(_enum(MemoryKind, record["memory"]), record["offset"], record["part_of"])


def _buffer(record: Record) -> Buffer:
    return Buffer(_shape(_numbers(record, "shape"), "shape"), _enum(ElementType, _text(record, "element")))


def _constant(record: Record, buffers: Sequence[Buffer]) -> tuple[int, Array]:
    index = _index(record["buffer"], len(buffers), "buffer")
    buffer, data = buffers[index], _numbers(record, "data")
    if data.nbytes != buffer.nbytes:
        raise FormatProblem(
            f"expected {counted(buffer.nbytes, 'byte')} for buffer {index}, found {data.nbytes:,}", "constants"
        )
    return index, data.view(buffer.element.numpy).reshape(buffer.shape)


def _port_record(port: BufferPort) -> Record:
    return {"tensor": port.tensor, "buffer": port.buffer, "axes": np.array(port.axes, "<i4")}


def _port(record: Record, buffers: Sequence[Buffer], tensors: Sequence[Tensor]) -> BufferPort:
    index, tensor = _index(record["buffer"], len(buffers), "buffer"), _index(record["tensor"], len(tensors), "tensor")
    axes, shape = tuple(map(int, _numbers(record, "axes"))), tuple(tensors[tensor].shape)
    if sorted(axes) != list(range(len(shape))):
        raise FormatProblem(f"expected each axis of {shape} once, found {axes[:8]}", "axes")
    packed = tuple(shape[axis] for axis in axes)
    if packed != buffers[index].shape:
        raise FormatProblem(
            f"expected a buffer of {packed} for tensor {tensor}, found {buffers[index].shape}", "buffer"
        )
    return BufferPort(tensor, index, axes)


def _step_record(step: ProgramStep) -> Record:
    return {
        "opcode": step.opcode,
        "attributes": attribute_records(step.instruction),
        "operands": np.array(step.operands, "<u4"),
        "output": step.output,
        "name": step.name,
        "layers": [{"value": layer} for layer in step.layers],
        "stage": step.stage,
        "tiles": step.tiles,
        "streamed": step.streamed,
    }


def _step(record: Record) -> ProgramStep:
    operands = tuple(map(int, _numbers(record, "operands")))
    layers = tuple(_text(layer, "value") for layer in _tables(record, "layers"))
    schedule = {name: record[name] for name in ("stage", "tiles", "streamed")}
    return ProgramStep(_instruction(record), operands, record["output"], _text(record, "name"), layers, **schedule)


def _instruction(record: Record) -> Instruction:
    opcode = _text(record, "opcode")
    if opcode not in INSTRUCTIONS:
        raise FormatProblem(f"the device has no instruction {opcode!r}", "opcode")
    attributes = {_text(a, "name"): a for a in _tables(record, "attributes")}
    try:
        return from_attributes(INSTRUCTIONS[opcode], attributes)
    except FormatProblem as problem:
        raise problem.within(opcode) from None


def _tables(record: Record, name: str) -> Any:
    return record[name] or ()


def _text(record: Record, name: str) -> str:
    return record[name] or ""


def _numbers(record: Record, name: str) -> Array:
    found = record[name]
    return np.empty(0, np.uint8) if found is None else found


def _shape(dimensions: Array, place: str) -> tuple[int, ...]:
    shape = tuple(map(int, dimensions))
    if len(shape) > MOST_DIMENSIONS or any(d < 0 for d in shape) or math.prod(shape) > 2**40:
        raise FormatProblem(f"expected dimensions of a tensor, found {shape[:8]}", place)
    return shape


def _index(index: int, count: int, place: str) -> int:
    if index >= count:
        raise FormatProblem(f"expected a number below {count}, found {index}", place)
    return index


def _enum(kind: Any, value: Any) -> Any:
    try:
        return kind(value)
    except ValueError:
        raise FormatProblem(f"expected a {kind.__name__}, found {value!r}") from None
