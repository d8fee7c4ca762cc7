"""ONNX's Loop and Scan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ....basics.counted import counted
from ....flatbuffer.problem import FormatProblem
from ....ir import Value
from ...rejection import Why
from ..control.loops import Loop, RoundResult, build_loop
from ..control.slices import length_along, slice_at
from ..control.subgraphs import Inside
from ..conversion import Converter, OnnxNode, Outputs

if TYPE_CHECKING:
    import onnx


def _loop(node: OnnxNode) -> Outputs:
    """NOTE: as in ONNX Runtime, the body's condition ends a loop whose first condition is left out, too."""
    body: onnx.GraphProto = node.attributes["body"]
    carried = [node.x(i) for i in range(2, len(node.inputs))]
    if len(body.output) < 1 + len(carried):
        raise FormatProblem(
            f"its body must give a condition and {counted(len(carried), 'value')}, has "
            f"{counted(len(body.output), 'output')}",
            f"node '{node.name}'",
        )

    def one_round(inside: Inside, number: Value, go_on: Value | None, state: Sequence[Value]) -> RoundResult:
        assert go_on is not None
        condition, *rest = inside.convert(body, [number, go_on, *state])
        return RoundResult(condition, rest[: len(state)], rest[len(state) :])

    return build_loop(node, Loop(node.optional(0), node.optional(1), carried, one_round))


def _scan(node: OnnxNode) -> Outputs:
    node.reject_unless(node.opset >= 9, Why.ATTRIBUTE, f"Scan with a batch, before opset 9, found opset {node.opset}")
    body: onnx.GraphProto = node.attributes["body"]
    count = int(node.attributes["num_scan_inputs"])
    if not 1 <= count <= len(node.inputs):
        raise FormatProblem(f"num_scan_inputs must be 1 to {len(node.inputs)}, found {count}", f"node '{node.name}'")
    first = len(node.inputs) - count
    carried = [node.x(i) for i in range(first)]
    scanned = [node.x(first + i) for i in range(count)]
    axes = [node.axis(a, node.rank(x)) for a, x in zip(_listed(node, "scan_input_axes", count), scanned, strict=True)]
    backward = _listed(node, "scan_input_directions", count)

    def one_round(inside: Inside, number: Value, _: Value | None, state: Sequence[Value]) -> RoundResult:
        slices = [
            slice_at(inside, x, number, axis, backward=bool(back))
            for x, axis, back in zip(scanned, axes, backward, strict=True)
        ]
        results = inside.convert(body, [*state, *slices])
        return RoundResult(None, results[:first], results[first:])

    outputs = build_loop(node, Loop(length_along(node, scanned[0], axes[0]), None, carried, one_round))
    return outputs[:first] + _placed(node, outputs[first:])


def _placed(node: OnnxNode, stacked: Sequence[Value]) -> list[Value]:
    """Results of all rounds (rounds, ...) in the order and along the axis that the attributes ask for."""
    directions = _listed(node, "scan_output_directions", len(stacked))
    results = []
    for y, back, axis in zip(stacked, directions, _listed(node, "scan_output_axes", len(stacked)), strict=True):
        turned = node.emit("ReverseV2", y, axis=[0]) if back else y
        place = 0 if axis == 0 else node.axis(axis, node.rank(y))
        rest = list(range(1, node.rank(y))) if place else []
        results.append(node.transpose(turned, [*rest[:place], 0, *rest[place:]]) if place else turned)
    return results


def _listed(node: OnnxNode, name: str, count: int) -> list[int]:
    values: list[int] = node.get(name, None) or [0] * count
    node.reject_unless(
        len(values) == count, Why.ATTRIBUTE, f"{name} must have {counted(count, 'value')}, found {values}"
    )
    return values


CONVERTERS: dict[str, Converter] = {"Loop": _loop, "Scan": _scan}
