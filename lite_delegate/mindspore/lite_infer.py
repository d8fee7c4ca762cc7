"""LiteInfer: predictions of an existing model, for the shapes of example inputs. Names of ``mindspore_lite``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from weakref import WeakValueDictionary

import numpy as np

from ..basics.warned import Warnings
from ..basics.words.one_line import OneLine
from ..errors import InputError
from ..ir.types.data_type import from_numpy
from ..tensors.tensor import Array, Tensor
from ..tensors.tensor_meta import TensorMeta
from .context.context import Context
from .context.model_config import configured
from .context.parallel_info import ConfigInfo, checked_sections
from .context.setting import check_type
from .model import Model
from .model_type import ModelType
from .weights import WeightPool

Example = Tensor | Array | float
_EXAMPLES = "Tensor, numpy.ndarray, number, or list or tuple of these"
_TRAINED = (
    "A network of the training package is read once it was exported: "
    "mindspore.export(net, *net_inputs, file_name='net', file_format='ONNX')."
)
_groups: WeakValueDictionary[int, WeightPool] = WeakValueDictionary()
"""The weights that the models of a group share, kept as long as a model of the group lives."""


class LiteInfer(OneLine):
    """A model made of another model, or of a file, that predicts for the shapes of example inputs.

    NOTE: MindSpore Lite takes a network of its training package, which this runtime does not have.

    Args:
        model_or_net: a built model, which stays as it is, or the path of a model file.
        net_inputs: an example of each input, in order. The examples must have the dtypes of the inputs, and the model
            gets their shapes; without examples, the model keeps its declared shapes.
        context: the context to run in; None: the model's context, or a new ``Context`` for a file.
        model_group_id: models with one number keep equal constants in memory once.
        config: sections, as ``config_dict`` of ``Model.build_from_file``.

    Raises:
        TypeError: an argument has the wrong type.
        InputError: the number or the dtypes of the examples differ from the inputs.
        LiteDelegateError: the model cannot have the shapes of the examples; the given model has not been built; or see
            ``Model.build_from_file``.
    """

    def __init__(
        self,
        model_or_net: Model | str | os.PathLike[str],
        *net_inputs: Example | Sequence[Example],
        context: Context | None = None,
        model_group_id: int | None = None,
        config: ConfigInfo | None = None,
    ) -> None:
        if not isinstance(model_or_net, (Model, str, os.PathLike)):
            got = type(model_or_net).__name__
            raise TypeError(f"model_or_net must be Model or path of a model file, but got {got}. {_TRAINED}")
        if context is not None:
            check_type("context", context, Context)
        examples = list(_flat(net_inputs))
        sections = None if config is None else checked_sections("config", config)
        self._model = Model()
        self._pool = _pool(model_group_id)
        if self._pool is not None:
            self._model.share_weights(self._pool)
        if isinstance(model_or_net, Model):
            self._build_like(model_or_net, context, sections)
        else:
            self._model.build_from_file(model_or_net, ModelType.MINDIR_LITE, context, config_dict=sections)
        if examples:
            _fit(self._model, examples)

    def _build_like(self, given: Model, context: Context | None, sections: ConfigInfo | None) -> None:
        graph = given.compiled.graph
        with Warnings() as said:
            context = configured(given.context if context is None else context, "", sections, said)
        self._model.build_from_graph(graph, context)

    @property
    def model(self) -> Model:
        """The model that predicts."""
        return self._model

    def get_inputs(self) -> list[Tensor]:
        """The inputs in API order, see ``Model.get_inputs``."""
        return self._model.get_inputs()

    def get_outputs(self) -> tuple[TensorMeta, ...]:
        """Name, dtype, shape and format of the outputs in API order."""
        return self._model.get_outputs()

    def predict(
        self, inputs: Sequence[Tensor | Array] | Mapping[str, Tensor | Array], outputs: Sequence[Tensor] | None = None
    ) -> list[Tensor]:
        """Runs the model once, see ``Model.predict``."""
        return self._model.predict(inputs, outputs)

    def resize(self, inputs: Sequence[Tensor], dims: Sequence[Sequence[int]]) -> None:
        """Gives the model other input shapes, see ``Model.resize``."""
        self._model.resize(inputs, dims)

    def close(self) -> None:
        """Releases the resources of delegates, see ``Model.close``."""
        self._model.close()

    def __enter__(self) -> LiteInfer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _line(self) -> str:
        return f"of {self._model!r}"


def _pool(model_group_id: int | None) -> WeightPool | None:
    if model_group_id is None:
        return None
    check_type("model_group_id", model_group_id, int)
    return _groups.setdefault(model_group_id, WeightPool())


def _flat(examples: Sequence[object]) -> Iterator[Example]:
    """The examples in nested lists, one after the other."""
    for example in examples:
        if isinstance(example, (list, tuple)):
            yield from _flat(example)
        elif isinstance(example, (Tensor, np.ndarray, bool, int, float)):
            yield example
        else:
            raise TypeError(f"net_inputs element must be {_EXAMPLES}, but got {type(example).__name__}.")


def _fit(model: Model, examples: Sequence[Example]) -> None:
    """Resizes a model to the shapes of examples, whose dtypes must equal the dtypes of the inputs."""
    inputs = model.get_inputs()
    if len(examples) != len(inputs):
        names = ", ".join(f"'{tensor.name}'" for tensor in inputs)
        raise InputError(f"LiteInfer: net_inputs must be one example for each input ({names}), got {len(examples)}.")
    for number, (example, tensor) in enumerate(zip(examples, inputs, strict=True)):
        if isinstance(example, (bool, int, float)):
            continue
        dtype = example.dtype if isinstance(example, Tensor) else from_numpy(example.dtype)
        if dtype is not tensor.dtype:
            wrong = f"must be {tensor.dtype.name} as input '{tensor.name}', got {dtype.name}"
            raise InputError(f"LiteInfer: net_inputs {number} {wrong}.")
    model.resize(inputs, [list(each.shape) if isinstance(each, (Tensor, np.ndarray)) else [] for each in examples])
