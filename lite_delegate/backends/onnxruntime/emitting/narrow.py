"""Casts through element types that numpy does not have, written as two casts, there and back."""

from __future__ import annotations

from collections.abc import Mapping

from ....delegate import RejectCode
from ...lowering import THROUGH, Attributes, NotLowered

ROUNDED: Mapping[int, tuple[int, ...]] = {16: (0, 1), 17: (1,), 18: (0, 1), 19: (1,), 20: (0, 1)}
"""ONNX's numbers of bfloat16 and float8 types that ONNX Runtime's CPU provider rounds to as ONNX defines it, by the
values of ``saturate``. Found by experiment with onnxruntime 1.32.0: without it, numbers just beyond the largest of
float8e4m3fn and float8e5m2 become that, or NaN in place of infinity. What it makes of the types of 4 bits and of
float8e8m0 are other numbers."""

IN_ONNX = dict.fromkeys(ROUNDED, (0, 1))
"""The same of ONNX's own Cast in the release that is written."""


def check_narrow(attributes: Attributes, can: Mapping[int, tuple[int, ...]]) -> None:
    """Checks that a Cast goes through a type that rounds as it should, if through any.

    Args:
        attributes: of the Cast, as an emitter takes them.
        can: numbers of types, and the values of ``saturate`` that are right with each.

    Raises:
        NotLowered: it does not.
    """
    to = attributes.get(THROUGH)
    if to is not None and attributes.get("saturate", 1) not in can.get(int(str(to)), ()):
        rule = f"elements must be rounded as they should: types {', '.join(map(str, can))} of ONNX are"
        raise NotLowered(RejectCode.ATTRIBUTE, rule, f"is {dict(attributes)}")


def narrowing(attributes: Attributes) -> dict[str, int]:
    """The attributes of the first of both casts."""
    return {"to": int(str(attributes[THROUGH])), "saturate": int(str(attributes.get("saturate", 1)))}
