"""The messages between a delegate's process and its parent. Kernels and tensors go by numbers."""

from __future__ import annotations

from collections.abc import Mapping

from ...basics.data_class import dataclass
from ...delegate.wishes import Wishes
from ...ir.primitive import Primitive
from ...ir.source import Source
from ...ir.types.data_type import DataType
from ...ir.types.enums import QuantType
from ...ir.types.format import Format
from ...ir.value import QuantParam
from .memory import ArrayPlace


@dataclass(frozen=True, slots=True)
class InFile:
    """The contents of a constant in the model's file, which the child maps again.

    Attributes:
        path: of the file.
        offset: of the first byte of the contents.
        nbytes: of the contents.
        start: from the first byte of the contents to their first element.
        dtype, shape, strides: of the array.
    """

    path: str
    offset: int
    nbytes: int
    start: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TensorNote:
    """A tensor. ``contents`` are those of a constant; a ``ArrayPlace`` is in the memory that comes with the news."""

    number: int
    name: str
    dtype: DataType
    shape: tuple[int, ...] | None
    format: Format
    is_const: bool
    quant_params: tuple[QuantParam, ...]
    contents: InFile | ArrayPlace | None


@dataclass(frozen=True, slots=True)
class BodyNote:
    """A body of a loop or a choice."""

    inputs: tuple[int, ...]
    kernels: tuple[int, ...]
    outputs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FlowNote:
    """A loop, which has rounds, or a choice."""

    is_loop: bool
    bodies: tuple[BodyNote, ...]
    count: int | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class KernelNote:
    """A kernel of the model, or a graph kernel of somebody else."""

    number: int
    name: str
    type: str
    operands: tuple[int | None, ...]
    outputs: tuple[int, ...]
    primitive: Primitive | None
    quant_type: QuantType
    sources: tuple[Source, ...]
    control_flow: FlowNote | None


@dataclass(frozen=True, slots=True)
class News:
    """Tensors and kernels that the child does not know yet, and numbers that are of no use any more."""

    tensors: tuple[TensorNote, ...] = ()
    kernels: tuple[KernelNote, ...] = ()
    gone_tensors: tuple[int, ...] = ()
    gone_kernels: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A model as a delegate sees it while it builds. Kernels below 0 are graph kernels that the child has made."""

    order: tuple[int, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    variables: tuple[int, ...]
    runs: tuple[tuple[int, ...], ...]
    kept: frozenset[int]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The surroundings of a call in the parent: the user's wishes, the number of the plan's origin, other caches, and
    the number of samples.
    """

    wishes: Wishes
    origin: int
    is_kept: bool
    samples: int


@dataclass(frozen=True, slots=True)
class SamplesWanted:
    """The delegate's question for values of tensors, by their numbers, or for their ranges."""

    tensors: tuple[int, ...]
    are_ranges: bool = False


@dataclass(frozen=True, slots=True)
class SampleValues:
    """The values of the tensors of one sample, in the memory that comes with the message."""

    places: tuple[ArrayPlace, ...]


@dataclass(frozen=True, slots=True)
class SamplesEnd:
    """The end of the answer to ``SamplesWanted``.

    Attributes:
        ranges: the range of each tensor, or None where a tensor has none.
        error: why there are no more values; "": there are no more samples.
    """

    ranges: tuple[tuple[float, float] | None, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class ChildCall:
    """A call of a method of the child's ``Server``."""

    method: str
    arguments: tuple[object, ...]
    news: News
    around: Surroundings


@dataclass(frozen=True, slots=True)
class BuildEvent:
    """A call of the delegate's ``DelegateModel`` during a ``build``."""

    method: str
    arguments: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The end of a call, with the texts of the warnings that it gave."""

    value: object
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fault:
    """An error of a call, in words.

    Attributes:
        kind: the name of its class.
        text: its text, "" where it has none or cannot say it.
        traceback: of the delegate's own calls.
        is_ours: its class is one of ``lite_delegate.errors``.
        reasons: of ``KernelsNotTaken``.
        ends: the process ends with it, since its memory has run out.
        causes: the names of the classes of the error and of its causes.
        warnings: the texts of the warnings that the call gave.
    """

    kind: str
    text: str
    traceback: str
    is_ours: bool
    reasons: Mapping[str, str]
    ends: bool
    causes: tuple[str, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphNote:
    """A graph kernel that the delegate has made, with the tensors that it reads and writes."""

    number: int
    name: str
    type: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DelegateFacts:
    """The attributes of a delegate, which may change with its properties.

    Attributes:
        attributes: by name, as ``Delegate`` has them.
        builds: it overrides ``build``.
    """

    attributes: Mapping[str, object]
    builds: bool
