"""Semantics: what attributes of operators mean for the shapes of their node, for delegates that compile them."""
