"""Subgraphs, loops and sequences: what the control flow of ONNX becomes."""
