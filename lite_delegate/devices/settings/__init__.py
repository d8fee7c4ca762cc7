"""The settings of devices: properties of a core and of a call, and hints for virtual devices."""
