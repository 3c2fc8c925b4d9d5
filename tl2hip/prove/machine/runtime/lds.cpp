// LDS: reads and writes of all widths, moves between lanes, updates.

#include "access.h"

// Base and offset are added as 32-bit numbers.
static inline u64 lds_address(const Wave& w, const Code& c, u32 lane, u32 offset) {
    return (u32)(w.v[c.a.first][lane] + offset);
}

struct Places {
    u32 of[WAVE];
};

// Where the lanes' accesses begin in LDS; each of them is checked.
static inline void take_places(Wave& w, const Code& c, u32 offset, u32 bytes, Touch how, u64 exec, Places& at) {
    const u32* base = w.v[c.a.first];
    u32 last = 0;
    for (u32 lane = 0; lane < WAVE; ++lane) {
        at.of[lane] = base[lane] + offset;
        u32 reached = exec >> lane & 1 ? at.of[lane] : 0;
        last = reached > last ? reached : last;
    }
    if (!exec || (!watched && (u64)last + bytes <= w.lds_bytes)) return;
    each_lane(exec, [&](u32 lane) { lds_place(w, lane, at.of[lane], bytes, how, site_of(c)); });
}

template <class T>
static inline T lds_read(u32 place) {
    T value;
    memcpy(&value, (const u8*)unit.lds + place, sizeof(T));
    return value;
}
template <class T>
static inline void lds_write(u32 place, T value) {
    memcpy((u8*)unit.lds + place, &value, sizeof(T));
}

// ---- reads

enum Kept { NONE_KEPT, LOW_LOADED, HIGH_LOADED };  // whether a load writes a whole register, or a half of it

template <class T, Kept KEPT>
static inline void read_small(Wave& w, const Code& c) {
    u32* to = w.v[c.d.first];
    u64 exec = w.exec();
    Places at;
    take_places(w, c, c.offset, sizeof(T), READ, exec, at);
    each_lane(exec, [&](u32 lane) {
        u32 bits = (u32)(i32)lds_read<T>(at.of[lane]);
        to[lane] = KEPT == NONE_KEPT ? bits : half_loaded(bits, KEPT == HIGH_LOADED);
    });
}

template <u32 WORDS>
struct Words {
    u32 of[WORDS];
};

// All is read before anything is written: the address may be among the registers.
template <u32 WORDS>
static inline void read_at(Wave& w, const Code& c, u32 offset, Words<WORDS>* values, u64 exec) {
    Places at;
    take_places(w, c, offset, 4 * WORDS, READ, exec, at);
    each_lane(exec, [&](u32 lane) { values[lane] = lds_read<Words<WORDS>>(at.of[lane]); });
}

template <u32 WORDS>
static inline void put_rows(Wave& w, u32 first, const Words<WORDS>* values, u64 exec) {
    for (u32 k = 0; k < WORDS; ++k) {
        u32* to = w.v[first + k];
        each_lane(exec, [&](u32 lane) { to[lane] = values[lane].of[k]; });
    }
}

template <u32 WORDS>
static inline void read_words(Wave& w, const Code& c) {
    u64 exec = w.exec();
    Words<WORDS> values[WAVE];
    read_at<WORDS>(w, c, c.offset, values, exec);
    put_rows<WORDS>(w, c.d.first, values, exec);
}

// Two places, each `STRIDE` times its offset away.
template <u32 WORDS, u32 STRIDE>
static inline void read_two(Wave& w, const Code& c) {
    u64 exec = w.exec();
    Words<WORDS> first[WAVE], second[WAVE];
    read_at<WORDS>(w, c, c.offset * STRIDE, first, exec);
    read_at<WORDS>(w, c, c.offset1 * STRIDE, second, exec);
    put_rows<WORDS>(w, c.d.first, first, exec);
    put_rows<WORDS>(w, c.d.first + WORDS, second, exec);
}

INSTRUCTION(ds_read_u8) { read_small<u8, NONE_KEPT>(w, c); }
INSTRUCTION(ds_read_i8) { read_small<i8, NONE_KEPT>(w, c); }
INSTRUCTION(ds_read_u16) { read_small<u16, NONE_KEPT>(w, c); }
INSTRUCTION(ds_read_i16) { read_small<i16, NONE_KEPT>(w, c); }
INSTRUCTION(ds_read_u8_d16) { read_small<u8, LOW_LOADED>(w, c); }
INSTRUCTION(ds_read_u8_d16_hi) { read_small<u8, HIGH_LOADED>(w, c); }
INSTRUCTION(ds_read_i8_d16) { read_small<i8, LOW_LOADED>(w, c); }
INSTRUCTION(ds_read_i8_d16_hi) { read_small<i8, HIGH_LOADED>(w, c); }
INSTRUCTION(ds_read_u16_d16) { read_small<u16, LOW_LOADED>(w, c); }
INSTRUCTION(ds_read_u16_d16_hi) { read_small<u16, HIGH_LOADED>(w, c); }
INSTRUCTION(ds_read_b32) { read_words<1>(w, c); }
INSTRUCTION(ds_read_b64) { read_words<2>(w, c); }
INSTRUCTION(ds_read_b96) { read_words<3>(w, c); }
INSTRUCTION(ds_read_b128) { read_words<4>(w, c); }
INSTRUCTION(ds_read2_b32) { read_two<1, 4>(w, c); }
INSTRUCTION(ds_read2_b64) { read_two<2, 8>(w, c); }
INSTRUCTION(ds_read2st64_b32) { read_two<1, 4 * 64>(w, c); }
INSTRUCTION(ds_read2st64_b64) { read_two<2, 8 * 64>(w, c); }

