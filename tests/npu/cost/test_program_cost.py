"""Sums over a timeline, counters, and estimates as every delegate gives them."""

from lite_delegate.npu.cost import Activity, Event, Packing, ProgramCost, cost_of
from lite_delegate.npu.cost.program_cost import covered
from lite_delegate.npu.profiles import Compute
from tests.npu.cost.programs import plain, target
from tests.npu.cost.test_timeline import EXAMPLE, MEMORY


def event(name: str, start: int, end: int, activity: Activity, nbytes: int = 0, opcode: str = "Op") -> Event:
    return Event(name, opcode, (), activity, start, end, 0, nbytes)


def cost(*events: Event, dma_engines: int = 1) -> ProgramCost:
    return ProgramCost(events, clock_mhz=100, launch_us=7.0, dma_engines=dma_engines)


def test_microseconds_are_cycles_of_the_clock_of_the_frequency_level_and_the_launch():
    compute = Compute(vector_lanes=10, clock_mhz=(100, 400), launch_us=30.0)
    slow = cost_of(EXAMPLE, plain(EXAMPLE), target(compute=compute, memory=MEMORY))
    fast = cost_of(EXAMPLE, plain(EXAMPLE), target(compute=compute, memory=MEMORY, frequency=2))
    assert slow.estimated_cycles == fast.estimated_cycles == 1100
    assert (slow.estimated_us, fast.estimated_us) == (30 + 11.0, 30 + 2.75)


def test_totals_of_the_example():
    total = cost_of(EXAMPLE, plain(EXAMPLE), target(memory=MEMORY))
    assert (total.compute_cycles, total.transfer_cycles, total.packing_cycles) == (200, 1000, 0)
    assert (total.dma_wait_cycles, total.estimated_bytes) == (500, 5 * 2000)
    assert total.share(Activity.COMPUTE) == 200 / 1100
    assert total.share(Activity.TRANSFER) == 1000 / 1100
    assert total.share(Activity.PACKING) == 0.0


def test_packing_counts_as_packing():
    packed = cost_of(EXAMPLE, Packing(((0,),), ((0,),)), target(memory=MEMORY))
    assert packed.packing_cycles == 0
    both = cost(event("in", 0, 50, Activity.PACKING), event("permute", 40, 80, Activity.PACKING))
    assert (both.packing_cycles, both.share(Activity.PACKING)) == (90, 1.0)


def test_shares_count_cycles_in_which_something_runs_once():
    events = [event("a", 10, 20, Activity.COMPUTE), event("b", 15, 40, Activity.COMPUTE)]
    nested = [event("c", 16, 18, Activity.COMPUTE), event("d", 60, 70, Activity.COMPUTE)]
    assert covered([*events, *nested]) == 40
    assert covered([]) == 0


def copy_in(end: int) -> Event:
    return event("input 0", 0, end, Activity.TRANSFER, 8, "CopyIn")


def test_the_wait_for_input_is_what_idle_engines_do_not_hide():
    compute = event("c", 100, 300, Activity.COMPUTE)
    assert cost(copy_in(100), compute).input_wait_cycles == 0
    busy = event("t", 100, 250, Activity.TRANSFER, 8)
    assert cost(copy_in(100), compute, busy).input_wait_cycles == 50
    assert cost(copy_in(100), compute, busy, dma_engines=2).input_wait_cycles == 0
    longer = event("t", 100, 300, Activity.TRANSFER, 8)
    assert cost(copy_in(100), compute, longer).input_wait_cycles == 100
    assert cost(compute).input_wait_cycles == 0


def test_counters_name_each_step_and_the_wait():
    total = cost_of(EXAMPLE, plain(EXAMPLE), target(memory=MEMORY))
    # Behind the input there are 900 cycles, of which the other four transfers fill 800.
    assert total.input_wait_cycles == 200 - (900 - 800)
    wait = total.wait_counter(total.input_wait_cycles)
    assert (wait.name, wait.instruction, wait.estimated_cycles) == ("waiting for input", "Wait", 100)
    b = next(counter for counter in total.counters() if counter.name == "b")
    assert (b.instruction, b.layers, b.estimated_start_us) == ("Binary", ("second",), 6.0)
    assert (b.estimated_cycles, b.estimated_dma_wait, b.estimated_bytes) == (100, 100, 0)


def test_the_estimate_of_every_delegate_has_the_same_numbers():
    total = cost_of(EXAMPLE, plain(EXAMPLE), target(memory=MEMORY))
    estimate = total.estimate
    assert (estimate.estimated_us, estimate.estimated_cycles) == (total.estimated_us, 1100)
    assert estimate.estimated_bytes == 10000
    assert [layer.name for layer in estimate.layers] == [e.name for e in total.events]
    first = next(layer for layer in estimate.layers if layer.name == "a")
    assert (first.layers, first.estimated_us, first.estimated_cycles) == (("first",), 1.0, 100)
