"""The graph of one plan: its shapes are inferred, and its nodes bound to tensors."""
