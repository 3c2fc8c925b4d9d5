// A program as Python gives it, and the launch that runs.
#pragma once

#include "machine.h"

// Registers that an instruction reads or writes. MASK: a scalar pair, one bit a lane.
enum File : u8 { NO_FILE, VECTORS, SCALAR_FILE, MASK };
struct Use {
    u16 first;
    u8 count, file;
};

// Which counter an instruction is counted by until it is done. A flat one is counted by both.
enum Counter : u8 { UNCOUNTED, VECTOR_LOAD, VECTOR_STORE, LDS_ACCESS, SCALAR_LOAD, FLAT_ACCESS };
// Which lanes of its vector operands an instruction reads and writes: those of EXEC, all, one that it names; none.
enum Reach : u8 { ACTIVE, EVERY, READS_ONE, WRITES_ONE, WAVE_WIDE };
// Where its result is undefined: where any source is; bit by bit; in lanes that are chosen; in all lanes when in one;
// the low half where the low halves of sources are; each half where that of the source is, or op_sel's are; nowhere;
// where the lane's own memory is.
enum Flow : u8 {
    ANY, BITS, AND, AND_NOT, NOT_AND, OR, OR_NOT, NOT_OR, SELECT_BITS, SELECT_LANES, ACROSS, CARRIES, PAIR, HALVES,
    LOADED, SCRATCH
};

// What the checks know of an instruction.
constexpr u32 MAX_READS = 6, MAX_WRITES = 3;
struct Facts {
    Use reads[MAX_READS], writes[MAX_WRITES];
    u8 counter, reach;
    u8 waits[2];  // s_waitcnt: vmcnt, lgkmcnt; 255 where it does not wait for one
    u8 flow;
    u8 needed;    // a bit for each of `reads` that says which memory is touched, what is stored, where a wave goes on
    u8 reads_condition, sets_condition;  // SCC
    u8 scratch_bytes;                    // that each lane accesses of its own memory
    u8 indexed;                          // operands whose registers are counted from M0
};
// Bits of those: the first of `reads`, the first of `writes`.
constexpr u8 INDEXED_SOURCE = 1, INDEXED_RESULT = 8;

// What a kernel finds among its arguments besides those that it was given; the order of HIDDEN in encode.py.
enum HiddenKind : u32 { BLOCK_COUNT, GROUP_SIZE = 3, REMAINDER = 6, GLOBAL_OFFSET = 9, GRID_DIMS = 12 };
struct Hidden {
    u32 kind, offset, bytes;
};

struct Kernel {
    const char* name;
    const Code* code;
    const Facts* facts;
    const Hidden* hidden;
    u32 hidden_count;
    u32 given_bytes, arguments_bytes;      // of the arguments that the launch gives, and of all
    u32 group_ids, thread_ids;             // a bit for each index of the block; how many of a thread's after x
    u32 rows, accumulators, lds, most_threads;
    u32 scratch;                           // bytes of each lane
};

struct Constants {
    u64 low, high;
};

// Ranges that may be read besides the caller's buffers: the arguments, and the program's constants.
constexpr u32 MAX_CONSTANTS = 65;
extern Constants constants[MAX_CONSTANTS];
extern u32 constant_count;

// The kernel that runs, and the instruction.
struct Running {
    const Kernel* kernel;
    u32 number;
    const Code* code;  // the instruction
};
extern Running running;

extern Wave waves[MAX_WAVES];

// Cells are numbered: rows of vector registers, then scalar ones.
constexpr u32 CELLS = ROWS + SCALARS;
inline u32 cell_of(const Use& use) { return use.file == VECTORS ? use.first : ROWS + use.first; }

// Run the waves of a block to their ends.
void run_waves();

// ---- the block that is traced (tracing.cpp)

extern bool tracing;  // the launch that runs is, as far as its wanted block
extern bool watched;  // traced, or looked at by the detectors
void trace_launch(const char* name);
bool trace_passes_over();  // the launch that comes now does not run
void trace_among(u64 blocks);  // so many has the launch that is traced
bool trace_leaves_out(u64 block);
void trace_block_done();
void trace_lane(u32 lane, u64 address, u32 bytes, Touch how, bool lds);
void run_traced(Wave& w, const Code* code);

// ---- the round of blocks whose lines of memory are counted (lines.cpp)

extern bool reading_lines;  // the launch that runs is the one with that round
void lines_forget();        // what was counted
void lines_end();
void lines_launch(u64 first, u64 count, u32 steps);
bool lines_leave_out(u64 block);
void lines_block(u64 block);
bool lines_cut();  // waves of the block that runs were ended
void lines_block_done(u64 block);
void lines_read(u64 address, u32 bytes);
void run_reading(Wave& w, const Code* code);

// ---- scratch memory, each lane's own (scratch.cpp)

// Room for a launch; false when there is none.
bool scratch_launch(u32 bytes, u32 waves);
void scratch_block();
// The address of a lane's byte, 0 where its memory has not so many there.
u64 scratch_address(const Wave& w, u32 lane, u32 place, u32 bytes);
// Whether an address is one of those.
bool in_scratch(u64 address);
// Whether nothing has written it: a flag for each byte.
u8* scratch_undefined(u64 address);

// ---- registers that are being loaded (pending.cpp)

void pending_start(const Wave& w);
void check_pending(const Wave& w, const Code& c, const Facts& facts);
void check_barrier(const Wave& w, u64 lanes, const Code& c);
bool loads_into_lds(const Wave& w, u32 low, u32 bytes);
void note_load_into_lds(const Wave& w, u32 low, u32 high);

// ---- registers that were never written (defined.cpp)

void defined_start(const Wave& w, u64 lanes);
void check_defined(const Wave& w, const Code& c, const Facts& facts);
