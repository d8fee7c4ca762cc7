"""Sessions of ONNX Runtime: how they are made, the provider of each layer, and optimized models in files."""
