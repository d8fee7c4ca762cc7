"""Converters of ONNX operators, one file per family; ``table.py`` has them all."""
