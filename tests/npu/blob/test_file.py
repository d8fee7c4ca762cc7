"""Blobs as bytes: what was written comes back, and anything else is rejected with the reason."""

from __future__ import annotations

import hashlib
import json
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import lite_delegate_schemas
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate.errors import ModelFormatError
from lite_delegate.flatbuffer.decoder import decode
from lite_delegate.flatbuffer.encoder import encode
from lite_delegate.ir import DataType
from lite_delegate.ir.value import QuantParam
from lite_delegate.npu.blob import Blob, BlobModel, BlobOrigin, blob_bytes, read_blob
from lite_delegate.npu.blob.file import CONTENTS, OUTER
from lite_delegate.npu.compiler.compile import lower_run
from lite_delegate.npu.ir.module import Module
from lite_delegate.npu.ir.ports import buffer_ports
from lite_delegate.tensors.tensor import Tensor
from tests.npu.graphs import const, half, ints, model_of, node, out, variable
from tests.npu.test_random_graphs import Growing, graphs

ORIGIN = BlobOrigin("generic", "00ff", "100.320.011.019", {"NPU_TILES": "2", "PERFORMANCE_HINT": "LATENCY"})
FBS = Path(lite_delegate_schemas.__file__).parent / "fbs" / "npu_blob.fbs"
needs_flatc = pytest.mark.skipif(shutil.which("flatc") is None, reason="flatc is not installed")


def blob_of(module: Module, inputs: list[Tensor], outputs: list[Tensor]) -> Blob:
    ports = buffer_ports(module.inputs, inputs), buffer_ports(module.outputs, outputs)
    model = BlobModel(module.program(), *ports, module.pack_constants())
    return Blob(ORIGIN, "NpuGraph0", tuple(inputs), tuple(outputs), (model,))


def small_blob() -> Blob:
    """A convolution, clamped, flattened, with a bias."""
    x = variable("x", (1, 3, 2, 2))
    weight, bias = const("w", half((4, 1, 1, 2), 0)), const("b", half((4,), 1))
    conv = node("Conv2DFusion", [x, weight, bias], (1, 3, 2, 4), group=1, activation_type="RELU6")
    flat = node("Reshape", [out(conv), ints(24)], (24,))
    model = model_of([conv, flat], [out(flat)])
    return blob_of(lower_run([conv, flat], model.boundary_of([conv, flat])), [x], [out(flat)])


DATA = blob_bytes(small_blob())


@settings(max_examples=50, deadline=None, derandomize=True)
@given(graphs())
def test_random_programs_come_back(graph: Growing) -> None:
    made = [out(kernel) for kernel in graph.kernels]
    if not made:
        return
    boundary = model_of(graph.kernels, made).boundary_of(graph.kernels)
    blob = blob_of(lower_run(graph.kernels, boundary), list(boundary.inputs), list(boundary.outputs))
    data = blob_bytes(blob)
    back = read_blob(data)
    (model,), (found,) = blob.models, back.models
    assert (found.program, found.inputs, found.outputs) == (model.program, model.inputs, model.outputs)
    for index, array in model.constants.items():
        np.testing.assert_array_equal(found.constants[index], array, strict=True)
    assert [(t.name, t.dtype, t.format, t.shape) for t in back.inputs + back.outputs] == [
        (t.name, t.dtype, t.format, t.shape) for t in blob.inputs + blob.outputs
    ]
    assert (back.origin, back.graph) == (blob.origin, blob.graph)
    assert blob_bytes(back) == data


def test_quantization_of_the_boundary_comes_back() -> None:
    blob = small_blob()
    params = (QuantParam(0.25, -3), QuantParam(0.5, 7))
    quantized = Tensor.describe("q", DataType.INT8, (1, 3, 2, 2), quant_params=params)
    back = read_blob(blob_bytes(Blob(blob.origin, blob.graph, (quantized,), blob.outputs, blob.models)))
    assert [(q.scale, q.zero_point) for q in back.inputs[0].quant_params] == [(0.25, -3), (0.5, 7)]


