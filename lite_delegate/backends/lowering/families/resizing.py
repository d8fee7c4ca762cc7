"""Images in another size."""

from __future__ import annotations

import numpy as np

from ....delegate import Kernel, RejectCode
from ....ir.primitives import Resize
from ....semantics.operands import operand, primitive_of, required
from ....semantics.resizing import resized
from ....tensors.tensor import Array
from ..lowering import Lowering, wanted
from ..term import Lowered
from .elementwise import as_it_lies, cast
from .windows import NCHW

MODES = {"ASYMMETRIC": "asymmetric", "ALIGN_CORNERS": "align_corners", "HALF_PIXEL": "half_pixel"}


def lower_resize(kernel: Kernel, lowering: Lowering) -> Lowered:
    """An image (N, H, W, C), resampled."""
    primitive, x, size = primitive_of(kernel, Resize), lowering.value(required(kernel, 0)), operand(kernel, 1)
    wanted(x.rank == len(NCHW), RejectCode.RANK, "an image of 4 dimensions", f"has {x.rank}")
    wanted(size is None or size.is_const, RejectCode.NOT_CONSTANT, "the size must be constant")
    shape = resized(x.shape, primitive, size)
    method, mode = primitive.method.name, primitive.coordinate_transform_mode.name
    wanted(not primitive.preserve_aspect_ratio, RejectCode.ATTRIBUTE, "preserve_aspect_ratio must be False")
    if shape == x.shape:
        return x
    if method == "NEAREST":
        return _nearest(lowering, x, shape, mode)
    known = method in ("LINEAR", "CUBIC") and mode in MODES
    wanted(known, RejectCode.ATTRIBUTE, "a known method and coordinate_transform_mode", f"are {method} and {mode}")
    wanted(x.dtype.kind == "f", RejectCode.DTYPE, "floats are interpolated", f"is {x.dtype}")
    if method == "CUBIC" or x.dtype == np.float64:
        return _by_matrices(lowering, x, shape, primitive)
    physical = tuple(shape[axis] for axis in NCHW)
    operands = [lowering.in_order(x, NCHW), None, None, lowering.ints(physical)]
    how = {"mode": "linear", "coordinate_transformation_mode": MODES[mode]}
    return Lowered(shape, x.dtype, NCHW, lowering.emit("Resize", operands, x.dtype, physical, **how))


def _by_matrices(lowering: Lowering, x: Lowered, shape: tuple[int, ...], primitive: Resize) -> Lowered:
    """Rows and columns as sums of the rows and columns around them: ONNX Runtime lacks kernels for some modes."""
    batch, rows, columns, channels = shape
    own, wide = x.dtype, np.dtype(np.float64 if x.dtype == np.float64 else np.float32)
    y = cast(lowering, lowering.in_order(x, NCHW), wide)
    across = lowering.array(_matrix(x.shape[2], columns, primitive).T.astype(wide))
    y = lowering.emit("MatMul", [y, across], wide, (batch, channels, x.shape[1], columns))
    down = lowering.array(_matrix(x.shape[1], rows, primitive).astype(wide))
    y = lowering.emit("MatMul", [down, y], wide, (batch, channels, rows, columns))
    return Lowered(shape, own, NCHW, cast(lowering, y, own))


def _matrix(old: int, new: int, primitive: Resize) -> Array:
    """The weight of each old position (columns) in each new one (rows); positions beyond the edge are the edge."""
    place = np.arange(new)
    mode = primitive.coordinate_transform_mode.name
    if mode == "ALIGN_CORNERS":
        at = place * (old - 1) / max(new - 1, 1)
    elif mode == "HALF_PIXEL":
        at = np.maximum((2 * place + 1) * old - new, 0) / (2 * new)
    else:
        at = place * old / new
    below = np.floor(at).astype(int)
    made = np.zeros((new, old))
    reach = range(-1, 3) if primitive.method.name == "CUBIC" else range(2)
    for step in reach:
        weights = _weight(np.abs(at - below - step), primitive)
        np.add.at(made, (place, np.clip(below + step, 0, old - 1)), weights)
    return made


def _weight(distance: Array, primitive: Resize) -> Array:
    """By distance: a tent, or Keys' kernel ("Cubic Convolution Interpolation for Digital Image Processing", 1981)."""
    if primitive.method.name != "CUBIC":
        return np.asarray(1 - distance)
    a = primitive.cubic_coeff
    near = ((a + 2) * distance - (a + 3)) * distance**2 + 1
    far = ((distance - 5) * distance + 8) * distance * a - 4 * a
    return np.where(distance <= 1, near, far)


def _nearest(lowering: Lowering, x: Lowered, shape: tuple[int, ...], mode: str) -> Lowered:
    """Whole multiples by Resize; else rows and columns gathered, whose numbers are exact."""
    if mode == "ASYMMETRIC" and x.dtype == np.float32 and all(shape[axis] % x.shape[axis] == 0 for axis in (1, 2)):
        physical = tuple(shape[axis] for axis in NCHW)
        operands = [lowering.in_order(x, NCHW), None, None, lowering.ints(physical)]
        how = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        return Lowered(shape, x.dtype, NCHW, lowering.emit("Resize", operands, x.dtype, physical, **how))
    for axis in (1, 2):
        places = _places(x.shape[axis], shape[axis], mode)
        wide = (*x.shape[:axis], shape[axis], *x.shape[axis + 1 :])
        physical = tuple(wide[each] for each in x.order)
        operands = [as_it_lies(lowering, x), lowering.ints(places)]
        made = lowering.emit("Gather", operands, x.dtype, physical, axis=x.order.index(axis))
        x = Lowered(wide, x.dtype, x.order, made)
    return x


def _places(old: int, new: int, mode: str) -> list[int]:
    """The position that each new one copies; a coordinate is rounded down, half up with ALIGN_CORNERS."""
    if mode == "ALIGN_CORNERS":
        steps = max(new - 1, 1)
        return [(2 * place * (old - 1) + steps) // (2 * steps) for place in range(new)]
    if mode == "HALF_PIXEL":
        return [max((2 * place + 1) * old - new, 0) // (2 * new) for place in range(new)]
    return [place * old // new for place in range(new)]


LOWERINGS = {"Resize": lower_resize}
