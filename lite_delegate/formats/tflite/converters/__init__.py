"""Converters of TensorFlow Lite operators, one file per family; ``table.py`` has them all."""
