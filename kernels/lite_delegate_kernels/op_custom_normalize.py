"""CustomNormalize: sentences in a form that leaves spelling aside."""

from __future__ import annotations

import re

from ._dtypes import check_dtype
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._strings import STRING, pack_strings, string_spec, unpack_strings

_MOST_BYTES = 300
_BLANKS = b" \t\n\v\f\r"
_ENDS = _BLANKS + b",:;-&'\""
_ENDINGS = rb"\s('t|'nt|n't|'d|'ll|'s|'m|'ve|'re)"

_REWRITINGS = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (rb'[.*()"]', b""),
        (_ENDINGS + rb"([\s,;:/])", rb"\1\2"),
        (_ENDINGS + rb"\Z", rb"\1"),
        (rb"(?<!\S)(\S+)'ll", rb"\1 will"),
        (rb"(?<!\S)(\S+)'nt", rb"\1 not"),
        (rb"(?<!\S)(\S+)'re", rb"\1 are"),
        (rb"(?<!\S)(\S+)'ve", rb"\1 have"),
        (rb"(?<!\S)(\S+)n't", rb"\1 not"),
        (rb"i'm", b"i am"),
        (rb"\?+", b"?"),
        (rb"!+", b"!"),
        (rb"([^?!])([?!])", rb"\1 \2 "),
        (rb"([?!])([?!])", rb"\1 \2"),
    )
)
"""Patterns and what takes their place, one after the other: signs that count for nothing are dropped, endings joined
to their words, short forms written out, question and exclamation marks made words.

From TensorFlow Lite's smart-reply operators; its table of short forms is in the order of the patterns' characters.
The lookbehinds change nothing, since a match reaches back to the start of its word; without them a long word would
be searched from each of its characters.
"""


def custom_normalize(x: Array) -> Array:
    """Every string in lower case, short forms written out, between "<S> " and " <E>".

    Args:
        x: string tensor of N strings; bytes above 127 stay as they are.

    Returns:
        String tensor of N strings, each cut to 300 bytes before the marks are added; of a single zero byte where
        ``x`` has no strings.

    Raises:
        KernelInputError: ``x`` is no string tensor.

    NOTE: as MindSpore Lite, which also has what happens without strings. TensorFlow Lite takes the first string
    only, and leaves out " <E>" where it cuts.
    """
    return pack_strings([_normalized(s) for s in unpack_strings(x)] or [b"\0"])


def _normalized(string: bytes) -> bytes:
    text = string.lower().strip(_BLANKS)
    for pattern, replacement in _REWRITINGS:
        text = pattern.sub(replacement, text)
    return b"<S> " + text.strip(_ENDS)[:_MOST_BYTES] + b" <E>"


def infer_custom_normalize(x: ArraySpec) -> ArraySpec:
    """A string tensor; raises KernelInputError for other tensors than strings."""
    check_dtype(x, (STRING,))
    return string_spec()


KERNEL = ReferenceKernel("CustomNormalize", custom_normalize, infer_custom_normalize, (STRING,))
