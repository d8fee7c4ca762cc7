"""CustomExtractFeatures: strings as hashed features with weights."""

from __future__ import annotations

import numpy as np

from ._dtypes import check_dtype
from ._fingerprint import fingerprint64
from ._kernel import UNKNOWN, Array, ArraySpec, ReferenceKernel
from ._strings import STRING, string_count, unpack_strings

_FEATURES = 1_000_000
_MARKS = (b"<S>", b"<E>", b"<S> <E>")
"""Start and end of a sentence, which are no feature."""


def custom_extract_features(x: Array) -> tuple[Array, Array]:
    """A feature and a weight for every string, as TensorFlow Lite's smart-reply operators define them.

    Args:
        x: string tensor of N strings.

    Returns:
        int32 (N,): FarmHash's Fingerprint64 of the string modulo 1,000,000; and float32 (N,): the number of its
        spaces plus 1. Both are 0 for "<S>", "<E>" and "<S> <E>"; and one 0 for a tensor without strings.

    Raises:
        KernelInputError: ``x`` is no string tensor.
    """
    strings = unpack_strings(x)
    features = np.zeros(max(len(strings), 1), dtype=np.int32)
    weights = np.zeros(features.size, dtype=np.float32)
    for i, string in enumerate(strings):
        if string not in _MARKS:
            features[i] = _feature(string)
            weights[i] = string.count(b" ") + 1
    return features, weights


def _feature(string: bytes) -> int:
    key = np.frombuffer(string, dtype=np.uint8).reshape(1, -1)
    return int(fingerprint64(key)[0]) % _FEATURES


def infer_custom_extract_features(x: ArraySpec) -> tuple[ArraySpec, ArraySpec]:
    """int32 and float32 (N,); raises KernelInputError for other tensors than strings."""
    check_dtype(x, (STRING,))
    count = string_count(x)
    shape = (UNKNOWN if count == UNKNOWN else max(count, 1),)
    return ArraySpec(np.dtype(np.int32), shape), ArraySpec(np.dtype(np.float32), shape)


KERNEL = ReferenceKernel("CustomExtractFeatures", custom_extract_features, infer_custom_extract_features, (STRING,))
