"""Execution providers of plugins: libraries that ONNX Runtime loads when it is told their place."""
