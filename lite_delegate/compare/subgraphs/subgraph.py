"""A subgraph of the delegate, taken apart: its kernels one by one, and the first kernel that is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from lite_delegate_kernels import Array

from ...basics.failures import traceback_of, traceback_text
from ...delegate import Boundary, Delegate, DelegateModel
from ...errors import DelegateBuildError, LiteDelegateError
from ...runtime.binding.node_kernel import NodeKernel
from ...runtime.execution.stand_in import StandIn
from ...runtime.planning.claims.trial import DelegateTrial
from ...runtime.records import sources_of
from ...tensors.tensor import Tensor
from ..results import Comparison, Culprit, Outcome, worst
from .bisect import smallest_bad
from .judge import Judge, ReferenceOutputs
from .recording import RecordedCall, watched
from .stretch import KernelStretch, Wrap, stretch_on_delegate

Values = Mapping[Tensor, Array]
NO_REFERENCE = "the CPU cannot run it on these inputs"
PureOf = Callable[[ReferenceOutputs], ReferenceOutputs | None]


class Subgraph:
    """One graph kernel and the nodes that it stands for.

    Args:
        name: the name of the graph kernel.
        type: the type of the graph kernel.
        graph: the subgraph of the model that it is in.
        stand_in: the nodes' reference kernels.
        delegate: made the graph kernel.
        judge: decides what is within tolerance.
        trial: tries parts of it in another process before they are built; None: nothing does.
    """

    def __init__(
        self,
        name: str,
        type: str,
        graph: str,
        stand_in: StandIn,
        delegate: Delegate,
        judge: Judge,
        trial: DelegateTrial | None = None,
    ) -> None:
        self.name = name
        self.nodes: tuple[NodeKernel, ...] = stand_in.kernels
        self._type = type
        self._graph = graph
        self._stand_in = stand_in
        self.delegate = delegate
        self.judge = judge
        self._trial = trial
        self._model = DelegateModel(self.nodes, stand_in.inputs, stand_in.outputs)

    @property
    def obstacle(self) -> str:
        """The reason why it cannot be compared, "" when it can."""
        return self._stand_in.obstacle and f"the CPU cannot run it: {self._stand_in.obstacle}"

    def whole(
        self, number: int, call: RecordedCall, pure: ReferenceOutputs | None, same: ReferenceOutputs | None = None
    ) -> Comparison:
        """A run of the graph kernel.

        Args:
            number: the number of the run in the prediction.
            call: the inputs and outputs of the run.
            pure: what the reference kernels gave in the reference run.
            same: what they give for the same inputs; None: they are run for that.
        """
        if call.outputs is None:
            return _told(self._comparison(number, Outcome.FAILED), call)
        try:
            same = same or self._reference(self.nodes, self._stand_in.inputs, self._stand_in.outputs, call.inputs)
        except LiteDelegateError as e:
            return self.skipped(number, f"{NO_REFERENCE}: {e}")
        tensors = self.judge.kernel(self._stand_in.outputs, call.outputs, same, pure)
        outcome = Outcome.FAILED if call.error else worst(t.outcome for t in tensors)
        return replace(_told(self._comparison(number, outcome), call), tensors=tensors)

    def skipped(self, number: int, reason: str) -> Comparison:
        """A run that is not compared."""
        return self._comparison(number, Outcome.SKIPPED, reason)

    def parts(self, number: int, inputs: Sequence[Array], pure: Sequence[Array] | None) -> tuple[Comparison, ...]:
        """Each kernel by itself, in order: the subgraph is cut into single kernels, each fed with the results of the
        ones before.

        Args:
            number: which run of the subgraph in the prediction.
            inputs: of that run.
            pure: the inputs of the same run on the reference; None when that did not get there.
        """
        return tuple(self._parts(number, inputs, pure))

    def culprit(self, number: int, inputs: Sequence[Array], known: int | None = None) -> Culprit:
        """The smallest stretch that is wrong by itself, found by splitting. Every stretch gets the reference kernels'
        values for ``inputs`` up to there.

        Args:
            number: which run of the subgraph in the prediction.
            inputs: of that run.
            known: position of a kernel that was found to be wrong already; it is tried alone, and nothing is split.

        Raises:
            KernelError: the reference kernels cannot run on the inputs.
        """
        values = self.values(inputs)
        tried: dict[tuple[int, int], Comparison] = {}

        def is_bad(start: int, stop: int) -> bool:
            tried[start, stop], _ = self._tried(start, stop, values, number, _itself)
            return tried[start, stop].outcome.is_fault

        start, stop = smallest_bad(len(self.nodes), is_bad) if known is None else (known, known + 1)
        found = tried.get((start, stop)) or self._tried(start, stop, values, number, _itself)[0]
        skipped = [c.detail for c in tried.values() if c.outcome is Outcome.SKIPPED]
        notes = [f"{len(skipped)} stretches could not be tried, the first because {skipped[0]}"] if skipped else []
        if not found.outcome.is_fault:
            what = "the subgraph" if known is None else "the kernel"
            notes.append(f"{what} built by itself from the same nodes is not wrong")
        together = found.outcome.is_fault and stop - start > 1
        return Culprit(self.name, found, max(len(tried), 1), together, note="; ".join(notes))

    def stretch(self, names: Sequence[str]) -> tuple[tuple[NodeKernel, ...], Boundary]:
        """The nodes of a stretch, and the tensors that cross its boundary."""
        start = next(i for i, node in enumerate(self.nodes) if node.name == names[0])
        return self.nodes[start : start + len(names)], self._model.boundary(start, start + len(names))

    def values(self, inputs: Sequence[Array], wrap: Wrap | None = None) -> Values:
        """Every tensor of the subgraph by the reference kernels, for its inputs.

        Args:
            inputs: the inputs of the subgraph.
            wrap: what becomes of the kernels' functions; None: they stay.

        Raises:
            KernelError: a CPU kernel failed.
        """
        made = tuple(dict.fromkeys(t for node in self.nodes for t in node.outputs))
        results = KernelStretch(self.nodes, self._stand_in.inputs, made, wrap).run(inputs)
        return dict(zip((*self._stand_in.inputs, *made), (*inputs, *results), strict=True))

    def prefix(self, index: int, given: Sequence[Array], pure: Sequence[Array]) -> tuple[Values, Values]:
        """Builds and runs the first kernels alone on the delegate, the kernel at ``index`` included.

        Args:
            index: the position of the last kernel.
            given: the inputs of the subgraph on the device.
            pure: its inputs in the reference run.

        Returns:
            What the last kernel reads and gives, of all that the prefix makes: on the delegate, and by the reference
            kernels in the reference run.

        Raises:
            DelegateBuildError: the delegate does not take the prefix by itself.
            DelegateExecuteError: it failed.
            KernelError: the reference kernels cannot run.
        """
        nodes, inputs = self.nodes[: index + 1], self._model.boundary(0, index + 1).inputs
        made = {tensor for node in nodes for tensor in node.outputs}
        wanted = tuple(dict.fromkeys(t for t in (*nodes[-1].inputs, *nodes[-1].outputs) if t in made))
        exact, handed = self.values(pure), dict(zip(self._stand_in.inputs, given, strict=True))
        part = stretch_on_delegate(self.delegate, nodes, inputs, wanted, self._trial)
        try:
            outputs = part.run([handed[tensor].copy() for tensor in inputs])
            return {t: x.copy() for t, x in zip(wanted, outputs, strict=True)}, {t: exact[t] for t in wanted}
        finally:
            part.release()

    def _rounded_values(self, inputs: Sequence[Array]) -> Values | None:
        wrap = self.judge.wrap
        try:
            return None if wrap is None else self.values(inputs, wrap)
        except LiteDelegateError:  # an operator may reject rounded numbers; then the tolerance stays as it is
            return None

    def _parts(self, number: int, inputs: Sequence[Array], pure: Sequence[Array] | None) -> Iterator[Comparison]:
        given = dict(zip(self._stand_in.inputs, inputs, strict=True))
        exact = None if pure is None else self.values(pure)
        rounded = None if pure is None else self._rounded_values(pure)
        for i in range(len(self.nodes)):
            boundary = self._model.boundary(i, i + 1)
            want = None if exact is None else _picked(exact, boundary.outputs, rounded)
            compared, outputs = self._tried(i, i + 1, given, number, partial(_given, want))
            yield compared
            if boundary.outputs and not outputs:
                if exact is None:
                    return
                outputs = [exact[t] for t in boundary.outputs]
            given.update(zip(boundary.outputs, outputs, strict=True))

    def _tried(
        self, start: int, stop: int, values: Values, number: int, pure_of: PureOf
    ) -> tuple[Comparison, Sequence[Array]]:
        """A stretch by itself on the delegate, and what it gives; what the reference gives where it does not run.

        Args:
            values: the values that the stretch reads.
            pure_of: gives what the reference run gave, from what the reference kernels give for ``values``.

        Returns:
            The comparison, and the outputs; none where the reference kernels cannot run on the values either.
        """
        nodes, boundary = self.nodes[start:stop], self._model.boundary(start, stop)
        given, head = [values[t] for t in boundary.inputs], self._head(nodes, number)
        try:
            same = self._reference(nodes, boundary.inputs, boundary.outputs, given)
        except LiteDelegateError as e:
            return replace(head, outcome=Outcome.SKIPPED, detail=f"{NO_REFERENCE}: {e}"), ()
        try:
            call = self._on_delegate(nodes, boundary, given)
        except DelegateBuildError as e:
            trace = traceback_text(e) if e.__cause__ is not None else ""
            return replace(head, outcome=Outcome.SKIPPED, detail=str(e), traceback=trace), same.outputs
        if call.outputs is None:
            return replace(_told(head, call), outcome=Outcome.FAILED), same.outputs
        tensors = self.judge.kernel(boundary.outputs, call.outputs, same, pure_of(same))
        outcome = Outcome.FAILED if call.error else worst(t.outcome for t in tensors)
        outputs: Sequence[Array] = same.outputs
        if all(t.outcome is not Outcome.FAILED for t in tensors):  # else no kernel behind it could take them
            outputs = [with_meaning(g, s) for g, s in zip(call.outputs, same.outputs, strict=True)]
        return replace(_told(head, call), outcome=outcome, tensors=tensors), outputs

    def _on_delegate(self, nodes: Sequence[NodeKernel], boundary: Boundary, given: Sequence[Array]) -> RecordedCall:
        part = stretch_on_delegate(self.delegate, nodes, boundary.inputs, boundary.outputs, self._trial)
        try:
            return watched(lambda *arrays: part.run(arrays), [array.copy() for array in given])
        finally:
            part.release()

    def _reference(
        self,
        nodes: Sequence[NodeKernel],
        inputs: Sequence[Tensor],
        outputs: Sequence[Tensor],
        arrays: Sequence[Array],
    ) -> ReferenceOutputs:
        exact, wrap = KernelStretch(nodes, inputs, outputs).run(arrays), self.judge.wrap
        try:
            return ReferenceOutputs(
                exact, None if wrap is None else KernelStretch(nodes, inputs, outputs, wrap).run(arrays)
            )
        except LiteDelegateError:  # as in _rounded_values
            return ReferenceOutputs(exact)

    def _head(self, nodes: Sequence[NodeKernel], number: int) -> Comparison:
        names = tuple(node.name for node in nodes)
        name = names[0] if len(names) == 1 else f"{names[0]} ... {names[-1]}"
        types = dict.fromkeys(node.type for node in nodes)
        return Comparison(name, ", ".join(types), self._graph, names, number, Outcome.OK, sources=sources_of(nodes))

    def _comparison(self, number: int, outcome: Outcome, detail: str = "") -> Comparison:
        names = tuple(node.name for node in self.nodes)
        sources = sources_of(self.nodes)
        return Comparison(self.name, self._type, self._graph, names, number, outcome, detail, sources=sources)


def _told(comparison: Comparison, call: RecordedCall) -> Comparison:
    """The comparison with the errors raised in the call."""
    return replace(comparison, detail=str(call.error), traceback=traceback_of(call.error))


def with_meaning(got: Array, same: Array) -> Array:
    """An output of a delegate, with the reference's quantization parameters where the integers are equal."""
    if type(same) is np.ndarray or (got.dtype, got.shape) != (same.dtype, same.shape):
        return got
    return same if got.tobytes() == same.tobytes() else got


def _itself(same: ReferenceOutputs) -> ReferenceOutputs | None:
    """For a stretch that is given the reference's values: it inherits nothing."""
    return same


def _given(pure: ReferenceOutputs | None, same: ReferenceOutputs) -> ReferenceOutputs | None:
    return pure


def _picked(exact: Values, tensors: Sequence[Tensor], rounded: Values | None) -> ReferenceOutputs:
    return ReferenceOutputs([exact[t] for t in tensors], None if rounded is None else [rounded[t] for t in tensors])
