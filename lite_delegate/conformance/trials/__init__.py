"""What is done with a model beyond its first run, and what that finds."""
