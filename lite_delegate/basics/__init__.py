"""How modules are written, files are handled, and errors and warnings are said, whatever they are about."""
