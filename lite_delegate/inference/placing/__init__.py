"""Placement by measurement: plans that compete, the pieces they are mixed of, and the choice of one."""
