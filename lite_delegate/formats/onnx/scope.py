"""The names that nodes of one graph or function body can see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import onnx

from ...ir import Value
from .builder import GraphBuilder


@dataclass
class Scope:
    """The names that nodes of one graph or function body can see.

    Attributes:
        builder: where their nodes go.
        opsets: the version of each domain.
        values: by ONNX name. An output of a node that was rejected is among ``lost`` instead.
        lost: names without a value, because what gives them was rejected.
        function: the attributes of the function whose body this is.
        prefix: what names of values and nodes start with, for function bodies.
        depth: how many functions this is inside of.
    """

    builder: GraphBuilder
    opsets: Mapping[str, int]
    values: dict[str, Value] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)
    function: Mapping[str, onnx.AttributeProto] = field(default_factory=dict)
    prefix: str = ""
    depth: int = 0
