// Values that come of a register which nothing has written: told where they say which memory is touched, what is
// stored, or where a wave goes on. Moving such a value, or computing with it what is then not used, is no fault: the
// compiler does so where only some lanes, or some paths, ever use it.

#include "access.h"

// A bit for each lane of a vector register, for each bit of a scalar one.
struct Undefined {
    u64 cells[CELLS];
    bool condition;  // SCC

    u64 pair(u32 first) const { return (cells[ROWS + first] & 0xFFFFFFFF) | cells[ROWS + first + 1] << 32; }
};
static Undefined all_undefined[MAX_WAVES];

void defined_start(const Wave& w, u64 lanes) {
    Undefined& undefined = all_undefined[w.number];
    memset(undefined.cells, 0xFF, ROWS * sizeof(u64));
    for (u32 s = 0; s < SCALARS; ++s) undefined.cells[ROWS + s] = 0xFFFFFFFF;
    undefined.condition = true;
    undefined.cells[0] = ~lanes;
    u32 given = 2 + (u32)__builtin_popcount(running.kernel->group_ids);
    for (u32 s = 0; s < given; ++s) undefined.cells[ROWS + s] = 0;
    undefined.cells[ROWS + EXEC] = undefined.cells[ROWS + EXEC + 1] = 0;
}

static void tell(const Wave& w, const Code& c, u32 cell, u64 lanes) {
    Access access = {0, 4, false};
    set_lane(w, cell < ROWS ? (u32)__builtin_ctzl(lanes) : 0);
    report(UNWRITTEN, WARNING, site_of(c), NOWHERE, cell, &access, 0);
}

// ---- sources

static u64 lanes_read(const Wave& w, const Code& c, const Facts& facts) {
    if (facts.reach == EVERY || facts.reach == WAVE_WIDE || facts.reach == WRITES_ONE) return ~0ul;
    if (facts.reach == READS_ONE) {
        if (c.b.kind != NOTHING) return 1ul << scalar_value(w, c.b) % WAVE;
        return w.exec() ? w.exec() & -w.exec() : 1;
    }
    return w.exec();
}

// The lanes in which registers are undefined; of a scalar one, all where it is so in part.
static u64 in_lanes(const Undefined& undefined, const Use& use, u64 lanes) {
    if (use.file == MASK) return undefined.pair(use.first) & lanes;
    u64 found = 0;
    for (u32 k = 0; k < use.count; ++k) found |= undefined.cells[cell_of(use) + k];
    return use.file == VECTORS ? found & lanes : found ? lanes : 0;
}

static u64 of_row(const Undefined& undefined, const Source& s) {
    if (s.kind == ROW) return undefined.cells[s.first];
    return s.kind == SCALAR && undefined.cells[ROWS + s.first] ? ~0ul : 0;
}

struct Scalars {
    u64 value, undefined;
};
static Scalars scalars(const Wave& w, const Undefined& undefined, const Source& s) {
    if (s.kind == CONDITION) return {w.scc, undefined.condition};
    if (s.kind != SCALAR) return {s.bits, 0};
    if (s.count == 2) return {w.pair(s.first), undefined.pair(s.first)};
    return {w.s[s.first], undefined.cells[ROWS + s.first]};
}

// A result's bits that both sources leave open: a 0 decides an AND, a 1 an OR.
static u64 open_of_and(const Scalars& a, const Scalars& b) {
    return (a.undefined | b.undefined) & (a.undefined | a.value) & (b.undefined | b.value);
}
static Scalars inverted(const Scalars& a) { return {~a.value, a.undefined}; }

static u64 open_bits(const Wave& w, const Code& c, const Facts& facts, const Undefined& undefined) {
    Scalars a = scalars(w, undefined, c.a), b = scalars(w, undefined, c.b);
    if (facts.writes[1].file != NO_FILE) b = {w.exec(), 0};  // those that save EXEC
    switch (facts.flow) {
    case BITS: return a.undefined | b.undefined;
    case AND: return open_of_and(a, b);
    case AND_NOT: return open_of_and(a, inverted(b));
    case NOT_AND: return open_of_and(inverted(a), b);
    case OR: return open_of_and(inverted(a), inverted(b));
    case OR_NOT: return open_of_and(inverted(a), b);
    case NOT_OR: return open_of_and(a, inverted(b));
    case SELECT_BITS: return undefined.condition ? ~0ul : w.scc ? a.undefined : b.undefined;
    default: return 0;
    }
}

// ---- results

static void set_scalars(const Wave& w, const Code& c, Undefined& undefined, const Use& use, u64 bits) {
    bool exec = use.first == EXEC || use.first == EXEC + 1;
    if (exec && bits) tell(w, c, ROWS + EXEC, 1);
    for (u32 k = 0; k < use.count; ++k) undefined.cells[ROWS + use.first + k] = exec ? 0 : (u32)(bits >> 32 * (k & 1));
}

