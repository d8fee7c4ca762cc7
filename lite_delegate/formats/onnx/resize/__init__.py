"""Resizing as ONNX has it: by our operator, or by matrix products."""
