"""Quantized forms: what operators on integers share, and the families whose forms follow from those on real numbers."""
