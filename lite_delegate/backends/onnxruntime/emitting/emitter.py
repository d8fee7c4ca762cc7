"""The emitter of ONNX models whose large constants the session shares with us."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from ....delegate import RejectCode
from ....formats.onnx.export import AttributeValue, ModelWriter, Outside, elem_type_of
from ....ir import from_numpy
from ....tensors.tensor import Array
from ...lowering import OPSET, THROUGH, Attributes, Dtype, Inner, NotLowered, OpenDim, Shape, Spec, Term
from ...lowering.inner import WITH_GRAPHS, inner_graphs, own_operands
from ..sessions.in_files import referred
from ..sessions.layers import RESULT, WrittenLayer
from .far_scales import FarScales
from .narrow import ROUNDED, check_narrow, narrowing
from .signatures import bound, key_of, letters_of
from .stand_ins import computed_in
from .unsigned import Unsigned

INLINE_BYTES = 1024
"""Smaller constants are in the model: ONNX Runtime looks at shapes and axes before it has the others."""
CONTRIB = "com.microsoft"
"""The domain of ONNX Runtime's own operators, in front of their names here; who writes one knows their types."""
LEAST_INPUTS = {"Loop": 2}
"""Inputs of a node that are named, if only by "", by operator: ONNX's schema of a Loop wants count and condition."""
IN_MEMORY = "*/lite_delegate"
"""The place that is written for constants which are handed over beside the model."""


