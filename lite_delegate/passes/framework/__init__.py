"""The framework of graph passes: drafts of graphs, patterns, rewriting, and shapes that are kept."""
