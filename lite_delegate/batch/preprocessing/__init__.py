"""Preprocessing: images, or rows as a user's function sees them, become the inputs of a model."""
