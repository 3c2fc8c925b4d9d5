// gfx942 machine code on this host: the state of a wave, and an instruction as it is run.
//
// An instruction is a function and its operands, worked out once when a program is loaded (encode.py writes these
// records, in exactly this layout). A wave runs its instructions one after the other until it meets a barrier or ends;
// the 64 lanes of an instruction are one loop, which the compiler makes vector code of.
#pragma once

#include "../../emulate/runtime/runtime.h"

typedef int i32;
typedef short i16;
typedef signed char i8;
typedef float f32;
typedef double f64;
typedef _Float16 f16;

constexpr u32 VCC = 106, M0 = 124, EXEC = 126, SCALARS = 128;
constexpr u32 ROWS = 512, AGPRS = 256;  // rows of vector registers; that of a0

// ---- instructions

enum SourceKind : u8 { NOTHING, ROW, SCALAR, CONSTANT, CONDITION };  // CONDITION: SCC
enum Change : u8 { NEGATE = 1, ABSOLUTE = 2, EXTEND = 4 };          // of a whole operand
enum Pick : u8 { DWORD, BYTE_0, BYTE_1, BYTE_2, BYTE_3, WORD_0, WORD_1 };
// Of the two halves of a packed operand: which half of the register the low and the high one are read from, and whether
// each is negated. The high half of a register that is read as one 16-bit operand is LOW_FROM_HIGH too.
enum Halves : u8 { LOW_FROM_HIGH = 1, HIGH_FROM_HIGH = 2, NEGATE_LOW = 4, NEGATE_HIGH = 8 };

struct Source {
    u8 kind, change, pick, halves;
    u16 first, count;  // row or scalar register, and how many
    u64 bits;          // of a CONSTANT, as wide as the instruction reads it; of a float in the instruction's dtype
};

struct Wave;
struct Code;
typedef void (*Run)(Wave& wave, const Code& code);

enum Dpp : u8 { NO_DPP, QUAD_PERM, ROW_SHL, ROW_SHR, ROW_ROR, ROW_MIRROR, ROW_HALF_MIRROR, ROW_BCAST, WAVE_SHL, WAVE_SHR,
                WAVE_ROL, WAVE_ROR, ROW_NEWBCAST };
enum Unused : u8 { PAD, SEXT, PRESERVE };

struct Code {
    Run run;
    Source d, e;        // what it writes: the result, and a second one (a carry, the flag of a division); of a buffer
                        // access e is read: the scalar offset
    Source a, b, c;     // what it reads; of memory: address, data or offset, base
    i32 offset;         // bytes, of memory instructions; offset0 of two
    i32 offset1;
    u32 target;         // index of the instruction that a branch goes to
    u8 clamp, scale;    // scale (omod): 0, 1 times 2, 2 times 4, 3 half
    u8 pick, unused;    // SDWA: the part of the result's register that is written, and what becomes of the rest
    u8 dpp, dpp_number, row_mask, bank_mask, bound_control;
    u8 quad[4];         // QUAD_PERM
    u8 high;            // op_sel of the result: a 16-bit one goes into the high half and leaves the low
    u32 site;           // index in its kernel, which findings name
};

// ---- waves

enum State : u8 { RUNS, AT_BARRIER, ENDED };

struct Wave {
    u32 s[SCALARS];
    u32 v[ROWS][WAVE];
    u32 at;         // index of the next instruction
    u32 number;     // of the wave in its block
    u8 scc;
    u8 state;
    u32 lds_bytes;  // of its block

    u64 pair(u32 first) const { return (u64)s[first + 1] << 32 | s[first]; }
    void set_pair(u32 first, u64 bits) { s[first] = (u32)bits, s[first + 1] = (u32)(bits >> 32); }
    u64 exec() const { return pair(EXEC); }
};

// What an instruction does that the executor has no meaning for here: the run ends, and says so. In the order of
// NOT_DONE in library.py.
enum NotDone : u32 { LANES_OFF, BUFFER_FORMAT, INDEX_OUTSIDE };
[[noreturn]] void not_done(const Wave& wave, const Code& code, NotDone why);
