"""What graph passes are made of: drafts of graphs, patterns, rewriting, and shapes that are kept."""
