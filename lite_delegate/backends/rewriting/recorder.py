"""Recorder: an emitter that records operators, so that they can be rewritten before a backend gets them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

from ...basics.data_class import dataclass
from ...tensors.tensor import Array
from ..lowering import Attributes, Dtype, Emitter, Shape, Spec, Term


@dataclass(slots=True, eq=False)
class Handle:
    """The identity of a term in a record.

    Attributes:
        maker: the node that gives it; None for inputs and constants.
        place: of the result among the maker's.
    """

    maker: WrittenOperator | None = None
    place: int = 0


@dataclass(slots=True, eq=False)
class WrittenOperator:
    """One operator that was written.

    Attributes:
        op: its name, as an emitter takes it.
        operands: terms of the record; None for absent ones.
        results: terms of the record.
        attributes: as an emitter takes them.
        layer: the kernel that it belongs to.
    """

    op: str
    operands: Sequence[Term | None]
    results: Sequence[Term]
    attributes: Attributes
    layer: str


@dataclass(slots=True, eq=False)
class Recorder:
    """A record of operators, for the emitter of a backend.

    Args:
        emitter: the backend's. It checks what is written, and gets it at the end.

    Attributes:
        nodes: what was written, in order.
        inputs: handle, name, element type and dimensions of each input.
    """

    emitter: Emitter
    layer: str = ""
    nodes: list[WrittenOperator] = field(default_factory=list)
    inputs: list[tuple[Handle, str, Dtype, Shape]] = field(default_factory=list)

    @property
    def takes_unknown(self) -> bool:
        """Whether the backend takes dimensions that are unknown."""
        return self.emitter.takes_unknown

    def check(self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes) -> None:
        """The backend's checks.

        Raises:
            NotLowered: the backend cannot do it.
        """
        self.emitter.check(op, operands, results, attributes)

    def input(self, name: str, dtype: Dtype, shape: Shape) -> Handle:
        """The handle of an input."""
        handle = Handle()
        self.inputs.append((handle, name, dtype, shape))
        return handle

    def constant(self, array: Array) -> Handle:
        """The handle of a constant; its term has the contents."""
        return Handle()

    def node(
        self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes
    ) -> list[Handle]:
        """The handles of an operator's results."""
        self.nodes.append(written_by(self.layer, op, operands, results, attributes))
        return [term.handle for term in self.nodes[-1].results]

    def readers(self) -> dict[Handle, list[WrittenOperator]]:
        """The nodes that read each term, by its handle."""
        found: dict[Handle, list[WrittenOperator]] = {}
        for node in self.nodes:
            for term in node.operands:
                if term is not None:
                    found.setdefault(term.handle, []).append(node)
        return found

    def put(self, old: WrittenOperator, new: Sequence[WrittenOperator]) -> None:
        """Puts nodes in the place of one; the last of them gives the terms that the old one gave."""
        last = new[-1]
        last.results = old.results
        for place, term in enumerate(old.results):
            term.handle.maker, term.handle.place = last, place
        index = self.nodes.index(old)
        self.nodes[index : index + 1] = new

    def replay(self, outputs: Sequence[Term]) -> list[Term]:
        """Writes the operators that the outputs need to the backend's emitter; returns the outputs as its terms."""
        known: dict[Handle, Term] = {}
        for handle, name, dtype, shape in self.inputs:
            known[handle] = Term(self.emitter.input(name, dtype, shape), dtype, shape)

        def written(term: Term) -> Term:
            if term.handle not in known:
                assert term.constant is not None
                known[term.handle] = replace(term, handle=self.emitter.constant(term.constant))
            return known[term.handle]

        for node in self.needed(outputs):
            self.emitter.layer = node.layer
            operands = [None if term is None else written(term) for term in node.operands]
            specs = [(term.dtype, term.shape) for term in node.results]
            handles = self.emitter.node(node.op, operands, specs, node.attributes)
            for term, handle in zip(node.results, handles, strict=True):
                known[term.handle] = Term(handle, term.dtype, term.shape)
        self.emitter.layer = ""
        return [written(term) for term in outputs]

    def needed(self, outputs: Sequence[Term]) -> list[WrittenOperator]:
        """The nodes that outputs need, in order."""
        read = {term.handle for term in outputs}
        kept = []
        for node in reversed(self.nodes):
            if any(term.handle in read for term in node.results):
                kept.append(node)
                read.update(term.handle for term in node.operands if term is not None)
        return kept[::-1]


def written_by(
    layer: str, op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes
) -> WrittenOperator:
    """A node of a layer, with new terms as its results."""
    node = WrittenOperator(op, operands, [], attributes, layer)
    node.results = [Term(Handle(node, place), *spec) for place, spec in enumerate(results)]
    return node


def constant_term(array: Array) -> Term:
    """A term of a record that is a constant."""
    return Term(Handle(), array.dtype, array.shape, array)
