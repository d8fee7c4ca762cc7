"""What is set on devices: properties of a core, of a call, and hints for devices that are made of others."""