// ---- writes

template <class T, bool HIGH>
static inline void write_small(Wave& w, const Code& c) {
    const u32* from = w.v[c.b.first];
    u64 exec = w.exec();
    Places at;
    take_places(w, c, c.offset, sizeof(T), WRITE, exec, at);
    each_lane(exec, [&](u32 lane) { lds_write(at.of[lane], (T)(from[lane] >> (HIGH ? 16 : 0))); });
}

template <u32 WORDS>
static inline Words<WORDS> row_words(const Wave& w, const Source& data, u32 lane) {
    Words<WORDS> words;
    for (u32 k = 0; k < WORDS; ++k) words.of[k] = w.v[data.first + k][lane];
    return words;
}

template <u32 WORDS>
static inline void write_words(Wave& w, const Code& c) {
    u64 exec = w.exec();
    Places at;
    take_places(w, c, c.offset, 4 * WORDS, WRITE, exec, at);
    each_lane(exec, [&](u32 lane) { lds_write(at.of[lane], row_words<WORDS>(w, c.b, lane)); });
}

// Lane after lane: the first place, then the second.
template <u32 WORDS, u32 STRIDE>
static inline void write_two(Wave& w, const Code& c) {
    u64 exec = w.exec();
    Places first, second;
    take_places(w, c, c.offset * STRIDE, 4 * WORDS, WRITE, exec, first);
    take_places(w, c, c.offset1 * STRIDE, 4 * WORDS, WRITE, exec, second);
    each_lane(exec, [&](u32 lane) {
        lds_write(first.of[lane], row_words<WORDS>(w, c.b, lane));
        lds_write(second.of[lane], row_words<WORDS>(w, c.c, lane));
    });
}

INSTRUCTION(ds_write_b8) { write_small<u8, false>(w, c); }
INSTRUCTION(ds_write_b8_d16_hi) { write_small<u8, true>(w, c); }
INSTRUCTION(ds_write_b16) { write_small<u16, false>(w, c); }
INSTRUCTION(ds_write_b16_d16_hi) { write_small<u16, true>(w, c); }
INSTRUCTION(ds_write_b32) { write_words<1>(w, c); }
INSTRUCTION(ds_write_b64) { write_words<2>(w, c); }
INSTRUCTION(ds_write_b96) { write_words<3>(w, c); }
INSTRUCTION(ds_write_b128) { write_words<4>(w, c); }
INSTRUCTION(ds_write2_b32) { write_two<1, 4>(w, c); }
INSTRUCTION(ds_write2_b64) { write_two<2, 8>(w, c); }
INSTRUCTION(ds_write2st64_b32) { write_two<1, 4 * 64>(w, c); }
INSTRUCTION(ds_write2st64_b64) { write_two<2, 8 * 64>(w, c); }

// ---- moves between lanes, by way of LDS's crossbar: nothing is stored

// `source` gives the lane that a lane reads. A lane that EXEC leaves out gives 0.
template <class SourceOf>
static inline void pull(Wave& w, const Source& to, const Source& from, SourceOf source) {
    u64 exec = w.exec();
    u32 values[WAVE];
    for (u32 lane = 0; lane < WAVE; ++lane) {
        u32 other = source(lane);
        values[lane] = exec >> other & 1 ? w.v[from.first][other] : 0;
    }
    each_lane(exec, [&](u32 lane) { w.v[to.first][lane] = values[lane]; });
}

INSTRUCTION(ds_bpermute_b32) {
    const u32* address = w.v[c.a.first];
    pull(w, c.d, c.b, [&](u32 lane) { return (address[lane] + c.offset) / 4 % WAVE; });
}

// Of several lanes with one target the highest wins, and a lane nobody writes to gets 0.
INSTRUCTION(ds_permute_b32) {
    u64 exec = w.exec();
    u32 values[WAVE] = {};
    each_lane(exec, [&](u32 lane) { values[(w.v[c.a.first][lane] + c.offset) / 4 % WAVE] = w.v[c.b.first][lane]; });
    each_lane(exec, [&](u32 lane) { w.v[c.d.first][lane] = values[lane]; });
}

