"""Delegates with one defect each, as authors of delegates make them, on a device that is right otherwise."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from lite_delegate_kernels import as_tuple

from lite_delegate import DataType, Delegate, DelegateModel, Kernel, Supported, SupportResult, Tensor
from lite_delegate.runtime.binding.node_kernel import NodeKernel
from lite_delegate.tensors.tensor import empty_like

Array = np.ndarray[Any, Any]
Arrays = Sequence[Array]


class DeviceKernel(Kernel):
    """Runs nodes one after another on arrays of its own, and forks."""

    def __init__(
        self,
        nodes: Sequence[Kernel],
        inputs: Sequence[Tensor],
        outputs: Sequence[Tensor],
        planned: tuple[Sequence[Tensor], Sequence[Tensor]] | None = None,
    ) -> None:
        super().__init__("G", "G", inputs, outputs)
        self.nodes = tuple(nodes)
        self.planned = planned or (tuple(inputs), tuple(outputs))
        self.state: dict[Any, Any] = {}

    def execute(self) -> None:
        reads, writes = self.planned
        values = {p: t.data for p, t in zip(reads, self.inputs, strict=True)}
        for node in self.nodes:
            arrays = [None if t is None else t.data if t.is_const else values[t] for t in node.operands]
            values.update(zip(node.outputs, self.computed(node, arrays), strict=True))
        self.give([values[t] for t in writes])

    def computed(self, node: Kernel, arrays: list[Any]) -> Arrays:
        """What a node gives; most defects are here."""
        assert isinstance(node, NodeKernel)
        assert node.function is not None
        return as_tuple(node.function(*arrays))

    def give(self, results: Arrays) -> None:
        """Hands the results over."""
        for tensor, y in zip(self.outputs, results, strict=True):
            tensor.data = y

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel | None:
        return type(self)(self.nodes, inputs, outputs, self.planned)


class OneStateKernel(DeviceKernel):
    """All forks have one state."""

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel | None:
        forked = type(self)(self.nodes, inputs, outputs, self.planned)
        forked.state = self.state
        return forked


class Device(Delegate):
    """Takes everything."""

    name = "device"
    kernel: type[DeviceKernel] = DeviceKernel

    def supports(self, kernel: Kernel) -> SupportResult | None:
        return Supported()

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        boundary = model.boundary_of(run)
        return self.kernel(run, boundary.inputs, boundary.outputs)


class CachedKernel(DeviceKernel):
    def give(self, results: Arrays) -> None:
        super().give(self.state.setdefault("first", [y.copy() for y in results]))


class Cached(Device):
    """Its first result for ever."""

    kernel = CachedKernel


class DroppedActivationKernel(DeviceKernel):
    def computed(self, node: Kernel, arrays: list[Any]) -> Arrays:
        after_conv = any(n.type == "Conv2DFusion" and n.outputs[0] is node.inputs[0] for n in self.nodes)
        return (arrays[0],) if node.type == "Activation" and after_conv else super().computed(node, arrays)


class DroppedActivation(Device):
    """Fuses an activation into the convolution before it, and forgets it."""

    kernel = DroppedActivationKernel


class ForkIsItselfKernel(DeviceKernel):
    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel | None:
        return self


class ForkIsItself(Device):
    kernel = ForkIsItselfKernel


class StaleKernel(DeviceKernel):
    def computed(self, node: Kernel, arrays: list[Any]) -> Arrays:
        (y,) = super().computed(node, arrays)
        if not y.size or y.dtype.kind != "f":
            return (y,)
        return (np.asarray(y * y.dtype.type(arrays[0].size / self.state.setdefault("size", arrays[0].size))),)

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel | None:
        forked = type(self)(self.nodes, inputs, outputs, self.planned)
        forked.state = self.state  # what was packed for the first shapes
        return forked

    def resize(self) -> None:
        return None


class Stale(Device):
    """Has a factor in a constant that depends on the shape, and does not pack it anew after a resize."""

    kernel = StaleKernel


class PartialKernel(DeviceKernel):
    def give(self, results: Arrays) -> None:
        results = [y.copy() for y in results]
        for y in results:
            if y.ndim and y.shape[-1] > 1:
                y[..., -1] = 0
        super().give(results)


class Partial(Device):
    """Leaves the last channel out."""

    kernel = PartialKernel


class WrongOrderKernel(DeviceKernel):
    def give(self, results: Arrays) -> None:
        super().give(list(reversed(results)))


class WrongOrder(Device):
    kernel = WrongOrderKernel


class SwappedSpatialKernel(DeviceKernel):
    def computed(self, node: Kernel, arrays: list[Any]) -> Arrays:
        x, weight, *rest = arrays
        turned = np.ascontiguousarray(np.swapaxes(weight, 1, 2)) if weight.ndim == 4 else weight
        return super().computed(node, [x, turned, *rest])


class SwappedSpatial(Device):
    """Packs the weights of a convolution as [W, H]."""

    kernel = SwappedSpatialKernel


class UnpackedKernel(DeviceKernel):
    def computed(self, node: Kernel, arrays: list[Any]) -> Arrays:
        a, b = arrays
        if b.ndim == 4:
            n, h, w, c = b.shape
            b = np.ascontiguousarray(np.transpose(b.reshape(n, c, h, w), (0, 2, 3, 1)))
        return super().computed(node, [a, b])


class Unpacked(Device):
    """Reads its second input as if it had been packed by channels."""

    kernel = UnpackedKernel


class HalfSumKernel(DeviceKernel):
    def computed(self, node: Kernel, arrays: list[Any]) -> Arrays:
        if node.type != "MatMulFusion" or arrays[0].ndim != 2 or arrays[0].dtype != np.float32:
            return super().computed(node, arrays)
        (y,) = super().computed(node, arrays)
        a, b = arrays[:2]
        if y.shape != (a.shape[0], b.shape[1]) or a.shape[1] != b.shape[0]:
            return (y,)
        total = np.zeros(y.shape, np.float16) if len(arrays) < 3 else np.broadcast_to(arrays[2], y.shape).astype("f2")
        for k in range(a.shape[1]):
            total = (total + np.outer(a[:, k], b[k]).astype(np.float16)).astype(np.float16)
        return (total.astype(np.float32),)


class HalfSum(Device):
    """Adds up in float16, and says nothing of it."""

    kernel = HalfSumKernel


class HalfStorageSumKernel(HalfSumKernel):
    def give(self, results: Arrays) -> None:
        super().give([y.astype(np.float16).astype(y.dtype) if y.dtype == np.float32 else y for y in results])


class HalfStorageSum(Device):
    """Stores floats in float16, as it says, but adds up in it as well."""

    kernel = HalfStorageSumKernel
    storage_dtype = DataType.FLOAT16


class ShiftedPaddingKernel(DeviceKernel):
    def computed(self, node: Kernel, arrays: list[Any]) -> Arrays:
        x = np.roll(arrays[0], 1, axis=1)
        x[:, 0] = 0
        return super().computed(node, [x, *arrays[1:]])


class ShiftedPadding(Device):
    """One row of padding too many above, and one too few below."""

    kernel = ShiftedPaddingKernel


class FloorKernel(DeviceKernel):
    def computed(self, node: Kernel, arrays: list[Any]) -> Arrays:
        assert node.primitive is not None
        fused = node.primitive.attributes()["activation_type"] not in (0, "NO_ACTIVATION")
        if not all(t.quant_params for t in node.inputs) or fused:
            return super().computed(node, arrays)
        reals = [
            (x.astype(np.float64) - t.quant_params[0].zero_point) * t.quant_params[0].scale
            for x, t in zip(arrays, node.inputs, strict=True)
        ]
        given = node.outputs[0].quant_params[0]
        y = np.floor((reals[0] + reals[1]) / given.scale) + given.zero_point
        return (np.clip(y, -128, 127).astype(np.int8),)


class Floor(Device):
    """Rounds integers down, where they are to be rounded to the nearest."""

    kernel = FloorKernel


class WritesInputKernel(DeviceKernel):
    def computed(self, node: Kernel, arrays: list[Any]) -> Arrays:
        results = super().computed(node, arrays)
        if arrays[0].dtype.kind == "f":
            arrays[0][...] = 0
        return results


class WritesInput(Device):
    kernel = WritesInputKernel


class ReusesOutputKernel(DeviceKernel):
    gives_new_arrays = True

    def give(self, results: Arrays) -> None:
        kept = self.state.setdefault("buffers", [y.copy() for y in results])
        for buffer, y in zip(kept, results, strict=True):
            buffer[...] = y
        super().give(kept)

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel | None:
        return None


class ReusesOutput(Device):
    """Says that it gives new arrays, and writes to those that it gave."""

    kernel = ReusesOutputKernel


class WrongSideKernel(DeviceKernel):
    def computed(self, node: Kernel, arrays: list[Any]) -> Arrays:
        if len(arrays) != 2:
            return super().computed(node, arrays)
        a, b = arrays
        if b.ndim < a.ndim and b.ndim and a.shape[: b.ndim] == b.shape:
            b = b.reshape(b.shape + (1,) * (a.ndim - b.ndim))
        return super().computed(node, [a, b])


class WrongSide(Device):
    """Broadcasts the operand of the lower rank from the left."""

    kernel = WrongSideKernel


class IgnoresShapeKernel(OneStateKernel):
    def give(self, results: Arrays) -> None:
        shapes = self.state.setdefault("shapes", [y.shape for y in results])
        super().give([np.resize(y, shape) for y, shape in zip(results, shapes, strict=True)])

    def resize(self) -> None:
        return None


class IgnoresShape(Device):
    """Gives what has the shape of its first outputs."""

    kernel = IgnoresShapeKernel


class ScratchKernel(OneStateKernel):
    def computed(self, node: Kernel, arrays: list[Any]) -> Arrays:
        scratch = self.state.setdefault("scratch", np.empty_like(arrays[0]))
        for i in range(len(scratch)):
            scratch[i] = arrays[0][i]
        time.sleep(0.001)  # others come in between as on a busy machine
        return super().computed(node, [scratch, *arrays[1:]])


class Scratch(Device):
    """All forks work in one scratch buffer."""

    kernel = ScratchKernel


class SharedResultKernel(ScratchKernel):
    def computed(self, node: Kernel, arrays: list[Any]) -> Arrays:
        return DeviceKernel.computed(self, node, arrays)

    def give(self, results: Arrays) -> None:
        kept = self.state.setdefault("buffers", [y.copy() for y in results])
        for buffer, y in zip(kept, results, strict=True):
            buffer[...] = y
        super().give(kept)


class SharedResult(Device):
    """All forks give one output buffer."""

    kernel = SharedResultKernel


class UninitializedKernel(DeviceKernel):
    def give(self, results: Arrays) -> None:
        *first, last = results
        super().give([*first, np.empty_like(last)])


class Uninitialized(Device):
    """Never writes its last output."""

    kernel = UninitializedKernel


class SwappedInputsKernel(DeviceKernel):
    def computed(self, node: Kernel, arrays: list[Any]) -> Arrays:
        return super().computed(node, arrays[::-1])


class SwappedInputs(Device):
    kernel = SwappedInputsKernel


class NoBiasKernel(DeviceKernel):
    def computed(self, node: Kernel, arrays: list[Any]) -> Arrays:
        return super().computed(node, arrays[:2])


class NoBias(Device):
    kernel = NoBiasKernel


class DoublingKernel(DeviceKernel):
    def give(self, results: Arrays) -> None:
        before = self.state.get("sum", 0)
        self.state["sum"] = results[0]
        super().give([np.asarray(results[0] + before * 0.01).astype(results[0].dtype)])


class Doubling(Device):
    """Does not clear what it adds to."""

    kernel = DoublingKernel


class KeptWeights(Device):
    """Packs weights once per name of a node, also for another model."""

    def __init__(self) -> None:
        self.packed: dict[str, list[Array]] = {}

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        boundary = model.boundary_of(run)
        packed = self.packed

        class KeptKernel(DeviceKernel):
            def computed(self, node: Kernel, arrays: list[Any]) -> Arrays:
                is_const = [t is not None and t.is_const for t in node.operands]
                kept = packed.setdefault(node.name, [x for x, c in zip(arrays, is_const, strict=True) if c])
                constants = iter(kept)
                given = [next(constants) if c else x for x, c in zip(arrays, is_const, strict=True)]
                return super().computed(node, given)

        return KeptKernel(run, boundary.inputs, boundary.outputs)


class SilentKernel(DeviceKernel):
    def give(self, results: Arrays) -> None:
        for tensor, y in list(zip(self.outputs, results, strict=True))[:-1]:
            tensor.data = y


class Silent(Device):
    """Forgets its last output."""

    kernel = SilentKernel


class UploadedStateKernel(DeviceKernel):
    """Uploads once what is neither an input of the model nor computed."""

    held: frozenset[Tensor] = frozenset()

    def computed(self, node: Kernel, arrays: list[Any]) -> Arrays:
        pairs = zip(node.operands, arrays, strict=True)
        return super().computed(node, [self.state.setdefault(t, x.copy()) if t in self.held else x for t, x in pairs])

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel | None:
        forked = type(self)(self.nodes, inputs, outputs, self.planned)
        forked.held = self.held
        return forked


class UploadedState(Device):
    """Takes a state for a constant."""

    kernel = UploadedStateKernel

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        made = super().create_graph_kernel(run, model)
        assert isinstance(made, UploadedStateKernel)
        made.held = frozenset(t for t in made.inputs if t not in model.inputs)
        return made


class StateOfForkKernel(UploadedStateKernel):
    def give(self, results: Arrays) -> None:
        self.state.update(dict.fromkeys(self.held, results[0].copy()))
        super().give(results)


class StateOfFork(UploadedState):
    """Keeps a state on the device, one for each fork, and does not take another one from the host."""

    kernel = StateOfForkKernel


class SharedStateKernel(StateOfForkKernel):
    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel | None:
        forked = super().fork(inputs, outputs)
        assert isinstance(forked, UploadedStateKernel)
        forked.state = self.state
        return forked


class SharedState(UploadedState):
    """Keeps a state on the device, one for all forks."""

    kernel = SharedStateKernel


class StateSentOnceKernel(StateOfForkKernel):
    def computed(self, node: Kernel, arrays: list[Any]) -> Arrays:
        for tensor, x in zip(node.operands, arrays, strict=True):
            if tensor in self.held and (tensor, x.tobytes()) not in self.state:
                self.state[(tensor, x.tobytes())] = True
                self.state[tensor] = x.copy()
        return super().computed(node, arrays)


class StateSentOnce(UploadedState):
    """Keeps a state on the device, and takes another one from the host unless it was sent before."""

    kernel = StateSentOnceKernel


class ArraysKernel(DeviceKernel):
    """Works on arrays, too."""

    def bind(self, inputs: Arrays, outputs: Arrays) -> Callable[[], object]:
        return lambda: self.run(inputs, outputs)

    def run(self, inputs: Arrays, outputs: Arrays) -> None:
        """What ``execute`` does, over arrays."""
        reads = [t for t in self.inputs if not t.is_const]
        twins = [Tensor.describe(t.name, t.dtype, tuple(t.shape), data=x) for t, x in zip(reads, inputs, strict=True)]
        given = dict(zip(reads, twins, strict=True))
        runs = DeviceKernel(
            self.nodes, [given.get(t, t) for t in self.inputs], list(map(empty_like, self.outputs)), self.planned
        )
        runs.execute()
        for array, tensor in zip(outputs, runs.outputs, strict=True):
            array[...] = tensor.data


class Bound(Device):
    """Right."""

    kernel = ArraysKernel


class BoundOnceKernel(ArraysKernel):
    def bind(self, inputs: Arrays, outputs: Arrays) -> Callable[[], object]:
        run: Callable[[], object] = self.state.setdefault("bound", super().bind(inputs, outputs))
        return run


class BoundOnce(Device):
    """Stays with the buffers that it was bound to first."""

    kernel = BoundOnceKernel


class BoundToFirstOutputKernel(ArraysKernel):
    def bind(self, inputs: Arrays, outputs: Arrays) -> Callable[[], object]:
        return super().bind(inputs, self.state.setdefault("outputs", outputs))


class BoundToFirstOutput(Device):
    """Takes other inputs, and stays with its first outputs."""

    kernel = BoundToFirstOutputKernel


class BoundToContentsKernel(ArraysKernel):
    def bind(self, inputs: Arrays, outputs: Arrays) -> Callable[[], object]:
        return super().bind([x.copy() for x in inputs], outputs)


class BoundToContents(Device):
    """Reads its inputs when it is bound."""

    kernel = BoundToContentsKernel


class BoundRoughlyKernel(ArraysKernel):
    def run(self, inputs: Arrays, outputs: Arrays) -> None:
        super().run(inputs, outputs)
        for y in outputs:
            if y.dtype.kind == "f":
                np.nextafter(y, 0, out=y)


class BoundRoughly(Device):
    """Off by a last bit where it is bound."""

    kernel = BoundRoughlyKernel
