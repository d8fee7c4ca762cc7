"""The models of trials: kernels side by side, each with inputs and outputs of its own."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from ....basics.data_class import dataclass
from ....delegate import Kernel
from ....tensors.tensor import Array, Tensor
from ...lowering import Term
from ...lowering.lowering import Lowering
from ...lowering.run import lower
from ...rewriting import Recorder, Rewrite
from ..emitting.emitter import OnnxEmitter

LAYER = "k{}"
"""The names of the layers in a trial's model, by the position of the kernel."""


class UnnamedEmitter(OnnxEmitter):
    """Writes a model in which no kernel is named: kernels that are alike give the same bytes."""

    @property
    def layer(self) -> str:
        """No name."""
        return ""

    @layer.setter
    def layer(self, name: str) -> None:
        """Forgets the name."""


@dataclass(frozen=True, slots=True, eq=False)
class TrialModel:
    """An ONNX model of kernels that do not read each other.

    Attributes:
        content: the model's bytes.
        outside: constants that are not in the bytes, by name.
    """

    content: bytes
    outside: dict[str, Array]

    @property
    def nbytes(self) -> int:
        """The bytes of the model with its constants."""
        return len(self.content) + sum(array.nbytes for array in self.outside.values())

    @property
    def signature(self) -> str:
        """Equal for models with the same operators, attributes, types, shapes and small constants.

        The bytes declare the types and shapes of large constants, which compilers look at, and not their elements.
        """
        return blake2b(self.content, digest_size=16).hexdigest()


def signed(kernel: Kernel, forms: Sequence[Rewrite]) -> str:
    """The signature of a kernel that the lowering takes.

    Args:
        kernel: the kernel.
        forms: the rewrites that the provider needs.
    """
    return _written([kernel], UnnamedEmitter("trial"), forms).signature


def trial_model(kernels: Sequence[Kernel], forms: Sequence[Rewrite]) -> TrialModel:
    """The model of several kernels; the layer of a kernel is ``LAYER`` with its position.

    Args:
        kernels: the kernels, which the lowering takes.
        forms: the rewrites that the provider needs.
    """
    return _written(kernels, OnnxEmitter("trial"), forms)


def _written(kernels: Sequence[Kernel], emitter: OnnxEmitter, forms: Sequence[Rewrite]) -> TrialModel:
    record, outputs = Recorder(emitter), list[Term]()
    for number, kernel in enumerate(kernels):
        record.layer = LAYER.format(number)
        lowering = Lowering(record)
        for tensor in _read(kernel):
            lowering.take(tensor)
        lower(kernel, lowering)
        outputs += [lowering.in_order(lowering.value(tensor)) for tensor in kernel.outputs]
    for form in forms:
        form(record)
    return TrialModel(emitter.finish(record.replay(outputs)), emitter.outside)


def _read(kernel: Kernel) -> Sequence[Tensor]:
    return [tensor for tensor in dict.fromkeys(kernel.inputs) if not tensor.is_const]
