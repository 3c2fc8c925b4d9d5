// What instructions that touch memory share: the lanes that take part, their addresses, and whether those may be
// touched.
#pragma once

#include "launch.h"

#define INSTRUCTION(name) static void name([[maybe_unused]] Wave& w, [[maybe_unused]] const Code& c)

inline u64 site_of(const Code& c) { return MACHINE_SITE | (u64)running.number << 32 | c.site; }
inline void set_lane(const Wave& w, u32 lane) { unit.current = w.number * WAVE + lane; }

template <class Do>
inline __attribute__((always_inline)) void each_lane(u64 exec, Do lane_does) {
    if (exec == ~0ul)
        for (u32 lane = 0; lane < WAVE; ++lane) lane_does(lane);
    else
        for (; exec; exec &= exec - 1) lane_does((u32)__builtin_ctzl(exec));
}

inline u32 scalar_value(const Wave& w, const Source& s) {
    return s.kind == SCALAR ? w.s[s.first] : s.kind == CONSTANT ? (u32)s.bits : 0;
}

// An operand of 32 or 64 bits in vector registers.
template <class T>
inline T lane_value(const Wave& w, const Source& s, u32 lane) {
    u32 words[sizeof(T) / 4];
    for (u32 k = 0; k < sizeof(T) / 4; ++k) words[k] = w.v[s.first + k][lane];
    T value;
    memcpy(&value, words, sizeof(T));
    return value;
}

template <class T>
inline void set_lane_value(Wave& w, const Source& s, u32 lane, T value) {
    u32 words[sizeof(T) / 4];
    memcpy(words, &value, sizeof(T));
    for (u32 k = 0; k < sizeof(T) / 4; ++k) w.v[s.first + k][lane] = words[k];
}

// A register of which a load wrote one half. Memory with error correction, as this target's, does not keep the other
// one (LLVM, AMDGPU usage, sramecc): it is poisoned.
inline u32 half_loaded(u32 bits, bool high) { return high ? bits << 16 | 0xFFFF : (bits & 0xFFFF) | 0xFFFF0000; }

struct Addresses {
    u64 of[WAVE];
};

// A place in a lane's own memory, which need not be there.
inline u32 scratch_place(const Wave& w, const Code& c, u32 lane) {
    return (c.a.kind == ROW ? w.v[c.a.first][lane] : 0) + scalar_value(w, c.c) + (u32)c.offset;
}
// Where the lanes of EXEC access their own memory; one that has not so many bytes there ends the run.
void take_scratch(Wave& w, const Code& c, u32 bytes, Touch how, Addresses& at);

// Where scratch memory lies among the addresses of flat instructions: the high half says so, as it does of LDS.
constexpr u32 PRIVATE_HIGH = 1u << 17;

// Global and flat ones: a pair of rows, or a scalar pair and a row of unsigned offsets; plus the signed offset. Flat
// ones have for a base where LDS lies among their addresses.
inline void take_addresses(const Wave& w, const Code& c, Addresses& at) {
    const u32* low = w.v[c.a.first];
    u64 offset = (u64)(i64)c.offset;
    if (c.c.kind == SCALAR) {
        u64 base = w.pair(c.c.first) + offset;
        for (u32 lane = 0; lane < WAVE; ++lane) at.of[lane] = base + low[lane];
        return;
    }
    const u32* high = w.v[c.a.first + 1];
    for (u32 lane = 0; lane < WAVE; ++lane) at.of[lane] = ((u64)high[lane] << 32 | low[lane]) + offset;
    if (c.c.kind != CONSTANT) return;
    for (u32 lane = 0; lane < WAVE; ++lane) {
        u32 place = (u32)at.of[lane];
        if (at.of[lane] >> 32 == c.c.bits >> 32 && place < w.lds_bytes) at.of[lane] = unit.lds + place;
        if (at.of[lane] >> 32 != PRIVATE_HIGH) continue;
        if (u64 own = scratch_address(w, lane, place, 1)) at.of[lane] = own;
    }
}

// Ends the run when a lane of `exec` may not touch its bytes; tells the race detector of each lane where it is on.
void check_lanes(Wave& w, const Addresses& at, u64 exec, u32 bytes, Touch how, u64 site);
// The same of a scalar load.
void check_wave(Wave& w, u64 address, u32 bytes, u64 site);
// The same of an update, which needs its natural alignment.
void check_update(Wave& w, u32 lane, u64 address, u32 bytes, u64 site);
// The place in LDS of one access.
u8* lds_place(Wave& w, u32 lane, u64 address, u32 bytes, Touch how, u64 site);
