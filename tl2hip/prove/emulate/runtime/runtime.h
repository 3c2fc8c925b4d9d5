// What the parts of the emulated compute unit know of each other.
//
// One block runs at a time, on one operating system thread. Its threads are fibers; a fiber runs until it waits
// for its wave (a meeting), for its block (a barrier), or ends.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef long i64;

extern "C" {
void* mmap(void* at, u64 bytes, int protection, int flags, int file, i64 offset);
int munmap(void* at, u64 bytes);
int madvise(void* at, u64 bytes, int advice);
int mprotect(void* at, u64 bytes, int protection);
void* memset(void* to, int byte, u64 bytes);
void* memcpy(void* to, const void* from, u64 bytes);
void* memmove(void* to, const void* from, u64 bytes);
}

#define EXPORT extern "C" __attribute__((visibility("default")))
#define CALLER ((u64)__builtin_return_address(0))

constexpr u32 WAVE = 64;
constexpr u32 MAX_THREADS = 1024;
constexpr u32 MAX_WAVES = MAX_THREADS / WAVE;
constexpr u8 POISON = 0xFF;  // NaN in every float type of 16 bits and more

// ---- findings: order and names as in findings.py

enum Kind : u32 {
    RACE,
    OUT_OF_BOUNDS,
    DIVERGENT_BARRIER,
    DIVERGENT_WAVE,
    INACTIVE_LANE,
    LDS_UNINITIALISED,
    CRASH,
    INVALID_LAUNCH,
    UNDEFINED,
    READ_ONLY,
    HANG,
    PENDING,  // these five of machine code only
    UNWRITTEN,
    MISALIGNED,
    NOT_DONE,
    STALE_SCALAR,
};
enum Severity : u32 { ERROR, WARNING };
constexpr int IN_LDS = -1, NOWHERE = -2;
constexpr u32 LAUNCHER = 1;          // `other` of a HANG: the launcher's own loop has no end, not a thread's
constexpr int LAUNCH_FAILURE = 719;  // hipErrorLaunchFailure

struct Finding {
    u32 kind, severity;
    u64 site;      // offset of the caller in the library's image; of machine code as it is
    i64 offset;    // byte offset in the buffer or LDS, or the address when it is nowhere
    int place;     // number of the buffer, IN_LDS or NOWHERE
    u32 bytes;     // size of the access
    u32 thread;    // linear thread in its block
    u32 other;     // the thread it conflicts with, or a special value of shadow.cpp
    u32 block[3];
    u32 write;     // 1 when the access is a store
    u64 count;     // how often it was found at this site; kernels launched, where the launcher has no end
};
constexpr u32 MAX_FINDINGS = 256;

struct Findings {
    u32 count;
    Finding items[MAX_FINDINGS];
};
extern Findings findings;

// Sites of machine code have this bit, the number of the kernel, and the index of the instruction in it.
constexpr u64 MACHINE_SITE = 1ul << 60;

struct Access {
    u64 address;
    u32 bytes;
    bool write;
};
Finding* report(Kind kind, Severity severity, u64 site, int place, i64 offset, const Access* access, u32 other);

// Counts a launch of the kernel of that name, which lives as long as the library.
void note_launch(const char* name);
bool same_text(const char* a, const char* b);

// ---- the block that runs now

struct Lanes;
typedef void (*Meeting)(Lanes& wave, u64 present);

// The fibers of one wave.
struct Lanes {
    u64 unstarted, ready, waiting, at_barrier;  // one bit a lane; a lane in none of them runs or has ended
    u64 alive;                                  // not ended yet
    Meeting meeting;                            // what the waiting lanes wait for
    u64 site;
    void* arguments[WAVE];                      // of the waiting lanes, on their own stacks
};

