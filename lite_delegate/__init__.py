"""A MindSpore-Lite-style delegate framework: load a model, let a delegate take what it can, run the rest."""

from __future__ import annotations

from .cache import CacheOptions, CacheOutcome, CacheStatus, Encryption
from .context import Context
from .converter import Converter, FmkType
from .core import Core
from .delegate import (
    Boundary,
    Delegate,
    DelegateModel,
    DeviceEstimate,
    Kernel,
    LayerEstimate,
    RejectCode,
    Rejected,
    RequestMemory,
    SpanKind,
    Supported,
    SupportResult,
    cancel_point,
    span,
)
from .errors import (
    CacheMiss,
    CacheWarning,
    CallbackError,
    DelegateBuildError,
    DelegateError,
    DelegateExecuteError,
    DelegateUnavailable,
    DelegateWarning,
    DeviceLost,
    FallbackError,
    GraphError,
    InputError,
    KernelError,
    LimitError,
    LiteDelegateError,
    ModelClosed,
    ModelFormatError,
    PlacementError,
    PropertyError,
    PropertyWarning,
    RemoteError,
    RequestBusy,
    RequestCancelled,
    RequestError,
    RequestErrors,
    ResizeUnsupported,
    ShapeError,
    UnsupportedOperatorError,
)
from .inference import (
    AsyncInferQueue,
    CompiledModel,
    InferRequest,
    Outcome,
    RequestQueue,
    RequestStatus,
    StateInfo,
    StateSnapshot,
    VariableState,
    make_stateful,
    to_chrome_trace,
)
from .ir.data_type import DataType
from .ir.format import Format
from .lite_infer import LiteInfer
from .model import Model
from .model_group import ModelGroup, ModelGroupFlag
from .model_type import ModelType
from .parallel_runner import ModelParallelRunner, RunnerConfig
from .partition import PartitionOptions
from .partition.placement import KernelTimes
from .remote import RemoteContext, RemoteTensor
from .tensor import Tensor
from .tensor_meta import TensorMeta
from .version import VERSION

__version__ = VERSION

__all__ = [
    "AsyncInferQueue",
    "CacheMiss",
    "CacheOptions",
    "CacheOutcome",
    "CacheStatus",
    "CacheWarning",
    "Context",
    "Core",
    "Converter",
    "DataType",
    "Encryption",
    "FmkType",
    "Format",
    "InferRequest",
    "KernelTimes",
    "LiteInfer",
    "Model",
    "ModelGroup",
    "ModelGroupFlag",
    "ModelParallelRunner",
    "ModelType",
    "PartitionOptions",
    "RemoteContext",
    "RemoteTensor",
    "RequestQueue",
    "PlacementError",
    "StateInfo",
    "StateSnapshot",
    "RunnerConfig",
    "Tensor",
    "TensorMeta",
    "VariableState",
    "make_stateful",
    "Boundary",
    "Delegate",
    "DelegateModel",
    "DeviceEstimate",
    "Kernel",
    "LayerEstimate",
    "RejectCode",
    "Rejected",
    "RequestMemory",
    "SpanKind",
    "SupportResult",
    "Supported",
    "cancel_point",
    "span",
    "CallbackError",
    "DelegateBuildError",
    "DelegateError",
    "DelegateExecuteError",
    "DelegateUnavailable",
    "DelegateWarning",
    "DeviceLost",
    "FallbackError",
    "GraphError",
    "InputError",
    "KernelError",
    "LimitError",
    "LiteDelegateError",
    "ModelClosed",
    "ModelFormatError",
    "PropertyError",
    "PropertyWarning",
    "RemoteError",
    "RequestBusy",
    "RequestCancelled",
    "RequestError",
    "RequestErrors",
    "ResizeUnsupported",
    "ShapeError",
    "UnsupportedOperatorError",
    "__version__",
    "CompiledModel",
    "Outcome",
    "RequestStatus",
    "to_chrome_trace",
]
