"""CTCGreedyDecoder, a Custom node: what is claimed, and what the device gives."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper

from lite_delegate import Context, Model, ModelType
from lite_delegate.delegate import RejectCode
from lite_delegate.ir import custom_primitive
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.device.instructions.sequence import DecodeClasses
from lite_delegate.npu.operators.claims import claim
from lite_delegate.npu.profiles import load_profile
from lite_delegate.npu.profiles.operators import CTC_GREEDY_DECODER, CUSTOM_OPERATORS
from tests.npu.graphs import HostKernel, variable
from tests.npu.operators.limits import UNLIMITED, code_on, limited

A, S, L = RejectCode.ATTRIBUTE, RejectCode.SHAPE, RejectCode.LIMIT


def decoder(shape=(6, 2, 4), mask=None, result=None, operator=CTC_GREEDY_DECODER, **attributes):
    mask = shape[:2] if mask is None else mask
    result = (shape[1], shape[0], 1, 1) if result is None else result
    inputs = [variable("scores", shape), variable("mask", mask)]
    return HostKernel("decode", "Custom", inputs, [variable("y", result)], custom_primitive(operator, attributes))


@pytest.mark.parametrize(
    ("kernel", "code"),
    [
        (decoder(), None),
        (decoder(ctc_merge_repeated=1), None),
        (decoder(ctc_merge_repeated=0), None),
        (decoder(ctc_merge_repeated=2), A),
        (decoder(mask=(2, 6)), S),
        (decoder(mask=(6, 2, 1)), S),
        (decoder(shape=(6, 2, 4, 1), mask=(6, 2), result=(2, 6, 1, 1)), S),
        (decoder(result=(2, 6)), S),
        (decoder(shape=(2, 1, 2050)), None),
        (decoder(shape=(2, 1, 2051)), L),
    ],
)
def test_claims(kernel, code):
    assert code_on(UNLIMITED, kernel) is code


@pytest.mark.parametrize("name", ["myriad_x", "hddl"])
def test_vision_processors_merge_repeats(name):
    profile = load_profile(name)
    assert code_on(profile, decoder(ctc_merge_repeated=1)) is None
    assert code_on(profile, decoder()) is None
    assert code_on(profile, decoder(ctc_merge_repeated=0)) is L
    assert "ctc_merge_repeated must be 1, is 0" in str(claim(decoder(ctc_merge_repeated=0), profile))
    assert code_on(limited(ctc_merge_repeated_only=True), decoder(ctc_merge_repeated=0)) is L


def test_other_custom_nodes_are_called_by_their_type():
    profile = load_profile("myriad_x")
    assert "the NPU has no com.acme.Decoder" in str(claim(decoder(operator="com.acme.Decoder"), profile))
    assert code_on(load_profile("kirin"), decoder()) is RejectCode.OPERATOR


def test_profiles_may_name_every_custom_operator_that_the_npu_has():
    from lite_delegate.npu.operators.all_operators import ALL_OPERATORS

    assert {o.op_type for o in ALL_OPERATORS if "." in o.op_type} == set(CUSTOM_OPERATORS)


def test_the_instruction_against_a_loop():
    rng = np.random.default_rng(3)
    scores, mask = rng.integers(0, 3, (9, 4, 3)).astype(np.float32), np.ones((9, 4), np.float32)
    mask[5:, 1] = mask[0:, 2] = 0
    for merge in (True, False):
        want = np.full((4, 9, 1, 1), -1, np.float32)
        for n in range(4):
            kept, before = [], None
            for step in range(9):
                if mask[step, n] == 0:
                    break
                row = list(scores[step, n])
                largest = row.index(max(row))
                if largest < 2 and not (merge and largest == before):
                    kept.append(largest)
                before = largest
            want[n, : len(kept), 0, 0] = kept
        np.testing.assert_array_equal(DecodeClasses(merge).run([scores, mask]), want)
    assert DecodeClasses(True).result_shape([(9, 4, 3), (9, 4)]) == (4, 9, 1, 1)
    with pytest.raises(ValueError, match="expected shapes"):
        DecodeClasses(True).result_shape([(9, 4, 3), (4, 9)])


def test_from_an_onnx_file():
    node = helper.make_node(
        "CTCGreedyDecoder", ["x", "mask"], ["y"], domain="org.openvinotoolkit", ctc_merge_repeated=1
    )
    values = [
        helper.make_tensor_value_info(*each) for each in (("x", TensorProto.FLOAT, [5, 1, 3]), ("mask", 1, [5, 1]))
    ]
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("org.openvinotoolkit", 1)]
    graph = helper.make_graph([node], "ctc", values, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
    content = helper.make_model(graph, opset_imports=opsets).SerializeToString()
    scores = np.eye(3, dtype=np.float32)[[1, 1, 2, 1, 0]][:, None]
    for delegate in (None, NPUDelegate(profile="myriad_x")):
        context = Context()
        if delegate is not None:
            context.set_delegate(delegate)
            context.strict = True
        model = Model()
        model.build_from_buffer(content, ModelType.MINDIR_LITE, context)
        (y,) = model.predict([scores, np.ones((5, 1), np.float32)])
        assert y.get_data_to_numpy().ravel().tolist() == [1, 1, 0, -1, -1]