struct Unit {
    Lanes waves[MAX_WAVES];
    u32 wave_count, threads, alive, at_barrier;
    u32 grid[3], block[3], id[3];
    u32 current;                 // linear thread that runs, when `inside`
    bool inside;                 // a fiber runs, not the host
    bool aborted;                // the run was given up
    bool unfenced[MAX_THREADS];  // touched LDS since its last fence
    int last_error;
    bool running;     // a launcher is being called
    u64 launched;     // kernels so far, in this call
    u64 launch_site;  // of the last one
    u64 calls_left;   // that the launcher may make to HIP's functions
    u64 image, image_end, lds, lds_end;
    u64 stacks, stacks_end;
    u64 owner;                   // the operating system thread that called
    bool machine;                // waves run machine code, not lanes the printed text
    u64 (*machine_site)();       // of the instruction that runs
};
extern Unit unit;

inline u64 place_of(u64 site) { return site & MACHINE_SITE ? site : site - unit.image; }

inline Lanes& wave_now() { return unit.waves[unit.current / WAVE]; }
inline u32 lane_now() { return unit.current % WAVE; }

// Wait until every live lane of the wave is at `site`; the last one runs the meeting for all.
void meet(Meeting meeting, void* arguments, u64 site);
[[noreturn]] void give_up();
// Run a function on a stack of its own until it ends or gives up. False when there is no stack.
bool run_alone(void (*what)(const void*), const void* arguments);
// What a launch of this size gives when nothing is wrong with it: 0, else a hipError_t.
int check_sizes(const u32* grid, const u32* block, u32 lds);
constexpr u32 IEEE_MODE = 0x1F80;  // round to nearest, subnormals kept, no traps

// ---- the launcher that was called (calling.cpp)

void enter(u64 launcher);
// Counts one of its calls to HIP's functions; one too many ends it.
void count_call(u64 site);
// Reports that it does not come to an end; and goes back to Python from there. Not for a fiber.
void report_endless(u64 site);
[[noreturn]] void leave_launcher(u64 site);

// ---- memory

// A buffer of the caller: the run may touch it and nothing else but LDS, its stacks and constants of its image.
struct Range {
    u64 low, high;
    bool writable;
    int place;
    u32 *written, *read, *atomic;  // shadows, one cell a byte; `atomic` is made on first use
};
constexpr u32 MAX_RANGES = 64;

enum Touch { READ, WRITE, ATOMIC };
extern bool detecting;
extern Range ranges[MAX_RANGES];
extern u32 range_count;

// Check one access of the running lane; one that is out of range ends the run before it happens.
void touch(u64 address, u64 bytes, Touch how, u64 site);
// The same of a read or a write, soonest done where the bytes are a power of two.
void touch_plain(u64 address, u64 bytes, bool write, u64 site);
void touch_atomic(u64 address, u64 bytes, u64 site);
// The same of a scalar load, which may not read what its launch wrote, whoever did it and whatever barrier lies between.
void touch_scalar(u64 address, u64 bytes, u64 site);
[[noreturn]] void refuse_outside(u64 address, u64 bytes, Touch how, u64 site);
u32* make_cells(u64 bytes);
void free_cells(u32* cells, u64 bytes);
void shadow_launch();
void shadow_block();
void shadow_barrier();

// Groups accesses of the lanes of a wave into instructions, for bank conflicts and coalescing (counting.cpp).
extern bool counting;  // this block is
void counting_reset();
void counting_block(u64 number, u64 blocks);
void counting_access(u64 address, u32 bytes, bool write, bool lds, u64 site);
void counting_block_done();

// The bytes that lanes touch with one instruction: one bit a lane, and where.
struct LaneAddresses {
    u64 present;
    u64 address[WAVE];
};
// Clocks that LDS's banks take for them, and in `phases` the clocks where no two lanes conflict.
u32 bank_clocks(const LaneAddresses& lanes, u32 bytes, Touch how, u32& phases);
// How many aligned pieces of so many bytes they lie in.
u32 distinct_pieces(const LaneAddresses& lanes, u32 bytes, u32 piece_bytes);
