"""Writing models as files of other runtimes."""

from .tflite_file import tflite_content, write_tflite

__all__ = ["tflite_content", "write_tflite"]
