"""Loops as regions of three graphs: the first decides, the second does a round, the third ends the loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from lite_delegate_kernels import UNKNOWN, ArraySpec

from ....delegate import Body, Rounds
from ....ir import DataType, to_numpy
from ....tensors.tensor import Tensor
from ...binding.host_kernel import HostKernel
from ...binding.node_kernel import NodeKernel
from .region import CallGraph, Region, spec_of, target_graph, wanted


def loop_region(call: HostKernel, start: NodeKernel, around: CallGraph, known: Mapping[int, CallGraph]) -> Region:
    """The loop that a call is.

    Args:
        call: runs the graph that decides.
        start: the PartialFusion that binds the first state to it.
        around: the graph that both are in.
        known: the graphs that are called, by their numbers.

    Raises:
        NoRegion: it is none, or not one that a delegate can take.
    """
    deciding = target_graph(start, known)
    decides = deciding.tail()
    (target,) = decides.inputs
    switch = deciding.maker(target, "Switch")
    test, *handles = switch.inputs
    partials = [deciding.maker(handle, "PartialFusion") for handle in handles]
    doing, ending = (target_graph(partial, known) for partial in partials)
    state = deciding.graph.inputs
    wanted(all(p.inputs == state for p in partials), "a round must be given the whole state, in order")
    again = doing.maker(doing.tail().inputs[0], "PartialFusion")
    wanted(target_graph(again, known) is deciding, "a round must end with the next one")
    lists = [place for place, tensor in enumerate(state) if tensor.dtype == DataType.TENSOR_LIST]
    loop = _Loop(start, deciding, doing, ending, again, test, lists)
    reserves = [around.alone(around.maker(start.inputs[place], "TensorListReserve"), [start]) for place in lists]
    hosts = {"condition": (deciding, 4), "round": (doing, 2 + len(lists)), "end": (ending, len(loop.stacks))}
    for name, (each, count) in hosts.items():
        wanted(len(each.host) == count, f"the {name} may not have control flow, lists or variables in it")
    rounds = loop.rounds()
    inputs = tuple((start, place) for place in range(len(state)) if place not in lists)
    nodes = (call.node, start.node, *(reserve.node for reserve in reserves))
    graphs = tuple(each.graph.index for each in (deciding, doing, ending))
    kept = rounds.end.inputs[len(inputs) :]
    specs = tuple(_kept_spec(tensor) if tensor in kept else spec_of(tensor) for tensor in rounds.end.outputs)
    return Region(call, around.graph.index, nodes, graphs, inputs, rounds, specs)


def _kept_spec(tensor: Tensor) -> ArraySpec:
    """The spec of a tensor that collects one item of each round; the number of rounds may be unknown."""
    wanted(tensor.extents is not None, f"ranks must be known, the rank of '{tensor.name}' is not")
    return ArraySpec(to_numpy(tensor.dtype), tensor.extents)


def _kept(name: str, item: Tensor, rounds: int | None) -> Tensor:
    """The tensor that collects an item of every round."""
    number = UNKNOWN if rounds is None else rounds
    return Tensor.describe(name, item.dtype, None if item.extents is None else (number, *item.extents))


class _Loop:
    """A loop of three graphs: one decides, one does a round and decides again, one ends."""

    def __init__(
        self,
        start: NodeKernel,
        deciding: CallGraph,
        doing: CallGraph,
        ending: CallGraph,
        again: NodeKernel,
        test: Tensor,
        lists: Sequence[int],
    ) -> None:
        self._start, self._deciding, self._doing, self._ending = start, deciding, doing, ending
        self._again, self._test, self._lists = again, test, lists
        self.stacks = {place: self._stack(place) for place in lists if ending.readers.get(ending.graph.inputs[place])}

    def rounds(self) -> Rounds:
        """As delegates see it."""
        count, most = self._counts()
        items = [self._item(place) for place in self.stacks]
        pairs = zip(self.stacks.values(), items, strict=True)
        stacked = {stack.outputs[0]: _kept(stack.outputs[0].name, item, count) for stack, item in pairs}
        end = self._ending
        wanted(
            not any(tensor in stacked for kernel in end.others for tensor in kernel.inputs),
            "results kept from all rounds must be outputs as they are",
        )
        outputs = tuple(stacked.get(tensor, tensor) for tensor in end.graph.outputs)
        return Rounds(
            Body(self._arrays(self._deciding.graph.inputs), self._deciding.others, (self._test,)),
            Body(
                self._arrays(self._doing.graph.inputs),
                self._doing.others,
                (*self._arrays(self._again.inputs), *items),
            ),
            Body((*self._arrays(end.graph.inputs), *stacked.values()), end.others, outputs),
            count,
            most,
        )

    def _arrays(self, state: Sequence[Tensor]) -> tuple[Tensor, ...]:
        return tuple(tensor for place, tensor in enumerate(state) if place not in self._lists)

    def _stack(self, place: int) -> NodeKernel:
        given = self._ending.graph.inputs[place]
        readers = self._ending.readers[given]
        wanted([reader.type for reader in readers] == ["TensorListStack"], f"list '{given.name}' must be joined once")
        return readers[0]

    def _item(self, place: int) -> Tensor:
        """The tensor that each round adds to a list, at the position of the round's number."""
        sets = self._doing.maker(self._again.inputs[place], "TensorListSetItem")
        given, number, item = sets.inputs
        inputs = self._doing.graph.inputs
        counts = number in inputs and self._is_counter(inputs.index(number))
        wanted(given is inputs[place] and counts, f"list '{given.name}' must get one tensor in each round, in order")
        return item

    def _is_counter(self, place: int) -> bool:
        """Whether a part of the state counts the rounds: 0, 1, 2, ..."""
        number, following = self._doing.graph.inputs[place], self._doing.makers.get(self._again.inputs[place])
        if following is None or following.type != "AddFusion" or following.primitive is None:
            return False
        if following.primitive.given() or following.inputs[0] is not number:
            return False
        return _is_value(self._start.inputs[place], 0) and _is_value(following.inputs[1], 1)

    def _counts(self) -> tuple[int | None, int | None]:
        """The number of rounds and the most rounds, where a counter and constants tell them."""
        tests = [self._test]
        limits: list[int] = []
        is_counted = True
        for tensor in tests:
            maker = self._deciding.makers.get(tensor)
            if maker is not None and maker.type == "LogicalAnd":
                tests += maker.inputs
                continue
            limit = self._limit(*maker.inputs) if maker is not None and maker.type == "Less" else None
            if limit is not None:
                limits.append(limit)
            elif not self._is_always(tensor):
                is_counted = False
        most = min(limits, default=None)
        return most if is_counted else None, most

    def _limit(self, number: Tensor, limit: Tensor) -> int | None:
        state = self._deciding.graph.inputs
        if number not in state or not self._is_counter(state.index(number)):
            return None
        known = limit if limit.is_const else self._unchanged(limit)
        return None if known is None or known.data.size != 1 else max(int(known.data.item()), 0)

    def _is_always(self, tensor: Tensor) -> bool:
        known = self._unchanged(tensor)
        return known is not None and known.data.size == 1 and bool(known.data.item())

    def _unchanged(self, tensor: Tensor) -> Tensor | None:
        """The constant that a part of the state starts as and remains; None where it may change."""
        state = self._deciding.graph.inputs
        if tensor not in state:
            return None
        place = state.index(tensor)
        stays = self._again.inputs[place] is self._doing.graph.inputs[place]
        first = self._start.inputs[place]
        return first if stays and first.is_const else None


def _is_value(tensor: Tensor, value: int) -> bool:
    return (
        tensor.is_const
        and tensor.data.size == 1
        and np.issubdtype(tensor.data.dtype, np.integer)
        and tensor.data.item() == value
    )
