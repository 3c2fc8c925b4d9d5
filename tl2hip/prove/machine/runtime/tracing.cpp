// What one block executes, instruction by instruction, with what its lanes touch: the model of a compute unit is fed
// by it.

#include "access.h"

constexpr u32 MOST_STEPS = 1u << 22, MOST_ACCESSES = 8, MOST_SAMPLES = 1u << 15, MOST_SAMPLED = 1u << 18;
constexpr u32 REQUEST_BYTES = 64, LINE_BYTES = 128;

// What Python reads, in the layout of tracing.py.
struct Step {
    u32 at, bytes;
    u16 lds, lds_free, requests, lines, used;
    u8 wave, idle;
};
// Where an instruction's lanes went in LDS or in memory, the first of the times that it cost most.
struct Sample {
    u32 at, bytes, cost, lds;
    u64 present, address[WAVE];
};
struct Traced {
    const Step* steps;
    u32 count, kernel, threads, grid[3], id[3];
    u8 ended, too_long;
    u16 step_bytes, sample_bytes;
    u32 sample_count;
    const Sample* samples;
    u8 no_room;    // there was no memory for steps
    u8 unsampled;  // there was no room for all samples
};

// Which block of which launch of a kernel, "" for any, and whether no other launch runs. With a `count` nothing is
// traced: of so many blocks from `block` on, the lines that they read are counted (lines.cpp), of each wave in its
// first `steps` instructions. The name is kept here: the caller's is gone after its call.
constexpr u32 LONGEST_NAME = 4096;
constexpr u64 MIDDLE = ~0ul;  // the block in the middle of however many there are
struct Wanted {
    bool any;  // something is
    bool alone;
    u32 launch, steps;
    u64 block, count;
    char name[LONGEST_NAME];
};

// Accesses of one instruction: a lane's second one is of the second.
struct Traces {
    LaneAddresses lanes;
    u32 bytes;
    Touch how;
    bool lds;
};

bool tracing, watched;
static Wanted wanted;
static Traced traced;
static Step* steps;
static Sample* samples;
static u16 sample_of[2][MOST_SAMPLED];  // of accesses of memory and of LDS, by the instruction: its number plus one
static Traces accesses[MOST_ACCESSES];
static u32 access_count;

EXPORT void tl2hip_trace(const char* name, u32 launch, u64 block, bool alone, u64 count, u32 most) {
    wanted.any = name;
    lines_end();
    if (!name) return;
    lines_forget();
    wanted.count = count;
    wanted.steps = most;
    wanted.alone = alone;
    wanted.launch = launch;
    wanted.block = block;
    u32 length = 0;
    for (; name[length] && length < LONGEST_NAME - 1; ++length) wanted.name[length] = name[length];
    wanted.name[length] = 0;
    traced = {};
    traced.step_bytes = sizeof(Step);
    traced.sample_bytes = sizeof(Sample);
    memset(sample_of, 0, sizeof sample_of);
}

EXPORT const Traced* tl2hip_traced() { return &traced; }

void trace_launch(const char* name) {
    bool here = wanted.any && (!*wanted.name || same_text(name, wanted.name)) && wanted.launch-- == 0;
    tracing = here && !wanted.count;
    lines_end();
    if (here && wanted.count) lines_launch(wanted.block, wanted.count, wanted.steps);
    watched = tracing || detecting;
    if (!tracing || steps) return;
    void* at = mmap(nullptr, sizeof(Step) * (u64)MOST_STEPS + sizeof(Sample) * MOST_SAMPLES, 3, 0x4022, -1, 0);
    if ((i64)at == -1) return;
    steps = (Step*)at;
    samples = (Sample*)(steps + MOST_STEPS);
}

bool trace_passes_over() { return wanted.any && wanted.alone && !tracing && !reading_lines; }

void trace_among(u64 blocks) {
    if (wanted.block == MIDDLE) wanted.block = blocks / 2;
}

bool trace_leaves_out(u64 block) { return tracing && block != wanted.block; }

void trace_block_done() {
    if (!tracing) return;
    traced.steps = steps;
    traced.samples = samples;
    traced.kernel = running.number;
    traced.threads = unit.threads;
    memcpy(traced.grid, unit.grid, sizeof traced.grid);
    memcpy(traced.id, unit.id, sizeof traced.id);
    traced.ended = true;
    tracing = false;
    wanted.any = false;
    give_up();  // no other block is of interest
}

void trace_lane(u32 lane, u64 address, u32 bytes, Touch how, bool lds) {
    u32 a = 0;
    for (; a < access_count; ++a) {
        const Traces& one = accesses[a];
        if (one.bytes == bytes && one.how == how && one.lds == lds && !(one.lanes.present >> lane & 1)) break;
    }
    if (a == MOST_ACCESSES) __builtin_trap();  // no instruction has so many
    Traces& one = accesses[a];
    if (a == access_count) {
        ++access_count;
        one.lanes.present = 0;
        one.bytes = bytes;
        one.how = how;
        one.lds = lds;
    }
    one.lanes.present |= 1ul << lane;
    one.lanes.address[lane] = address;
}

static void sample(u32 at, const Traces& one, u32 cost) {
    bool known = at < MOST_SAMPLED && sample_of[one.lds][at];
    if (!known && (at >= MOST_SAMPLED || traced.sample_count == MOST_SAMPLES)) {
        traced.unsampled = true;
        give_up();
    }
    u16& number = sample_of[one.lds][at];
    if (!known) {
        number = (u16)++traced.sample_count;
        samples[number - 1].cost = 0;
    }
    Sample& kept = samples[number - 1];
    if (cost <= kept.cost) return;
    kept.at = at;
    kept.bytes = one.bytes;
    kept.cost = cost;
    kept.lds = one.lds;
    kept.present = one.lanes.present;
    memcpy(kept.address, one.lanes.address, sizeof kept.address);
}

// `used` are the bytes that lanes ask for, those that several ask for once: lanes are side by side or at one place.
static void add_access(Step& step, const Traces& one) {
    step.bytes += one.bytes * (u32)__builtin_popcountl(one.lanes.present);
    if (one.lds) {
        u32 phases = 0, clocks = bank_clocks(one.lanes, one.bytes, one.how, phases);
        step.lds += (u16)clocks;
        step.lds_free += (u16)phases;
        sample(step.at, one, clocks);
        return;
    }
    u32 requests = distinct_pieces(one.lanes, one.bytes, REQUEST_BYTES);
    step.requests += (u16)requests;
    step.lines += (u16)distinct_pieces(one.lanes, one.bytes, LINE_BYTES);
    step.used += (u16)(one.bytes * distinct_pieces(one.lanes, 1, 1));
    sample(step.at, one, requests);
}

void run_traced(Wave& w, const Code* code) {
    while (w.state == RUNS) {
        const Code& c = code[w.at++];
        running.code = &c;
        access_count = 0;
        bool idle = w.exec() == 0;
        c.run(w, c);
        if (!steps || traced.count == MOST_STEPS) {
            (steps ? traced.too_long : traced.no_room) = true;
            give_up();
        }
        Step& step = steps[traced.count++];
        step = {c.site, 0, 0, 0, 0, 0, 0, (u8)w.number, idle};
        for (u32 a = 0; a < access_count; ++a) add_access(step, accesses[a]);
    }
}
