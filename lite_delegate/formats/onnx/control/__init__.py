"""Control flow of ONNX: subgraphs, loops and sequences."""
