"""Programs of the device: buffers, instructions, and the memories they lie in."""
