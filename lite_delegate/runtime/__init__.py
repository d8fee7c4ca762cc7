"""Running models: context, scheduler, execution plans, predictions."""

from .context import Context
from .model import Model
from .model_type import ModelType
from .records import NodeRecord, PartitionRecord, SubgraphRecord, SubgraphStatus, TensorRecord

__all__ = [
    "Context",
    "Model",
    "ModelType",
    "NodeRecord",
    "PartitionRecord",
    "SubgraphRecord",
    "SubgraphStatus",
    "TensorRecord",
]