class OnnxEmitter:
    """Writes one ONNX model.

    Args:
        name: the name of the graph.
        is_unsigned: whether int8 is uint8 between quantization and its readers.
        keeps_names: whether the model's inputs have the names of the run's.
        outputs: the names of the model's outputs; (): y0, y1, ...

    Attributes:
        written: the layer that each node was written for, by the name of its first result.
    """

    takes_unknown = False

    def __init__(
        self, name: str, *, is_unsigned: bool = False, keeps_names: bool = False, outputs: Sequence[str] = ()
    ) -> None:
        self._keeps_names, self._outputs = keeps_names, outputs
        self._unsigned = Unsigned(self._node, self._constant_term) if is_unsigned else None
        self._writer = ModelWriter(name, OPSET)
        self._made = 0
        self._offset = 0
        self._folder: Path | None = None
        self._dequantized: set[str] = set()
        self._scales = FarScales()
        self.layer = ""
        self.outside: dict[str, Array] = {}
        self.written: dict[str, WrittenLayer] = {}

    def check(self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes) -> None:
        """Checks that ONNX Runtime's CPU provider has a kernel for these element types, or for some in their place.

        Raises:
            NotLowered: it does not.
        """
        if op not in WITH_GRAPHS:
            computed_type(op, operands, results)
            check_narrow(attributes, ROUNDED)

    def input(self, name: str, dtype: Dtype, shape: Shape) -> str:
        """The name of an input."""
        given = name if self._keeps_names and name and not RESULT.fullmatch(name) else self._name("x")
        self._writer.input(given, dtype, _dims(given, shape))
        return given

    def constant(self, array: Array) -> str:
        """The name of a constant."""
        name = self._name("c")
        if array.nbytes < INLINE_BYTES:
            self._writer.initializer(name, array)
            return name
        given = self.outside[name] = np.ascontiguousarray(array)
        self._writer.initializer(name, array, self._place(given))
        return name

    def _place(self, array: Array) -> Outside:
        """In a file where it lies in one; the session has a folder for these."""
        place = referred(array)
        if place is not None and self._folder in (None, place.folder):
            self._folder = place.folder
            return Outside(place.name, place.offset)
        self._offset += array.nbytes
        return Outside(IN_MEMORY, self._offset - array.nbytes)

    def node(
        self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes
    ) -> Sequence[object]:
        """The names of an operator's results, or handles of results that are written later."""
        if op in WITH_GRAPHS:
            return self._with_graphs(op, operands, results, attributes)
        if self._unsigned is not None and self._unsigned.applies(op, operands, results):
            return self._unsigned.node(op, operands, results, attributes)
        return self._node(op, operands, results, attributes)

    def _with_graphs(
        self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes
    ) -> list[str]:
        """A loop or a choice; its graphs read the operands behind its own by their names."""
        inside = inner_graphs(attributes)
        graphs = {key: self._graph(key, inner, operands) for key, inner in inside.items()}
        names, made = names_of(op, own_operands(operands, inside)), [self._name("v") for _ in results]
        self.written[made[0]] = WrittenLayer(self.layer, op, tuple(names))
        self._writer.node(op, names, made, graphs, f"{self.layer or op}/{made[0]}")
        return made

    def _graph(self, name: str, inner: Inner, operands: Sequence[Term | None]) -> bytes:
        layer, copy = self.layer, partial(self._name, "r")

        def write() -> None:
            given = [Term(self.input("", *spec), *spec) for spec in inner.inputs]
            for term in inner.write(self, given, operands):
                self._writer.inner_output(str(term.handle), copy, term.dtype, term.shape)

        content = self._writer.graph(f"{layer}/{name}", write)
        self.layer = layer
        return content

    def _constant_term(self, array: Array) -> Term:
        return Term(self.constant(array), array.dtype, array.shape, array)

    def _node(
        self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes
    ) -> list[str]:
        domain, _, op = op.rpartition(".")
        if not domain:
            own, dtype = computed_type(op, operands, results)
            if own != dtype:
                return self._in_place(op, operands, results, attributes, own, dtype)
        if op == "DequantizeLinear":
            operands = [self._unshared(operands[0]), *operands[1:]]
        if THROUGH in attributes:
            operands, attributes = [self._narrow(operands, attributes)], {}
        if op == "QuantizeLinear":
            operands = [self._apart(operands[0], operands[1]), *operands[1:]]
        made = [self._name("v") for _ in results]
        name = f"{self.layer or op}/{made[0]}"
        self.written[made[0]] = WrittenLayer(self.layer, op, tuple(names_of(op, operands)))
        self._scales.see(op, operands, made[0])
        self._writer.node(op, names_of(op, operands), made, with_cast(op, results, attributes), name, domain)
        return made

    def _unshared(self, x: Term | None) -> Term | None:
        """An operand of DequantizeLinear; a constant that another one reads is one of its own, over the same memory.

        ONNX Runtime makes uint8 of int8 constants, and fails at one that it has made already.
        """
        if x is None or x.constant is None:
            return x
        if x.handle not in self._dequantized:
            self._dequantized.add(str(x.handle))
            return x
        return self._constant_term(x.constant)

    def _narrow(self, operands: Sequence[Term | None], attributes: Attributes) -> Term:
        """The operand of a Cast, in the type that the Cast goes through."""
        (x,) = operands
        assert x is not None
        name = self._name("v")
        self.written[name] = WrittenLayer(self.layer, "Cast", (str(x.handle),))
        self._writer.node("Cast", [str(x.handle)], [name], narrowing(attributes), f"{self.layer or 'Cast'}/{name}")
        return Term(name, x.dtype, x.shape)

    def _apart(self, x: Term | None, scale: Term | None) -> Term | None:
        """An operand of QuantizeLinear; behind an operator that takes all numbers as they are where ONNX Runtime is not
        to compute the integers from integers."""
        if x is None or not self._scales.are_far(x, scale):
            return x
        lowest = self._constant_term(np.array(np.finfo(np.float32).min, x.dtype))
        (name,) = self._node("Max", [x, lowest], [(x.dtype, x.shape)], {})
        return Term(name, x.dtype, x.shape)

    def _in_place(
        self,
        op: str,
        operands: Sequence[Term | None],
        results: Sequence[Spec],
        attributes: Attributes,
        own: Dtype,
        dtype: Dtype,
    ) -> list[str]:
        """The names of a node's results where the node computes in another element type, between two casts."""
        taken = letters_of(op, len(operands), "taken")
        given = letters_of(op, len(results), "given")
        pairs = zip(operands, taken, strict=True)
        wide = [self._cast(term, dtype) if term and letter == "T" else term for term, letter in pairs]
        specs = [(dtype if letter == "T" else spec[0], spec[1]) for spec, letter in zip(results, given, strict=True)]
        made = self._node(op, wide, specs, attributes)
        terms = [Term(name, *spec) for name, spec in zip(made, specs, strict=True)]
        return [str(self._cast(term, spec[0]).handle) for term, spec in zip(terms, results, strict=True)]

    def _cast(self, term: Term, dtype: Dtype) -> Term:
        if term.dtype == dtype:
            return term
        if term.constant is not None:
            array = term.constant.astype(dtype)
            return Term(self.constant(array), dtype, term.shape, array)
        (name,) = self._node("Cast", [term], [(dtype, term.shape)], {})
        return Term(name, dtype, term.shape)

    def finish(self, outputs: Sequence[Term]) -> bytes:
        """The model's bytes. Each output is made by a node of its own, so that two may be one tensor, or an input."""
        for number, term in enumerate(outputs):
            name = self._outputs[number] if self._outputs else f"y{number}"
            self._writer.node("Identity", [str(term.handle)], [name], {})
            self._writer.output(name, term.dtype, _dims(name, term.shape))
        return self._writer.content()

    def _name(self, letter: str) -> str:
        self._made += 1
        return f"{letter}{self._made}"


