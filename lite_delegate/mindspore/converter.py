"""Converter: models of other frameworks as files of ours. Names of the ``mindspore_lite`` package."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ..basics.files import check_not_read, check_target
from ..basics.words.one_line import OneLine, quoted
from ..errors import InputError
from ..ir.types.data_type import DataType
from ..ir.types.format import Format
from ..ir.types.numbered import Numbered
from ..tensors.tensor import empty_like
from .context.parallel_info import checked_sections
from .context.setting import check_type, checked_choice, checked_count
from .model import Model
from .model_type import ModelType

SUFFIXES = {ModelType.MINDIR: ".mindir", ModelType.MINDIR_LITE: ".ms"}
_OPTIMIZE = ("none", "general", "gpu_oriented", "ascend_oriented")
_DATA_TYPES = (DataType.FLOAT32, DataType.INT8, DataType.UINT8, DataType.UNKNOWN)
_SHOWN = (
    *("weight_fp16", "input_shape", "input_format", "input_data_type", "output_data_type", "save_type", "decrypt_mode"),
    *("enable_encryption", "infer", "optimize", "device", "device_id", "rank_id"),
)
"""The attributes that ``str`` of a converter shows; keys are secret."""


class FmkType(Numbered):
    """The framework of a model file."""

    TF = 0
    CAFFE = 1
    ONNX = 2
    MINDIR = 3
    TFLITE = 4
    PYTORCH = 5


_READ = {FmkType.ONNX: ".onnx", FmkType.TFLITE: ".tflite", FmkType.MINDIR: ".ms"}
"""The suffix of the files that the converter reads, by framework."""


class Converter(OneLine):
    """A converter of ``.onnx`` and ``.tflite`` files to ``.ms`` files, like ``lite-delegate convert``.

    An attribute without use in this runtime is kept. An attribute that asks for an unsupported conversion makes
    ``convert`` raise an error.
    """

    def __init__(self) -> None:
        self._decrypt_mode = "AES-GCM"
        self._device = ""
        self._device_id = 0
        self._rank_id = 0
        self._enable_encryption = False
        self._infer = False
        self._input_data_type = DataType.FLOAT32
        self._output_data_type = DataType.FLOAT32
        self._input_format = Format.NHWC
        self._input_shape: dict[str, list[int]] = {}
        self._optimize = "general"
        self._save_type = ModelType.MINDIR
        self._weight_fp16 = False
        self._has_key = False
        self._config: dict[str, dict[str, str]] = {}

    @property
    def decrypt_mode(self) -> str:
        """ "AES-GCM" or "AES-CBC". NOTE: encrypted models are not read."""
        return self._decrypt_mode

    @decrypt_mode.setter
    def decrypt_mode(self, decrypt_mode: str) -> None:
        self._decrypt_mode = checked_choice("decrypt_mode", decrypt_mode, ("AES-GCM", "AES-CBC"))

    def _set_key(self, key: str) -> None:
        check_type("key", key, str)
        self._has_key = self._has_key or bool(key)

    decrypt_key = property(None, _set_key, doc="Can only be set. NOTE: ``convert`` rejects it.")
    encrypt_key = property(None, _set_key, doc="Can only be set. NOTE: ``convert`` rejects it.")

    @property
    def enable_encryption(self) -> bool:
        """Whether to write an encrypted file. NOTE: ``convert`` rejects it."""
        return self._enable_encryption

    @enable_encryption.setter
    def enable_encryption(self, enable_encryption: bool) -> None:
        check_type("enable_encryption", enable_encryption, bool)
        self._enable_encryption = enable_encryption

    @property
    def device(self) -> str:
        """ "" or "Ascend". NOTE: files are the same for all devices."""
        return self._device

    @device.setter
    def device(self, device: str) -> None:
        self._device = checked_choice("device", device, ("", "Ascend"))

    @property
    def device_id(self) -> int:
        """The number of the device, from 0."""
        return self._device_id

    @device_id.setter
    def device_id(self, device_id: int) -> None:
        self._device_id = checked_count("device_id", device_id)

    @property
    def rank_id(self) -> int:
        """The rank in a distributed run."""
        return self._rank_id

    @rank_id.setter
    def rank_id(self, rank_id: int) -> None:
        self._rank_id = checked_count("rank_id", rank_id)

    @property
    def infer(self) -> bool:
        """Whether the written model is run once, with zeros, as a check."""
        return self._infer

    @infer.setter
    def infer(self, infer: bool) -> None:
        check_type("infer", infer, bool)
        self._infer = infer

    @property
    def input_data_type(self) -> DataType:
        """FLOAT32 or UNKNOWN: inputs keep their types in the file. NOTE: ``convert`` rejects other types."""
        return self._input_data_type

    @input_data_type.setter
    def input_data_type(self, input_data_type: DataType) -> None:
        self._input_data_type = _checked_data_type("input_data_type", input_data_type)

    @property
    def output_data_type(self) -> DataType:
        """FLOAT32 or UNKNOWN: outputs keep their types in the file. NOTE: ``convert`` rejects other types."""
        return self._output_data_type

    @output_data_type.setter
    def output_data_type(self, output_data_type: DataType) -> None:
        self._output_data_type = _checked_data_type("output_data_type", output_data_type)

    @property
    def input_format(self) -> Format:
        """NHWC or NCHW. NOTE: inputs keep the order of axes in the file."""
        return self._input_format

    @input_format.setter
    def input_format(self, input_format: Format) -> None:
        check_type("input_format", input_format, Format)
        if input_format not in (Format.NCHW, Format.NHWC):
            raise ValueError(f"input_format must be in [Format.NCHW, Format.NHWC], got {input_format.name}.")
        self._input_format = input_format

    @property
    def input_shape(self) -> dict[str, list[int]]:
        """Shapes by input name, for inputs with open dimensions in the file."""
        return {name: list(dims) for name, dims in self._input_shape.items()}

    @input_shape.setter
    def input_shape(self, input_shape: Mapping[str, list[int]]) -> None:
        check_type("input_shape", input_shape, dict)
        for name, dims in input_shape.items():
            check_type("input_shape key", name, str)
            check_type("input_shape value", dims, list)
            for size in dims:
                check_type("input_shape value element", size, int)
        self._input_shape = {name: list(dims) for name, dims in input_shape.items()}

    @property
    def optimize(self) -> str:
        """ "none", "general", or "gpu_oriented", "ascend_oriented". NOTE: the last two are "general" here."""
        return self._optimize

    @optimize.setter
    def optimize(self, optimize: str) -> None:
        self._optimize = checked_choice("optimize", optimize, _OPTIMIZE)

    @property
    def save_type(self) -> ModelType:
        """MINDIR or MINDIR_LITE. NOTE: both are the same format here, under the suffixes .mindir and .ms."""
        return self._save_type

    @save_type.setter
    def save_type(self, save_type: ModelType) -> None:
        check_type("save_type", save_type, ModelType)
        self._save_type = save_type

    @property
    def weight_fp16(self) -> bool:
        """Whether to store float32 constants as float16. NOTE: ``convert`` rejects it."""
        return self._weight_fp16

    @weight_fp16.setter
    def weight_fp16(self, weight_fp16: bool) -> None:
        check_type("weight_fp16", weight_fp16, bool)
        self._weight_fp16 = weight_fp16

    def set_config_info(self, section: str = "", config_info: Mapping[str, str] | None = None) -> None:
        """Sets a section, as a configuration file has it; without arguments nothing changes."""
        check_type("section", section, str)
        if config_info is not None:
            self._config |= checked_sections("config_info", {section: config_info})

    def get_config_info(self) -> dict[str, dict[str, str]]:
        """The entries that ``set_config_info`` was given, by section."""
        return {section: dict(entries) for section, entries in self._config.items()}

    def convert(
        self,
        fmk_type: FmkType,
        model_file: str | os.PathLike[str],
        output_file: str | os.PathLike[str],
        weight_file: str = "",
        config_file: str = "",
    ) -> None:
        """Writes a model as a ``.ms`` file, whole or not at all. Names and order of inputs and outputs stay.

        Args:
            fmk_type: ONNX or TFLITE, or MINDIR for a ``.ms`` file.
            model_file: the path of the model.
            output_file: the path to write to; the suffix is added unless the path has it.
            weight_file: only "": weight files belong to Caffe models, which are not supported.
            config_file: a file of sections, which have no effect here.

        Raises:
            TypeError: an argument has the wrong type.
            ModelFormatError: the file cannot be read.
            InputError: the framework or an attribute is not supported, or the output is a file that is read; nothing
                is written.
            LiteDelegateError: see ``formats.read_model``; or with ``infer``, the model does not run.
        """
        self._check_arguments(fmk_type, model_file, output_file, weight_file, config_file)
        from ..basics.warned import warn
        from ..formats import read_facts, read_model
        from ..formats.external_files import files_of_model
        from ..formats.ms import write_ms
        from ..inference.compiling.usual_shapes import settled_graph
        from ..passes.optimize import optimize

        _check_framework(fmk_type, Path(model_file))
        path = Path(output_file)
        suffix = SUFFIXES[self._save_type]
        path = path if path.suffix == suffix else path.with_name(path.name + suffix)
        check_target(path)
        check_not_read(path, [*files_of_model(Path(model_file)), *([Path(config_file)] if config_file else [])])
        level = "none" if self._optimize == "none" else "general"
        read = read_model(Path(model_file), self._input_shape or None)
        graph, text = settled_graph(read, lambda: read_facts(Path(model_file)).metadata)
        if text:
            warn(UserWarning(f"Converter.input_shape does not say all shapes that the model needs. {text}"))
        write_ms(optimize(graph, level).graph, path)
        if self._infer:
            _run_once(path, self._save_type)

    def __str__(self) -> str:
        shown = {"config_info": self.get_config_info(), **{name: getattr(self, name) for name in _SHOWN}}
        return ",\n".join(f"{name}: {value}" for name, value in shown.items()) + "."

    def _check_arguments(
        self, fmk_type: FmkType, model_file: object, output_file: object, weight_file: str, config_file: str
    ) -> None:
        check_type("fmk_type", fmk_type, FmkType)
        for name, value in (("model_file", model_file), ("output_file", output_file)):
            if not isinstance(value, (str, os.PathLike)):
                raise TypeError(f"{name} must be str, but got {type(value).__name__}.")
        check_type("weight_file", weight_file, str)
        check_type("config_file", config_file, str)
        if fmk_type not in _READ:
            there = ", ".join(f"{kind.name} ({suffix})" for kind, suffix in _READ.items())
            raise InputError(f"Models of {fmk_type.name} cannot be read; supported frameworks: {there}.")
        if config_file:
            from .context.config_file import read_sections

            read_sections(config_file)
        wrong = self._asked_in_vain(weight_file)
        if wrong:
            raise InputError(f"Converter.{wrong}.")

    def _asked_in_vain(self, weight_file: str) -> str:
        """The reason why an attribute or the weight file cannot be followed, "" without a reason."""
        if self._has_key or self._enable_encryption:
            return "encrypt_key, decrypt_key, enable_encryption: encrypted models are not supported"
        if weight_file:
            return "convert: weight_file must be '': weight files are for Caffe models, which are not read"
        if self._weight_fp16:
            return "weight_fp16 must be False: constants keep their types"
        for name in ("input_data_type", "output_data_type"):
            if getattr(self, name) not in (DataType.FLOAT32, DataType.UNKNOWN):
                return f"{name} must be FLOAT32 or UNKNOWN: inputs and outputs keep their types"
        return ""

    def _line(self) -> str:
        return f"optimize {quoted(self._optimize)}, to {self._save_type.name}"


def _check_framework(fmk_type: FmkType, path: Path) -> None:
    """Checks that a file is not of another supported framework; the reader reports any other mismatch.

    Raises:
        InputError: the file is of another supported framework.
    """
    from ..formats import file_kind

    kind = file_kind(path)
    right = next((each for each, suffix in _READ.items() if suffix == kind), fmk_type)
    if right != fmk_type:
        raise InputError(f"'{path}' is a {kind} file, not a file of {fmk_type.name}. Give FmkType.{right.name}.")


def _checked_data_type(name: str, value: DataType) -> DataType:
    check_type(name, value, DataType)
    if value not in _DATA_TYPES:
        raise ValueError(f"{name} must be in {[each.name for each in _DATA_TYPES]}, got {value.name}.")
    return value


def _run_once(path: Path, model_type: ModelType) -> None:
    with Model() as model:
        model.build_from_file(path, model_type)
        model.predict([empty_like(tensor) for tensor in model.compiled.plan.inputs])
