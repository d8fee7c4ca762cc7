"""TensorFlow Lite operators that have no counterpart and become Custom nodes, and why."""

from __future__ import annotations

_TABLE = "it works on a hash table that another operator fills while the model runs; HashtableLookup reads constants"
_BITS = "no operator of ours works on bits"
_NO_OPERATOR = "no operator of ours does this"
_REGION = "it runs a StableHLO region, which TensorFlow Lite itself only carries along"
_UNEXECUTED = "TensorFlow Lite itself has no kernel for it"
_DIMENSIONS = "convolutions of ours have two dimensions"

UNMAPPED: dict[str, str] = {
    "HASHTABLE": _TABLE,
    "HASHTABLE_FIND": _TABLE,
    "HASHTABLE_IMPORT": _TABLE,
    "HASHTABLE_SIZE": _TABLE,
    "BITCAST": _BITS,
    "BITWISE_XOR": _BITS,
    "RIGHT_SHIFT": _BITS,
    "STABLEHLO_SHIFT_LEFT": _BITS,
    "CONV_3D": _DIMENSIONS,
    "CONV_3D_TRANSPOSE": _DIMENSIONS,
    "CALL": _UNEXECUTED,
    "CONCAT_EMBEDDINGS": _UNEXECUTED,
    "DELEGATE": "it stands for operators that a delegate of TensorFlow Lite has taken; it is no operator of a file",
    "EMBEDDING_LOOKUP_SPARSE": _NO_OPERATOR,
    "NON_MAX_SUPPRESSION_V4": "it gives scores and fills up with zeros; NonMaxSuppression gives the boxes found",
    "NON_MAX_SUPPRESSION_V5": "it gives scores and fills up with zeros; NonMaxSuppression gives the boxes found",
    "ATAN2": _NO_OPERATOR,
    "BROADCAST_ARGS": _NO_OPERATOR,
    "DILATE": _NO_OPERATOR,
    "MULTINOMIAL": _NO_OPERATOR,
    "REDUCE_WINDOW": _NO_OPERATOR,
    "UNSORTED_SEGMENT_MAX": _NO_OPERATOR,
    "UNSORTED_SEGMENT_MIN": _NO_OPERATOR,
    "UNSORTED_SEGMENT_PROD": _NO_OPERATOR,
    "STABLEHLO_CBRT": _NO_OPERATOR,
    "STABLEHLO_COMPOSITE": _REGION,
    "STABLEHLO_CONVOLUTION": _UNEXECUTED,
    "STABLEHLO_CUSTOM_CALL": _UNEXECUTED,
    "STABLEHLO_DOT_GENERAL": _UNEXECUTED,
    "STABLEHLO_DYNAMIC_SLICE": _NO_OPERATOR,
    "STABLEHLO_DYNAMIC_UPDATE_SLICE": _NO_OPERATOR,
    "STABLEHLO_GATHER": _NO_OPERATOR,
    "STABLEHLO_IOTA": _NO_OPERATOR,
    "STABLEHLO_PAD": "it pads between elements and by negative sizes; PadFusion does neither",
    "STABLEHLO_REDUCE": _REGION,
    "STABLEHLO_REDUCE_WINDOW": _REGION,
    "STABLEHLO_RNG_BIT_GENERATOR": _NO_OPERATOR,
    "STABLEHLO_SCATTER": _REGION,
    "STABLEHLO_SORT": _REGION,
    "STABLEHLO_WHILE": _REGION,
    "PLACEHOLDER_FOR_GREATER_OP_CODES": "a placeholder, which says that the operator's number is in another field",
}
"""Operators that have no counterpart, and why."""
