"""Quantized forms: the common part of operators on integers, and families whose forms follow from real numbers."""
