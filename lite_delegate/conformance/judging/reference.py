"""ReferenceChain: the outputs of a chain on the reference kernels, and every value in between."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ...basics.data_class import dataclass
from ...delegate import Delegate, DelegateModel, Kernel, Supported, SupportResult
from ...ir import DataType
from ...mindspore.context.context import Context
from ...mindspore.model import Model
from ...numerics.rounding import coarse
from ...tensors.tensor import Tensor
from .case import Array
from .chain import Arrays, Chain, chain_graph


@dataclass(frozen=True, slots=True)
class Rounding:
    """Tensors are rounded as a device rounds them that stores floats in that type; None: in their own."""

    storage: DataType | None


class ReferenceChain:
    """A chain on the reference kernels, built once, for any data of the same shapes.

    Args:
        chain: the chain.
        rounding: round every tensor that is read and written; None: round none.

    Raises:
        LiteDelegateError: the chain is no model, or has a node without a kernel.
    """

    def __init__(self, chain: Chain, rounding: Rounding | None = None) -> None:
        self._rounding = rounding
        self._observer = _Observer(rounding)
        self._outputs = chain.outputs
        context = Context()
        context.cpu.reference_kernels = True
        context.set_delegate(self._observer)
        self._model = Model()
        self._model.build_from_graph(chain_graph(_rounded(chain, rounding)), context)

    def outputs(self, inputs: Arrays) -> tuple[Array, ...]:
        """The outputs for other inputs of the same shapes."""
        return self.of(self.values(inputs))

    def of(self, values: Arrays) -> tuple[Array, ...]:
        """The outputs among the values of all nodes."""
        return tuple(values[name] for name in self._outputs)

    def values(self, inputs: Arrays) -> Mapping[str, Array]:
        """The values of each node, by name, and the outputs.

        Raises:
            LiteDelegateError: the kernels cannot take these inputs.
        """
        given = {name: _as_stored(x, self._rounding) for name, x in inputs.items()}
        with np.errstate(all="ignore"):
            outputs = self._model.predict(given)
        found = dict(self._observer.values)
        found.update(zip(self._outputs, (t.data for t in outputs), strict=True))
        return found


def reference_values(chain: Chain, rounding: Rounding | None = None) -> Mapping[str, Array]:
    """The values of each node of a chain for its own inputs, see ``ReferenceChain``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ReferenceChain(chain, rounding).values(chain.inputs)


def reference_outputs_of(chain: Chain, rounding: Rounding | None = None) -> tuple[Array, ...]:
    """The outputs of a chain for its own inputs, see ``ReferenceChain``."""
    values = reference_values(chain, rounding)
    return tuple(values[name] for name in chain.outputs)


def _rounded(chain: Chain, rounding: Rounding | None) -> Chain:
    return chain.with_arrays({name: _as_stored(x, rounding) for name, x in chain.arrays.items()})


def _as_stored(x: Array, rounding: Rounding | None) -> Array:
    return x if rounding is None else coarse(x, rounding.storage)


class _Observer(Delegate):
    """Takes every kernel, runs it as it is, and keeps what it gave."""

    name = "reference"

    def __init__(self, rounding: Rounding | None) -> None:
        self.rounding = rounding
        self.values: dict[str, Array] = {}

    def supports(self, kernel: Kernel) -> SupportResult | None:
        return Supported()

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        boundary = model.boundary_of(run)
        return _Observed(self, run, boundary.inputs, boundary.outputs)


class _Observed(Kernel):
    def __init__(
        self, observer: _Observer, run: Iterable[Kernel], inputs: Sequence[Tensor], outputs: Sequence[Tensor]
    ) -> None:
        super().__init__("reference", "reference", inputs, outputs)
        self._observer = observer
        self._run = tuple(run)

    def execute(self) -> None:
        for kernel in self._run:
            kernel.execute()
            for tensor in kernel.outputs:
                tensor.data = _as_stored(tensor.data, self._observer.rounding)
                self._observer.values[tensor.name] = tensor.data.copy()
