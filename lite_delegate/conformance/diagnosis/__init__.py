"""The name of a defect, told from what a delegate gave."""
