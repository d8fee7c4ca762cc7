"""Hints for nodes that stay on the CPU: one table over the codes of reasons."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..basics.data_class import dataclass
from ..delegate import RejectCode
from ..partition import PartitionOptions
from ..runtime.records import NodeRecord, TensorRecord


@dataclass(frozen=True, slots=True)
class LeftNode:
    """A node that stays on the CPU, and the facts that hints depend on.

    Attributes:
        node: with a code.
        options: the user's options of the partitioner.
        inputs: the inputs of the model.
    """

    node: NodeRecord
    options: PartitionOptions
    inputs: tuple[TensorRecord, ...]

    @property
    def denied(self) -> str:
        """The types of the node that the user keeps off the delegates, "" for none."""
        return ", ".join(word for word in self.node.types if word in self.options.deny_types)

    def says(self, *words: str) -> bool:
        """True when the reason has one of the words in it."""
        return any(word in self.node.reason for word in words)

    def has(self, *dtypes: str) -> bool:
        """True when the node reads or makes a tensor of one of the element types."""
        return any(t.dtype in dtypes for t in (*self.node.inputs, *self.node.outputs))


@dataclass(frozen=True, slots=True)
class Hint:
    """Advice, and when it helps.

    Attributes:
        text: for people; ``{type}``, ``{operator}``, ``{name}`` and ``{option}`` stand for the node's own type, that in
            the model's file, its name and a limit set,
            ``{denied}`` for the types of it that are denied.
        applies: whether it is for this node; None: for all with the code.
        option: the name of the limit in ``PartitionOptions`` that ``{option}`` stands for.
    """

    text: str
    applies: Callable[[LeftNode], bool] | None = None
    option: str = "min_kernels"

    def of(self, left: LeftNode) -> str:
        """The text for one node."""
        found = getattr(left.options, self.option)
        return self.text.format(
            type=left.node.type,
            operator=left.node.operator,
            name=left.node.name,
            option=found,
            denied=left.denied,
        )


def hint_of(node: NodeRecord, options: PartitionOptions | None = None, inputs: tuple[TensorRecord, ...] = ()) -> str:
    """Advice on getting a node onto the device; "" for one that is there.

    Args:
        node: the record of the node.
        options: the user's options of the partitioner; None: the defaults.
        inputs: the inputs of the model.
    """
    if node.code is None:
        return ""
    left = LeftNode(node, PartitionOptions() if options is None else options, inputs)
    return next(h.of(left) for h in HINTS[node.code] if h.applies is None or h.applies(left))


def _is_host_work(left: LeftNode) -> bool:
    return left.says("on the host")


def _is_open(tensor: TensorRecord) -> bool:
    return tensor.shape is None or any(d < 0 for d in tensor.shape)


def _has_open_shape(left: LeftNode) -> bool:
    return any(map(_is_open, (*left.node.inputs, *left.node.outputs)))


def _model_is_open(left: LeftNode) -> bool:
    return _has_open_shape(left) and any(map(_is_open, left.inputs))


def _is_empty(left: LeftNode) -> bool:
    return any(0 in (t.shape or ()) for t in (*left.node.inputs, *left.node.outputs))


def _names_an_attribute(left: LeftNode) -> bool:
    words = left.node.reason.replace(":", " ").split()
    return any(name in words for name in left.node.attributes)


def _denies_type(left: LeftNode) -> bool:
    return left.denied != ""


def _denies_name(left: LeftNode) -> bool:
    return left.node.name in left.options.deny_names


def _is_pinned(left: LeftNode) -> bool:
    return left.node.name in left.options.affinity


def _is_in_group(left: LeftNode) -> bool:
    return any(left.node.name in group for group in left.options.groups)


def _is_not_allowed(left: LeftNode) -> bool:
    types, names = left.options.allow_types, left.options.allow_names
    return (types is not None and not set(left.node.types) & set(types)) or (
        names is not None and left.node.name not in names
    )


HINTS: Mapping[RejectCode, tuple[Hint, ...]] = {
    RejectCode.OPERATOR: (
        Hint("nothing to do: the runtime itself runs it next to any device", _is_host_work),
        Hint(
            "let the delegate take Custom nodes of this type, or register a CPU kernel with Context.register_custom",
            lambda left: left.node.type == "Custom",
        ),
        Hint("replace {operator} in the model by operators that the device has, or add {type} to the delegate"),
    ),
    RejectCode.ATTRIBUTE: (
        Hint("export the model with a value of the attribute that the reason allows", _names_an_attribute),
        Hint("write {operator} in the model in the form that the reason asks for, or extend the delegate"),
    ),
    RejectCode.DTYPE: (
        Hint("quantize the model with scales that are known beforehand", lambda r: r.says("QUANT_DYNAMIC")),
        Hint("leave {operator} out when the model is quantized", lambda r: r.says("no quantized")),
        Hint("convert the tensors to FLOAT32 or FLOAT16 in the model", lambda r: r.has("FLOAT64", "BFLOAT16")),
        Hint(
            "convert the tensors to INT32 in the model, where their values fit",
            lambda r: r.has("INT64", "UINT64", "UINT32", "INT16", "UINT16"),
        ),
        Hint("convert the tensors to a type that the reason names, with a Cast before the node and one behind it"),
    ),
    RejectCode.SHAPE: (
        Hint("give the model's inputs dimensions: --input-shape NAME=D,D,..., or Model.resize", _model_is_open),
        Hint(
            "its shape depends on data: make the inputs that decide on it (sizes, indices) constants", _has_open_shape
        ),
        Hint("nothing to do: a tensor without elements is no work for a device", _is_empty),
        Hint("change the shape as the reason asks for: pad, reshape or split the tensor in the model"),
    ),
    RejectCode.RANK: (
        Hint("merge or split dimensions with a Reshape before the node, and undo it with one behind it"),
    ),
    RejectCode.NOT_CONSTANT: (
        Hint(
            "make the input a constant: freeze the model's parameters before it is exported, or fold the nodes that "
            "make it"
        ),
    ),
    RejectCode.POLICY: (
        Hint("take {denied} off the types that are denied (deny_types, --deny-type)", _denies_type),
        Hint("take it off the names that are denied (deny_names, --deny-node)", _denies_name),
        Hint("change its device in the affinity plan (affinity, --affinity, --pin)", _is_pinned),
        Hint("add it to the allowed nodes (allow_types, allow_names, --allow-type, --allow-node)", _is_not_allowed),
        Hint("a group is delegated whole or not at all: see why the other nodes of its group are not", _is_in_group),
        Hint("take {type} off the custom layers' file", lambda r: r.says("CUSTOM_LAYERS")),
        Hint("let the delegate's supports() state why", lambda r: r.says("states no reason")),
        Hint("see the delegate's build(): it claims more than it replaces", lambda r: r.says("left it out")),
        Hint("change the option that the reason names"),
    ),
    RejectCode.TOO_SMALL: (
        Hint(
            "lower min_kernels (--min-kernels), which is {option}, or get its neighbors onto the device too",
            lambda r: r.options.min_kernels is not None,
        ),
        Hint("get its neighbors onto the device, so that the subgraph becomes large enough"),
    ),
    RejectCode.LIMIT: (
        Hint(
            "raise max_subgraphs (--max-subgraphs), which is {option}, or delegate the nodes between subgraphs",
            lambda r: r.options.max_subgraphs is not None and r.says("max_subgraphs"),
            "max_subgraphs",
        ),
        Hint(
            "raise max_kernels_per_subgraph (--max-kernels-per-subgraph), which is {option}",
            lambda r: r.options.max_kernels_per_subgraph is not None and r.says("max_kernels_per_subgraph"),
            "max_kernels_per_subgraph",
        ),
        Hint("update the device's driver, or set the version that it has", lambda r: r.says("driver version")),
        Hint("stay within the limit that the reason names: split the tensor in the model, or use a larger device"),
    ),
    RejectCode.COST: (
        Hint(
            "get its neighbors onto the device, so that less crosses; --placement count delegates it at any cost",
            lambda r: r.options.placement != "count",
        ),
        Hint("get its neighbors onto the device, so that less crosses the boundary"),
    ),
    RejectCode.COMPILE_FAILED: (
        Hint(
            "the delegate claims a kernel that it cannot run: tell its author the reason, or keep the node on the CPU "
            "with "
            "deny_names (--deny-node)"
        ),
    ),
    RejectCode.NO_DEVICE: (
        Hint("name a delegate: --delegate npu, or Context.set_delegate", lambda r: r.says("no delegate was set")),
        Hint("make the device available, see the notes; then build the model again"),
    ),
}
"""For each code its hints: the first that applies is taken, and the last applies always."""
