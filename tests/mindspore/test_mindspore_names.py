"""The surface of the ``mindspore_lite`` package, by hand: names, arguments, defaults, values, and what is said."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite_delegate as mslite
from lite_delegate.demo import model_path

EXPORTS = [
    "Context",
    "Converter",
    "FmkType",
    "ModelType",
    "Model",
    "ModelParallelRunner",
    "ModelGroup",
    "ModelGroupFlag",
    "DataType",
    "Format",
    "Tensor",
    "TensorMeta",
    "LiteInfer",
    "__version__",
]

ENUMS = {
    "DataType": "UNKNOWN 0, BOOL 30, INT8 32, INT16 33, INT32 34, INT64 35, UINT8 37, UINT16 38, UINT32 39, UINT64 40, "
    "FLOAT16 42, FLOAT32 43, FLOAT64 44, INVALID 2147483647",
    "Format": "DEFAULT -1, NCHW 0, NHWC 1, NHWC4 2, HWKC 3, HWCK 4, KCHW 5, CKHW 6, KHWC 7, CHWK 8, HW 9, HW4 10, "
    "NC 11, NC4 12, NC4HW4 13, NCDHW 15, NWC 16, NCW 17, NDHWC 18, NC8HW8 19",
    "ModelType": "MINDIR 0, MINDIR_LITE 4",
    "FmkType": "TF 0, CAFFE 1, ONNX 2, MINDIR 3, TFLITE 4, PYTORCH 5",
    "ModelGroupFlag": "SHARE_WEIGHT 1, SHARE_WORKSPACE 2, SHARE_WEIGHT_WORKSPACE 3",
}

SIGNATURES = """
Context()
Model()
Model.build_from_file(model_path, model_type, context=None, config_path='', config_dict=None, dec_key=None,\
 dec_mode='AES-GCM', dec_num_parallel=0)
