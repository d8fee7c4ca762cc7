"""The registry of devices: the names of devices, the delegates behind the names, and whether a device is present."""
