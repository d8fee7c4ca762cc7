"""OpenVINO as a delegate: each run is one compiled model, on any device that OpenVINO has."""

from .delegate import OpenVINODelegate

__all__ = ["OpenVINODelegate"]
