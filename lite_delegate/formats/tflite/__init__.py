"""TensorFlow Lite's ``.tflite`` files."""

from .reader import read_tflite, read_tflite_buffer

__all__ = ["read_tflite", "read_tflite_buffer"]
