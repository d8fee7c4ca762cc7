"""Changes between two reports, and the gate that fails a build."""
