"""Emitting: from lowered operators to the ONNX nodes that ONNX Runtime computes best."""
