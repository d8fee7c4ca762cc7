"""Layer normalization and softmax on the devices of Acme."""

from .delegate import AcmeDelegate

__all__ = ["AcmeDelegate"]
