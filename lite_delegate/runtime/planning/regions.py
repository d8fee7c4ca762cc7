"""Regions: loops and branches of a main graph as one kernel each, for delegates that take them whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from lite_delegate_kernels import ArraySpec

from ...data_class import dataclass
from ...delegate import Body, Branches, Rounds
from ...ir import DataType, Node, to_numpy
from ...tensor import Tensor
from ..binding.bind import BoundGraph
from ..binding.host_kernel import HostKernel
from ..binding.node_kernel import NodeKernel


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """A loop or a choice.

    Attributes:
        call: the kernel whose place it takes.
        nodes: of the main graph that are gone with it.
        graphs: numbers of the subgraphs that it runs.
        inputs: of the kernel that stands for it, by the nodes that have them and their positions there.
        control_flow: what it runs.
        outputs: what is known of what it gives.
    """

    call: HostKernel
    nodes: tuple[Node, ...]
    graphs: tuple[int, ...]
    inputs: tuple[tuple[NodeKernel, int], ...]
    control_flow: Branches | Rounds
    outputs: tuple[ArraySpec, ...]


class NoRegion(Exception):
    """Why a call is none that a delegate can take whole, for people."""


def regions_of(graphs: Sequence[BoundGraph]) -> dict[HostKernel, Region | NoRegion]:
    """The calls of the main graph, with the loops and choices that they are.

    Args:
        graphs: of the model, the main graph first.
    """
    main, known = _Calls(graphs[0]), {graph.index: _Calls(graph) for graph in graphs}
    found: dict[HostKernel, Region | NoRegion] = {}
    for call in main.calls:
        try:
            found[call] = _region(call, main, known)
        except NoRegion as why:
            found[call] = why
    return found


class _Calls:
    """A graph by who makes and who reads its tensors."""

    def __init__(self, graph: BoundGraph) -> None:
        self.graph = graph
        self.makers = {tensor: kernel for kernel in graph.kernels for tensor in kernel.outputs}
        self.readers: dict[Tensor, list[NodeKernel]] = {}
        for kernel in graph.kernels:
            for tensor in dict.fromkeys(kernel.inputs):
                self.readers.setdefault(tensor, []).append(kernel)
        self.host = [kernel for kernel in graph.kernels if isinstance(kernel, HostKernel)]
        self.calls = [kernel for kernel in self.host if kernel.is_call]

    @property
    def others(self) -> tuple[NodeKernel, ...]:
        """What the runtime does not run itself."""
        return tuple(kernel for kernel in self.graph.kernels if not isinstance(kernel, HostKernel))

    def maker(self, tensor: Tensor, op_type: str) -> NodeKernel:
        """The node of a type that gives a tensor."""
        found = self.makers.get(tensor)
        _wanted(found is not None and found.type == op_type, f"{op_type} must give '{tensor.name}'")
        assert found is not None
        return found

    def alone(self, kernel: NodeKernel, readers: Sequence[NodeKernel]) -> NodeKernel:
        """A node whose result only some others read."""
        (result,) = kernel.outputs
        are_all = all(reader in readers for reader in self.readers.get(result, ()))
        _wanted(are_all and result not in self.graph.outputs, f"nothing else may read '{result.name}'")
        return kernel

    def tail(self) -> HostKernel:
        """The call whose results are the graph's."""
        _wanted(len(self.calls) == 1, "a round may call nothing but the next one")
        (call,) = self.calls
        _wanted(call.outputs == self.graph.outputs, "a round must end with a call")
        return call


def _wanted(condition: bool, why: str) -> None:
    if not condition:
        raise NoRegion(why)


def _region(call: HostKernel, main: _Calls, known: Mapping[int, _Calls]) -> Region:
    (target, *more) = call.inputs
    _wanted(not more, "a call must have all its inputs bound")
    _wanted(not any(each.graph.variables for each in known.values()), "the model has variables")
    chooses = main.makers.get(target)
    if chooses is not None and chooses.type == "Switch":
        return _choice(call, main.alone(chooses, [call]), main, known)
    return _loop(call, main.alone(main.maker(target, "PartialFusion"), [call]), main, known)


def _target(partial: NodeKernel, known: Mapping[int, _Calls]) -> _Calls:
    assert partial.primitive is not None
    index = int(partial.primitive.attributes()["sub_graph_index"])
    _wanted(index in known, f"subgraph {index} is never called")
    return known[index]


