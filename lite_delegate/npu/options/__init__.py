"""Properties of the built-in NPU: their list, the values that users set, and the target that follows from them."""

from .claims import check_options, unmatched_layers
from .options import Options
from .properties import property_of
from .resolve import described
from .specs import registry_of

__all__ = [
    "Options",
    "check_options",
    "described",
    "property_of",
    "registry_of",
    "unmatched_layers",
]
