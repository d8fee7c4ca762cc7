"""The graph of one plan: inferred shapes, and nodes bound to tensors."""
