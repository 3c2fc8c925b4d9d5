// Whether lanes may touch what they touch: buffers of the caller, the arguments, the program's constants, LDS.

#include "access.h"

static bool in_constants(u64 address, u32 bytes) {
    for (u32 k = 0; k < constant_count; ++k) {
        const Constants& one = constants[k];
        if (address >= one.low && address < one.high && bytes <= one.high - address) return true;
    }
    return false;
}

// The one range that holds the accesses of all lanes, for most instructions.
static bool all_in_one(const Addresses& at, u64 exec, u32 bytes, bool write) {
    u64 low = ~0ul, high = 0;
    if (exec == ~0ul) {
        for (u32 lane = 0; lane < WAVE; ++lane) {
            low = at.of[lane] < low ? at.of[lane] : low;
            high = at.of[lane] > high ? at.of[lane] : high;
        }
    } else {
        each_lane(exec, [&](u32 lane) {
            low = at.of[lane] < low ? at.of[lane] : low;
            high = at.of[lane] > high ? at.of[lane] : high;
        });
    }
    static u32 last;
    for (u32 tried = 0; tried < range_count; ++tried) {
        if (last >= range_count) last = 0;
        const Range& range = ranges[last];
        if (low >= range.low && high <= range.high && bytes <= range.high - high) return range.writable || !write;
        ++last;
    }
    return false;
}

// Flat accesses of a lane's own memory, which lies there byte after byte.
static void touch_scratch(u64 address, u32 bytes, Touch how) {
    if (!in_scratch(address + bytes - 1)) refuse_outside(address, bytes, how, site_of(*running.code));
    if (how != READ) memset(scratch_undefined(address), 0, bytes);
}

void check_lanes(Wave& w, const Addresses& at, u64 exec, u32 bytes, Touch how, u64 site) {
    if (tracing) each_lane(exec, [&](u32 lane) { trace_lane(lane, at.of[lane], bytes, how, false); });
    if (reading_lines && how != WRITE) each_lane(exec, [&](u32 lane) { lines_read(at.of[lane], bytes); });
    if (!exec || (!detecting && all_in_one(at, exec, bytes, how != READ))) return;
    each_lane(exec, [&](u32 lane) {
        if (how == READ && in_constants(at.of[lane], bytes)) return;
        set_lane(w, lane);
        if (in_scratch(at.of[lane])) return touch_scratch(at.of[lane], bytes, how);
        touch_plain(at.of[lane], bytes, how == WRITE, site);
    });
}

void check_wave(Wave& w, u64 address, u32 bytes, u64 site) {
    if (in_constants(address, bytes)) return;
    set_lane(w, 0);
    if (reading_lines) lines_read(address, bytes);
    touch_scalar(address, bytes, site);
}

void check_update(Wave& w, u32 lane, u64 address, u32 bytes, u64 site) {
    set_lane(w, lane);
    if (address % bytes) {
        Access access = {address, bytes, true};
        report(MISALIGNED, ERROR, site, NOWHERE, (i64)address, &access, 0);
        give_up();
    }
    if (tracing) trace_lane(lane, address, bytes, ATOMIC, false);
    if (reading_lines) lines_read(address, bytes);
    touch_atomic(address, bytes, site);
}

u8* lds_place(Wave& w, u32 lane, u64 address, u32 bytes, Touch how, u64 site) {
    if (bytes > w.lds_bytes || address > w.lds_bytes - bytes) {
        Access access = {address, bytes, how != READ};
        set_lane(w, lane);
        report(OUT_OF_BOUNDS, ERROR, site, IN_LDS, (i64)address, &access, 0);
        give_up();
    }
    if (!watched) return (u8*)(unit.lds + address);
    if (tracing) trace_lane(lane, address, bytes, how, true);
    if (detecting) {
        set_lane(w, lane);
        if (loads_into_lds(w, (u32)address, bytes)) {
            Access access = {address, bytes, how != READ};
            report(PENDING, ERROR, site, IN_LDS, (i64)address, &access, 0);
        }
        if (how == ATOMIC) touch(unit.lds + address, bytes, ATOMIC, site);
        else touch_plain(unit.lds + address, bytes, how == WRITE, site);
    }
    return (u8*)(unit.lds + address);
}
