"""Inference requests: places in which a compiled model runs, again and again."""
