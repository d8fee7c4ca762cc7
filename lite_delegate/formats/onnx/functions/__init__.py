"""Functions of ONNX files: nodes that stand for several."""
