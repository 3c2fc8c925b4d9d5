// The operands and results that are no plain rows: operands.h says what they are.

#include "operands.h"

static void fill(u32* to, u32 bits) {
    EACH_LANE to[lane] = bits;
}

// The lanes that DPP reads, and which of them there are.
struct Lanes_read {
    u8 from[WAVE];
    u64 valid;
};

static int dpp_lane(const Code& code, int lane) {
    int row = lane & ~15, in = lane & 15, n = code.dpp_number;
    switch (code.dpp) {
        case QUAD_PERM: return (lane & ~3) | code.quad[lane & 3];
        case ROW_SHL: return in + n < 16 ? lane + n : -1;
        case ROW_SHR: return in - n >= 0 ? lane - n : -1;
        case ROW_ROR: return row | ((in - n) & 15);
        case ROW_MIRROR: return row | (15 - in);
        case ROW_HALF_MIRROR: return (lane & ~7) | (7 - (lane & 7));
        case ROW_BCAST: return n == 15 ? (row ? row - 1 : -1) : lane >= 32 ? 31 : -1;
        case WAVE_SHL: return lane + 1 < 64 ? lane + 1 : -1;
        case WAVE_SHR: return lane - 1;
        case WAVE_ROL: return (lane + 1) & 63;
        case WAVE_ROR: return (lane - 1) & 63;
        case ROW_NEWBCAST: return row | n;
        default: return -1;
    }
}

// A lane that EXEC leaves out is no more there than one past the end of a row.
static Lanes_read lanes_read(const Wave& wave, const Code& code) {
    Lanes_read lanes;
    lanes.valid = 0;
    u64 exec = wave.exec();
    for (int lane = 0; lane < (int)WAVE; ++lane) {
        int from = dpp_lane(code, lane);
        lanes.from[lane] = from < 0 ? 0 : from;
        lanes.valid |= (u64)(from >= 0 && (exec >> from & 1)) << lane;
    }
    return lanes;
}

static void permute(u32* to, const u32* from, const Lanes_read& lanes) {
    for (u32 lane = 0; lane < WAVE; ++lane) to[lane] = lanes.valid >> lane & 1 ? from[lanes.from[lane]] : 0;
}

// The `index`th register of an operand; a copy of a row, or one number in all lanes.
static void load(u32* to, const Wave& wave, const Source& source, u32 index) {
    if (source.kind == ROW) {
        memcpy(to, wave.v[source.first + index], sizeof(u32) * WAVE);
        return;
    }
    u32 bits = source.kind == SCALAR      ? wave.s[source.first + index]
               : source.kind == CONDITION ? (index ? 0 : wave.scc)
                                          : (u32)(source.bits >> 32 * index);
    fill(to, bits);
}

static void pick(u32* to, const Source& source) {
    if (source.pick == DWORD) return;
    u32 width = source.pick < WORD_0 ? 8 : 16;
    u32 left = 32 - width - (source.pick < WORD_0 ? 8 * (source.pick - BYTE_0) : 16 * (source.pick - WORD_0));
    u32 right = 32 - width;
    if (source.change & EXTEND) {
        EACH_LANE to[lane] = (u32)((i32)(to[lane] << left) >> right);
    } else {
        EACH_LANE to[lane] = to[lane] << left >> right;
    }
}

static void change(u32* to, u32 how, u32 sign) {
    u32 kept = how & ABSOLUTE ? ~sign : ~0u, flipped = how & NEGATE ? sign : 0;
    EACH_LANE to[lane] = (to[lane] & kept) ^ flipped;
}

static void pack(u32* to, u32 halves, bool floating) {
    u32 low = halves & LOW_FROM_HIGH ? 16 : 0, high = halves & HIGH_FROM_HIGH ? 16 : 0;
    u32 negated = (halves & NEGATE_LOW ? 0x8000u : 0) | (halves & NEGATE_HIGH ? 0x80000000u : 0);
    if (!floating) negated = 0;
    EACH_LANE to[lane] = ((to[lane] >> low & 0xFFFF) | to[lane] >> high << 16) ^ negated;
}

// HIGH_FROM_HIGH says f16 here; the changes are made to the f32 that it is read as.
static void mix(u32* to, u32 halves) {
    if (!(halves & HIGH_FROM_HIGH)) return;
    u32 shift = halves & LOW_FROM_HIGH ? 16 : 0;
    EACH_LANE to[lane] = bits_of((f32)f16_of(to[lane] >> shift));
}

const u32* made(Room& room, const Wave& wave, const Code& code, const Source& source, Form form, bool permuted) {
    u32* to = room.low;
    if (permuted) {
        load(room.high, wave, source, 0);
        permute(to, room.high, lanes_read(wave, code));
    } else {
        load(to, wave, source, 0);
    }
    pick(to, source);
    if (form == PACKED || form == PACKED_FLOAT) pack(to, source.halves, form == PACKED_FLOAT);
    if (form == MIXED) mix(to, source.halves);
    if (form == HALF && source.halves & LOW_FROM_HIGH) {
        EACH_LANE to[lane] >>= 16;
    }
    if (source.change & (NEGATE | ABSOLUTE)) change(to, source.change, form == HALF ? 0x8000 : 0x80000000);
    return to;
}

