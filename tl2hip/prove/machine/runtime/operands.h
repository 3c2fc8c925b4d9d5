// Operands of the vector unit as rows of 64 lanes, and results under EXEC.
//
// A plain row is read and written where it is. Everything else is made in a Room: scalars and constants in all lanes,
// SDWA's parts, DPP's permutations, halves of packed numbers, negation; and results that only some lanes take.
#pragma once

#include "machine.h"

// A choice by `x | y ? …` is meant so: both are worked out, and the loop stays free of branches. Where a loop cannot be
// made vector code, it is right all the same.
#pragma clang diagnostic ignored "-Wbitwise-conditional-parentheses"
#pragma clang diagnostic ignored "-Wpass-failed"

#define EACH_LANE _Pragma("clang loop vectorize(assume_safety)") for (u32 lane = 0; lane < WAVE; ++lane)

constexpr u64 ALL = ~0ul;

struct Room {
    alignas(64) u32 low[WAVE], high[WAVE];
};
struct Rows {
    const u32 *low, *high;
};
struct Written {
    u32 *low, *high;
};

// How a register is read: as 32 bits, as one 16-bit number, as two of them, as f32 or one f16 (v_fma_mix).
enum Form : u32 { WHOLE, HALF, PACKED_FLOAT, PACKED, MIXED };
// What a result is, for clamping and for the half of the register that a 16-bit one leaves. `scale` (omod) does nothing:
// the hardware leaves it out where subnormals are kept.
enum Result : u32 { INTEGER = 0, FLOAT = 1, BITS_16 = 2, BITS_64 = 4, BOTH = 8, KEEPS = 16 };

inline u32 bits_of(f32 x) { return __builtin_bit_cast(u32, x); }
inline u64 bits_of(f64 x) { return __builtin_bit_cast(u64, x); }
inline u16 bits_of(f16 x) { return __builtin_bit_cast(u16, x); }
inline f32 f32_of(u32 x) { return __builtin_bit_cast(f32, x); }
inline f64 f64_of(u64 x) { return __builtin_bit_cast(f64, x); }
inline f16 f16_of(u32 x) { return __builtin_bit_cast(f16, (u16)x); }
inline u64 both(u32 low, u32 high) { return (u64)high << 32 | low; }

// ---- reading

const u32* made(Room& room, const Wave& wave, const Code& code, const Source& source, Form form, bool permuted);
Rows made_wide(Room& room, const Wave& wave, const Code& code, const Source& source, bool permuted);
Rows made_two(Room& room, const Wave& wave, const Source& source);
void made_flags(u32* flags, const Wave& wave, const Source& source);

// kind, change, pick and halves as one number
inline u32 manner(const Source& source) {
    u32 bits;
    memcpy(&bits, &source, 4);
    return bits;
}
constexpr u32 PLAIN_ROW = ROW, PLAIN_PACKED = ROW | HIGH_FROM_HIGH << 24;

// `first` says that it is the operand that DPP permutes.
inline const u32* read(Room& room, const Wave& wave, const Code& code, const Source& source, Form form, bool first) {
    u32 plain = form == PACKED || form == PACKED_FLOAT ? PLAIN_PACKED : PLAIN_ROW;
    bool permuted = first && code.dpp;
    if (manner(source) == plain && !permuted) return wave.v[source.first];
    return made(room, wave, code, source, form, permuted);
}

// A 64-bit number: two rows.
inline Rows read_wide(Room& room, const Wave& wave, const Code& code, const Source& source, bool first) {
    bool permuted = first && code.dpp;
    if (manner(source) == PLAIN_ROW && !permuted) return {wave.v[source.first], wave.v[source.first + 1]};
    return made_wide(room, wave, code, source, permuted);
}

// Two 32-bit numbers.
inline Rows read_two(Room& room, const Wave& wave, const Source& source) {
    if (manner(source) == PLAIN_PACKED) return {wave.v[source.first], wave.v[source.first + 1]};
    return made_two(room, wave, source);
}

// ---- writing

// clamp, scale, pick, unused and the DPP controls as one number: 0 of an instruction with none of them
inline u64 manner(const Code& code) {
    u64 bits;
    memcpy(&bits, &code.clamp, 8);
    return bits;
}
static_assert(__builtin_offsetof(Code, bank_mask) == __builtin_offsetof(Code, clamp) + 7);

// Where the result goes: straight into its rows, or, when it must be changed or merged first, into the room.
inline Written place(Room& room, Wave& wave, const Code& code, u32 row, u32 result) {
    bool straight = wave.exec() == ALL && manner(code) == 0 && !(result & KEEPS) && !code.high;
    if (straight) return {wave.v[row], wave.v[row + 1]};
    return {room.low, room.high};
}

void merge(Room& room, Wave& wave, const Code& code, u32 row, u32 result);

inline void finish(const Written& written, Room& room, Wave& wave, const Code& code, u32 row, u32 result) {
    if (written.low == room.low) merge(room, wave, code, row, result);
}

// Lanes that take a result: of EXEC, and with DPP of the rows, banks and lanes that it lets through.
u64 taking(const Wave& wave, const Code& code);

// One bit a lane, 0 where no result is taken, into a scalar pair.
u64 gathered(const u32* flags);
inline u64 flagged(const u32* flags, const Wave& wave, const Code& code) {
    u64 bits = gathered(flags);
    return code.dpp ? bits & taking(wave, code) : bits & wave.exec();
}

// ---- the scalar unit

inline u32 read_scalar(const Wave& wave, const Source& source) {
    if (source.kind == SCALAR) return wave.s[source.first];
    return source.kind == CONDITION ? wave.scc : (u32)source.bits;
}
inline u64 read_scalar_wide(const Wave& wave, const Source& source) {
    if (source.kind == SCALAR) return wave.pair(source.first);
    return source.kind == CONDITION ? wave.scc : source.bits;
}
