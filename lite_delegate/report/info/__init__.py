"""Facts about a model file or a compiled model."""