def _choice(call: HostKernel, switch: NodeKernel, main: _Calls, known: Mapping[int, _Calls]) -> Region:
    handles = switch.inputs[1:]
    partials = [main.alone(main.maker(handle, "PartialFusion"), [switch]) for handle in handles]
    targets = [_target(partial, known) for partial in partials]
    _wanted(
        all(not target.host for target in targets), "branches may not have control flow, lists or variables in them"
    )
    inputs: list[tuple[NodeKernel, int]] = [(switch, 0)]
    places: dict[Tensor, Tensor] = {}
    bodies = []
    given = dict.fromkeys(tensor for partial in partials for tensor in partial.inputs)
    inputs += [next((p, p.inputs.index(tensor)) for p in partials if tensor in p.inputs) for tensor in given]
    for partial, target in zip(partials, targets, strict=True):
        places = dict(zip(partial.inputs, target.graph.inputs, strict=True))
        _wanted(len(places) == len(partial.inputs), "a branch must be given each tensor once")
        unread = [_like(tensor) for tensor in given]
        own = tuple(places.get(tensor, other) for tensor, other in zip(given, unread, strict=True))
        bodies.append(Body(own, target.others, target.graph.outputs))
    specs = tuple(_common(a, b) for a, b in zip(bodies[0].outputs, bodies[1].outputs, strict=True))
    nodes = (call.node, switch.node, *(partial.node for partial in partials))
    graphs = tuple(target.graph.index for target in targets)
    return Region(call, nodes, graphs, tuple(inputs), Branches(*bodies), specs)


def _like(tensor: Tensor) -> Tensor:
    """What stands for a tensor that a branch is not given."""
    return Tensor.describe(tensor.name, tensor.dtype, tuple(tensor.shape))


def _common(a: Tensor, b: Tensor) -> ArraySpec:
    _wanted(a.dtype == b.dtype and a.shape == b.shape, f"branches must give one shape, give {a.shape} and {b.shape}")
    return _spec(a)


def _spec(tensor: Tensor) -> ArraySpec:
    _wanted(tensor.has_known_shape, f"shapes must be known, '{tensor.name}' has {tensor.shape}")
    return ArraySpec(to_numpy(tensor.dtype), tuple(tensor.shape))


def _loop(call: HostKernel, start: NodeKernel, main: _Calls, known: Mapping[int, _Calls]) -> Region:
    deciding = _target(start, known)
    decides = deciding.tail()
    (target,) = decides.inputs
    switch = deciding.maker(target, "Switch")
    test, *handles = switch.inputs
    partials = [deciding.maker(handle, "PartialFusion") for handle in handles]
    doing, ending = (_target(partial, known) for partial in partials)
    state = deciding.graph.inputs
    _wanted(all(p.inputs == state for p in partials), "a round must be given the whole state, in order")
    again = doing.maker(doing.tail().inputs[0], "PartialFusion")
    _wanted(_target(again, known) is deciding, "a round must end with the next one")
    lists = [place for place, tensor in enumerate(state) if tensor.dtype == DataType.TENSOR_LIST]
    loop = _Loop(start, deciding, doing, ending, again, test, lists)
    reserves = [main.alone(main.maker(start.inputs[place], "TensorListReserve"), [start]) for place in lists]
    hosts = {"condition": (deciding, 4), "round": (doing, 2 + len(lists)), "end": (ending, len(loop.stacks))}
    for name, (each, count) in hosts.items():
        _wanted(len(each.host) == count, f"the {name} may not have control flow, lists or variables in it")
    rounds = loop.rounds()
    inputs = tuple((start, place) for place in range(len(state)) if place not in lists)
    nodes = (call.node, start.node, *(reserve.node for reserve in reserves))
    graphs = tuple(each.graph.index for each in (deciding, doing, ending))
    return Region(call, nodes, graphs, inputs, rounds, tuple(map(_spec, rounds.end.outputs)))


class _Loop:
    """A loop of three graphs: one decides, one does a round and decides again, one ends."""

    def __init__(
        self,
        start: NodeKernel,
        deciding: _Calls,
        doing: _Calls,
        ending: _Calls,
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
        _wanted(not items or count is not None, "how many rounds there are must be known, as results of each are kept")
        stacked = {
            stack.outputs[0]: Tensor.describe(stack.outputs[0].name, item.dtype, (count or 0, *item.shape))
            for stack, item in zip(self.stacks.values(), items, strict=True)
        }
        end = self._ending
        _wanted(
            not any(tensor in stacked for kernel in end.others for tensor in kernel.inputs),
            "what is kept of rounds must be given as it is",
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
        _wanted([reader.type for reader in readers] == ["TensorListStack"], f"list '{given.name}' must be joined once")
        return readers[0]

    def _item(self, place: int) -> Tensor:
        """What each round adds to a list, at the place of its own number."""
        sets = self._doing.maker(self._again.inputs[place], "TensorListSetItem")
        given, number, item = sets.inputs
        inputs = self._doing.graph.inputs
        counts = number in inputs and self._is_counter(inputs.index(number))
        _wanted(given is inputs[place] and counts, f"list '{given.name}' must get one tensor in each round, in order")
        return item

    def _is_counter(self, place: int) -> bool:
        """Whether a part of the state is 0, 1, 2, ... in the rounds."""
        number, following = self._doing.graph.inputs[place], self._doing.makers.get(self._again.inputs[place])
        if following is None or following.type != "AddFusion" or following.primitive is None:
            return False
        if following.primitive.given() or following.inputs[0] is not number:
            return False
        return _is_value(self._start.inputs[place], 0) and _is_value(following.inputs[1], 1)

    def _counts(self) -> tuple[int | None, int | None]:
        """How many rounds there are, and how many at most, where that follows from a counter and constants."""
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
        """The constant that a part of the state is at the start and stays; None for others."""
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
