"""Model files of other formats: how a file of another format is recognized, and the usual way to convert it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..basics.data_class import dataclass
from ..basics.opening import open_regular
from .kinds import kind_of

_ENDS = 2**16
"""Bytes that are looked at, at the start and at the end of a file: an archive names its parts at its end."""
_PICKLE = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
"""A pickle of protocol 2 to 5 begins with the opcode PROTO and its number."""
_WAYS_FROM_TENSORFLOW = "'python -m tf2onnx.convert' writes ONNX, tf.lite.TFLiteConverter TensorFlow Lite"


@dataclass(frozen=True, slots=True)
class Foreign:
    """A format that is not read.

    Attributes:
        name: the name of a file of this format, with its article.
        way: the way to a model that can be read, as a sentence without a full stop.
    """

    name: str
    way: str

    def __str__(self) -> str:
        return f"this looks like {self.name}, which is not read: {self.way}"


_KERAS = Foreign("a Keras model", "load it, then model.export('model.onnx', format='onnx')")
_EXPORTED = Foreign(
    "a program of torch.export",
    "torch.onnx.export(torch.export.load('model.pt2'), args, 'model.onnx', dynamo=True) writes ONNX",
)
_SCRIPT = Foreign(
    "a TorchScript model", "load it with torch.jit.load, then torch.onnx.export(model, args, 'model.onnx')"
)
_TORCH = Foreign("a file of torch.save", "load it into its model, then torch.onnx.export(model, args, 'model.onnx')")
_SAVED_MODEL = Foreign("a TensorFlow SavedModel", _WAYS_FROM_TENSORFLOW)
_FROZEN = Foreign("a graph of TensorFlow", _WAYS_FROM_TENSORFLOW)
_IR = Foreign("an OpenVINO IR", "give the .onnx or .tflite model that it was made from")
_ORT = Foreign("ONNX Runtime's own format", "give the .onnx model that it was made from")
_MINDIR = Foreign(
    "a MindIR model", "'converter_lite --fmk=MINDIR --modelFile=model.mindir --outputFile=model' writes a .ms model"
)
_EXECUTORCH = Foreign("an ExecuTorch program", "export the PyTorch model with torch.onnx.export")
_NUMPY = Foreign("an archive of numpy arrays", "give the model here, and arrays with --input")

_RULES: tuple[tuple[Foreign, Callable[[bytes, bytes], bool]], ...] = (
    (_KERAS, lambda head, tail: head[:4] == b"PK\x03\x04" and b"model.weights.h5" in tail),
    (_EXPORTED, lambda head, tail: head[:4] == b"PK\x03\x04" and b"exported_program" in tail),
    (_EXPORTED, lambda head, tail: head[:4] == b"PK\x03\x04" and b"/models/model.json" in tail),
    (_SCRIPT, lambda head, tail: head[:4] == b"PK\x03\x04" and b"data.pkl" in tail and b"/code/" in tail),
    (_TORCH, lambda head, tail: head[:4] == b"PK\x03\x04" and b"data.pkl" in tail),
    (_NUMPY, lambda head, tail: head[:4] == b"PK\x03\x04" and b".npy" in tail),
    (_KERAS, lambda head, tail: head[:8] == b"\x89HDF\r\n\x1a\n"),
    (_IR, lambda head, tail: head.lstrip()[:1] == b"<" and b"<net" in head),
    (_ORT, lambda head, tail: head[4:8] == b"ORTM"),
    (_EXECUTORCH, lambda head, tail: head[4:8] in (b"ET11", b"ET12")),
    (_MINDIR, lambda head, tail: head[:1] == b"\x0a" and b"MindSpore" in head[:64]),
    (_TORCH, lambda head, tail: head[:2] in _PICKLE),
)
"""The rules on the first and the last bytes of a file; the first rule that fits names the format."""


def foreign_bytes(data: bytes | bytearray | memoryview) -> Foreign | None:
    """The format that the bytes of a file look like; None where nothing tells."""
    return _foreign(bytes(data[:_ENDS]), bytes(data[-_ENDS:]))


def foreign_file(path: Path) -> Foreign | None:
    """The format that a file or folder looks like; None where nothing tells, or it cannot be read."""
    if path.name == "saved_model.pb":  # its first bytes are as ONNX's
        return _SAVED_MODEL
    try:
        if path.is_dir():
            return _SAVED_MODEL if (path / "saved_model.pb").is_file() else None
        with open_regular(path) as file:
            head = file.read(_ENDS)
            file.seek(max(0, file.seek(0, 2) - _ENDS))
            found = _foreign(head, file.read(_ENDS))
    except (OSError, ValueError):
        return None
    if found is None and path.suffix.lower() == ".pb" and not kind_of(head):
        return _FROZEN
    return found


def _foreign(head: bytes, tail: bytes) -> Foreign | None:
    return next((foreign for foreign, fits in _RULES if fits(head, tail)), None)