// The lanes in which the low half of a result of 64 bits is undefined, or the high one.
static u64 open_half(const Undefined& undefined, const Code& c, const Facts& facts, bool high) {
    u64 open = 0;
    const Source* sources[] = {&c.a, &c.b, &c.c};
    for (const Source* s : sources) {
        if (s->kind != ROW && s->kind != SCALAR) continue;
        bool second = facts.flow == HALVES ? s->halves & (high ? HIGH_FROM_HIGH : LOW_FROM_HIGH) : high;
        u64 cell = undefined.cells[(s->kind == ROW ? 0 : ROWS) + s->first + (second && s->count > 1)];
        if (facts.flow == CARRIES && high) cell |= undefined.cells[(s->kind == ROW ? 0 : ROWS) + s->first];
        open |= s->kind == ROW ? cell : cell ? ~0ul : 0;
    }
    return open;
}

static void set_row(Undefined& undefined, u32 row, u64 open, u64 lanes) {
    u64& cell = undefined.cells[row];
    cell = (cell & ~lanes) | (open & lanes);
}

static void set_all(const Wave& w, const Code& c, const Facts& facts, Undefined& undefined, u64 open, u64 lanes) {
    for (const Use& use : facts.writes) {
        if (use.file == NO_FILE) break;
        if (use.file == VECTORS)
            for (u32 k = 0; k < use.count; ++k) set_row(undefined, use.first + k, open, lanes);
        else set_scalars(w, c, undefined, use, use.file == MASK ? open & lanes : open ? ~0ul : 0);
    }
    if (facts.sets_condition) undefined.condition = open != 0;
}

// What is stored to a lane's own memory, and what comes back from it, byte by byte.
static void through_scratch(const Wave& w, const Code& c, const Facts& facts, Undefined& undefined) {
    u32 bytes = facts.scratch_bytes;
    bool loads = facts.writes[0].file != NO_FILE;
    u32 first = loads ? c.d.first : c.b.first;
    each_lane(w.exec(), [&](u32 lane) {
        u64 at = scratch_address(w, lane, scratch_place(w, c, lane), bytes);
        if (!at) return;
        u8* flags = scratch_undefined(at);
        u64 bit = 1ul << lane;
        for (u32 b = 0; b < bytes; ++b) {
            u64& cell = undefined.cells[first + b / 4];
            if (!loads) flags[b] = (cell & bit) != 0;
            else if (flags[b]) cell |= bit;
            else if (b % 4 == 0) cell &= ~bit;
        }
    });
}

static u64 lanes_written(const Wave& w, const Code& c, const Facts& facts) {
    if (facts.reach == EVERY) return ~0ul;
    return facts.reach == WRITES_ONE ? 1ul << scalar_value(w, c.b) % WAVE : w.exec();
}

static bool bitwise(u8 flow) { return flow >= BITS && flow <= SELECT_BITS; }

void check_defined(const Wave& w, const Code& c, const Facts& facts) {
    Undefined& undefined = all_undefined[w.number];
    u64 lanes = lanes_read(w, c, facts), open = 0;
    for (u32 k = 0; k < MAX_READS && facts.reads[k].file != NO_FILE; ++k) {
        u64 found = in_lanes(undefined, facts.reads[k], lanes);
        if (found && facts.needed >> k & 1) tell(w, c, cell_of(facts.reads[k]), found);
        else open |= found;
    }
    if (facts.reads_condition && undefined.condition) {
        if (facts.needed) tell(w, c, CELLS, 1);
        else open = ~0ul;
    }
    if (bitwise(facts.flow)) {
        u64 bits = open_bits(w, c, facts, undefined);
        bool saves = facts.writes[1].file != NO_FILE;
        if (facts.writes[0].file != NO_FILE) set_scalars(w, c, undefined, facts.writes[0], saves ? 0 : bits);
        if (saves) set_scalars(w, c, undefined, facts.writes[1], bits);
        if (facts.sets_condition) undefined.condition = bits != 0;
        return;
    }
    if (facts.flow == SCRATCH) return through_scratch(w, c, facts, undefined);
    if (facts.flow == SELECT_LANES) {
        u64 flags = c.c.kind == SCALAR ? w.pair(c.c.first) : c.c.bits;
        u64 chosen = (flags & of_row(undefined, c.b)) | (~flags & of_row(undefined, c.a));
        open = chosen | (c.c.kind == SCALAR ? undefined.pair(c.c.first) : 0);
    }
    if ((facts.flow == ACROSS || facts.reach == READS_ONE) && open) open = ~0ul;
    if (facts.flow == LOADED) open = 0;
    u64 written = lanes_written(w, c, facts);
    bool halves = facts.flow >= CARRIES && facts.flow <= HALVES;
    u64 low = halves ? open_half(undefined, c, facts, false) : 0;
    u64 high = halves ? open_half(undefined, c, facts, true) : 0;
    set_all(w, c, facts, undefined, open, written);
    if (!halves) return;
    set_row(undefined, facts.writes[0].first, low, written);
    set_row(undefined, facts.writes[0].first + 1, high, written);
}
