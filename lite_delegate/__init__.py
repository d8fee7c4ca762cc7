"""A MindSpore-Lite-style delegate framework."""
