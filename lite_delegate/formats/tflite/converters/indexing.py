"""Operators that pick and place elements by index or condition, and that make tensors from numbers."""

from __future__ import annotations

from ....flatbuffer.problem import FormatProblem
from ....ir import DataType
from ...rejection import Why
from ..conversion import Converter, OperatorConversion
from ..tensors.layout import enum_names
from .elementwise import same


def gather(c: OperatorConversion) -> None:
    """Gather along one axis; ``batch_dims`` must be 0."""
    options = c.option("GatherOptions")
    c.reject_unless(options["batch_dims"] == 0, Why.ATTRIBUTE, f"batch_dims must be 0, found {options['batch_dims']}")
    c.node("Gather", [c.x(), c.x(1), c.constant("axis", [options["axis"]])], c.y())


def gather_nd(c: OperatorConversion) -> None:
    """GatherNd."""
    c.node("GatherNd", [c.x(), c.x(1)], c.y())


def scatter_nd(c: OperatorConversion) -> None:
    """ScatterNd."""
    c.node("ScatterNd", [c.x(2), c.x(0), c.x(1)], c.y())


def select(c: OperatorConversion) -> None:
    """Where; a condition of one dimension that picks whole rows is rejected."""
    condition, x = c.x(), c.x(1)
    rows = len(condition.shape or ()) == 1 and len(x.shape or ()) > 1
    c.reject_unless(not rows, Why.SHAPE, f"a condition {condition.shape} that picks whole rows of {x.shape}")
    c.node("Where", [condition, x, c.x(2)], c.y())


def where(c: OperatorConversion) -> None:
    """Where with one input; Cast where coordinates are int64."""
    made = c.result(c.y(), DataType.INT32)
    c.node("Where", [c.x()], made)
    c.finish(made, c.y())


def one_hot(c: OperatorConversion) -> None:
    """OneHot."""
    c.node("OneHot", [c.x(i) for i in range(4)], c.y(), axis=c.option("OneHotOptions")["axis"])


def unique(c: OperatorConversion) -> None:
    """Unique; Cast where places are int64."""
    places = c.result(c.y(1), DataType.INT32)
    c.node("Unique", [c.x()], [c.y(), places])
    c.finish(places, c.y(1))


def fill(c: OperatorConversion) -> None:
    """Fill."""
    c.node("Fill", [c.x(1), c.x(0)], c.y())


def sparse_to_dense(c: OperatorConversion) -> None:
    """SparseToDense."""
    c.node("SparseToDense", [c.x(i) for i in range(4)], c.y())


def hashtable_lookup(c: OperatorConversion) -> None:
    """HashtableLookup."""
    c.node("HashtableLookup", [c.x(), c.x(1), c.x(2)], [c.y(), c.y(1)])


def lsh_projection(c: OperatorConversion) -> None:
    """LshProjection; the type must be SPARSE or DENSE."""
    number = c.option("LSHProjectionOptions")["type"]
    kind = enum_names("LSHProjectionType").get(number, "UNKNOWN")
    c.reject_unless(kind in ("SPARSE", "DENSE"), Why.ATTRIBUTE, f"type must be SPARSE or DENSE, found {number}")
    c.node("LshProjection", [c.x(), c.x(1), c.optional(2)], c.y(), type=kind)


def skip_gram(c: OperatorConversion) -> None:
    """SkipGram."""
    options = c.option("SkipGramOptions")
    if options["ngram_size"] < 1:
        raise FormatProblem(f"expected at least 1, found {options['ngram_size']}", "ngram_size")
    c.node(
        "SkipGram",
        [c.x()],
        c.y(),
        include_all_grams=options["include_all_ngrams"],
        max_skip_size=options["max_skip_size"],
        ngram_size=options["ngram_size"],
    )


def drawn(op_type: str) -> Converter:
    """A converter to an operator that draws random numbers."""

    def convert(c: OperatorConversion) -> None:
        options = c.option("RandomOptions")
        c.node(op_type, [c.x()], c.y(), seed=options["seed"], seed2=options["seed2"])

    convert.__doc__ = f"{op_type}."
    return convert


CONVERTERS: dict[str, Converter] = {
    "GATHER": gather,
    "GATHER_ND": gather_nd,
    "SCATTER_ND": scatter_nd,
    "SELECT": select,
    "SELECT_V2": same("Where", 3),
    "WHERE": where,
    "ONE_HOT": one_hot,
    "UNIQUE": unique,
    "FILL": fill,
    "RANGE": same("Range", 3),
    "SPARSE_TO_DENSE": sparse_to_dense,
    "HASHTABLE_LOOKUP": hashtable_lookup,
    "LSH_PROJECTION": lsh_projection,
    "SKIP_GRAM": skip_gram,
    "RANDOM_STANDARD_NORMAL": drawn("RandomStandardNormal"),
    "RANDOM_UNIFORM": drawn("UniformReal"),
}
"""Converters of this file by the schema's names."""
