"""Delegates that take one thing for another where operators stand beside each other, and are right otherwise."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from lite_delegate import DelegateModel, Kernel, Tensor
from tests.conformance.defective import Arrays, Device, DeviceKernel, OneStateKernel


def merging(types: Collection[str]) -> Device:
    """Makes one of the operators of these types that read one tensor and give the same shapes."""

    class MergedKernel(DeviceKernel):
        def computed(self, node: Kernel, arrays: list[Any]) -> Arrays:
            right = super().computed(node, arrays)
            if node.type not in types:
                return right
            x = _read(node)
            first = next(n for n in self.nodes if n.type in types and _read(n) is x)
            of_x = next(a for a, t in zip(arrays, node.operands, strict=True) if t is x)
            given = [t if t is None else t.data if t.is_const else of_x for t in first.operands]
            merged = super().computed(first, given)
            return merged if [y.shape for y in merged] == [y.shape for y in right] else right

    class Merging(Device):
        kernel = MergedKernel

    return Merging()


def _read(node: Kernel) -> Tensor | None:
    return next((t for t in node.operands if t is not None and not t.is_const), None)


class OverwrittenKernel(DeviceKernel):
    def execute(self) -> None:
        super().execute()
        for tensor, planned in zip(self.outputs, self.planned[1], strict=True):
            if any(planned in node.inputs for node in self.nodes if node.type == "Activation"):
                tensor.data = np.maximum(tensor.data, 0)


class Overwritten(Device):
    """Computes an activation in the memory of its input, though the model gives that, too."""

    kernel = OverwrittenKernel


class PackedOnceKernel(DeviceKernel):
    def computed(self, node: Kernel, arrays: list[Any]) -> Arrays:
        if node.type not in ("MatMulFusion", "FullConnection") or not node.inputs[1].is_const or arrays[1].ndim != 2:
            return super().computed(node, arrays)
        assert node.primitive is not None
        is_by_rows = node.type == "FullConnection" or bool(node.primitive.attributes()["transpose_b"])
        packed = arrays[1] if is_by_rows else np.swapaxes(arrays[1], -1, -2)
        packed = self.state.setdefault((node.inputs[1].name, packed.shape), packed)
        weight = np.ascontiguousarray(packed if is_by_rows else np.swapaxes(packed, -1, -2))
        return super().computed(node, [arrays[0], weight, *arrays[2:]])


class PackedOnce(Device):
    """Packs a constant once, as its first reader needs it, and finds it by its name and sizes."""

    kernel = PackedOnceKernel


class MovedAxesKernel(DeviceKernel):
    def computed(self, node: Kernel, arrays: list[Any]) -> Arrays:
        results = super().computed(node, arrays)
        before = next((n for n in self.nodes if n.outputs[0] is node.inputs[0] and n.type == "Unsqueeze"), None)
        if node.type != "ReduceFusion" or before is None or before.primitive is None:
            return results
        (axis, *_), reduced = before.primitive.attributes()["axis"], set(map(int, arrays[1]))
        if axis in reduced or results[0].ndim != arrays[0].ndim:
            return results
        return (np.moveaxis(results[0], axis, axis - sum(a < axis for a in reduced)),)


class MovedAxes(Device):
    """Adds a dimension behind the reduction of it, and counts the reduced ones as if they were gone."""

    kernel = MovedAxesKernel


class FixedBatchKernel(OneStateKernel):
    def computed(self, node: Kernel, arrays: list[Any]) -> Arrays:
        results = [y.copy() for y in super().computed(node, arrays)]
        for y in results:
            if self.state["batch"] == 1 and y.ndim and y.shape[0] > 1:
                y[1:] = 0
        return results

    def resize(self) -> None:
        return None


class FixedBatch(Device):
    """Stays with a batch of 1 that it was built for."""

    kernel = FixedBatchKernel

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        made = super().create_graph_kernel(run, model)
        assert isinstance(made, FixedBatchKernel)
        shape = made.outputs[0].shape
        made.state["batch"] = shape[0] if shape else 0
        return made
