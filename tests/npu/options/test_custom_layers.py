"""Files of custom layers: what they bind, and that any bytes are bindings or one line of InputError."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from warnings import catch_warnings, simplefilter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate import Context, Model, Rejected
from lite_delegate.delegate import RejectCode
from lite_delegate.errors import InputError
from lite_delegate.ir import Source
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.options.custom_layers import MAX_BYTES, MAX_LAYERS, read_custom_layers
from lite_delegate.report import partition_report
from tests.npu.graphs import node, variable
from tests.runtime.graphs import chain

BOMB = """<?xml version="1.0"?>
<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<CustomLayers><CustomLayer name="&b;"/></CustomLayers>"""
OUTSIDE = """<!DOCTYPE x SYSTEM "file:///etc/hostname"><CustomLayers/>"""


@pytest.fixture
def write(tmp_path):
    def _write(content, name="layers.xml"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return _write


def layers(*attributes: str) -> str:
    return "<CustomLayers>" + "".join(f"<CustomLayer {a}/>" for a in attributes) + "</CustomLayers>"


def rejected(path) -> str:
    with pytest.raises(InputError) as caught:
        NPUDelegate(options={"VPU_CUSTOM_LAYERS": path})
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 600
    return text


def code(delegate, kernel):
    return getattr(delegate.supports(kernel), "code", None)


@pytest.mark.shows("NPU", "VPU_CUSTOM_LAYERS")
def test_layers_of_the_file_stay_on_the_host(write):
    x = variable("x", (2, 3))
    softmax, add = node("Softmax", [x], (2, 3), axis=[-1]), node("AddFusion", [x, x], (2, 3))
    delegate = NPUDelegate(options={"VPU_CUSTOM_LAYERS": write(layers('type="Softmax"'))})
    assert (code(NPUDelegate(), softmax), code(NPUDelegate(), add)) == (None, None)
    assert (code(delegate, softmax), code(delegate, add)) == (RejectCode.POLICY, None)
    rejected = delegate.supports(softmax)
    assert isinstance(rejected, Rejected)
    reason = rejected.reason
    assert "VPU_CUSTOM_LAYERS" in reason
    assert "layers.xml" in reason
    delegate.set_property({"VPU_CUSTOM_LAYERS": ""})
    assert code(delegate, softmax) is None


def test_a_layer_is_bound_by_operator_or_name_or_both(write):
    bound = read_custom_layers(write(layers('type="Softmax"', 'name="a/b"', 'type="AddFusion" name="c"')))
    assert bound.binds("Softmax", "any")
    assert bound.binds("AddFusion", "a/b")
    assert bound.binds("AddFusion", "c")
    assert not bound.binds("AddFusion", "d")
    assert not bound.binds("SubFusion", "c")


@pytest.mark.parametrize(
    "layer",
    ['type="Gelu"', 'type="com.microsoft.Gelu"', 'type="CONV_2D"', 'name="fused"', 'name="loop/fused"', 'name="n"'],
)
def test_a_layer_is_bound_by_what_the_file_calls_it_too(write, layer):
    kernel = node("Softmax", [variable("x", (2, 3))], (2, 3), axis=[-1])
    kernel.name = "n"
    kernel.sources = (
        Source("fused", "com.microsoft.Gelu", ("loop",), (0,)),
        Source("fused", "Gelu"),
        Source("c", "CONV_2D"),
    )
    delegate = NPUDelegate(options={"VPU_CUSTOM_LAYERS": write(layers(layer))})
    assert code(delegate, kernel) is RejectCode.POLICY
    kernel.name, kernel.sources = "m", ()
    assert code(delegate, kernel) is None


@pytest.mark.parametrize(
    ("layer", "told"),
    [
        ('name="n0"', ""),
        ('name="n0x" type="AddFusion"', "names 'n0x', no node of the model is called so. Did you mean 'n0'"),
        ('name="head"', "names 'head', no node of the model is called so."),
        ('name="n1" type="SubFusion"', "names 'n1' of type 'SubFusion', no node of that name is one."),
        ('type="Softmax"', ""),
    ],
)
def test_a_name_that_no_node_has_is_told(write, layer, told):
    context, model, path = Context(), Model(), write(layers(layer))
    context.set_delegate(NPUDelegate(options={"VPU_CUSTOM_LAYERS": path}))
    with catch_warnings(record=True) as caught:
        simplefilter("always")
        model.build_from_graph(chain(2), context)
    expected = [f"Delegate 'npu': VPU_CUSTOM_LAYERS: '{path}' {told}"] if told else []
    texts = [str(each.message) for each in caught]
    assert len(texts) == len(expected)
    assert all(text.startswith(start) for text, start in zip(texts, expected, strict=True))
    assert [note for note in partition_report(model).notes if "VPU_CUSTOM" in note] == texts


def test_a_node_of_the_file_that_is_in_no_kernel_any_more_is_one_of_the_model(write):
    kernel = node("Softmax", [variable("x", (2, 3))], (2, 3), axis=[-1])
    delegate = NPUDelegate(options={"VPU_CUSTOM_LAYERS": write(layers('name="loop/gone"', 'name="there"'))})
    gone = Source("gone", "Identity", ("loop",), (0, 1))
    assert [text.partition(" names ")[2] for text in delegate.unmatched([kernel], [gone])] == [
        "'there', no node of the model is called so."
    ]


def test_the_path_is_what_is_read_back_and_the_file_is_read_once(write):
    path = write(layers('type="Softmax"'))
    delegate = NPUDelegate(options={"VPU_CUSTOM_LAYERS": Path(path)})
    assert delegate.get_property("VPU_CUSTOM_LAYERS") == path
    os.unlink(path)
    assert code(delegate, node("Softmax", [variable("x", (2, 3))], (2, 3), axis=[-1])) is RejectCode.POLICY


def test_a_file_may_bind_nothing_and_have_comments_and_any_encoding(write):
    assert not read_custom_layers(write("<CustomLayers><!-- none --></CustomLayers>")).binds("Softmax", "")
    text = '<?xml version="1.0" encoding="UTF-16"?>' + layers('name="äé"')
    assert read_custom_layers(write(text.encode("utf-16"))).binds("Softmax", "äé")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is not XML: no element found"),
        ("not xml", "is not XML"),
        ("<CustomLayers>", "is not XML"),
        (b"\x00\xff", "is not XML"),
        ('<?xml version="1.0" encoding="nope"?><CustomLayers/>', "is not XML"),
        ("<CustomLayer/>", "must be CustomLayers with CustomLayer in it, has 'CustomLayer' in line 1"),
        ("<CustomLayers>\n<Layer/></CustomLayers>", "has 'Layer' in line 2"),
        ("<CustomLayers><CustomLayer name='x'><Kernel/></CustomLayer></CustomLayers>", "has 'Kernel' in line 1"),
        ("<CustomLayers><CustomLayers/></CustomLayers>", "has 'CustomLayers' in line 1"),
        (layers(""), "line 1: a CustomLayer has a type, a name or both, got neither"),
        (layers('kind="Softmax"'), "a CustomLayer has a type, a name or both, got 'kind'"),
        (layers('type="SoftMax"'), "type must be an operator, got 'SoftMax'. Did you mean 'Softmax'"),
        (layers('type="MVCL"'), "type must be an operator, got 'MVCL'"),
        (layers('type=""'), "type must be an operator, got ''"),
        (BOMB, "must not declare a document type"),
        (OUTSIDE, "must not declare a document type"),
        (b"<CustomLayers>" + b" " * MAX_BYTES, f"may have {MAX_BYTES:,} bytes at most, has more"),
        (layers(*['name="x"'] * (MAX_LAYERS + 1)), f"may have {MAX_LAYERS} layers at most, has more"),
        ("<CustomLayers>" + "<CustomLayer name='x'>" * 20_000, "has 'CustomLayer' in line 1"),
    ],
)
def test_other_files_are_rejected_in_one_line(write, content, message):
    text = rejected(write(content))
    assert text.startswith("Property VPU_CUSTOM_LAYERS must be empty or the path of an XML file of custom layers; got")
    assert "(Custom layers file '" in text
    assert message in text


def test_as_many_layers_as_there_may_be(write):
    assert read_custom_layers(write(layers(*['name="x"'] * MAX_LAYERS))).binds("Softmax", "x")


def test_paths_that_are_no_files(tmp_path):
    assert "No such file" in rejected(str(tmp_path / "absent.xml"))
    assert "is not a file" in rejected(str(tmp_path))
    assert "cannot be read" in rejected("a\0b")
    assert "is not a file" in rejected("/dev/zero")
    assert "must be empty or the path" in rejected("x" * 5000)


@given(st.one_of(st.binary(max_size=40), st.text(alphabet='<>/"=!& CustomLayerstype', max_size=60)))
def test_any_content_binds_something_or_is_an_input_error(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("layers") / "any.xml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with suppress(InputError):
        read_custom_layers(str(path))


KERNEL = """<CustomLayer name="Softmax" type="MVCL" version="1">
  <Kernel entry="softmax"><Source filename="softmax.cl"/></Kernel>
  <Parameters><Tensor arg-name="x" type="input" port-index="0" format="BFYX"/></Parameters>
  <WorkSizes dim="input,0" global="F,Y,X"/>
