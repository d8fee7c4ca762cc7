"""Context: the settings of the ``mindspore_lite`` interface, by device and in configuration files."""
