"""Checks that all operators share. Each check gives a rejection, or None where it has none.

An operator's check chains them with ``or``, cheapest and most general first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from ...basics.counted import counted
from ...delegate import Kernel, RejectCode, Rejected
from ...ir.types.data_type import DataType, to_numpy
from ...ir.types.enums import ActivationType
from ...semantics.fitting import DoesNotFit
from ...semantics.operands import operand
from ..profiles import Profile
from ..profiles.driver_version import at_least
from ..semantics.activations import FUSED
from .rules import KNOWN_SHAPES, SHAPE_OF_RESULT

FLOATING = frozenset({DataType.FLOAT32, DataType.FLOAT16})
INTEGERS = frozenset({DataType.INT32})
"""Element types beside real numbers of operators that are exact on integers."""
WHOLE = frozenset({DataType.INT32, DataType.BOOL})
MOVABLE = frozenset({DataType.INT32, DataType.BOOL, DataType.INT8, DataType.UINT8})
"""Element types beside the floating ones that instructions which only move elements take: they change none."""


def check_operands(
    kernel: Kernel, at_least: int, at_most: int | None = None, outputs: int | None = 1
) -> Rejected | None:
    """Inputs ``0 .. at_least - 1`` present, none beyond ``at_most`` (None: any number), and ``outputs`` outputs.

    None for ``outputs``: one or more.
    """
    count, made = len(kernel.operands), len(kernel.outputs)
    if made == 0 or outputs not in (None, made):
        return Rejected.by_rule(RejectCode.ATTRIBUTE, f"must have {outputs or 'at least 1'} output", f"has {made}")
    if at_most is not None and count > at_most:
        return Rejected.by_rule(RejectCode.ATTRIBUTE, f"takes at most {counted(at_most, 'input')}", f"has {count}")
    needed = kernel.operands[:at_least]
    absent = needed.index(None) if None in needed else len(needed)
    if absent < at_least:
        return Rejected.by_rule(RejectCode.ATTRIBUTE, f"needs inputs 0 to {at_least - 1}", f"input {absent} is absent")
    return None


def check_tensors(
    kernel: Kernel,
    profile: Profile,
    positions: Collection[int] | None = None,
    more_dtypes: Collection[DataType] = (),
    mixed: bool = False,
) -> Rejected | None:
    """Shapes known and not empty, ranks, element types: of every output and of the inputs that go to the device.

    Args:
        positions: the positions of the inputs that go to the device; None for all. Other inputs are compile-time
            constants.
        more_dtypes: element types that the operator takes beside the profile's.
        mixed: inputs and output may differ in type.
    """
    tensors = {f"output {i}": t for i, t in enumerate(kernel.outputs)}
    for i in range(len(kernel.operands)) if positions is None else positions:
        tensor = operand(kernel, i)
        if tensor is not None:
            tensors[f"input {i}"] = tensor
    shapes = {name: tensor.extents for name, tensor in tensors.items()}
    for name, shape in shapes.items():
        if shape is None or min(shape, default=1) < 1:
            return _shape_rejection(name, shape)
    for name, shape in shapes.items():
        if shape is not None and len(shape) > profile.max_rank:
            return rank_rejection(name, "has", list(shape), profile.max_rank)
    dtypes, found = profile.dtypes.union(more_dtypes), [tensor.dtype for tensor in tensors.values()]
    for name, dtype in zip(tensors, found, strict=True):
        if dtype not in dtypes:
            return _dtype_rejection(name, dtype, dtypes)
    return None if mixed else _check_one_dtype(set(found))


def _shape_rejection(name: str, shape: Sequence[int] | None) -> Rejected:
    """The rejection of a tensor whose shape is not known, or that is empty."""
    if shape is None or min(shape) < 0:
        found = "one of unknown rank" if shape is None else list(shape)
        return Rejected(RejectCode.SHAPE, f"{name} must have a known shape, has {found}", KNOWN_SHAPES)
    return Rejected(RejectCode.SHAPE, f"{name} must not be empty, has shape {list(shape)}", "tensors must not be empty")


def rank_rejection(name: str, has: str, shape: Sequence[int], limit: int) -> Rejected:
    """The rejection of a tensor of too many dimensions; ``has``: the verb that goes with its name."""
    return Rejected(
        RejectCode.RANK,
        f"{name} may have {counted(limit, 'dimension')} at most, {has} shape {shape}",
        f"rank up to {limit}",
    )


def _dtype_rejection(name: str, dtype: DataType, dtypes: Collection[DataType]) -> Rejected:
    known = ", ".join(d.name for d in sorted(dtypes))
    reason = f"{name} must be one of {known}, is {dtype.name}"
    return Rejected(RejectCode.DTYPE, reason, f"element types {known}", dtype)


def _check_one_dtype(dtypes: set[DataType]) -> Rejected | None:
    """Rejects tensors of several types, unless all are floating (the device keeps these in one type)."""
    if dtypes <= FLOATING or len(dtypes) == 1:
        return None
    names = ", ".join(d.name for d in sorted(dtypes))
    return Rejected.by_rule(RejectCode.DTYPE, "inputs and output must be of one type", f"are {names}")


def check_constants(kernel: Kernel, names: dict[int, str]) -> Rejected | None:
    """Inputs that must be constants: position and name of each; an absent one is nothing against it."""
    for position, name in names.items():
        tensor = operand(kernel, position)
        if tensor is not None and not (tensor.is_const and tensor.has_data):
            return Rejected.by_rule(RejectCode.NOT_CONSTANT, f"{name} (input {position}) must be a constant", "is not")
    return None


def check_fused(activation: ActivationType) -> Rejected | None:
    """The fused activation is one that the device fuses."""
    if activation in FUSED:
        return None
    names = ", ".join(a.name for a in FUSED)
    return Rejected.by_rule(RejectCode.ATTRIBUTE, f"activation_type must be one of {names}", f"is {activation.name}")


def check_rank(kernel: Kernel, position: int, ranks: Collection[int]) -> Rejected | None:
    """The rank of an input is one of ``ranks``."""
    tensor = operand(kernel, position)
    if tensor is None or len(tensor.shape) in ranks:
        return None
    wanted = " or ".join(map(str, sorted(ranks)))
    return Rejected.by_rule(
        RejectCode.RANK, f"input {position} must have {wanted} dimensions", f"has shape {tensor.shape}"
    )


def check_output_shape(kernel: Kernel, expected: Sequence[int] | None) -> Rejected | None:
    """The output has the shape that the device computes; ``expected`` None: the inputs do not fit together."""
    found = kernel.outputs[0].shape
    if expected is not None and found == list(expected):
        return None
    shapes = [t.shape for t in kernel.inputs]
    if expected is None:
        return Rejected(RejectCode.SHAPE, f"inputs {shapes} do not fit together", "inputs must fit together")
    reason = f"output must have shape {list(expected)} for inputs {shapes}, has {found}"
    return Rejected(RejectCode.SHAPE, reason, SHAPE_OF_RESULT)


def check_fits(kernel: Kernel, shapes: Callable[[], Sequence[Sequence[int]]]) -> Rejected | None:
    """Rejects an output whose shape the device does not compute.

    Args:
        shapes: gives the computed shapes, one per output; raises ``DoesNotFit`` for inputs that do not fit.
    """
    try:
        expected = [list(shape) for shape in shapes()]
    except DoesNotFit as e:
        return Rejected(RejectCode.ATTRIBUTE, str(e), "attributes must fit the inputs")
    inputs = [t.shape for t in kernel.inputs]
    for number, (output, wanted) in enumerate(zip(kernel.outputs, expected, strict=True)):
        if output.shape != wanted:
            reason = f"output {number} must have shape {wanted} for inputs {inputs}, has {output.shape}"
            return Rejected(RejectCode.SHAPE, reason, SHAPE_OF_RESULT)
    return None


def check_driver(profile: Profile, needed: str, what: str) -> Rejected | None:
    """Rejects ``what`` where the driver is older than ``needed``; "" : every driver will do."""
    if at_least(profile.driver_version, needed):
        return None
    reason = f"{what} needs driver version {needed} or newer, the device has {profile.driver_version}"
    return Rejected(RejectCode.LIMIT, reason, f"driver version {needed} or newer")


def check_range(kernel: Kernel, profile: Profile) -> Rejected | None:
    """Rejects a finite constant that the device's element type for real numbers, such as float16, makes infinite."""
    for position, tensor in enumerate(kernel.operands):
        if tensor is None or not tensor.is_const or tensor.dtype != DataType.FLOAT32:
            continue
        rejection = check_magnitude(f"constant input {position}", tensor.data, profile)
        if rejection is not None:
            return rejection
    return None


def check_magnitude(
    name: str, values: np.ndarray[tuple[int, ...], np.dtype[np.floating]], profile: Profile
) -> Rejected | None:
    """The finite ones among ``values`` (not empty) are in the range in which the device keeps real numbers."""
    limit = float(np.finfo(to_numpy(profile.storage)).max)
    largest = max(float(values.max()), -float(values.min()))
    if not largest <= limit:
        finite = np.abs(values[np.isfinite(values)])
        largest = float(finite.max()) if finite.size else 0.0
    if largest <= limit:
        return None
    kind = profile.storage.name.lower()
    reason = f"{name} may hold {limit:.6g} at most ({kind}), holds {largest:g}"
    return Rejected(RejectCode.LIMIT, reason, f"constants up to {limit:.6g} ({kind})")


def check_axis(name: str, axis: int, rank: int) -> Rejected | None:
    """``axis`` is inside a tensor of that rank; negative ones count from the end."""
    if -rank <= axis < rank:
        return None
    reason = f"{name} must be in [{-rank}, {rank - 1}], is {axis}"
    return Rejected(RejectCode.ATTRIBUTE, reason, f"{name} must be inside the rank")
