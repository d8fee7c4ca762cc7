"""Comparison of a prediction on the delegate with one on the reference kernels, subgraph by subgraph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

import numpy as np
from lite_delegate_kernels import Array

from ..basics.data_class import dataclass
from ..basics.similar import did_you_mean
from ..basics.words.one_line import Brief
from ..delegate import Delegate, Kernel
from ..errors import InputError, KernelError, LiteDelegateError
from ..inference import CompiledModel
from ..inference.tensors.given_inputs import arrays_of
from ..mindspore.context.context import Context
from ..mindspore.model import Model
from ..mindspore.model_type import ModelType
from ..numerics.usability import OutputUse, UsableLimits, kinds_of, uses_of
from ..tensors.tensor import Tensor
from .loss import Loss
from .losses.emulation import Emulation
from .losses.losses import largest, on_device
from .losses.repairing import Repairing, Sample
from .repair import RepairOptions
from .reports.findings import explained_text
from .reports.report import ComparisonReport
from .reproducer import Piece, Reproducer
from .results import Comparison, TensorComparison
from .subgraphs.judge import Judge, ReferenceOutputs
from .subgraphs.recording import CallKey, CallRecorder, RecordedCall, Recording
from .subgraphs.stretch import Wrap
from .subgraphs.subgraphs import storage_of, subgraphs_of
from .subgraphs.tolerance import AskedTolerance

MOST_LOSSES = 8
"""The lossy kernels that a report shows."""
MOST_PREFIXES = 3
"""The lossy kernels that are tried on the device."""
MAX_CALLS = 100
"""Runs of one subgraph that are compared in a prediction; a loop may run it more often."""


@dataclass(frozen=True, slots=True)
class CompareOptions(Brief):
    """A choice of subgraphs to compare, and the tolerance.

    Attributes:
        rtol: relative tolerance; None: the default, see ``compare.tolerance``.
        atol: absolute tolerance; None: the default. Where only one of the two is given, the other is 0.
        kernels: compare every kernel of each subgraph by itself, too.
        bisect: find the smallest wrong stretch of each subgraph that is wrong, by splitting it.
        max_calls: how many runs of one subgraph are compared.
        usable: what an output of the model must reach to be usable.
        explained_only: a model that is not usable passes where rounding explains all differences.
        losses: find the kernels at which digits get lost; None: where the model is not usable. With ``bisect`` the
            worst are tried on the device, too.
        repair: find the nodes to keep in float32; None: not.
    """

    rtol: float | None = None
    atol: float | None = None
    kernels: bool = False
    bisect: bool = False
    max_calls: int = MAX_CALLS
    usable: UsableLimits = field(default_factory=UsableLimits)
    explained_only: bool = False
    losses: bool | None = None
    repair: RepairOptions | None = None


def compare(
    model: Model,
    inputs: Sequence[Tensor] | Mapping[str, Tensor | Array],
    options: CompareOptions | None = None,
    reproducer: Reproducer | None = None,
) -> ComparisonReport:
    """Runs a model on its delegates and on the reference kernels, and says where the numbers part.

    1. Own error: what a graph kernel gave, against the reference kernels of the same nodes on the same inputs.
    2. Inherited error: the reference kernels on those inputs, against them on the inputs of the reference run, in which
       no graph kernel takes part.
    3. Total error: what the graph kernel gave, against the reference run. It is at most the sum of the two.

    There are two verdicts, see ``ComparisonReport.explained`` and ``usable``: whether rounding explains all of that,
    and whether the outputs of the model are near enough to the reference's.

    Args:
        model: built with a delegate and with ``Context.on_delegate_error = "fallback"``, which keeps the reference
            kernels of what the delegate took; for the shapes of the inputs, or with open dimensions.
        inputs: as for ``Model.predict``. They are not written to.
        options: what is compared; the defaults when None.
        reproducer: saves what ``options.bisect`` finds; None saves nothing.

    Raises:
        InputError: no delegate, one whose model was built otherwise, inputs that do not fit, classes of an output that
            the model does not have, or a repair that is not possible, see ``Repairing``.
        KernelError: a CPU kernel failed in the reference run.
        LiteDelegateError: the model has not been built.
    """
    options = CompareOptions() if options is None else options
    compiled = model.compiled_for(inputs)
    arrays = [np.array(array, order="C") for array in arrays_of(inputs, compiled.inputs)]
    return _Comparing(compiled, model.model_path_, arrays, options).report(reproducer)


class _Comparing:
    """One comparison: the predictions are recorded when it is made."""

    def __init__(self, compiled: CompiledModel, path: str, arrays: Sequence[Array], options: CompareOptions) -> None:
        self._asked = AskedTolerance(options.rtol, options.atol)
        self._options, self._compiled, self._path, self._arrays = options, compiled, path, arrays
        _check_classes(options.usable, compiled)
        self._subgraphs = subgraphs_of(compiled, self._asked)
        self._delegates = list(compiled.delegates)
        recorder = CallRecorder(compiled, options.max_calls)
        self._pure = recorder.reference(arrays)
        self._emulation = Emulation(recorder, self._subgraphs, arrays, self._pure)
        self._kinds = kinds_of(compiled.graph, storage_of(self._subgraphs))
        self._rounded = self._rounded_run(recorder, arrays)
        self._device = recorder.delegate([array.copy() for array in arrays])  # a delegate may write to them

    def report(self, reproducer: Reproducer | None) -> ComparisonReport:
        """The report; what is found by splitting is saved first."""
        compared = {key: self._compared(key) for key in self._device.calls}
        found = ComparisonReport(
            model=self._path,
            delegate=", ".join(self._delegates),
            rtol=self._options.rtol,
            atol=self._options.atol,
            subgraphs=tuple(compared.values()),
            outputs=self._outputs(),
            notes=tuple(self._notes()),
            error=self._device.error,
            uses=self._uses(),
            limits=self._options.usable,
            explained_only=self._options.explained_only,
        )
        if self._options.bisect or reproducer is not None:
            found = self._with_culprits(found, _first_wrong(compared), reproducer)
        return self._with_repair(self._with_losses(found))

    def _with_culprits(
        self, report: ComparisonReport, wrong: Mapping[CallKey, Comparison], reproducer: Reproducer | None
    ) -> ComparisonReport:
        pieces: list[Piece] = []
        for (kernel, number), compared in wrong.items():
            subgraph, inputs = self._subgraphs[kernel], self._device.calls[kernel, number].inputs
            try:
                pieces.append((subgraph, inputs, subgraph.culprit(number, inputs, _known(compared))))
            except KernelError as e:  # wrong numbers came in
                report = report.with_note(f"Subgraph '{kernel.name}' cannot be split: {e}")
        if reproducer is not None and pieces:
            return replace(report, culprits=reproducer.save(pieces, self._delegates, self._asked, self._shows))
        return replace(report, culprits=tuple(culprit for _, _, culprit in pieces))

    def _rounded_run(self, recorder: CallRecorder, arrays: Sequence[Array]) -> Recording:
        """The reference run with rounded tensors; empty where the tolerance does not depend on it."""
        if not any(s.judge.wrap for s in self._subgraphs.values()):
            return Recording()
        try:
            return recorder.reference(arrays, self._wrap_of)
        except LiteDelegateError:  # an operator may reject rounded numbers; then the tolerance stays as it is
            return Recording()

    def _wrap_of(self, kernel: Kernel) -> Wrap | None:
        return self._subgraphs[kernel].judge.wrap

    def _compared(self, key: CallKey) -> Comparison:
        kernel, number = key
        subgraph, call, pure = self._subgraphs[kernel], self._device.calls[key], self._pure.calls.get(key)
        if subgraph.obstacle:
            return subgraph.skipped(number, subgraph.obstacle)
        reference = self._reference(key)
        found = subgraph.whole(number, call, reference, reference if pure and _equal(call, pure) else None)
        if not self._options.kernels:
            return found
        return replace(found, parts=subgraph.parts(number, call.inputs, None if pure is None else pure.inputs))

    def _shows(self, path: Path, inputs: Mapping[str, Array], delegate: Delegate) -> bool:
        context, model = Context(), Model()
        context.set_delegate(delegate)
        context.on_delegate_error = "fallback"
        model.build_from_file(path, ModelType.MINDIR_LITE, context)
        return not compare(
            model, inputs, CompareOptions(self._options.rtol, self._options.atol, losses=False)
        ).explained

    def _reference(self, key: CallKey) -> ReferenceOutputs | None:
        pure, rounded = self._pure.calls.get(key), self._rounded.calls.get(key)
        if pure is None or pure.outputs is None:
            return None
        return ReferenceOutputs(pure.outputs, None if rounded is None else rounded.outputs)

    def _outputs(self) -> tuple[TensorComparison, ...]:
        got, want = self._device.outputs, self._pure.outputs
        if got is None or want is None:
            return ()
        judge = Judge(self._asked, storage_of(self._subgraphs))
        return judge.outputs(self._compiled.plan.outputs, got, ReferenceOutputs(want, self._rounded.outputs))

    def _uses(self) -> tuple[OutputUse, ...]:
        got, want = self._device.outputs, self._pure.outputs
        return () if got is None or want is None else uses_of(self._kinds, got, want, self._options.usable)

    def _with_losses(self, report: ComparisonReport) -> ComparisonReport:
        wanted = not report.usable if self._options.losses is None else self._options.losses
        if not wanted:
            return report
        if not self._emulation.nodes:
            return report.with_note(
                "The place where digits get lost is unknown: no delegate states a storage type "
                "(Delegate.storage_dtype) "
                "that is coarser than float32."
            )
        found = largest(self._emulation.losses(), MOST_LOSSES)
        if self._options.bisect:
            found = [*map(self._on_device, found[:MOST_PREFIXES]), *found[MOST_PREFIXES:]]
        return replace(report, losses=tuple(found))

    def _on_device(self, loss: Loss) -> Loss:
        key = next(k for k in self._device.calls if (k[0].name, k[1]) == (loss.subgraph, loss.call))
        return on_device(loss, self._subgraphs[key[0]], self._device.calls[key].inputs, self._pure.calls[key].inputs)

    def _with_repair(self, report: ComparisonReport) -> ComparisonReport:
        options, got = self._options.repair, self._device.outputs
        if options is None or got is None:
            return report
        if not report.explained:
            return report.with_note(
                f"Nothing was repaired: float32 repairs only errors from rounding, and there are others here: "
                f"{explained_text(report)}."
            )
        samples = [Sample(self._arrays, self._emulation, got), *map(self._sample, options.also)]
        repairing = Repairing(self._compiled, samples, self._kinds, self._options.usable, options)
        return replace(report, repair=repairing.run())

    def _sample(self, inputs: Mapping[str, Tensor | Array]) -> Sample:
        arrays = [np.array(array, order="C") for array in arrays_of(inputs, self._compiled.inputs)]
        recorder = CallRecorder(self._compiled, self._options.max_calls)
        outputs = recorder.delegate([array.copy() for array in arrays]).outputs
        if outputs is None:
            raise InputError(
                "RepairOptions: the prediction on the delegate stopped early for some of the further inputs."
            )
        return Sample(arrays, Emulation(recorder, self._subgraphs, arrays, recorder.reference(arrays)), outputs)

    def _notes(self) -> Iterator[str]:
        yield from self._compiled.partition.notes
        if not self._subgraphs:
            yield "Nothing is delegated, so there is nothing to compare."
        for kernel in self._subgraphs:
            if not self._device.counts[kernel] and not self._pure.counts[kernel]:
                yield f"Subgraph '{kernel.name}' did not run for these inputs, so it is not compared."
        for kernel, count in self._device.counts.items():
            expected = self._pure.counts[kernel]
            if count != expected:
                yield f"Subgraph '{kernel.name}' ran {count} times on the delegate, {expected} in the reference run."
            if count > self._options.max_calls:
                yield f"Subgraph '{kernel.name}' ran {count} times; the first {self._options.max_calls} are compared."
        for kernel, expected in self._pure.counts.items():
            if kernel not in self._device.counts:
                yield f"Subgraph '{kernel.name}' ran {expected} times in the reference run, never on the delegate."


def _check_classes(limits: UsableLimits, compiled: CompiledModel) -> None:
    names = [value.name for value in compiled.graph.outputs]
    for name in limits.classes or ():
        if name not in names:
            raise InputError(
                f"The model has no output '{name}', which was said to hold classes{did_you_mean(name, names) or '.'}"
            )


def _equal(a: RecordedCall, b: RecordedCall) -> bool:
    """True when two runs of a graph kernel were handed the same bits."""
    return all(
        (x.dtype, x.shape) == (y.dtype, y.shape) and x.tobytes() == y.tobytes()
        for x, y in zip(a.inputs, b.inputs, strict=True)
    )


def _first_wrong(compared: Mapping[CallKey, Comparison]) -> dict[CallKey, Comparison]:
    """For each graph kernel its first run that is wrong by itself; where none is, the first with a kernel that is."""
    first: dict[Kernel, CallKey] = {}
    parts: dict[Kernel, CallKey] = {}
    for key, each in compared.items():
        if each.outcome.is_fault:
            first.setdefault(key[0], key)
        elif _known(each) is not None:
            parts.setdefault(key[0], key)
    return {key: compared[key] for key in (parts | first).values()}


def _known(compared: Comparison) -> int | None:
    """The position of its first kernel that is wrong, where the subgraph as a whole is not; None for neither."""
    if compared.outcome.is_fault:
        return None
    return next((i for i, part in enumerate(compared.parts) if part.outcome.is_fault), None)
