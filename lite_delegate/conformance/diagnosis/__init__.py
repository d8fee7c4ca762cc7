"""The name of a defect, told from a delegate's outputs."""
