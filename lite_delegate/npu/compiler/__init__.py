"""From a module to a program of the device: parts, passes, tiling, schedule, places."""
