// Lanes operations: each is a meeting at which one lane computes the result of all 64.

#include "runtime.h"

struct Exchange {
    u64 value, result;
    int source;  // a lane, NO_SOURCE or FIRST_LANE
};
constexpr int NO_SOURCE = -1, FIRST_LANE = -2;

static void exchange(Lanes& wave, u64 present) {
    u64 missing = 0;
    u32 reader = 0;
    for (u64 left = present; left; left &= left - 1) {
        u32 lane = __builtin_ctzl(left);
        Exchange& mine = *(Exchange*)wave.arguments[lane];
        int source = mine.source == FIRST_LANE ? __builtin_ctzl(present) : mine.source;
        if (source == NO_SOURCE) continue;
        if (present >> source & 1) {
            mine.result = ((Exchange*)wave.arguments[source])->value;
        } else {
            missing |= 1ul << source;
            reader = lane;
            mine.result = 0;
        }
    }
    if (!missing) return;
    u32 me = unit.current;
    unit.current = me / WAVE * WAVE + reader;
    report(INACTIVE_LANE, ERROR, wave.site, NOWHERE, __builtin_ctzl(missing), nullptr, 0);
    unit.current = me;
}

EXPORT u64 tl2hip_exchange_bits(u64 value, int source) {
    Exchange mine = {value, 0, source};
    meet(exchange, &mine, CALLER);
    return mine.result;
}

// The lane that DPP control `control` reads from, NO_SOURCE when it lies outside. CDNA3 ISA, section "DPP".
static int dpp_source(int control, int lane) {
    int row = lane & ~15, in_row = lane & 15, by = control & 15;
    if (control < 0x100) return (lane & ~3) | (control >> 2 * (lane & 3) & 3);           // quad_perm
    if (control < 0x110) return in_row + by > 15 ? NO_SOURCE : lane + by;                // row_shl
    if (control < 0x120) return in_row < by ? NO_SOURCE : lane - by;                     // row_shr
    if (control < 0x130) return row | ((in_row - by) & 15);                              // row_ror
    if (control == 0x130) return lane == 63 ? NO_SOURCE : lane + 1;                      // wave_shl:1
    if (control == 0x134) return (lane + 1) & 63;                                        // wave_rol:1
    if (control == 0x138) return lane == 0 ? NO_SOURCE : lane - 1;                       // wave_shr:1
    if (control == 0x13C) return (lane - 1) & 63;                                        // wave_ror:1
    if (control == 0x140) return row | (15 - in_row);                                    // row_mirror
    if (control == 0x141) return (lane & ~7) | (7 - (lane & 7));                         // row_half_mirror
    if (control == 0x142) return row ? row - 1 : NO_SOURCE;                              // row_bcast:15
    if (control == 0x143) return row >= 32 ? 31 : NO_SOURCE;                             // row_bcast:31
    return row | by;                                                                     // row_newbcast
}

static bool dpp_known(int control) {
    if (control < 0 || control == 0x100 || control == 0x110 || control == 0x120) return false;
    if (control < 0x130) return true;
    if (control < 0x140) return (control & 3) == 0;
    return control <= 0x143 || (control >= 0x150 && control <= 0x15F);
}

EXPORT u32 tl2hip_dpp(u32 old, u32 value, int control, int rows, int banks, bool zero) {
    if (!dpp_known(control)) {
        report(UNDEFINED, ERROR, CALLER, NOWHERE, control, nullptr, 0);
        give_up();
    }
    int lane = lane_now();
    bool enabled = (rows >> lane / 16 & 1) && (banks >> (lane & 15) / 4 & 1);
    int source = enabled ? dpp_source(control, lane) : NO_SOURCE;
    Exchange mine = {value, enabled && zero ? 0 : old, source};
    meet(exchange, &mine, CALLER);
    return (u32)mine.result;
}

// ds_swizzle: bit 15 set is a permutation of each quad, clear is (lane & and | or) ^ xor in groups of 32.
EXPORT u32 tl2hip_swizzle(u32 value, int pattern) {
    int lane = lane_now(), source;
    if (pattern & 0x8000) {
        source = (lane & ~3) | (pattern >> 2 * (lane & 3) & 3);
    } else {
        int in = lane & 31;
        source = (lane & 32) | ((((in & pattern) | pattern >> 5) ^ pattern >> 10) & 31);
    }
    if ((pattern & 0x8000) && (pattern & 0x7F00)) {  // rotate and FFT modes
        report(UNDEFINED, ERROR, CALLER, NOWHERE, pattern, nullptr, 0);
        give_up();
    }
    Exchange mine = {value, 0, source};
    meet(exchange, &mine, CALLER);
    return (u32)mine.result;
}

// ds_permute pushes: of several lanes with one target the highest wins, and a lane nobody writes to gets 0.
static void permute(Lanes& wave, u64 present) {
    for (u64 left = present; left; left &= left - 1) {
        Exchange& mine = *(Exchange*)wave.arguments[__builtin_ctzl(left)];
        if (present >> mine.source & 1) ((Exchange*)wave.arguments[mine.source])->result = mine.value;
    }
}

EXPORT u32 tl2hip_permute_bits(u32 value, int target) {
    Exchange mine = {value, 0, target};
    meet(permute, &mine, CALLER);
    return (u32)mine.result;
}

static void vote(Lanes& wave, u64 present) {
    u64 bits = 0;
    for (u64 left = present; left; left &= left - 1)
        bits |= *(u64*)wave.arguments[__builtin_ctzl(left)] << __builtin_ctzl(left);
    for (u64 left = present; left; left &= left - 1) *(u64*)wave.arguments[__builtin_ctzl(left)] = bits;
}

EXPORT u64 tl2hip_vote(bool predicate) {
    u64 bits = predicate;
    meet(vote, &bits, CALLER);
    return bits;
}

// In a block of one wave this orders memory as a barrier does: a wave's accesses to LDS are done in order.
static void order(Lanes&, u64) {
    if (unit.wave_count != 1) return;
    memset(unit.unfenced, 0, unit.threads);
    shadow_barrier();
}

EXPORT void tl2hip_wave_barrier() { meet(order, nullptr, CALLER); }
