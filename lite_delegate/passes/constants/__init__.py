"""Passes over constants: folding, and weights that are unpacked and dequantized."""
