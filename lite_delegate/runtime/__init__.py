"""Running models: context, scheduler, execution plans, predictions."""

from .context import Context
from .model import Model
from .model_type import ModelType
from .records import DelegateRecord, NodeRecord, PartitionRecord, SubgraphRecord, SubgraphStatus, TensorRecord

__all__ = [
    "Context",
    "DelegateRecord",
    "Model",
    "ModelType",
    "NodeRecord",
    "PartitionRecord",
    "SubgraphRecord",
    "SubgraphStatus",
    "TensorRecord",
]
