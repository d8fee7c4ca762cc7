"""Sessions of ONNX Runtime: how they are made, what each layer ran on, and optimized models in files."""
