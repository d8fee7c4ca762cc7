"""Attentions as ONNX files, in the forms that exporters write them, and what they are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from lite_delegate import Context, Delegate, Model

Array = np.ndarray[Any, Any]
TOLERANCE = 2e-5
NAME = "attention.onnx"


@dataclass(frozen=True)
class Form:
    """How a file writes an attention.

    Attributes:
        parts: where query, key and value come from: "split", "slice" or "gather" of one product, or "three" products.
        scaled: what is multiplied: "query", "both", "scores", "none", or what no attention is: "value", "sum".
        bias: added to the scores: "none", "heads", "rows" (of all heads), "windows" (and one of 5 dimensions),
            "input".
        has_offsets: whether products have biases.
    """

    batch: int = 1
    rows: int = 5
    heads: int = 2
    depth: int = 4
    parts: str = "split"
    scaled: str = "query"
    bias: str = "none"
    has_offsets: bool = True


class File:
    """The ONNX file of one form, and the arrays that it has."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.rng = np.random.default_rng(0)
        self.nodes: list[onnx.NodeProto] = []
        self.arrays: dict[str, Array] = {}
        self.width = form.heads * form.depth

    def add(self, op: str, *inputs: str, count: int = 1, **attributes: Any) -> Any:
        outputs = [f"{op}{len(self.nodes)}_{number}" for number in range(count)]
        self.nodes.append(helper.make_node(op, inputs, outputs, **attributes))
        return outputs if count > 1 else outputs[0]

    def array(self, name: str, *shape: int) -> str:
        self.arrays[name] = self.rng.standard_normal(shape).astype(np.float32)
        return name

    def ints(self, *values: int) -> str:
        name = f"i{len(self.arrays)}"
        self.arrays[name] = np.array(values, np.int64)
        return name

    def number(self, value: float) -> str:
        name = f"n{len(self.arrays)}"
        self.arrays[name] = np.array(value, np.float32)
        return name

    def product(self, x: str, name: str, columns: int) -> str:
        y = self.add("MatMul", x, self.array(f"w{name}", self.width, columns))
        return str(self.add("Add", y, self.array(f"b{name}", columns)) if self.form.has_offsets else y)

    def heads(self) -> list[str]:
        """Query, key and value, each (batch, rows, heads, depth)."""
        form = self.form
        shape = (form.batch, form.rows, form.heads, form.depth)
        if form.parts == "three":
            return [self.add("Reshape", self.product("x", part, self.width), self.ints(*shape)) for part in "qkv"]
        whole = self.product("x", "", 3 * self.width)
        whole = self.add("Reshape", whole, self.ints(*shape[:2], 3, *shape[2:]))
        if form.parts == "split":
            parts = self.add("Split", whole, self.ints(1, 1, 1), count=3, axis=2)
            return [self.add("Squeeze", part, self.ints(2)) for part in parts]
        if form.parts == "slice":
            places = [(self.ints(place), self.ints(place + 1)) for place in range(3)]
            parts = [self.add("Slice", whole, start, stop, self.ints(2)) for start, stop in places]
            return [self.add("Squeeze", part, self.ints(2)) for part in parts]
        whole = self.add("Transpose", whole, perm=[2, 0, 3, 1, 4])
        for place in range(3):
            self.arrays[f"place{place}"] = np.array(place, np.int64)
        parts = [self.add("Gather", whole, f"place{place}", axis=0) for place in range(3)]
        return [self.add("Transpose", part, perm=[0, 2, 1, 3]) for part in parts]

    def biased(self, scores: str) -> str:
        form, square = self.form, (self.form.rows, self.form.rows)
        if form.bias == "none":
            return scores
        if form.bias == "input":
            return str(self.add("Add", scores, "mask"))
        scores = self.add("Add", scores, self.array("bias", 1, 1 if form.bias == "rows" else form.heads, *square))
        if form.bias != "windows":
            return scores
        shape = (1, form.batch, form.heads, *square)
        scores = self.add(
            "Add", self.add("Reshape", scores, self.ints(*shape)), self.array("window", 1, form.batch, 1, *square)
        )
        return str(self.add("Reshape", scores, self.ints(*shape[1:])))

    def model(self) -> onnx.ModelProto:
        form, factor = self.form, self.number(0.5)
        q, k, v = (self.add("Transpose", part, perm=[0, 2, 1, 3]) for part in self.heads())
        q = self.add("Mul", q, factor) if form.scaled in {"query", "both"} else q
        k = self.add("Mul", k, factor) if form.scaled == "both" else k
        v = self.add("Mul", v, factor) if form.scaled == "value" else v
        scores = self.add("MatMul", q, self.add("Transpose", k, perm=[0, 1, 3, 2]))
        scores = self.add("Div", scores, self.number(2.0)) if form.scaled == "scores" else scores
        scores = self.biased(scores)
        scores = self.add("Mul", scores, factor) if form.scaled == "sum" else scores
        y = self.add("Transpose", self.add("MatMul", self.add("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        y = self.add("Reshape", y, self.ints(form.batch, form.rows, self.width))
        y = self.add("MatMul", y, self.array("out", self.width, self.width))
        inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [form.batch, form.rows, self.width])]
        if form.bias == "input":
            inputs.append(helper.make_tensor_value_info("mask", TensorProto.FLOAT, [form.batch, 1, 1, form.rows]))
        output = helper.make_tensor_value_info(y, TensorProto.FLOAT, None)
        constants = [numpy_helper.from_array(array, name) for name, array in self.arrays.items()]
        graph = helper.make_graph(self.nodes, "g", inputs, [output], constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def expected(file: File, inputs: dict[str, Array]) -> Array:
    """A loop over batches and heads, in double precision."""
    form, d = file.form, file.form.depth
    arrays = {name: array.astype(np.float64) for name, array in (file.arrays | inputs).items()}
    x, mask = arrays["x"], arrays["mask"]
    three = form.parts == "three"
    weight = np.concatenate([arrays[f"w{part}"] for part in "qkv"], axis=1) if three else arrays["w"]
    offsets = np.zeros(3 * file.width)
    if form.has_offsets:
        offsets = np.concatenate([arrays[f"b{part}"] for part in "qkv"]) if three else arrays["b"]
    scores_by = {"query": 0.5, "both": 0.25, "scores": 0.5, "none": 1.0, "value": 1.0, "sum": 0.5}[form.scaled]
    y = np.zeros(x.shape)
    for b in range(form.batch):
        whole = x[b] @ weight + offsets
        for h in range(form.heads):
            q, k, v = (whole[:, p * file.width + h * d : p * file.width + (h + 1) * d] for p in range(3))
            added = mask[b, 0] if form.bias == "input" else np.zeros((1, 1))
            if "bias" in arrays:
                added = added + arrays["bias"][0, h % arrays["bias"].shape[1]]
            if form.bias == "windows":
                added = added + arrays["window"][0, b, 0]
            scores = q @ k.T * scores_by + added * (0.5 if form.scaled == "sum" else 1.0)
            grown = np.exp(scores - scores.max(axis=1, keepdims=True))
            part = grown / grown.sum(axis=1, keepdims=True) @ v
            y[b, :, h * d : (h + 1) * d] = part * (0.5 if form.scaled == "value" else 1.0)
    return np.asarray(y @ arrays["out"])


def predicted(folder: Path, arrays: dict[str, Array], delegate: Delegate, *, rewrite: bool) -> tuple[Model, Array]:
    """The model on a delegate, and its output."""
    context = Context()
    context.rewrite = rewrite
    context.set_delegate(delegate)
    model = Model()
    model.build_from_file(str(folder / NAME), context=context)
    inputs = model.get_inputs()
    for tensor in inputs:
        tensor.set_data_from_numpy(arrays[tensor.name])
    (output,) = model.predict(inputs)
    return model, np.array(output.get_data_to_numpy())


def written(form: Form, folder: Path) -> tuple[File, dict[str, Array]]:
    """The file of a form, and its inputs."""
    file, rng = File(form), np.random.default_rng(1)
    onnx.save(file.model(), folder / NAME)
    shapes = {"x": (form.batch, form.rows, file.width), "mask": (form.batch, 1, 1, form.rows)}
    return file, {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}


def is_close(found: Array, wanted: Array) -> bool:
    return np.allclose(found, wanted, rtol=TOLERANCE, atol=TOLERANCE * np.abs(wanted).max())


FORMS = st.builds(
    Form,
    batch=st.integers(1, 3),
    rows=st.integers(1, 6),
    heads=st.integers(1, 3),
    depth=st.integers(1, 5),
    parts=st.sampled_from(["split", "slice", "gather", "three"]),
    scaled=st.sampled_from(["query", "both", "scores", "none"]),
    bias=st.sampled_from(["none", "heads", "rows", "windows", "input"]),
    has_offsets=st.booleans(),
)
