// Waves run their instructions; what there is besides arithmetic and memory: branches, waits, barriers, the end.

#include "access.h"

INSTRUCTION(s_nop) {}
INSTRUCTION(s_sleep) {}
INSTRUCTION(s_setprio) {}
INSTRUCTION(s_waitcnt) {}  // here memory is never late: what would be is found by pending.cpp

INSTRUCTION(s_branch) { w.at = c.target; }
INSTRUCTION(s_cbranch_scc0) {
    if (!w.scc) w.at = c.target;
}
INSTRUCTION(s_cbranch_scc1) {
    if (w.scc) w.at = c.target;
}
INSTRUCTION(s_cbranch_vccz) {
    if (!w.pair(VCC)) w.at = c.target;
}
INSTRUCTION(s_cbranch_vccnz) {
    if (w.pair(VCC)) w.at = c.target;
}
INSTRUCTION(s_cbranch_execz) {
    if (!w.exec()) w.at = c.target;
}
INSTRUCTION(s_cbranch_execnz) {
    if (w.exec()) w.at = c.target;
}

INSTRUCTION(s_barrier) { w.state = AT_BARRIER; }
INSTRUCTION(s_endpgm) { w.state = ENDED; }

// Code has no addresses here. The program counter is 0, and what is added to it is the whole address of a constant.
INSTRUCTION(s_getpc_b64) { w.set_pair(c.d.first, 0); }

// Registers counted from M0: its low byte is the index, and its top bits say which operands are meant.
INSTRUCTION(s_set_gpr_idx_on) { w.s[M0] = (w.s[M0] & 0xFFFF0F00) | (w.s[c.a.first] & 0xFF) | (u32)c.offset << 12; }
INSTRUCTION(s_set_gpr_idx_off) {}

static u32 indexed_row(const Wave& w, const Code& c, u32 first, u32 bit) {
    u32 row = first + (c.offset & bit ? w.s[M0] & 0xFF : 0);
    if (row >= running.kernel->rows) not_done(w, c, INDEX_OUTSIDE);
    return row;
}
INSTRUCTION(v_mov_b32_indexed) {
    u32* to = w.v[indexed_row(w, c, c.d.first, INDEXED_RESULT)];
    const u32* from = c.a.kind == ROW ? w.v[indexed_row(w, c, c.a.first, INDEXED_SOURCE)] : nullptr;
    u32 one = scalar_value(w, c.a);
    each_lane(w.exec(), [&](u32 lane) { to[lane] = from ? from[lane] : one; });
}

void not_done(const Wave& w, const Code& c, NotDone why) {
    set_lane(w, 0);
    report(NOT_DONE, ERROR, site_of(c), NOWHERE, why, nullptr, 0);
    give_up();
}

static void run_plainly(Wave& w, const Code* code) {
    while (w.state == RUNS) {
        const Code& c = code[w.at++];
        running.code = &c;
        c.run(w, c);
    }
}

// The registers that it uses now, of an instruction whose registers are counted from M0.
static Facts counted(const Wave& w, const Facts& facts) {
    Facts now = facts;
    u32 index = w.s[M0] & 0xFF;
    if (facts.indexed & INDEXED_SOURCE && now.reads[0].file == VECTORS) now.reads[0].first += (u16)index;
    if (facts.indexed & INDEXED_RESULT) now.writes[0].first += (u16)index;
    u32 last = now.reads[0].first > now.writes[0].first ? now.reads[0].first : now.writes[0].first;
    return last < ROWS ? now : facts;  // a row that there is not is told when it runs
}

static void run_checked(Wave& w, const Code* code, const Facts* facts, u64 lanes) {
    while (w.state == RUNS) {
        const Code& c = code[w.at];
        running.code = &c;
        Facts counted_now;
        const Facts& now = facts[w.at].indexed ? counted_now = counted(w, facts[w.at]) : facts[w.at];
        check_pending(w, c, now);
        check_defined(w, c, now);
        ++w.at;
        c.run(w, c);
        if (w.state == AT_BARRIER) check_barrier(w, lanes, c);
    }
    // What a wave that has ended touched is behind every later barrier of the others.
    if (w.state == ENDED) memset(unit.unfenced + w.number * WAVE, 0, WAVE);
}

static u64 lanes_of(u32 wave) {
    u32 lanes = unit.threads - wave * WAVE;
    return lanes >= WAVE ? ~0ul : (1ul << lanes) - 1;
}

// Waves take turns: each goes on until it meets a barrier or ends. A wave that has ended is waited for by nobody.
void run_waves() {
    const Kernel& kernel = *running.kernel;
    for (u32 w = 0; detecting && w < unit.wave_count; ++w) {
        pending_start(waves[w]);
        defined_start(waves[w], lanes_of(w));
    }
    for (bool left = true; left;) {
        left = false;
        for (u32 w = 0; w < unit.wave_count; ++w) {
            if (waves[w].state == ENDED) continue;
            waves[w].state = RUNS;
            if (tracing) run_traced(waves[w], kernel.code);
            else if (reading_lines) run_reading(waves[w], kernel.code);
            else if (detecting) run_checked(waves[w], kernel.code, kernel.facts, lanes_of(w));
            else run_plainly(waves[w], kernel.code);
            left |= waves[w].state != ENDED;
        }
        if (lines_cut()) return;
        if (left) shadow_barrier();
    }
}
