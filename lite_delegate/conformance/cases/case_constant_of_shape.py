"""Conformance cases of ConstantOfShape, expected values set element by element."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import ConformanceCase
from .families.filling import SHAPES, repeated
from .samples import exact, ints


def cases() -> Iterator[ConformanceCase]:
    """Every rank, an empty shape, every type id, numbers that are cut off, a shape that is not constant."""
    for name, shape in SHAPES:
        expected = repeated(np.array(1.5, dtype=np.float32), shape)
        attributes = {"data_type": 43, "value": (1.5,)}
        yield exact("ConstantOfShape", name, (ints(*shape),), (expected,), attributes, {0})
    for type_id, dtype, number, stored in [
        (30, "bool", 1.0, True),
        (30, "bool", 0.0, False),
        (30, "bool", 0.5, True),
        (32, "int8", -128.0, -128),
        (33, "int16", 300.0, 300),
        (34, "int32", -7.0, -7),
        (34, "int32", 2.75, 2),
        (34, "int32", -2.75, -2),
        (35, "int64", 2.0**40, 2**40),
        (37, "uint8", 255.0, 255),
        (38, "uint16", 65535.0, 65535),
        (39, "uint32", 2.0**31, 2**31),
        (40, "uint64", 2.0**63, 2**63),
        (42, "float16", 0.5, 0.5),
        (42, "float16", 1e6, np.inf),
        (43, "float32", -np.inf, -np.inf),
        (43, "float32", np.nan, np.nan),
        (44, "float64", 0.25, 0.25),
        (41, "float32", 3.0, 3.0),
    ]:
        name = f"type_{type_id}_value_{number:g}"
        expected = np.array([[stored] * 3] * 2, dtype=dtype)
        attributes = {"data_type": type_id, "value": (number,)}
        yield exact("ConstantOfShape", name, (ints(2, 3),), (expected,), attributes, {0}, source="hand")
    zeros = np.array([0, 0, 0], dtype=np.int32)
    attributes = {"data_type": 34, "value": (0.0,)}
    yield exact("ConstantOfShape", "shape_not_constant", (ints(3, dtype="int64"),), (zeros,), attributes, source="hand")