Rows made_wide(Room& room, const Wave& wave, const Code& code, const Source& source, bool permuted) {
    load(room.low, wave, source, 0);
    load(room.high, wave, source, 1);
    if (permuted) {
        Room from = room;
        Lanes_read lanes = lanes_read(wave, code);
        permute(room.low, from.low, lanes);
        permute(room.high, from.high, lanes);
    }
    if (source.change) change(room.high, source.change, 0x80000000);
    return {room.low, room.high};
}

Rows made_two(Room& room, const Wave& wave, const Source& source) {
    load(room.low, wave, source, source.halves & LOW_FROM_HIGH ? 1 : 0);
    load(room.high, wave, source, source.halves & HIGH_FROM_HIGH ? 1 : 0);
    if (source.halves & NEGATE_LOW) change(room.low, NEGATE, 0x80000000);
    if (source.halves & NEGATE_HIGH) change(room.high, NEGATE, 0x80000000);
    return {room.low, room.high};
}

static void spread(u32* flags, u64 bits) {
    u32 low = (u32)bits, high = (u32)(bits >> 32);
    _Pragma("clang loop vectorize(enable)") for (u32 lane = 0; lane < 32; ++lane) flags[lane] = low >> lane & 1;
    _Pragma("clang loop vectorize(enable)") for (u32 lane = 0; lane < 32; ++lane) flags[lane + 32] = high >> lane & 1;
}

void made_flags(u32* flags, const Wave& wave, const Source& source) {
    spread(flags, read_scalar_wide(wave, source));
}

u64 gathered(const u32* flags) {
    typedef float Eight __attribute__((vector_size(32)));
    u64 bits = 0;
    for (u32 group = 0; group < 8; ++group) {
        alignas(32) u32 top[8];
        for (u32 i = 0; i < 8; ++i) top[i] = flags[8 * group + i] << 31;
        Eight lanes;
        memcpy(&lanes, top, sizeof lanes);
        bits |= (u64)(u32)__builtin_ia32_movmskps256(lanes) << 8 * group;
    }
    return bits;
}

// ---- results

u64 taking(const Wave& wave, const Code& code) {
    u64 lanes = wave.exec();
    if (!code.dpp) return lanes;
    for (u32 lane = 0; lane < WAVE; ++lane) {
        bool lets = (code.row_mask >> lane / 16 & 1) && (code.bank_mask >> (lane & 15) / 4 & 1);
        if (!lets) lanes &= ~(1ul << lane);
    }
    return code.bound_control ? lanes : lanes & lanes_read(wave, code).valid;
}

static f32 between(f32 x) { return x > 0 ? (x < 1 ? x : 1) : 0; }  // a NaN becomes 0
static f64 between(f64 x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
static u32 between_half(u32 bits) { return bits_of((f16)between((f32)f16_of(bits))); }

static void clamp(Room& room, u32 result) {
    for (u32 lane = 0; lane < WAVE; ++lane) {
        if (result & BITS_16) {
            u32 low = between_half(room.low[lane] & 0xFFFF);
            room.low[lane] = result & BOTH ? low | between_half(room.low[lane] >> 16) << 16 : low;
        } else if (result & BITS_64) {
            u64 bits = bits_of(between(f64_of(both(room.low[lane], room.high[lane]))));
            room.low[lane] = (u32)bits, room.high[lane] = (u32)(bits >> 32);
        } else {
            room.low[lane] = bits_of(between(f32_of(room.low[lane])));
            if (result & BOTH) room.high[lane] = bits_of(between(f32_of(room.high[lane])));
        }
    }
}

// SDWA writes a part of the register; the rest is zeros, the part's sign, or what it was.
static void put_part(u32* to, const u32* old, const Code& code) {
    u32 width = code.pick < WORD_0 ? 8 : 16;
    u32 shift = code.pick < WORD_0 ? 8 * (code.pick - BYTE_0) : 16 * (code.pick - WORD_0);
    u32 mask = ((1u << width) - 1) << shift;
    if (code.unused == PRESERVE) {
        EACH_LANE to[lane] = (to[lane] << shift & mask) | (old[lane] & ~mask);
    } else if (code.unused == SEXT) {
        EACH_LANE to[lane] = (u32)((i32)(to[lane] << (32 - width)) >> (32 - width)) << shift;
    } else {
        EACH_LANE to[lane] = to[lane] << shift & mask;
    }
}

static void put_half(u32* to, const u32* old, bool high) {
    if (high) {
        EACH_LANE to[lane] = to[lane] << 16 | (old[lane] & 0xFFFF);
    } else {
        EACH_LANE to[lane] = (to[lane] & 0xFFFF) | (old[lane] & 0xFFFF0000);
    }
}

static void take(u32* to, const u32* from, const u32* taken) {
    EACH_LANE to[lane] = taken[lane] ? from[lane] : to[lane];
}

void merge(const Room& given, Wave& wave, const Code& code, u32 result) {
    Room room = given;
    u32* to = wave.v[code.d.first];
    if (code.clamp && result & FLOAT) clamp(room, result);
    if (code.pick != DWORD) put_part(room.low, to, code);
    else if (result & BITS_16 && !(result & BOTH) && (code.high || result & KEEPS)) put_half(room.low, to, code.high);
    u64 lanes = taking(wave, code);
    alignas(64) u32 taken[WAVE];
    spread(taken, lanes);
    take(to, room.low, taken);
    bool two = (result & BITS_64) || ((result & BOTH) && !(result & BITS_16));
    if (two) take(wave.v[code.d.first + 1], room.high, taken);
}