// The lane of 32 that one reads (CDNA 3 ISA, DS_SWIZZLE_B32). The top bits of a pattern say which kind it is: stages of
// an FFT, a rotation, a permutation of each quad, or and, or and xor masks.
static u32 swizzled(u32 lane, u32 pattern) {
    u32 mask = pattern & 31, turn = pattern >> 5 & 31;
    if (pattern >= 0xE000) return __builtin_bitreverse32(lane) >> 27 >> __builtin_popcount(mask) | (lane & mask);
    if (pattern >= 0xC000) return (lane & mask) | ((pattern & 0x400 ? lane - turn : lane + turn) & ~mask);
    if (pattern & 0x8000) return (lane & ~3u) | (pattern >> 2 * (lane & 3) & 3);
    return ((lane & mask) | turn) ^ pattern >> 10;
}

INSTRUCTION(ds_swizzle_b32) {
    pull(w, c.d, c.a, [&](u32 lane) { return (lane & 32) | (swizzled(lane & 31, (u32)c.offset) & 31); });
}

// ---- updates: lane after lane; the old value is given by the forms that return it

template <class T, class Combine>
static inline void update_lds(Wave& w, const Code& c, Combine combine) {
    each_lane(w.exec(), [&](u32 lane) {
        u64 address = lds_address(w, c, lane, c.offset);
        if (address % sizeof(T)) {
            Access access = {address, sizeof(T), true};
            set_lane(w, lane);
            report(MISALIGNED, ERROR, site_of(c), IN_LDS, (i64)address, &access, 0);
            give_up();
        }
        u8* place = lds_place(w, lane, address, sizeof(T), ATOMIC, site_of(c));
        T old, made;
        memcpy(&old, place, sizeof(T));
        made = combine(old, lane_value<T>(w, c.b, lane), lane);
        memcpy(place, &made, sizeof(T));
        if (c.d.kind == ROW) set_lane_value<T>(w, c.d, lane, old);
    });
}

#define UPDATE(name, type, formula)                                                                            \
    INSTRUCTION(ds_##name) {                                                                                   \
        update_lds<type>(w, c, [&](type a, [[maybe_unused]] type b, u32) -> type { return (type)(formula); }); \
    }
#define UPDATES(name, returning, type, formula) \
    UPDATE(name, type, formula)                 \
    UPDATE(returning, type, formula)

UPDATES(add_u32, add_rtn_u32, u32, a + b)
UPDATES(add_u64, add_rtn_u64, u64, a + b)
UPDATES(sub_u32, sub_rtn_u32, u32, a - b)
UPDATES(sub_u64, sub_rtn_u64, u64, a - b)
UPDATES(min_i32, min_rtn_i32, i32, b < a ? b : a)
UPDATES(min_i64, min_rtn_i64, i64, b < a ? b : a)
UPDATES(min_u32, min_rtn_u32, u32, b < a ? b : a)
UPDATES(min_u64, min_rtn_u64, u64, b < a ? b : a)
UPDATES(max_i32, max_rtn_i32, i32, b > a ? b : a)
UPDATES(max_i64, max_rtn_i64, i64, b > a ? b : a)
UPDATES(max_u32, max_rtn_u32, u32, b > a ? b : a)
UPDATES(max_u64, max_rtn_u64, u64, b > a ? b : a)
UPDATES(and_b32, and_rtn_b32, u32, a & b)
UPDATES(and_b64, and_rtn_b64, u64, a & b)
UPDATES(or_b32, or_rtn_b32, u32, a | b)
UPDATES(or_b64, or_rtn_b64, u64, a | b)
UPDATES(xor_b32, xor_rtn_b32, u32, a ^ b)
UPDATES(xor_b64, xor_rtn_b64, u64, a ^ b)
UPDATES(add_f32, add_rtn_f32, f32, a + b)
UPDATES(add_f64, add_rtn_f64, f64, a + b)
UPDATE(wrxchg_rtn_b32, u32, b)
UPDATE(wrxchg_rtn_b64, u64, b)
#undef UPDATES
#undef UPDATE

// The first data operand is compared, the second one stored.
#define SWAP(name, type)                                                                              \
    INSTRUCTION(ds_##name) {                                                                          \
        update_lds<type>(w, c, [&](type a, type b, u32 lane) -> type {                                \
            return a == b ? lane_value<type>(w, c.c, lane) : a;                                       \
        });                                                                                           \
    }
SWAP(cmpst_b32, u32)
SWAP(cmpst_b64, u64)
SWAP(cmpst_rtn_b32, u32)
SWAP(cmpst_rtn_b64, u64)
#undef SWAP
