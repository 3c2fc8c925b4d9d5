// Scratch memory: what does not fit into registers, and arrays that are indexed. Each lane has its own; no register
// ever holds more of an address than the offset in it, but for flat accesses.

#include "access.h"

struct Scratch {
    u8 *bytes, *undefined;  // of all lanes of a block, lane after lane; a flag for each byte that nothing has written
    u64 room;               // of both
    u32 size, waves;        // of each lane
};
static Scratch scratch;

static u64 scratch_total() { return (u64)scratch.size * scratch.waves * WAVE; }

bool scratch_launch(u32 bytes, u32 waves) {
    scratch.size = bytes;
    scratch.waves = waves;
    u64 wanted = scratch_total();
    if (wanted <= scratch.room) return true;
    if (scratch.bytes) munmap(scratch.bytes, 2 * scratch.room);
    void* at = mmap(nullptr, 2 * wanted, 3, 0x4022, -1, 0);
    bool there = (i64)at != -1;
    scratch.bytes = there ? (u8*)at : nullptr;
    scratch.undefined = there ? (u8*)at + wanted : nullptr;
    scratch.room = there ? wanted : 0;
    return there;
}

void scratch_block() {
    memset(scratch.bytes, POISON, scratch_total());
    if (detecting) memset(scratch.undefined, 1, scratch_total());
}

u64 scratch_address(const Wave& w, u32 lane, u32 place, u32 bytes) {
    if (bytes > scratch.size || place > scratch.size - bytes) return 0;
    return (u64)scratch.bytes + (u64)(w.number * WAVE + lane) * scratch.size + place;
}

bool in_scratch(u64 address) { return address - (u64)scratch.bytes < scratch_total(); }

u8* scratch_undefined(u64 address) { return scratch.undefined + (address - (u64)scratch.bytes); }

// On the hardware words of neighbouring lanes are neighbours.
static u64 interleaved(u32 lane, u32 place) { return (u64)(place / 4) * 4 * WAVE + 4 * lane + place % 4; }

void take_scratch(Wave& w, const Code& c, u32 bytes, Touch how, Addresses& at) {
    each_lane(w.exec(), [&](u32 lane) {
        u32 place = scratch_place(w, c, lane);
        at.of[lane] = scratch_address(w, lane, place, bytes);
        if (tracing) trace_lane(lane, interleaved(lane, place), bytes, how, false);
        if (at.of[lane]) return;
        Access access = {place, bytes, how != READ};
        set_lane(w, lane);
        report(OUT_OF_BOUNDS, ERROR, site_of(c), NOWHERE, place, &access, 0);
        give_up();
    });
}
