"""The cost of programs: cycles per step, and a timeline over compute tiles and DMA engines. All figures are
estimates.
"""

from .counters import PerformanceCounter
from .crossing import crossing_us
from .program_cost import ProgramCost, cost_of
from .timeline import Activity, Event, Packing, timeline

__all__ = ["Activity", "Event", "Packing", "PerformanceCounter", "ProgramCost", "cost_of", "crossing_us", "timeline"]