</CustomLayer>"""


@pytest.mark.parametrize("content", [KERNEL, f"<CustomLayers>{KERNEL}</CustomLayers>"])
def test_layers_with_kernels_of_vision_processors_bind_their_operator(write, content):
    x = variable("x", (2, 3))
    softmax, add = node("Softmax", [x], (2, 3), axis=[-1]), node("AddFusion", [x, x], (2, 3))
    delegate = NPUDelegate("myriad_x", options={"VPU_CUSTOM_LAYERS": write(content)})
    assert (code(delegate, softmax), code(delegate, add)) == (RejectCode.POLICY, None)


def test_several_of_both_kinds(write):
    other = KERNEL.replace("Softmax", "AddFusion")
    found = read_custom_layers(write(f'<CustomLayers>{KERNEL}<CustomLayer name="a"/>{other}</CustomLayers>'))
    assert (set(found.types), set(found.names)) == ({"Softmax", "AddFusion"}, {"a"})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (KERNEL.replace('name="Softmax" ', ""), "must be CustomLayers with CustomLayer in it, has 'CustomLayer'"),
        (KERNEL.replace("Softmax", "Softmx"), "type must be an operator, got 'Softmx'. Did you mean 'Softmax'"),
        (KERNEL.replace("Kernel", "CustomLayer"), "must be CustomLayers with CustomLayer in it, has 'CustomLayer'"),
        (KERNEL.replace("MVCL", "Softmax"), "must be CustomLayers with CustomLayer in it, has 'CustomLayer'"),
        (KERNEL.replace("<Kernel", "<a>" * 20 + "<Kernel").replace("</Kernel>", "</Kernel>" + "</a>" * 20), "has 'a'"),
    ],
)
def test_what_is_no_such_layer(write, content, message):
    assert message in rejected(write(content))
