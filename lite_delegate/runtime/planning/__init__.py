"""Who runs what: the order, the delegates' turns, repair, and the record of it."""
