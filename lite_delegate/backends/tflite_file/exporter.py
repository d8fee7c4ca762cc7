"""TfliteExporter: a delegate that takes whole models to write them to files; nothing runs on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from ...basics.data_class import dataclass
from ...delegate import Delegate, DelegateModel, Kernel, SupportResult
from ...errors import DelegateBuildError, DelegateExecuteError, GraphError
from ...formats.tflite.export import TfliteFile, TfliteWriter
from ...semantics.fitting import DoesNotFit
from ...tensors.tensor import Tensor
from ..lowering import NotLowered
from .scope import RUN, Purpose, RunScope
from .states import State, assign_states, read_states
from .stored import Place, StoredForm, keep_stored
from .writing import claim, write_kernel

NONE_STORED: Mapping[Place, StoredForm] = MappingProxyType({})
WHOLE = Purpose(counts=True)
"""A whole model."""
SIGNATURE = "serving_default"
"""The key of the signature of a model that has none."""


@dataclass(frozen=True, slots=True)
class SignatureNames:
    """A signature: names for positions of inputs and outputs.

    Attributes:
        key: of the signature.
        inputs: positions by name.
        outputs: positions by name.
    """

    key: str
    inputs: Mapping[str, int]
    outputs: Mapping[str, int]


class TfliteRun(Kernel):
    """The graph kernel in place of a run that was written to a file."""

    def execute(self) -> None:
        """Raises DelegateExecuteError."""
        raise DelegateExecuteError(f"'{self.name}' was written to a file, and does not run.")


class TfliteExporter(Delegate):
    """Claims the kernels that TensorFlow Lite's operators can express, and writes the model once it is planned.

    Args:
        purpose: of the file.
        states: the variables that the last inputs and outputs of the model are the contents of.
        signatures: names for inputs and outputs; none: one signature with the names of the tensors.
        stored: the forms that constants have in the model's file.
    """

    name = "TensorFlow Lite file"
    takes_control_flow = True
    takes_endless_loops = True  # nothing runs

    def __init__(
        self,
        *,
        purpose: Purpose = WHOLE,
        states: Sequence[State] = (),
        signatures: Sequence[SignatureNames] = (),
        stored: Mapping[Place, StoredForm] = NONE_STORED,
    ) -> None:
        self._purpose, self._states, self._signatures, self._stored = purpose, states, signatures, stored
        self._kernels: Sequence[Kernel] = ()
        self._inputs: Sequence[Tensor] = ()
        self._outputs: Sequence[Tensor] = ()

    def supports(self, kernel: Kernel) -> SupportResult:
        """The writer's answer."""
        return claim(kernel, self._purpose)

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        """Takes the run for the whole model, which it is where every kernel is claimed."""
        self._kernels, self._inputs, self._outputs = tuple(run), tuple(model.inputs), tuple(model.outputs)
        boundary = model.boundary_of(run)
        return TfliteRun("file", "TFLite", boundary.inputs, boundary.outputs)

    def model(self) -> TfliteWriter:
        """The model, whose file is not put together yet.

        Raises:
            DelegateBuildError: a kernel cannot be written.
            GraphError: there are no kernels: the model computes nothing from its inputs.
        """
        if not self._kernels:
            raise GraphError("The model has no operators to write: its outputs are constants or inputs.")
        return written_model(
            self._kernels,
            self._inputs,
            self._outputs,
            purpose=self._purpose,
            states=self._states,
            signatures=self._signatures,
            stored=self._stored,
        )


def written(
    kernels: Sequence[Kernel], inputs: Sequence[Tensor], outputs: Sequence[Tensor], purpose: Purpose = RUN
) -> TfliteFile:
    """Kernels as a file, see ``written_model``."""
    return written_model(kernels, inputs, outputs, purpose=purpose).finish()


def written_model(
    kernels: Sequence[Kernel],
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    *,
    purpose: Purpose = RUN,
    states: Sequence[State] = (),
    signatures: Sequence[SignatureNames] = (),
    stored: Mapping[Place, StoredForm] = NONE_STORED,
) -> TfliteWriter:
    """Kernels as a model.

    Args:
        kernels: in execution order.
        inputs: the file's inputs.
        outputs: the file's outputs; one may be an input or a constant.
        purpose: of the file.
        states: the variables that the last inputs and outputs are the contents of.
        signatures: names for inputs and outputs; none: one signature with the names of the tensors.
        stored: the forms that constants have in the model's file.

    Raises:
        DelegateBuildError: a kernel cannot be written; the message names it.
    """
    model = TfliteWriter()
    graph = model.graph("main")
    own_inputs, own_outputs = (each[: len(each) - len(states)] for each in (inputs, outputs))
    graph.keep_names([tensor.name for tensor in (*own_inputs, *own_outputs)])
    scope = RunScope(model, graph, purpose)
    for tensor in own_inputs:
        scope.take(tensor)
    handles = read_states(scope, states, inputs[len(own_inputs) :])
    for kernel in kernels:
        try:
            write_kernel(kernel, scope)
        except (NotLowered, DoesNotFit) as e:
            raise DelegateBuildError(
                f"Kernel '{kernel.name}' ({kernel.type}) cannot be written as TensorFlow Lite: {e}."
            ) from e
    assign_states(scope, handles, outputs[len(own_outputs) :])
    scope.finish(own_outputs)
    if stored:
        for each in model.graphs:
            keep_stored(each, stored, hybrid=purpose.is_tflite)
    own = SignatureNames(
        SIGNATURE, *({x.name: place for place, x in enumerate(each)} for each in (graph.inputs, graph.outputs))
    )
    for names in signatures or (own,):
        model.signature(
            names.key,
            {name: graph.inputs[place] for name, place in names.inputs.items()},
            {name: graph.outputs[place] for name, place in names.outputs.items()},
        )
    return model
