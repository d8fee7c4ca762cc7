"""ONNX messages: read from bytes without a copy of the weights."""
