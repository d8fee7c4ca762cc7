"""Slices. The masks of STRIDED_SLICE are worked out here, as those of StridedSlice mean less."""

from __future__ import annotations

from dataclasses import field

from ....basics.data_class import dataclass
from ....flatbuffer.problem import FormatProblem
from ....flatbuffer.schema import Record
from ....ir import Value
from ...rejection import Why
from ..conversion import Converter, OperatorConversion

_END = 2**31 - 1
_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def slice_(c: OperatorConversion) -> None:
    """SliceFusion."""
    shape = c.x().shape
    axes = None if shape is None else list(range(len(shape)))
    c.node("SliceFusion", [c.x(), c.x(1), c.x(2)], c.y(), axes=axes)


def strided_slice(c: OperatorConversion) -> None:
    """StridedSlice without masks, and Squeeze and Unsqueeze for dimensions that go or come. Computed bounds have
    constant strides above 0, and no ellipsis, new axes, offsets, or dimension both opened and dropped.
    """
    options = c.option("StridedSliceOptions")
    if any(c.x(i).data is None for i in (1, 2, 3)):
        _computed(c, options)
        return
    begin, end, strides = (c.integers(i, name) for i, name in ((1, "begin"), (2, "end"), (3, "strides")))
    if not len(begin) == len(end) == len(strides) or 0 in strides:
        raise FormatProblem(f"begin {begin}, end {end} and strides {strides} do not fit", "inputs")
    box = _box(options, begin, end, strides, c.rank(c.x()))
    _emit(c, box)


@dataclass(slots=True)
class _Box:
    """The part that is cut out, per dimension of the input, and what happens to dimensions then."""

    begin: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    strides: list[int] = field(default_factory=list)
    dropped: list[int] = field(default_factory=list)
    inserted: list[int] = field(default_factory=list)

    def add(self, begin: int, end: int, stride: int) -> None:
        """Adds a dimension; a position beyond every dimension is brought within 32 bits."""
        for numbers, number in ((self.begin, begin), (self.end, end), (self.strides, stride)):
            numbers.append(min(max(number, -_END), _END))


def _box(options: Record, begin: list[int], end: list[int], strides: list[int], rank: int) -> _Box:
    """The masks worked out, in TensorFlow's order: ellipsis, new axis, shrink, begin and end."""
    box, out = _Box(), 0
    is_set = {name: [bool(options[name] >> i & 1) for i in range(len(begin))] for name in _MASKS}
    for i, (first, last, stride) in enumerate(zip(begin, end, strides, strict=True)):
        if is_set["ellipsis_mask"][i]:
            later = sum(not n for n in is_set["new_axis_mask"][i + 1 :])
            whole = max(0, rank - len(box.begin) - later)
            for _ in range(whole):
                box.add(0, _END, 1)
            out += whole
        elif is_set["new_axis_mask"][i]:
            box.inserted.append(out)
            out += 1
        elif is_set["shrink_axis_mask"][i]:
            box.dropped.append(len(box.begin))
            box.add(*_one_place(first, stride, is_set["begin_mask"][i]))
        else:
            last = first + last if options["offset"] else last
            box.add(*_opened(first, last, stride, is_set["begin_mask"][i], is_set["end_mask"][i]))
            out += 1
    if len(box.begin) > rank:
        raise FormatProblem(f"{len(box.begin)} dimensions are cut, the input has {rank}", "inputs")
    return box


def _one_place(first: int, stride: int, opens_begin: bool) -> tuple[int, int, int]:
    """A mask that opens the beginning counts, as in LiteRT; TensorFlow takes no notice of it."""
    if opens_begin:
        first = 0 if stride > 0 else -1
    return first, first + 1 if first != -1 else _END, 1


def _opened(first: int, last: int, stride: int, opens_begin: bool, opens_end: bool) -> tuple[int, int, int]:
    if opens_begin:
        first = 0 if stride > 0 else _END
    if opens_end:
        last = _END if stride > 0 else -_END
    return first, last, stride


def _emit(c: OperatorConversion, box: _Box) -> None:
    steps: list[tuple[str, list[int]]] = []
    if box.dropped:
        steps.append(("Squeeze", box.dropped))
    if box.inserted:
        steps.append(("Unsqueeze", box.inserted))
    current = c.y() if not steps else c.between(c.y(), "cut", same_shape=False)
    vectors = {"begin": box.begin, "end": box.end, "axes": list(range(len(box.begin))), "strides": box.strides}
    c.node("StridedSlice", [c.x(), *(c.constant(name, v) for name, v in vectors.items())], current)
    for i, (op_type, axis) in enumerate(steps):
        following = c.y() if i == len(steps) - 1 else c.between(c.y(), op_type.lower(), same_shape=False)
        c.node(op_type, [current], following, axis=axis)
        current = following


def _computed(c: OperatorConversion, options: Record) -> None:
    """Bounds that are worked out by the model; masks are left to our operator where they mean the same there."""
    strides = c.integers(3, "strides")
    special = options["ellipsis_mask"] or options["new_axis_mask"] or options["offset"]
    special = special or options["shrink_axis_mask"] & options["begin_mask"]
    plain = not special and min(strides, default=1) > 0
    reason = "computed bounds with an ellipsis, new axes, offsets, negative strides, or a dimension opened and dropped"
    c.reject_unless(plain, Why.NOT_CONSTANT, reason)
    masks = {name: options[name] for name in ("begin_mask", "end_mask", "shrink_axis_mask")}
    inputs: list[Value] = [c.x(), c.x(1), c.x(2), c.constant("axes", list(range(len(strides)))), c.x(3)]
    c.node("StridedSlice", inputs, c.y(), **masks)


CONVERTERS: dict[str, Converter] = {
    "SLICE": slice_,
    "STRIDED_SLICE": strided_slice,
}
"""Converters of this file by the schema's names."""
