"""GraphWriter: one subgraph of a file, tensor by tensor and operator by operator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ....basics.data_class import dataclass
from ....flatbuffer.flexbuffer import encode_options
from ....tensors.tensor import Array
from .tensors import Quantization, TfliteTensor
from .versions import OperatorUse, version_of

OPTIONS = "options"
"""The bytes of a custom operator's options, among its options by name."""


@dataclass(frozen=True, slots=True)
class Written:
    """One operator.

    Attributes:
        use: the builtin operator with its operands, results and options.
        version: of the operator.
        table: the schema's table of its options; "" for none.
        custom: the name of a custom operator; "" for a builtin one.
    """

    use: OperatorUse
    version: int
    table: str = ""
    custom: str = ""


class GraphWriter:
    """A subgraph.

    Args:
        name: of the subgraph.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.operators: list[Written] = []
        self.inputs: list[TfliteTensor] = []
        self.outputs: list[TfliteTensor] = []
        self._taken: set[str] = set()
        self._kept: set[str] = set()

    def keep_names(self, names: Sequence[str]) -> None:
        """Keeps names for the tensors that ask for exactly these (``exactly``)."""
        self._taken.update(names)
        self._kept.update(names)

    def exactly(self, name: str) -> str:
        """A kept name for the first tensor that asks for it; the next one gets a number."""
        if name not in self._kept:
            return self._free(name)
        self._kept.discard(name)
        return name

    def tensor(
        self,
        name: str,
        dtype: str,
        shape: Sequence[int],
        quantization: Quantization | None = None,
        data: Array | None = None,
    ) -> TfliteTensor:
        """A new tensor.

        Args:
            name: the wished name; a number is added where another tensor has it.
            dtype: numpy's name of the element type.
            shape: the dimensions.
            quantization: the meaning of integers.
            data: the contents of a constant, which are shared until the file is written.
        """
        return TfliteTensor(self._free(name), dtype, tuple(int(dim) for dim in shape), quantization, data)

    def operator(
        self,
        kind: str,
        inputs: Sequence[TfliteTensor | None],
        outputs: Sequence[TfliteTensor],
        table: str = "",
        options: Mapping[str, Any] | None = None,
        version: int | None = None,
    ) -> None:
        """Adds an operator.

        Args:
            kind: the schema's name of the builtin operator.
            inputs: its operands, None where an optional one is absent.
            outputs: its results.
            table: the schema's name of the table of its options.
            options: the fields of that table by the schema's names.
            version: of the operator; None: the lowest one that has its types and options.
        """
        use = OperatorUse(kind, tuple(inputs), tuple(outputs), dict(options or {}))
        self.operators.append(Written(use, version_of(use) if version is None else version, table))

    def custom(
        self,
        name: str,
        inputs: Sequence[TfliteTensor | None],
        outputs: Sequence[TfliteTensor],
        options: Mapping[str, int | float | bool] | bytes,
        version: int = 1,
    ) -> None:
        """Adds a custom operator, with options by name, or the bytes that it reads."""
        content = options if isinstance(options, bytes) else encode_options(options)
        use = OperatorUse("CUSTOM", tuple(inputs), tuple(outputs), {OPTIONS: content} if content else {})
        self.operators.append(Written(use, version, custom=name))

    def tensors(self) -> list[TfliteTensor]:
        """The tensors that the subgraph gets, gives, reads or makes, each once."""
        found = dict.fromkeys(self.inputs)
        for written in self.operators:
            found.update(dict.fromkeys(x for x in written.use.inputs if x is not None))
            found.update(dict.fromkeys(written.use.outputs))
        found.update(dict.fromkeys(self.outputs))
        return list(found)

    def _free(self, wanted: str) -> str:
        found, number = wanted, 1
        while found in self._taken:
            number += 1
            found = f"{wanted}#{number}"
        self._taken.add(found)
        return found
