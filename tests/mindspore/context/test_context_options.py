"""Options of a context that are no properties of Core: what each does to a model that is built."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from lite_delegate import Context, DelegateUnavailable, DelegateWarning, FallbackError, Model, PropertyError
from lite_delegate.inference.properties.build_properties import BUILD_PROPERTIES, REFERENCE_KERNELS
from lite_delegate.testing.delegates import NamedDelegate
from tests.runtime.graphs import chain


class Absent(NamedDelegate):
    def init(self) -> None:
        raise DelegateUnavailable("it is in the other laboratory")


def built(context: Context) -> Model:
    model = Model()
    model.build_from_graph(chain(1), context)
    return model


@pytest.mark.shows("context", "STRICT")
def test_strict_leaves_nothing_to_the_cpu() -> None:
    context = Context()
    context.set_delegate(NamedDelegate([]))
    with pytest.warns(DelegateWarning, match="does not claim the only kernel"):
        built(context)
    context.strict = True
    with pytest.raises(FallbackError):
        built(context)


@pytest.mark.shows("context", "REQUIRE_DELEGATES")
def test_a_delegate_that_is_not_there_is_replaced_or_an_error() -> None:
    context = Context()
    context.set_delegate(Absent(["n0"]))
    with pytest.warns(DelegateWarning, match="other laboratory"):
        built(context)
    context.require_delegates = True
    with pytest.raises(DelegateUnavailable, match="other laboratory"):
        built(context)


@pytest.mark.shows("context", "OPTIMIZE")
@pytest.mark.parametrize(("level", "nodes"), [("general", 1), ("none", 3)])
def test_the_level_says_what_becomes_of_an_imported_graph(level: str, nodes: int, tmp_path: Path) -> None:
    inner = [
        helper.make_node("Transpose", ["x"], ["a"], perm=[1, 0]),
        helper.make_node("Transpose", ["a"], ["b"], perm=[1, 0]),
        helper.make_node("Relu", ["b"], ["y"]),
    ]
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3]) for name in "xy")
    path, opset = tmp_path / "m.onnx", helper.make_opsetid("", 17)
    onnx.save(helper.make_model(helper.make_graph(inner, "g", [x], [y]), opset_imports=[opset]), path)
    context, model = Context(), Model()
    context.optimize = level
    model.build_from_file(path, context=context)
    assert len(model.compiled.graph.nodes) == nodes


@pytest.mark.parametrize("spec", [*BUILD_PROPERTIES, REFERENCE_KERNELS], ids=lambda spec: spec.name)
def test_they_are_attributes_and_not_set_by_name(spec: object) -> None:
    context, name = Context(), str(getattr(spec, "name", ""))
    assert hasattr(context, name.lower()) or hasattr(context.cpu, name.lower())
    with pytest.raises(PropertyError, match=f"has no property '{name}'"):
        context.set_property({name: 1})
