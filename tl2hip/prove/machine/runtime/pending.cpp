// Hazards of registers: one that is used while a load into it is still under way.
//
// A wave has two counters of memory instructions under way. vmcnt counts vector loads and stores, which end in their
// order; lgkmcnt counts accesses to LDS, which do so too, and scalar loads, which do not: while one of these is under
// way, only waiting for zero says anything. A flat access is counted by both, and is done when both say so. (CDNA 3
// ISA, 4.4; LLVM's SIInsertWaitcnts follows the same rules.)

#include "access.h"

struct Flight {
    u32 site;           // index of the instruction
    u16 first;          // of the registers that it writes, in `cells`
    u8 count, kind;
    u32 low, high;      // of LDS, that it writes
};

constexpr u32 MOST = 256, VECTOR_LIMIT = 63, LGKM_LIMIT = 15;
struct Queue {
    Flight flights[MOST];
    u32 first, size, disordered;  // how many of them end in no order

    Flight& at(u32 k) { return flights[(first + k) % MOST]; }
    const Flight& at(u32 k) const { return flights[(first + k) % MOST]; }
};

struct Pending {
    u8 loading[CELLS];  // how many of the flights write it
    Queue vector, lgkm;
};
static Pending all_pending[MAX_WAVES];

void pending_start(const Wave& w) {
    Pending& pending = all_pending[w.number];
    memset(&pending.loading, 0, sizeof pending.loading);
    pending.vector.first = pending.vector.size = pending.vector.disordered = 0;
    pending.lgkm.first = pending.lgkm.size = pending.lgkm.disordered = 0;
}

// ---- what is under way

static void push(Pending& pending, Queue& queue, const Flight& flight, u32 limit) {
    // A counter that is full stalls the next instruction until one is done.
    if (queue.size == MOST || (queue.size == limit && !queue.disordered)) {
        const Flight& oldest = queue.at(0);
        for (u32 k = 0; k < oldest.count; ++k) --pending.loading[oldest.first + k];
        queue.first = (queue.first + 1) % MOST;
        --queue.size;
    }
    queue.at(queue.size++) = flight;
    for (u32 k = 0; k < flight.count; ++k) ++pending.loading[flight.first + k];
    queue.disordered += flight.kind == SCALAR_LOAD || flight.kind == FLAT_ACCESS;
}

static void wait(Pending& pending, Queue& queue, u32 left) {
    if (left && queue.disordered) return;
    while (queue.size > left) {
        const Flight& oldest = queue.at(0);
        for (u32 k = 0; k < oldest.count; ++k) --pending.loading[oldest.first + k];
        queue.first = (queue.first + 1) % MOST;
        --queue.size;
    }
    if (!left) queue.disordered = 0;
}

static const Flight* flight_into(const Queue& queue, u32 cell) {
    for (u32 k = queue.size; k-- > 0;) {
        const Flight& one = queue.at(k);
        if (cell >= one.first && cell < one.first + one.count) return &one;
    }
    return nullptr;
}

static void report_loading(const Wave& w, const Pending& pending, const Code& c, u32 cell, bool write) {
    const Flight* flight = flight_into(pending.vector, cell);
    if (!flight) flight = flight_into(pending.lgkm, cell);
    Access access = {0, 4, write};
    set_lane(w, 0);
    report(PENDING, ERROR, site_of(c), NOWHERE, cell, &access, flight ? flight->site : c.site);
}

// A load may write a register that an earlier one of its kind still writes: they end in their order.
static bool in_order(const Pending& pending, const Facts& facts, u32 cell) {
    if (facts.counter == VECTOR_LOAD) return !flight_into(pending.lgkm, cell) && !pending.vector.disordered;
    if (facts.counter == LDS_ACCESS) return !flight_into(pending.vector, cell) && !pending.lgkm.disordered;
    return false;
}

// ---- one instruction

static void check_reads(const Wave& w, const Code& c, const Facts& facts, const Pending& pending) {
    for (const Use& use : facts.reads) {
        if (use.file == NO_FILE) return;
        u32 first = cell_of(use);
        for (u32 cell = first; cell < first + use.count; ++cell)
            if (pending.loading[cell]) report_loading(w, pending, c, cell, false);
    }
}

static void check_writes(const Wave& w, const Code& c, const Facts& facts, const Pending& pending) {
    for (const Use& use : facts.writes) {
        if (use.file == NO_FILE) return;
        u32 first = cell_of(use);
        for (u32 cell = first; cell < first + use.count; ++cell)
            if (pending.loading[cell] && !in_order(pending, facts, cell)) report_loading(w, pending, c, cell, true);
    }
}

static void count(const Code& c, const Facts& facts, Pending& pending) {
    const Use& loaded = facts.writes[0];
    bool loads = loaded.file != NO_FILE;
    Flight flight = {c.site, (u16)(loads ? cell_of(loaded) : 0), (u8)(loads ? loaded.count : 0), facts.counter, 0, 0};
    if (facts.counter == VECTOR_LOAD || facts.counter == VECTOR_STORE || facts.counter == FLAT_ACCESS)
        push(pending, pending.vector, flight, VECTOR_LIMIT);
    if (facts.counter == LDS_ACCESS || facts.counter == SCALAR_LOAD || facts.counter == FLAT_ACCESS)
        push(pending, pending.lgkm, flight, LGKM_LIMIT);
}

void check_pending(const Wave& w, const Code& c, const Facts& facts) {
    Pending& pending = all_pending[w.number];
    if (facts.waits[0] != 255) wait(pending, pending.vector, facts.waits[0]);
    if (facts.waits[1] != 255) wait(pending, pending.lgkm, facts.waits[1]);
    check_reads(w, c, facts, pending);
    check_writes(w, c, facts, pending);
    if (facts.counter != UNCOUNTED) count(c, facts, pending);
}

// ---- barriers, and loads that go to LDS

// A barrier orders the accesses to LDS that were waited for. Lanes that do not reach it are none of its business on the
// hardware; in HIP they may not be left out. Stores to memory need no wait: the waves of a block are on one compute unit,
// and reach memory through its one cache in their order (LLVM, AMDGPU usage, memory model of gfx942 without tgsplit).
void check_barrier(const Wave& w, u64 lanes, const Code& c) {
    const Pending& pending = all_pending[w.number];
    bool under_way = false;
    for (u32 k = 0; k < pending.lgkm.size; ++k) {
        u8 kind = pending.lgkm.at(k).kind;
        under_way |= kind == LDS_ACCESS || kind == FLAT_ACCESS;
    }
    for (u32 k = 0; k < pending.vector.size; ++k) under_way |= pending.vector.at(k).high != 0;
    for (u32 lane = 0; lane < WAVE; ++lane) unit.unfenced[w.number * WAVE + lane] &= under_way;
    u64 missing = lanes & ~w.exec();
    if (!missing) return;
    set_lane(w, (u32)__builtin_ctzl(missing));
    report(DIVERGENT_BARRIER, WARNING, site_of(c), NOWHERE, 0, nullptr, 0);
}

void note_load_into_lds(const Wave& w, u32 low, u32 high) {
    Queue& queue = all_pending[w.number].vector;
    Flight& newest = queue.at(queue.size - 1);
    newest.low = low;
    newest.high = high;
}

bool loads_into_lds(const Wave& w, u32 low, u32 bytes) {
    const Queue& queue = all_pending[w.number].vector;
    for (u32 k = 0; k < queue.size; ++k)
        if (low < queue.at(k).high && low + bytes > queue.at(k).low) return true;
    return false;
}
