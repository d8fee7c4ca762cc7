"""ONNX's operators, as the lowering has them, as TensorFlow Lite's elementary builtin operators."""
