"""Objects in words, for people."""
