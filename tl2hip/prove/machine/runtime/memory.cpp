// Loads and stores of memory: scalar, global, flat, scratch and buffer ones.

#include "access.h"

// ---- scalar loads: the address's last two bits do not count

template <u32 WORDS>
static inline void load_scalars(Wave& w, const Code& c) {
    u64 address = (w.pair(c.a.first) & ~3ul) + (u64)(i64)c.offset + (c.b.kind == NOTHING ? 0 : scalar_value(w, c.b));
    address &= ~3ul;
    check_wave(w, address, 4 * WORDS, site_of(c));
    memcpy(&w.s[c.d.first], (const void*)address, 4 * WORDS);
}

INSTRUCTION(s_load_dword) { load_scalars<1>(w, c); }
INSTRUCTION(s_load_dwordx2) { load_scalars<2>(w, c); }
INSTRUCTION(s_load_dwordx4) { load_scalars<4>(w, c); }
INSTRUCTION(s_load_dwordx8) { load_scalars<8>(w, c); }
INSTRUCTION(s_load_dwordx16) { load_scalars<16>(w, c); }

// ---- loads: what one lane reads, and where it goes

enum Part { FULL, LOWER, UPPER };

template <class T, Part PART>
static inline void load_small(Wave& w, const Code& c, const Addresses& at, u64 exec) {
    u32* to = w.v[c.d.first];
    each_lane(exec, [&](u32 lane) {
        T value;
        memcpy(&value, (const void*)at.of[lane], sizeof(T));
        u32 bits = (u32)(i32)value;
        to[lane] = PART == FULL ? bits : half_loaded(bits, PART == UPPER);
    });
}

template <u32 WORDS>
static inline void load_words(Wave& w, const Code& c, const Addresses& at, u64 exec) {
    each_lane(exec, [&](u32 lane) {
        u32 words[WORDS];
        memcpy(words, (const void*)at.of[lane], 4 * WORDS);
        for (u32 k = 0; k < WORDS; ++k) w.v[c.d.first + k][lane] = words[k];
    });
}

template <class T, bool HIGH>
static inline void store_small(Wave& w, const Code& c, const Addresses& at, u64 exec) {
    const u32* from = w.v[c.b.first];
    each_lane(exec, [&](u32 lane) {
        T value = (T)(from[lane] >> (HIGH ? 16 : 0));
        memcpy((void*)at.of[lane], &value, sizeof(T));
    });
}

template <u32 WORDS>
static inline void store_words(Wave& w, const Code& c, const Addresses& at, u64 exec) {
    each_lane(exec, [&](u32 lane) {
        u32 words[WORDS];
        for (u32 k = 0; k < WORDS; ++k) words[k] = w.v[c.b.first + k][lane];
        memcpy((void*)at.of[lane], words, 4 * WORDS);
    });
}

