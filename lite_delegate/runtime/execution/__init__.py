"""Plans and how they run: steps over buffers, calls of graph kernels, fallback."""