Model.get_inputs()
Model.get_outputs()
Model.predict(inputs, outputs=None)
Model.resize(inputs, dims)
Model.get_model_info(key)
Model.update_weights(weights)
Tensor(tensor=None, shape=None, dtype=None, device=None)
Tensor.get_data_to_numpy()
Tensor.set_data_from_numpy(numpy_obj)
TensorMeta()
ModelParallelRunner()
ModelParallelRunner.get_inputs()
ModelParallelRunner.predict(inputs, outputs=None)
ModelGroup(flags=ModelGroupFlag.SHARE_WORKSPACE)
ModelGroup.add_model(models)
ModelGroup.cal_max_size_of_workspace(model_type, context)
Converter()
Converter.convert(fmk_type, model_file, output_file, weight_file='', config_file='')
Converter.get_config_info()
Converter.set_config_info(section='', config_info=None)
LiteInfer(model_or_net, *net_inputs, context=None, model_group_id=None, config=None)
LiteInfer.get_inputs()
LiteInfer.predict(inputs)
LiteInfer.resize(inputs, dims)
"""
"""Ours may have more arguments behind, and defaults where the package has none."""

CONTEXT = {
    "target": (["cpu"], list, [["CPU"], ["Gpu", "cpu"], ["ascend"]], [["tpu"]], ["cpu", [1]]),
    "group_info_file": ("", str, ["a.json"], [], [1]),
    "cpu.precision_mode": ("enforce_fp32", str, ["preferred_fp16"], ["fp16"], [1]),
    "cpu.thread_num": (0, int, [0, 3], [-1], ["1", 1.0, True]),
    "cpu.inter_op_parallel_num": (0, int, [0, 2], [-1], ["1"]),
    "cpu.thread_affinity_mode": (0, int, [0, 1, 2], [3, -1], ["1"]),
    "cpu.thread_affinity_core_list": ([], list, [[0, 1]], [[-1]], [1, ["a"]]),
    "gpu.precision_mode": ("enforce_fp32", str, ["preferred_fp16"], ["fp16"], [1]),
    "gpu.device_id": (0, int, [0, 4], [-1], ["1"]),
    "ascend.precision_mode": (
        "enforce_fp32",
        str,
        ["enforce_fp32", "preferred_fp32", "enforce_fp16", "enforce_origin", "preferred_optimal"],
        ["preferred_fp16"],
        [1],
    ),
    "ascend.device_id": (0, int, [1], [-1], ["1"]),
    "ascend.rank_id": (0, int, [1], [-1], ["1"]),
    "ascend.provider": ("", str, ["", "ge"], ["other"], [1]),
    "parallel.workers_num": (0, int, [0, 5], [-1], ["1"]),
    "parallel.config_path": ("", str, [""], ["no such file"], [1]),
    "parallel.device_ids": ([], list, [[0, 1]], [[-1]], [1, ["a"]]),
}
"""Property: default, type, values that it takes, values that are ValueErrors, values that are TypeErrors."""

CONVERTER = {
    "decrypt_mode": ("AES-GCM", str, ["AES-CBC"], ["AES"], [1]),
    "device": ("", str, ["Ascend"], ["GPU"], [1]),
    "device_id": (0, int, [1], [-1], ["1"]),
    "rank_id": (0, int, [1], [-1], ["1"]),
    "enable_encryption": (False, bool, [True], [], [1]),
    "infer": (False, bool, [True], [], [1]),
    "input_data_type": (
        mslite.DataType.FLOAT32,
        mslite.DataType,
        [mslite.DataType.INT8, mslite.DataType.UINT8, mslite.DataType.UNKNOWN],
        [mslite.DataType.INT64],
        [1],
    ),
    "output_data_type": (mslite.DataType.FLOAT32, mslite.DataType, [], [mslite.DataType.FLOAT16], [1]),
    "input_format": (mslite.Format.NHWC, mslite.Format, [mslite.Format.NCHW], [mslite.Format.NC], [1]),
    "input_shape": ({}, dict, [{"a": [1, 2]}], [], [1, {1: [1]}, {"a": 1}, {"a": ["x"]}]),
    "optimize": ("general", str, ["none", "ascend_oriented"], ["most"], [1]),
    "save_type": (mslite.ModelType.MINDIR, mslite.ModelType, [mslite.ModelType.MINDIR_LITE], [], [4]),
    "weight_fp16": (False, bool, [True], [], [1]),
}

READ_ONLY = ["gpu.rank_id", "gpu.group_size"]
FIXED = ["element_num", "data_size", "device"]


def test_the_names_are_there() -> None:
    assert [name for name in EXPORTS if not hasattr(mslite, name)] == []
    assert [name for name in EXPORTS if name not in mslite.__all__] == []


@pytest.mark.parametrize("name", ENUMS)
def test_members_have_the_numbers_of_the_package_and_print_by_name(name: str) -> None:
    members = dict(each.rsplit(" ", 1) for each in ENUMS[name].split(", "))
    enum = getattr(mslite, name)
    assert {member: enum[member].value for member in members} == {m: int(n) for m, n in members.items()}
    assert [f"{enum[member]}" for member in members] == [f"{name}.{member}" for member in members]
    assert [str(enum[member]) for member in members] == [f"{name}.{member}" for member in members]


@pytest.mark.parametrize("line", SIGNATURES.strip().splitlines())
def test_arguments_and_defaults(line: str) -> None:
    match = re.fullmatch(r"([\w.]+)\((.*)\)", line)
    assert match
    owner, _, method = match[1].partition(".")
    called = getattr(mslite, owner)
    found = list(inspect.signature(getattr(called, method) if method else called).parameters.values())
    found = found[1:] if method else found
    wanted = [each.strip() for each in match[2].split(",") if each.strip()]
    for given, argument in zip(wanted, found, strict=False):
        name, _, default = given.partition("=")
        assert name in (argument.name, f"*{argument.name}")
        assert not default or _text(argument.default) == default
    assert len(found) >= len(wanted)
    assert all(each.default is not each.empty for each in found[len(wanted) :])


def _text(value: object) -> str:
    return str(value) if isinstance(value, mslite.ModelGroupFlag) else repr(value)


def at(owner: object, name: str) -> tuple[Any, str]:
    *path, last = name.split(".")
    for each in path:
        owner = getattr(owner, each)
    return owner, last


@pytest.mark.parametrize(
    ("make", "name", "row"),
    [(mslite.Context, name, row) for name, row in CONTEXT.items()]
    + [(mslite.Converter, name, row) for name, row in CONVERTER.items()],
    ids=[*CONTEXT, *CONVERTER],
)
def test_a_property_has_its_default_and_takes_what_it_may(make: Callable[[], object], name: str, row: Any) -> None:
    default, kind, good, bad, of_another_type = row
    owner, last = at(make(), name)
    assert getattr(owner, last) == default
    for value in good:
        setattr(owner, last, value)
        wanted = [each.lower() for each in value] if last == "target" else value
        assert getattr(owner, last) == wanted
    before = getattr(owner, last)
    for value in bad:
        with pytest.raises(ValueError, match=re.escape(last)):
            setattr(owner, last, value)
    for value in of_another_type:
        message = rf"{re.escape(name)}.* must be \w+, but got \w+\.$"
        with pytest.raises(TypeError, match=message) as error:
            setattr(owner, last, value)
        if not isinstance(value, kind):
            assert f"must be {kind.__name__}, but got {type(value).__name__}." in str(error.value)
    assert getattr(owner, last) == before


def test_no_target_is_the_cpu_and_more_kernels_at_once_than_threads_are_an_error() -> None:
    context = mslite.Context()
    context.target = []
    assert context.target == ["cpu"]
    context.cpu.thread_num = 2
    with pytest.raises(ValueError, match=r"cpu\.inter_op_parallel_num"):
        context.cpu.inter_op_parallel_num = 3


@pytest.mark.parametrize("name", READ_ONLY)
def test_what_can_only_be_read_of_a_context(name: str) -> None:
    owner, last = at(mslite.Context(), name)
    assert getattr(owner, last) == {"rank_id": 0, "group_size": 1}[last]
    with pytest.raises(AttributeError):
        setattr(owner, last, 1)


@pytest.mark.parametrize("name", FIXED)
def test_what_can_only_be_read_of_a_tensor(name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(mslite.Tensor(), name, 1)


@pytest.mark.parametrize("name", ["decrypt_key", "encrypt_key"])
def test_keys_can_only_be_set(name: str) -> None:
    converter = mslite.Converter()
    setattr(converter, name, "secret")
    with pytest.raises(AttributeError):
        getattr(converter, name)
    with pytest.raises(TypeError, match=r"key must be str, but got int\."):
        setattr(converter, name, 1)


def test_what_is_printed() -> None:
    context = mslite.Context()
    assert str(context) == "target: ['cpu']."
    assert str(context.cpu).splitlines() == [
        "device_type: DeviceType.kCPU,",
        "precision_mode: enforce_fp32,",
        "thread_num: 0,",
        "inter_op_parallel_num: 0,",
        "thread_affinity_mode: 0,",
        "thread_affinity_core_list: [].",
    ]
    assert str(context.gpu).startswith("device_type: DeviceType.kGPU,\nprecision_mode: enforce_fp32,\ndevice_id: 0,\n")
    assert str(context.ascend).startswith("device_type: DeviceType.kAscend,\nprecision_mode: enforce_fp32,\n")
    assert str(mslite.Model()) == "model_path: ."
    tensor = mslite.Tensor(np.zeros((2, 3), np.int8))
    tensor.name = "x"
    assert str(tensor).splitlines() == [
        "name: x,",
        "dtype: DataType.INT8,",
        "shape: [2, 3],",
        "format: Format.NCHW,",
        "element_num: 6,",
        "data_size: 6.",
        "device: None:-1",
    ]


def test_a_new_tensor() -> None:
    tensor = mslite.Tensor()
    assert (tensor.name, tensor.dtype, tensor.shape, tensor.format, tensor.device) == (
        "",
        mslite.DataType.FLOAT32,
        [],
        mslite.Format.NCHW,
        "None:-1",
    )
    meta = mslite.TensorMeta()
    assert (meta.name, meta.dtype, meta.shape, meta.format, meta.element_num, meta.data_size) == (
        "",
        mslite.DataType.UNKNOWN,
        [],
        mslite.Format.DEFAULT,
        0,
        0,
    )
    assert mslite.Tensor(shape=[-1, 3], dtype=mslite.DataType.INT32).get_data_to_numpy().size == 0
    assert mslite.Tensor(shape=[0, 3], dtype=mslite.DataType.INT32).get_data_to_numpy().size == 0


def test_a_new_model() -> None:
    model = mslite.Model()
    assert (model.model_path_, model.provider, model.lora_name_map) == ("", "", {})


ARRAY = np.zeros((2, 3), np.float32)


def calls(model: mslite.Model) -> list[tuple[str, Callable[..., object], tuple[Any, ...], dict[str, Any]]]:
    """What is said, and the call that it is said of."""
    new, tensor, group = mslite.Model(), mslite.Tensor(ARRAY), mslite.ModelGroup()
    build, inputs = new.build_from_file, model.get_inputs()
    converter, runner = mslite.Converter(), mslite.ModelParallelRunner()
    return [
        ("model_path must be str, but got int.", build, (3,), {}),
        ("model_type must be ModelType, but got int.", build, ("x", 4), {}),
        ("context must be Context, but got str.", build, ("x",), {"context": "cpu"}),
        ("config_path must be str, but got int.", build, ("x",), {"config_path": 3}),
        ("config_dict must be dict, but got list.", build, ("x",), {"config_dict": []}),
        ("config_dict value must be dict, but got int.", build, ("x",), {"config_dict": {"a": 1}}),
        ("dec_key must be bytes, but got str.", build, ("x",), {"dec_key": "k"}),
        ("dec_mode must be str, but got int.", build, ("x",), {"dec_mode": 1}),
        ("dec_num_parallel must be int, but got str.", build, ("x",), {"dec_num_parallel": "1"}),
        ("inputs must be list, dict, Tensor or array, but got object.", model.predict, (object(),), {}),
        ("inputs element must be Tensor, but got str.", model.predict, (["x"],), {}),
        ("outputs must be list, but got Tensor.", model.predict, (inputs, tensor), {}),
        ("outputs element must be Tensor, but got int.", model.predict, (inputs, [1]), {}),
        ("inputs must be list, but got Tensor.", model.resize, (tensor, [[1]]), {}),
        ("inputs element must be Tensor, but got int.", model.resize, ([1], [[1]]), {}),
        ("dims must be list, but got int.", model.resize, (inputs, 1), {}),
        ("dims element must be list, but got int.", model.resize, (inputs, [1]), {}),
        ("dims element's element must be int, but got float.", model.resize, (inputs, [[1.0]]), {}),
        ("key must be str, but got int.", model.get_model_info, (1,), {}),
        ("weights must be list, but got Tensor.", model.update_weights, (tensor,), {}),
        ("weights element must be list, but got Tensor.", model.update_weights, ([tensor],), {}),
        ("weights element's element must be Tensor, but got int.", model.update_weights, ([[1]],), {}),
        ("tensor must be Tensor or numpy.ndarray, but got list.", mslite.Tensor, ([1],), {}),
        ("shape must be list or tuple, but got int.", mslite.Tensor, (), {"shape": 3}),
        ("shape element must be int, but got float.", mslite.Tensor, (), {"shape": [1.0]}),
        ("dtype must be DataType, but got int.", mslite.Tensor, (), {"dtype": 43}),
        ("shape must be that of tensor, [2, 3], but got [3, 2].", mslite.Tensor, (ARRAY, [3, 2]), {}),
        (
            "dtype must be that of tensor, FLOAT32, but got INT8.",
            mslite.Tensor,
            (ARRAY, None, mslite.DataType.INT8),
            {},
        ),
        ("numpy_obj must be numpy.ndarray, but got list.", tensor.set_data_from_numpy, ([1],), {}),
        ("model_path must be str, but got int.", runner.build_from_file, (3,), {}),
        ("context must be Context, but got int.", runner.build_from_file, ("x",), {"context": 1}),
        ("flags must be ModelGroupFlag, but got int.", mslite.ModelGroup, (1,), {}),
        ("models must be list or tuple, but got str.", group.add_model, ("x",), {}),
        ("models element must be str, but got Model.", group.add_model, (["x", mslite.Model()],), {}),
        ("model_type must be ModelType, but got int.", group.cal_max_size_of_workspace, (4, mslite.Context()), {}),
        ("context must be Context, but got None", group.cal_max_size_of_workspace, (mslite.ModelType.MINDIR, None), {}),
        ("fmk_type must be FmkType, but got int.", converter.convert, (2, "a", "b"), {}),
        ("model_file must be str, but got int.", converter.convert, (mslite.FmkType.ONNX, 1, "b"), {}),
        ("output_file must be str, but got int.", converter.convert, (mslite.FmkType.ONNX, "a", 1), {}),
        ("weight_file must be str, but got int.", converter.convert, (mslite.FmkType.ONNX, "a", "b", 1), {}),
        ("config_file must be str, but got int.", converter.convert, (mslite.FmkType.ONNX, "a", "b", "", 1), {}),
        ("section must be str, but got int.", converter.set_config_info, (1,), {}),
        ("config_info value must be dict, but got list.", converter.set_config_info, ("a", []), {}),
    ]


@pytest.fixture(scope="module")
def demo() -> mslite.Model:
    model = mslite.Model()
    model.build_from_file(str(model_path()))
    return model


def test_what_is_said_of_arguments_of_the_wrong_type(demo: mslite.Model) -> None:
    for message, call, arguments, options in calls(demo):
        with pytest.raises(TypeError, match=f"^{re.escape(message)}"):
            call(*arguments, **options)


def test_what_goes_wrong_is_a_runtime_error(demo: mslite.Model, tmp_path: Path) -> None:
    (tmp_path / "damaged.ms").write_bytes(b"no model")
    new = mslite.Model()
    for path in ("no such file.ms", str(tmp_path / "damaged.ms")):
        with pytest.raises(RuntimeError):
            new.build_from_file(path, mslite.ModelType.MINDIR_LITE)
    with pytest.raises(RuntimeError):
        new.build_from_file(str(model_path()), mslite.ModelType.MINDIR_LITE, config_path="no such file")
    with pytest.raises(RuntimeError):
        new.predict([])
    with pytest.raises(RuntimeError):
        demo.predict([])
    with pytest.raises(ValueError, match="The model has 1 input, got"):
        demo.resize(demo.get_inputs(), [])
    with pytest.raises(RuntimeError):
        demo.resize(demo.get_inputs(), [[2, 8, 8, 5]])
    tensor = mslite.Tensor(ARRAY)
    for array in (np.zeros((2, 3)), np.zeros((2, 2), np.float32)):
        with pytest.raises(RuntimeError):
            tensor.set_data_from_numpy(array)


def test_contents_are_set_by_bytes_whatever_the_shape_and_order() -> None:
    tensor = mslite.Tensor(ARRAY)
    for array in (np.arange(6, dtype=np.float32), np.asfortranarray(np.arange(6, dtype=np.float32).reshape(3, 2))):
        tensor.set_data_from_numpy(array)
        assert tensor.get_data_to_numpy().ravel().tolist() == [0, 1, 2, 3, 4, 5]
    tensor.set_data_from_numpy(np.arange(12, dtype=np.float32)[::2])
    assert tensor.get_data_to_numpy().ravel().tolist() == [0, 2, 4, 6, 8, 10]
    tensor.get_data_to_numpy()[0, 0] = 9
    assert tensor.get_data_to_numpy()[0, 0] == 9


def test_tensors_of_the_model_have_the_new_shapes_after_resize() -> None:
    model = mslite.Model()
    model.build_from_file(str(model_path()), mslite.ModelType.MINDIR_LITE)
    inputs = model.get_inputs()
    model.resize(inputs, [[3, *inputs[0].shape[1:]]])
    assert inputs[0].shape == model.get_inputs()[0].shape == [3, 8, 8, 1]
    inputs[0].set_data_from_numpy(np.ones((3, 8, 8, 1), np.float32))
    assert model.predict(inputs)[0].shape[0] == 3
    with pytest.raises(mslite.ShapeError):
        model.resize(inputs, [[3, 8, 8, 2]])
    assert inputs[0].shape == [3, 8, 8, 1]
    assert inputs[0].get_data_to_numpy().all()


def test_the_frequency_of_the_npu_is_the_usual_one_where_there_is_none_of_that_number() -> None:
    npu = mslite.Context().npu
    with pytest.warns(mslite.PropertyWarning, match=r"npu\.frequency must be from 1 to 4, or 0, got 9; 3 is taken"):
        npu.frequency = 9
    assert npu.frequency == 3