// Global and flat ones.
#define MOVE(name, bytes, how, move)                                  \
    INSTRUCTION(global_##name) {                                        \
        Addresses at;                                                   \
        take_addresses(w, c, at);                                       \
        check_lanes(w, at, w.exec(), bytes, how, site_of(c));           \
        move(w, c, at, w.exec());                                       \
    }                                                                   \
    INSTRUCTION(flat_##name) { global_##name(w, c); }

#define LOADS(EACH)                                             \
    EACH(load_ubyte, 1, READ, (load_small<u8, FULL>))            \
    EACH(load_sbyte, 1, READ, (load_small<i8, FULL>))            \
    EACH(load_ushort, 2, READ, (load_small<u16, FULL>))          \
    EACH(load_sshort, 2, READ, (load_small<i16, FULL>))          \
    EACH(load_ubyte_d16, 1, READ, (load_small<u8, LOWER>))        \
    EACH(load_ubyte_d16_hi, 1, READ, (load_small<u8, UPPER>))    \
    EACH(load_sbyte_d16, 1, READ, (load_small<i8, LOWER>))        \
    EACH(load_sbyte_d16_hi, 1, READ, (load_small<i8, UPPER>))    \
    EACH(load_short_d16, 2, READ, (load_small<u16, LOWER>))       \
    EACH(load_short_d16_hi, 2, READ, (load_small<u16, UPPER>))   \
    EACH(load_dword, 4, READ, load_words<1>)                    \
    EACH(load_dwordx2, 8, READ, load_words<2>)                  \
    EACH(load_dwordx3, 12, READ, load_words<3>)                 \
    EACH(load_dwordx4, 16, READ, load_words<4>)
#define STORES(EACH)                                            \
    EACH(store_byte, 1, WRITE, (store_small<u8, false>))        \
    EACH(store_byte_d16_hi, 1, WRITE, (store_small<u8, true>))  \
    EACH(store_short, 2, WRITE, (store_small<u16, false>))      \
    EACH(store_short_d16_hi, 2, WRITE, (store_small<u16, true>))\
    EACH(store_dword, 4, WRITE, store_words<1>)                 \
    EACH(store_dwordx2, 8, WRITE, store_words<2>)               \
    EACH(store_dwordx3, 12, WRITE, store_words<3>)              \
    EACH(store_dwordx4, 16, WRITE, store_words<4>)
LOADS(MOVE)
STORES(MOVE)
#undef MOVE

#define MOVE(name, bytes, how, move)            \
    INSTRUCTION(scratch_##name) {               \
        Addresses at;                           \
        take_scratch(w, c, bytes, how, at);     \
        move(w, c, at, w.exec());               \
    }
LOADS(MOVE)
STORES(MOVE)
#undef MOVE

// ---- loads that go to LDS: M0 says where, lanes follow each other in words, and the offset counts on both sides

template <class T>
static void copy_to_lds(Wave& w, const Code& c, const Addresses& at, u64 good) {
    u64 first = (w.s[M0] & 0xFFFF) + (u64)(i64)c.offset;
    each_lane(w.exec(), [&](u32 lane) {
        T value = 0;
        if (good >> lane & 1) memcpy(&value, (const void*)at.of[lane], sizeof(T));
        u32 word = (u32)(i32)value;
        memcpy(lds_place(w, lane, first + 4 * lane, 4, WRITE, site_of(c)), &word, 4);
    });
    if (u64 lanes = w.exec(); detecting && lanes)
        note_load_into_lds(w, (u32)first + 4 * __builtin_ctzl(lanes), (u32)first + 4 * (WAVE - __builtin_clzl(lanes)));
}

#define LOADS_TO_LDS(EACH) \
    EACH(ubyte, u8) EACH(sbyte, i8) EACH(ushort, u16) EACH(sshort, i16) EACH(dword, u32)

#define TO_LDS(name, type)                                                \
    INSTRUCTION(global_load_lds_##name) {                                 \
        Addresses at;                                                     \
        take_addresses(w, c, at);                                         \
        check_lanes(w, at, w.exec(), sizeof(type), READ, site_of(c));     \
        copy_to_lds<type>(w, c, at, w.exec());                            \
    }
LOADS_TO_LDS(TO_LDS)
#undef TO_LDS

// ---- raw buffers: a descriptor of four scalars says the base and the bytes that there are

// The last word of a descriptor of plain 32-bit data, as clang's make_buffer_rsrc is given it for gfx942.
constexpr u32 RAW_FORMAT = 0x00027000;

struct Records {
    u64 base;
    u32 bytes, scalar;  // the scalar offset
};

static Records records_of(const Wave& w, const Code& c) {
    const u32* s = &w.s[c.c.first];
    if (s[1] >> 16 || s[3] != RAW_FORMAT) not_done(w, c, BUFFER_FORMAT);
    return {(u64)(s[1] & 0xFFFF) << 32 | s[0], s[2], scalar_value(w, c.e)};
}

// The vector offset is compared with what the scalar offset leaves of the records, in whole words. `reach` gives how
// many of its bytes a lane may touch.
static void take_buffer(Wave& w, const Code& c, u32 bytes, Touch how, Addresses& at, u32* reach) {
    Records records = records_of(w, c);
    u64 room = records.bytes > records.scalar ? records.bytes - records.scalar : 0;
    each_lane(w.exec(), [&](u32 lane) {
        u64 offset = (u64)(c.a.kind == ROW ? w.v[c.a.first][lane] : 0) + (u32)c.offset;
        reach[lane] = offset + bytes <= room ? bytes : offset < room ? (u32)(room - offset) & ~3u : 0;
        at.of[lane] = records.base + offset + records.scalar;
    });
    u64 whole = 0;
    each_lane(w.exec(), [&](u32 lane) { whole |= (u64)(reach[lane] == bytes) << lane; });
    check_lanes(w, at, whole, bytes, how, site_of(c));
    each_lane(w.exec() & ~whole, [&](u32 lane) {
        if (reach[lane]) check_lanes(w, at, 1ul << lane, reach[lane], how, site_of(c));
    });
}

#define MOVE(name, bytes, how, move)                                                        \
    INSTRUCTION(buffer_##name) {                                                              \
        Addresses at;                                                                         \
        u32 reach[WAVE];                                                                      \
        u8 part[WAVE][bytes];                                                                 \
        take_buffer(w, c, bytes, how, at, reach);                                             \
        each_lane(w.exec(), [&](u32 lane) {                                                   \
            if (reach[lane] == bytes) return;                                                 \
            memset(part[lane], 0, bytes);                                                     \
            if (how == READ) memcpy(part[lane], (const void*)at.of[lane], reach[lane]);       \
        });                                                                                   \
        Addresses to = at;                                                                    \
        each_lane(w.exec(), [&](u32 lane) {                                                   \
            if (reach[lane] != bytes) to.of[lane] = (u64)part[lane];                          \
        });                                                                                   \
        move(w, c, to, w.exec());                                                             \
        each_lane(w.exec(), [&](u32 lane) {                                                   \
            if (how == WRITE && reach[lane] != bytes) memcpy((void*)at.of[lane], part[lane], reach[lane]); \
        });                                                                                   \
    }
LOADS(MOVE)
STORES(MOVE)
#undef MOVE
#undef LOADS
#undef STORES

#define TO_LDS(name, type)                                                              \
    INSTRUCTION(buffer_load_##name##_lds) {                                             \
        Addresses at;                                                                   \
        u32 reach[WAVE];                                                                \
        take_buffer(w, c, sizeof(type), READ, at, reach);                               \
        u64 good = 0;                                                                   \
        each_lane(w.exec(), [&](u32 lane) { good |= (u64)(reach[lane] != 0) << lane; });\
        copy_to_lds<type>(w, c, at, good);                                              \
    }
LOADS_TO_LDS(TO_LDS)
#undef TO_LDS
#undef LOADS_TO_LDS
