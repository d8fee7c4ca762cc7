"""AUTO, MULTI and BATCH: devices that are made of other devices."""
