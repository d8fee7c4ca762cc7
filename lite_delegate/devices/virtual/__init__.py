"""Virtual devices, which are made of other devices: AUTO, MULTI and BATCH."""
