"""What is in a model file or in a compiled model."""
