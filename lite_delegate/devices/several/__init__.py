"""AUTO, MULTI and BATCH: devices that are made of others."""