def _dims(name: str, shape: Shape) -> list[int | str]:
    """Dimensions as the file has them: open ones have names of their own."""
    return [f"{name}_{axis}" if isinstance(dim, OpenDim) else dim for axis, dim in enumerate(shape)]


def computed_type(op: str, operands: Sequence[Term | None], results: Sequence[Spec]) -> tuple[Dtype, Dtype]:
    """A node's own element type, and the one that ONNX Runtime computes it in.

    Raises:
        NotLowered: ONNX Runtime has no kernel.
    """
    found = letter_types(op, operands, results)
    own, dtype = found.get("T", np.dtype(np.float32)), computed_in(op, found)
    if dtype is None:
        rule = f"ONNX Runtime must have a kernel of {op} for the element type"
        raise NotLowered(RejectCode.DTYPE, rule, f"has none for {key_of(found)}", from_numpy(own))
    return own, dtype


def letter_types(op: str, operands: Sequence[Term | None], results: Sequence[Spec]) -> dict[str, Dtype]:
    """The element types that the letters of an operator's signature stand for in a node.

    Raises:
        NotLowered: operands that must be of one type are not.
    """
    found = bound(op, [None if term is None else term.dtype for term in operands], [dtype for dtype, _ in results])
    if isinstance(found, str):
        first = next((term.dtype for term in operands if term is not None), results[0][0])
        rule = f"{op} takes operands of one type"
        raise NotLowered(RejectCode.DTYPE, rule, f"wants {found}", from_numpy(first))
    return found


def with_cast(op: str, results: Sequence[Spec], attributes: Attributes) -> dict[str, AttributeValue]:
    """A node's attributes in the file: a Cast has the element type of its result."""
    plain = {name: value for name, value in attributes.items() if not isinstance(value, Inner)}
    return {**plain, "to": elem_type_of(results[0][0])} if op == "Cast" else {**plain}


def names_of(op: str, operands: Sequence[Term | None]) -> list[str]:
    """A node's inputs in the file: "" for absent ones, without absent ones at the end that the operator does not
    need.
    """
    names = ["" if term is None else str(term.handle) for term in operands]
    while len(names) > LEAST_INPUTS.get(op, 0) and not names[-1]:
        names.pop()
    return names
