"""Resizes of ONNX: by the operator Resize, or by matrix products."""
