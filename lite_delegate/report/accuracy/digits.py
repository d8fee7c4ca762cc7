"""Steps that may lose digits in the type in which a delegate stores real numbers.

They are found by their form alone, without running the model: whether they do lose any depends on the numbers.
``lite-delegate compare`` measures it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod

from ...basics.data_class import dataclass
from ...delegate import Delegate
from ...ir import DataType
from ...ir.traits import VIEWS
from ...mindspore.model import Model
from ...runtime.records import NodeRecord

COARSE = {"FLOAT16": "float16", "BFLOAT16": "bfloat16"}
"""Types that lose digits, by their names, as people write them."""
MOVES = VIEWS | {"BroadcastTo", "Cast", "TileFusion"}
SUMS = ("ReduceSum", "ReduceMean")
LONG = 64
"""Elements from which on a sum of squares is told: their root mean square must stay below 32 in float16 then."""
COUNTING = 2048
"""The first whole number that float16 cannot count beyond by ones."""
SHOWN = 3
"""Names of nodes that a text has."""


@dataclass(frozen=True, slots=True)
class DigitRisk:
    """Steps of one form that may lose digits on one delegate.

    Attributes:
        form: "variance", "exponential", "sum of squares" or "running sum".
        delegate: the delegate that runs the steps.
        storage: the name of the type in which the delegate stores real numbers.
        nodes: the names of the steps' nodes.
        text: the possible loss, in a sentence.
    """

    form: str
    delegate: str
    storage: str
    nodes: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class _Form:
    name: str
    has: Callable[[_Makers, NodeRecord], bool]
    text: str
    range_only: bool = False
    """Only of types with the range of float16."""


class _Makers:
    """The nodes that make what others read, in one record: tensors of all its graphs have numbers of their own."""

    def __init__(self, nodes: Sequence[NodeRecord]) -> None:
        self._makers: Mapping[tuple[str, int], NodeRecord] = {
            (node.graph, tensor.id): node for node in nodes for tensor in node.outputs
        }

    def of(self, node: NodeRecord, position: int) -> NodeRecord | None:
        """The node that makes an operand, past nodes that only move elements and past constant factors."""
        maker = self._maker(node, position)
        while maker is not None and _varying(maker) and (maker.type in MOVES or _is_factor(maker)):
            maker = self._maker(maker, _varying(maker)[0])
        return maker

    def _maker(self, node: NodeRecord, position: int) -> NodeRecord | None:
        if position >= len(node.inputs):
            return None
        return self._makers.get((node.graph, node.inputs[position].id))

    def source(self, node: NodeRecord) -> int:
        """The number of the tensor that the first operand comes from, past nodes that only move elements."""
        at, position = node, 0
        while (maker := self._maker(at, position)) is not None and maker.type in MOVES and _varying(maker):
            at, position = maker, _varying(maker)[0]
        return at.inputs[position].id


def digit_risks(model: Model) -> tuple[DigitRisk, ...]:
    """The steps of a built model that may lose digits on its delegates; none where they state no coarser type."""
    record, delegates = model.get_partition(), model.compiled.delegates
    kernels = {kernel.name: kernel.storage_dtype for kernel in model.compiled.plan.graph_kernels}
    return risks_of(record.nodes, delegates, kernels)


def risks_of(
    nodes: Sequence[NodeRecord], delegates: Mapping[str, Delegate], kernels: Mapping[str, DataType | None]
) -> tuple[DigitRisk, ...]:
    """The risks of losing digits in the nodes of a partition.

    Args:
        nodes: of a partition.
        delegates: by name.
        kernels: the storage types that graph kernels state, by their names.
    """
    makers, found = _Makers(nodes), dict[tuple[_Form, str, str], list[str]]()
    for node in nodes:
        delegate = delegates.get(node.device)
        storage = None if delegate is None else kernels.get(node.subgraph or "") or delegate.storage_dtype
        if storage is not None and storage.name in COARSE:
            for form in _forms_of(makers, node, storage.name):
                found.setdefault((form, node.device, storage.name), []).append(node.name)
    return tuple(
        DigitRisk(form.name, device, storage, tuple(names), _text(form, device, storage, names))
        for (form, device, storage), names in found.items()
    )


def _forms_of(makers: _Makers, node: NodeRecord, storage: str) -> Iterator[_Form]:
    for form in FORMS:
        if (storage == "FLOAT16" or not form.range_only) and form.has(makers, node):
            yield form


def _text(form: _Form, device: str, storage: str, names: Sequence[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:SHOWN])
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{form.text.format(storage=COARSE[storage], device=device)}: {shown}{more}"


def _is_variance(makers: _Makers, node: NodeRecord) -> bool:
    """``E[x^2] - E[x]^2``."""
    if node.type != "SubFusion":
        return False
    mean_square, squared_mean = makers.of(node, 0), makers.of(node, 1)
    if mean_square is None or squared_mean is None or not _reduces(mean_square, SUMS):
        return False
    square, mean = makers.of(mean_square, 0), makers.of(squared_mean, 0)
    if square is None or mean is None or not (_is_square(square) and _is_square(squared_mean)):
        return False
    return _reduces(mean, SUMS) and makers.source(square) == makers.source(mean)


def _is_open_exponential(makers: _Makers, node: NodeRecord) -> bool:
    """``exp(x)`` whose operand is neither ``x - max(x)`` nor of a known sign."""
    if node.type != "ExpFusion":
        return False
    before = makers.of(node, 0)
    if before is None:
        return True
    if before.type in ("Neg", "LogSoftmax"):
        return False
    subtracted = makers.of(before, 1) if before.type == "SubFusion" else None
    return not (subtracted is not None and (_reduces(subtracted, ("ReduceMax",)) or subtracted.type == "Maximum"))


def _is_sum_of_squares(makers: _Makers, node: NodeRecord) -> bool:
    """``sum(x^2)`` over many elements."""
    if not _reduces(node, ("ReduceSum", "ReduceSumSquare")) or not node.inputs or not node.outputs:
        return False
    square = makers.of(node, 0)
    is_square = node.attributes.get("mode") == "ReduceSumSquare" or (square is not None and _is_square(square))
    before, after = node.inputs[0].shape, node.outputs[0].shape
    if not is_square or before is None or after is None or min((*before, *after), default=0) < 1:
        return False
    return prod(before) // prod(after) >= LONG


def _is_long_running_sum(makers: _Makers, node: NodeRecord) -> bool:
    if node.type != "CumSum" or not node.inputs or node.inputs[0].shape is None:
        return False
    return max(node.inputs[0].shape, default=0) > COUNTING


def _reduces(node: NodeRecord, modes: Sequence[str]) -> bool:
    return node.type == "ReduceFusion" and node.attributes.get("mode") in modes


def _is_square(node: NodeRecord) -> bool:
    if node.type == "Square":
        return True
    return node.type == "MulFusion" and len(node.inputs) == 2 and node.inputs[0].id == node.inputs[1].id


def _is_factor(node: NodeRecord) -> bool:
    """A product with a constant, or a quotient by one."""
    return (node.type == "MulFusion" and len(_varying(node)) == 1) or (
        node.type == "DivFusion" and _varying(node) == [0]
    )


def _varying(node: NodeRecord) -> list[int]:
    return [i for i, tensor in enumerate(node.inputs) if not tensor.constant]


FORMS = (
    _Form(
        "variance",
        _is_variance,
        "may lose digits in {storage} on '{device}': a variance by E[x^2] - E[x]^2, of which little is left where the "
        "mean is large beside the deviation",
    ),
    _Form(
        "sum of squares",
        _is_sum_of_squares,
        "may leave the range of {storage} on '{device}': a sum of many squares, which ends at 65,504",
        range_only=True,
    ),
    _Form(
        "exponential",
        _is_open_exponential,
        "may leave the range of {storage} on '{device}': an exponential whose maximum is not subtracted before, beyond "
        "an operand of 11.09",
        range_only=True,
    ),
    _Form(
        "running sum",
        _is_long_running_sum,
        "may lose digits in {storage} on '{device}': a running sum over more than 2,048 elements",
    ),
)
"""The forms of nodes that may lose digits."""
MEASURE = "'lite-delegate compare' shows whether they do, and with --repair what to keep in float32"
"""The advice for all forms."""


def risk_note(risks: Sequence[DigitRisk]) -> str:
    """All risks as one note of a report, "" without risks."""
    if not risks:
        return ""
    return f"{'; '.join(risk.text[0].upper() + risk.text[1:] for risk in risks)}. {MEASURE}."
