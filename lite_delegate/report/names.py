"""Names of nodes and tensors as renderers show them."""

from __future__ import annotations

from ..runtime import TensorRecord


def printable(text: str) -> str:
    """Text on one line: line breaks and other characters that cannot be seen are written as escapes."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def shorten(name: str, width: int) -> str:
    """A name in at most ``width`` characters: its end, which is what differs between long names."""
    shown = printable(name)
    return shown if len(shown) <= width else "..." + shown[len(shown) - width + 3 :]


def tensor_text(tensor: TensorRecord) -> str:
    """Element type, shape and size of a tensor, such as "FLOAT32 [1, 224, 224, 3] 602,112 bytes"."""
    shape = "of unknown rank" if tensor.shape is None else str(list(tensor.shape))
    return f"{tensor.dtype} {shape} {tensor.nbytes:,} bytes"