@needs_flatc
def test_flatc_reads_the_same(tmp_path: Path) -> None:
    (tmp_path / "x.blob").write_bytes(DATA)
    contents = bytes(decode(memoryview(DATA), OUTER)["contents"])
    (tmp_path / "contents.bin").write_bytes(contents)
    flatc = ["flatc", "--json", "--strict-json", "--raw-binary", "-o", str(tmp_path)]
    subprocess.run([*flatc, str(FBS), "--", str(tmp_path / "x.blob")], check=True)
    outer = json.loads((tmp_path / "x.json").read_text())
    assert (outer["major"], bytes(outer["contents"])) == (1, contents)
    assert bytes(outer["contents_hash"]) == hashlib.sha256(struct.pack("<II", 1, 0) + contents).digest()
    subprocess.run([*flatc, "--root-type", "Contents", str(FBS), "--", str(tmp_path / "contents.bin")], check=True)
    inner = json.loads((tmp_path / "contents.json").read_text())
    assert (inner["profile"], inner["graph"]) == ("generic", "NpuGraph0")
    assert [s["opcode"] for s in inner["models"][0]["steps"]] == ["Permute", "Convolution", "Permute", "View"]
    clamp = {a["name"]: a for a in inner["models"][0]["steps"][1]["attributes"]}
    assert clamp["fused.parameters"]["reals"] == [0.0, 6.0]
    assert bytes(inner["models"][0]["constants"][0]["data"]) == half((4, 1, 1, 2), 0).tobytes()


@pytest.mark.parametrize("length", [0, 1, 7, 8, 20, len(DATA) // 2, len(DATA) - 1])
def test_a_cut_blob_is_rejected(length: int) -> None:
    with pytest.raises(ModelFormatError, match=f"NPU blob of {length:,} bytes?: "):
        read_blob(DATA[:length])


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.integers(0, len(DATA) - 1), st.integers(1, 255))
def test_an_altered_byte_is_rejected_or_changes_nothing(position: int, change: int) -> None:
    altered = bytearray(DATA)
    altered[position] ^= change
    try:
        found = read_blob(altered)
    except ModelFormatError:
        return
    assert blob_bytes(found) == DATA  # padding that nothing reads, and the minor version's vtable entry


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.binary(max_size=200))
def test_any_bytes_are_rejected(data: bytes) -> None:
    with pytest.raises(ModelFormatError):
        read_blob(data)


def rewritten(**changes: object) -> bytes:
    """The blob with other contents and a hash that fits them, as a forger would write it."""
    contents = decode(memoryview(bytes(decode(memoryview(DATA), OUTER)["contents"])), CONTENTS)
    forged = np.frombuffer(encode({**plain(contents), **changes}, CONTENTS, 0), np.uint8)
    digest = hashlib.sha256(struct.pack("<II", 1, 0) + forged.tobytes()).digest()
    outer = {"major": 1, "minor": 0, "contents_hash": np.frombuffer(digest, np.uint8), "contents": forged}
    return bytes(encode(outer, OUTER, forged.nbytes))


Plain = dict[str, Any]
"""A record with its vectors of tables as lists."""


def plain(record: Plain) -> Plain:
    """A record with its vectors of tables read, as the encoder takes it."""
    return {
        name: [plain(item) for item in value] if hasattr(value, "_position") else value
        for name, value in record.items()
    }


def models() -> list[Plain]:
    contents = decode(memoryview(bytes(decode(memoryview(DATA), OUTER)["contents"])), CONTENTS)
    return [plain(model) for model in contents["models"]]


def test_a_rewritten_blob_is_read() -> None:
    assert read_blob(rewritten(graph="other")).graph == "other"


def step(**changes: object) -> list[Plain]:
    (model,) = models()
    model["steps"][1] = {**model["steps"][1], **changes}
    return [model]


def attribute(name: str, **parts: object) -> list[Plain]:
    (model,) = models()
    attributes = [a for a in model["steps"][1]["attributes"] if a["name"] != name]
    return step(attributes=[*attributes, {"name": name, **parts}] if parts else attributes)


