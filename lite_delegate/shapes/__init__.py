"""Shapes: how kernels are asked what a node gives, before anything runs."""
