"""Remote tensors: contents that live in the memory of a device, and contexts that make them."""

from .context import RemoteContext
from .memory import HostMemory, RemoteMemory
from .tensor import RemoteTensor
from .under_way import OnDevice, on_device

__all__ = ["HostMemory", "OnDevice", "RemoteContext", "RemoteMemory", "RemoteTensor", "on_device"]
