"""What all commands have: help in groups with examples, notes and progress, and defaults in a file."""
