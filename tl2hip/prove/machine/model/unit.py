"""The compute unit: waves issue their instructions slot by slot, and share units, LDS and the way to memory.

What it does not know: the caches and the instruction cache, how blocks are handed out, the clocks that power
allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, inf

from tl2hip.prove.machine.meanings.memory import Counter
from tl2hip.prove.machine.model.decode import Act, Decoded
from tl2hip.prove.machine.model.facts import ADDRESS_CLOCKS, REQUEST, SIMDS, SLOT, TAKEN_BRANCH, Unit
from tl2hip.prove.machine.model.lds import Access, Lds
from tl2hip.prove.machine.model.recorder import Recorder
from tl2hip.prove.machine.model.result import Cause
from tl2hip.prove.machine.model.settings import Settings
from tl2hip.prove.machine.model.trace import Step, Trace

VALU, ALONE, MATRIX = Unit.VALU.value, Unit.ALONE.value, Unit.MATRIX.value
BY_VMCNT = (Counter.VECTOR_LOAD, Counter.VECTOR_STORE, Counter.FLAT_ACCESS)


class Wave:
    """A wave on its SIMD: the step it is at, when it may issue it, and what it has under way."""

    def __init__(self, number: int, steps: Sequence[Step], block: Block, simd: Simd) -> None:
        self.number = number
        self.steps = steps
        self.block = block
        self.simd = simd
        self.position = 0
        self.priority = 0
        self.ready: float = 0
        self.unit = 0
        self.since: float = 0  # what was waited before is told
        self.cause = Cause.UNIT
        self.vm: list[Access] = []  # accesses under way
        self.lgkm: list[Access] = []
        self.stalls = False  # until LDS serves what it waits for
        self.late: dict[int, float] = {}  # rows, and when their results are there
        self.maker: dict[int, tuple[int, ...]] = {}  # rows, and all that their instruction made
        self.loop = -1
        self.entered: float = 0
        self.passed: float = 0

    def wake(self) -> None:
        """Its SIMD looks at it when it is ready."""
        self.simd.soonest = min(self.simd.soonest, self.ready)


class Block:
    """A block: how many waves it has left, and which of them are at the barrier."""

    def __init__(self, waves: int) -> None:
        self.left = waves
        self.waiting: list[Wave] = []


class Simd:
    """A SIMD: its waves in the order in which they are asked, when each unit is free, and what keeps it until
    then."""

    def __init__(self, pair: int) -> None:
        self.pair = pair
        self.waves: list[Wave] = []
        self.soonest: float = 0  # when it must be looked at
        self.free: list[float] = [0] * len(Unit)
        self.kept = [Cause.UNIT] * len(Unit)

    def order(self) -> None:
        """The highest priority first, of equal ones the wave that is there longest."""
        self.waves.sort(key=lambda wave: (-wave.priority, wave.number))

    def take(self, unit: int, until: float, cause: Cause) -> None:
        """A unit takes nothing until then."""
        if until > self.free[unit]:
            self.free[unit] = until
            self.kept[unit] = cause


class ComputeUnit:
    """A compute unit that runs so many blocks, each with the same trace, so many at once."""

    def __init__(self, trace: Trace, code: Sequence[Decoded], settings: Settings, recorder: Recorder) -> None:
        self.trace = trace
        self.code = code
        self.settings = settings
        self.recorder = recorder
        self.simds = [Simd(k // 2) for k in range(SIMDS)]
        self.lds = Lds()
        self.memory: float = 0
        self.now = 0
        self.placed = 0
        self.running = 0

    def run(self, resident: int, blocks: int) -> int:
        """Run the blocks; the clocks until the last one has ended and all units are free."""
        self.to_start = blocks
        for _ in range(min(resident, blocks)):
            self.start_block(0)
        while self.running:
            for access in self.lds.serve(self.now):
                if access.wave.stalls:
                    self.await_counters(access.wave)
                    access.wave.wake()
            for simd in self.simds:
                if simd.soonest <= self.now:
                    self.slot(simd)
            soonest = min(simd.soonest for simd in self.simds)
            start = self.lds.first()[1]
            if start < soonest:
                soonest = floor(start / SLOT) * SLOT + SLOT  # when it is known
            if self.running:
                self.now = max(self.now + SLOT, ceil(soonest / SLOT) * SLOT)
        return ceil(max(self.now + SLOT, self.lds.banks, self.memory, *(simd.free[MATRIX] for simd in self.simds)))

    def start_block(self, now: float) -> None:
        """The waves of a block go where the fewest are."""
        self.to_start -= 1
        block = Block(len(self.trace.waves))
        for steps in self.trace.waves:
            simd = min(self.simds, key=lambda one: len(one.waves))
            wave = Wave(self.placed, steps, block, simd)
            self.placed += 1
            self.running += 1
            self.recorder.born(now)
            self.prepare(wave, now)
            simd.waves.append(wave)
            simd.order()
            wave.wake()

    def slot(self, simd: Simd) -> None:
        """What a SIMD does in a slot: each wave that is ready issues if its unit is free."""
        now, free = self.now, simd.free
        simd.soonest = inf
        for wave in tuple(simd.waves):
            if wave.ready <= now:
                if free[wave.unit] <= now:
                    self.issue(wave, simd)
                else:
                    kept = simd.kept[wave.unit]
                    if wave.cause is not kept:
                        self.recorder.waited(wave, now)
                        wave.cause = kept
                    if free[wave.unit] < simd.soonest:
                        simd.soonest = free[wave.unit]
                    continue
            if wave.ready < simd.soonest:
                simd.soonest = wave.ready

    def prepare(self, wave: Wave, base: float) -> None:
        """Find out when a wave may issue its next instruction, which is not before `base`."""
        decoded = self.code[wave.steps[wave.position].at]
        wave.since = base
        wave.unit = decoded.unit
        ready, late = base, wave.late
        for row in decoded.touched:
            if late.get(row, 0) > ready:
                ready = late[row]
        if decoded.chained and wave.maker.get(decoded.chained[0], ()) != decoded.chained:
            ready = max(ready, *(late.get(row, 0) for row in decoded.chained))
        if ready > base:
            wave.cause = Cause.DEPENDENCY
            self.recorder.waited(wave, ready)
        wave.ready = ready
        wave.cause = Cause.UNIT
        if len(wave.vm) > decoded.vm or len(wave.lgkm) > decoded.lgkm:
            self.await_counters(wave)

    def await_counters(self, wave: Wave) -> None:
        """A wave may issue no sooner than its counters let it: where LDS has yet to serve it, that is not known."""
        decoded = self.code[wave.steps[wave.position].at]
        by_vm, by_lgkm = done(wave.vm, decoded.vm), done(wave.lgkm, decoded.lgkm)
        until = max(by_vm, by_lgkm)
        wave.stalls = until == inf
        if wave.stalls:
            wave.ready = inf
            return
        if until > wave.since:
            wave.cause = Cause.VMCNT if by_vm > by_lgkm else Cause.LGKMCNT
            self.recorder.waited(wave, ceil(until / SLOT) * SLOT)
        forget(wave.vm, decoded.vm)
        forget(wave.lgkm, decoded.lgkm)
        wave.ready = wave.since
        wave.cause = Cause.UNIT

    def issue(self, wave: Wave, simd: Simd) -> None:
        """A wave issues the instruction it is at."""
        now, step = self.now, wave.steps[wave.position]
        decoded = self.code[step.at]
        self.recorder.issued(wave, step.at, now)
        take_unit(simd, decoded, now)
        if decoded.made:
            for row in decoded.made:
                wave.late[row] = now + decoded.late
                wave.maker[row] = decoded.made
        if decoded.counter is not Counter.UNCOUNTED:
            self.access(wave, step, decoded)
        after = now + SLOT
        act = decoded.act
        if act is Act.BARRIER:
            self.arrive(wave, after)
            return
        if act is Act.END:
            self.end(wave, simd)
            return
        if act is Act.PAUSE and decoded.number > SLOT:
            after = self.pause(wave, now + decoded.number, Cause.PAUSE)
        elif act is Act.BRANCH and wave.steps[wave.position + 1].at != step.at + 1:
            after = self.pause(wave, now + SLOT * TAKEN_BRANCH, Cause.BRANCH)
        elif act is Act.PRIORITY:
            wave.priority = decoded.number
            simd.order()
        wave.position += 1
        self.prepare(wave, after)

    def pause(self, wave: Wave, until: int, cause: Cause) -> int:
        """A wave waits after its instruction."""
        wave.since, wave.cause = self.now + SLOT, cause
        self.recorder.waited(wave, until)
        return until

    def access(self, wave: Wave, step: Step, decoded: Decoded) -> None:
        """An access of LDS or memory is under way."""
        over: float = self.now
        if decoded.counter is Counter.SCALAR_LOAD:
            over += self.settings.scalar_latency
        if step.requests:
            transfer = max(ADDRESS_CLOCKS, step.requests * REQUEST / self.settings.bandwidth)
            self.memory = max(self.memory, self.now) + transfer
            over = self.memory + self.settings.latency
        access = Access(wave, self.now, step.lds or decoded.port, decoded.port_bytes or step.bytes)
        self.recorder.moved(step.at, access.clocks, step.requests)
        if access.clocks:
            self.lds.queues[wave.simd.pair].append(access)
        if decoded.counter in BY_VMCNT:
            # They end in order. What a load brings to LDS takes its banks besides, and is there with the load.
            access = Access(wave, self.now, 0, 0, max(over, wave.vm[-1].done) if wave.vm else over)
            wave.vm.append(access)
        elif not access.clocks:
            access.done = over
        if decoded.counter not in BY_VMCNT or decoded.counter is Counter.FLAT_ACCESS:
            wave.lgkm.append(access)

    def arrive(self, wave: Wave, after: int) -> None:
        """A wave is at the barrier."""
        wave.since, wave.cause, wave.ready = after, Cause.BARRIER, inf
        wave.block.waiting.append(wave)
        self.release(wave.block)

    def release(self, block: Block) -> None:
        """Waves go on when all that are left have come."""
        if len(block.waiting) != block.left:
            return
        for wave in block.waiting:
            until = self.now + self.code[wave.steps[wave.position].at].number
            self.recorder.waited(wave, until)
            wave.position += 1
            self.prepare(wave, until)
            wave.wake()
        block.waiting = []

    def end(self, wave: Wave, simd: Simd) -> None:
        """A wave ends; the last one of a block makes room for another."""
        wave.ready = inf
        simd.waves.remove(wave)
        self.running -= 1
        self.recorder.died(wave, self.now)
        wave.block.left -= 1
        if wave.block.left:
            self.release(wave.block)
        elif self.to_start:
            self.start_block(self.now + SLOT)


def take_unit(simd: Simd, decoded: Decoded, now: int) -> None:
    """An instruction takes its unit, and keeps others from theirs."""
    unit = decoded.unit
    if unit == MATRIX:
        simd.take(MATRIX, now + decoded.busy, Cause.MATRIX)
        simd.take(VALU, now + decoded.vector, Cause.MATRIX if decoded.vector > SLOT else Cause.UNIT)
        simd.take(ALONE, now + decoded.alone, Cause.MATRIX)
    elif unit in (VALU, ALONE):
        for one in (VALU, ALONE, MATRIX):
            simd.take(one, now + decoded.busy, Cause.UNIT)
    elif unit != Unit.OWN.value:
        simd.take(unit, now + decoded.busy, Cause.UNIT)


def done(under_way: list[Access], left: int) -> float:
    """When no more than so many accesses are left under way."""
    over = len(under_way) - left
    return sorted([access.done for access in under_way])[over - 1] if over > 0 else 0


def forget(under_way: list[Access], left: int) -> None:
    """Forget the accesses that are done when no more than so many are left."""
    if len(under_way) > left:
        under_way.sort(key=lambda access: access.done)
        del under_way[: len(under_way) - left]