def buffer(**changes: object) -> list[Plain]:
    (model,) = models()
    model["buffers"][0] = {**model["buffers"][0], **changes}
    return [model]


def port(name: str, **changes: object) -> list[Plain]:
    (model,) = models()
    model[name] = [{**model[name][0], **changes}]
    return [model]


@pytest.mark.parametrize(
    ("forged", "message"),
    [
        (step(opcode="Explode"), "the device has no instruction 'Explode'"),
        (step(operands=np.array([0, 900], "<u4")), r"Step 1 .* reads buffers \[0, 900\] .* not filled .*: \[900\]"),
        (step(operands=np.array([], "<u4")), r"'Conv2DFusion/Convolution' \(Convolution\): expected 2 or 3 operands"),
        (attribute("window.output", ints=np.array([2**31, 1])), "windows that lie on"),
        (attribute("window.size", ints=np.array([2**31, 2**31])), "windows that lie on"),
        (attribute("group"), "group: ints expected, found nothing"),
        (attribute("group", text="two"), "group: ints expected, found something else"),
        (attribute("group", ints=np.array([1, 2])), "group: expected 1 numbers, found 2"),
        (attribute("window.size", ints=np.array([3])), r"window\.size: expected 2 numbers, found 1"),
        (attribute("fused.function", text="explode"), "expected one of none, clamp, leaky_relu, found 'explode'"),
        (attribute("extra", ints=np.array([1])), "Convolution has no extra"),
        (buffer(shape=np.array([-1, 2])), "expected dimensions of a tensor, found"),
        (
            port("inputs", axes=np.array([0, 1, 2], "<i4")),
            r"expected each axis of \(1, 3, 2, 2\) once, found \(0, 1, 2\)",
        ),
        (
            port("inputs", axes=np.array([0, 3, 1, 2], "<i4")),
            r"a buffer of \(1, 2, 3, 2\) for tensor 0, found \(1, 3, 2, 2\)",
        ),
        (port("inputs", tensor=1), "expected a number below 1, found 1"),
        ([], "expected each of 1 output once, found "),
        (models() * 2, r"expected each of 1 output once, found \[0, 0\]"),
        (buffer(element="complex"), "expected a ElementType, found 'complex'"),
    ],
)
def test_what_cannot_be_is_named(forged: list[Plain], message: str) -> None:
    with pytest.raises(ModelFormatError, match=message):
        read_blob(rewritten(models=forged))


@pytest.mark.parametrize("dtype", [DataType.STRING, DataType.INT64, DataType.BFLOAT16])
def test_tensors_that_cannot_cross_are_rejected(dtype: DataType) -> None:
    contents = decode(memoryview(bytes(decode(memoryview(DATA), OUTER)["contents"])), CONTENTS)
    inputs = [{**plain(tensor), "dtype": int(dtype)} for tensor in contents["inputs"]]
    with pytest.raises(ModelFormatError, match=f"an element type that crosses to the device, found {dtype.name}"):
        read_blob(rewritten(inputs=inputs))


def test_a_newer_version_is_rejected() -> None:
    contents = decode(memoryview(DATA), OUTER)
    newer = bytes(encode({**contents, "major": 2}, OUTER, len(DATA)))
    with pytest.raises(ModelFormatError, match=r"expected version 1, found 2\.0; compile the model anew"):
        read_blob(newer)


def test_other_contents_than_the_hash_says_are_rejected() -> None:
    outer = decode(memoryview(DATA), OUTER)
    outer["contents_hash"] = np.zeros(32, np.uint8)
    with pytest.raises(ModelFormatError, match="their SHA-256 differs"):
        read_blob(bytes(encode(outer, OUTER, len(DATA))))


def test_constants_are_views_of_the_blob() -> None:
    (model,) = read_blob(DATA).models
    assert all(not a.flags.owndata and not a.flags.writeable for a in model.constants.values())
