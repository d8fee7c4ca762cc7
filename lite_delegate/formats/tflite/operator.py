"""TfliteOperator: one operator of a file, as converters see it."""

from __future__ import annotations

from ...basics.data_class import dataclass
from ...flatbuffer.decoder import UnionMember
from ...flatbuffer.problem import FormatProblem
from ...flatbuffer.schema import Record
from ...ir import Source, Value
from .tensors.buffers import Bytes
from .tensors.layout import tflite_schema
from .tensors.tensors import SubgraphTensors


@dataclass(frozen=True, slots=True)
class TfliteOperator:
    """An operator with its operands.

    Attributes:
        kind: the schema's name of the builtin operator; "CUSTOM" for custom ones.
        custom: the name of a custom operator, "" for builtin ones.
        version: the version of the operator.
        subgraph: the subgraph of the operator.
        position: the position in the subgraph.
        source: the operator of the file.
        inputs: the operands, None where an optional one is absent.
        outputs: the results.
        options: the two tables of options that an operator may have.
        custom_options: the options of a custom operator.
        tensors: further records of operands and results in the file.
    """

    kind: str
    custom: str
    version: int
    subgraph: int
    position: int
    source: Source
    inputs: tuple[Value | None, ...]
    outputs: tuple[Value, ...]
    options: tuple[UnionMember | None, UnionMember | None]
    custom_options: Bytes | None
    tensors: SubgraphTensors

    @property
    def name(self) -> str:
        """The name that messages and nodes have for it."""
        return f"{self.custom or self.kind}-{self.position}"

    def option(self, table: str) -> Record:
        """The operator's options.

        Args:
            table: the schema's name of the table that they must be; its defaults where the file has none.

        Raises:
            FormatProblem: the file has another table there.
        """
        for member in self.options:
            if member is not None and member.type == table and member.record is not None:
                return member.record
        found = next((m.type for m in self.options if m is not None), None)
        if found is not None:
            raise FormatProblem(f"expected {table}, found {found}", "builtin_options")
        return tflite_schema().defaults[table]
