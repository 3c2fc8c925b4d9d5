// The operands and results that are no plain rows: operands.h says what they are.

#include "operands.h"

#define EACH_HALF _Pragma("clang loop vectorize(assume_safety)") for (u32 lane = 0; lane < WAVE / 2; ++lane)

static void fill(u32* to, u32 bits) {
    EACH_LANE to[lane] = bits;
}

// The lanes that DPP reads, and which of them there are.
struct Reading {
    u8 from[WAVE];
    u64 valid;
};

template <class From>
static void fill_lanes(Reading& reading, From from) {
    alignas(64) u32 there[WAVE];
    for (i32 lane = 0; lane < (i32)WAVE; ++lane) {
        i32 other = from(lane, lane & ~15, lane & 15);
        reading.from[lane] = (u8)(other & 63);
        there[lane] = other >= 0;
    }
    reading.valid = gathered(there);
}

static Reading every_lane_read(const Code& code) {
    Reading lanes;
    i32 n = code.dpp_number;
    switch (code.dpp) {
        case QUAD_PERM: {
            u32 quad;
            memcpy(&quad, code.quad, 4);
            fill_lanes(lanes, [=](i32 lane, i32, i32) { return (lane & ~3) | (i32)(quad >> 8 * (lane & 3) & 3); });
            break;
        }
        case ROW_SHL: fill_lanes(lanes, [=](i32 lane, i32, i32 in) { return in + n < 16 ? lane + n : -1; }); break;
        case ROW_SHR: fill_lanes(lanes, [=](i32 lane, i32, i32 in) { return in >= n ? lane - n : -1; }); break;
        case ROW_ROR: fill_lanes(lanes, [=](i32, i32 row, i32 in) { return row | ((in - n) & 15); }); break;
        case ROW_MIRROR: fill_lanes(lanes, [](i32, i32 row, i32 in) { return row | (15 - in); }); break;
        case ROW_HALF_MIRROR: fill_lanes(lanes, [](i32 lane, i32, i32) { return lane ^ 7; }); break;
        case ROW_BCAST:
            if (n == 15) fill_lanes(lanes, [](i32, i32 row, i32) { return row ? row - 1 : -1; });
            else fill_lanes(lanes, [](i32 lane, i32, i32) { return lane >= 32 ? 31 : -1; });
            break;
        case WAVE_SHL: fill_lanes(lanes, [](i32 lane, i32, i32) { return lane < 63 ? lane + 1 : -1; }); break;
        case WAVE_SHR: fill_lanes(lanes, [](i32 lane, i32, i32) { return lane - 1; }); break;
        case WAVE_ROL: fill_lanes(lanes, [](i32 lane, i32, i32) { return (lane + 1) & 63; }); break;
        case WAVE_ROR: fill_lanes(lanes, [](i32 lane, i32, i32) { return (lane - 1) & 63; }); break;
        case ROW_NEWBCAST: fill_lanes(lanes, [=](i32, i32 row, i32) { return row | n; }); break;
        default: lanes.valid = 0;
    }
    return lanes;
}

// A lane that EXEC leaves out is no more there than one past the end of a row.
static Reading lanes_read(const Wave& wave, const Code& code) {
    Reading lanes = every_lane_read(code);
    u64 exec = wave.exec();
    if (exec == ALL) return lanes;
    u64 there = 0;
    for (u32 lane = 0; lane < WAVE; ++lane) there |= (exec >> lanes.from[lane] & 1) << lane;
    lanes.valid &= there;
    return lanes;
}

static void permute(u32* to, const u32* from, const Reading& lanes) {
    if (lanes.valid == ALL) {
        for (u32 lane = 0; lane < WAVE; ++lane) to[lane] = from[lanes.from[lane]];
        return;
    }
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
        Reading lanes = lanes_read(wave, code);
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
    EACH_HALF flags[lane] = low >> lane & 1;
    EACH_HALF flags[lane + 32] = high >> lane & 1;
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
    for (u32 four = 0; four < WAVE / 4; ++four) {
        bool lets = (code.row_mask >> four / 4 & 1) && (code.bank_mask >> four % 4 & 1);
        if (!lets) lanes &= ~(15ul << 4 * four);
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

// The lanes' numbers, and those of the others as they were.
static void take(u32* to, const u32* from, u64 lanes) {
    u32 low = (u32)lanes, high = (u32)(lanes >> 32);
    EACH_HALF to[lane] = low >> lane & 1 ? from[lane] : to[lane];
    EACH_HALF to[lane + 32] = high >> lane & 1 ? from[lane + 32] : to[lane + 32];
}

void merge(Room& room, Wave& wave, const Code& code, u32 row, u32 result) {
    u32* to = wave.v[row];
    u64 lanes = wave.exec();
    if (manner(code) || code.high || result & KEEPS) {
        if (code.clamp && result & FLOAT) clamp(room, result);
        bool half = result & BITS_16 && !(result & BOTH);
        if (code.pick != DWORD) put_part(room.low, to, code);
        else if (half && (code.high || result & KEEPS)) put_half(room.low, to, code.high);
        lanes = taking(wave, code);
    }
    take(to, room.low, lanes);
    bool two = (result & BITS_64) || ((result & BOTH) && !(result & BITS_16));
    if (two) take(wave.v[row + 1], room.high, lanes);
}
