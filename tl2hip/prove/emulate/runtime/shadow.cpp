// Out-of-range accesses, races and reads of unwritten LDS, from a shadow cell for every byte.
//
// A cell holds when and who: `stamp << 11 | who`. The stamp counts barriers of the block and starts of blocks and
// never goes back, so a cell older than its launch (for LDS: its block) means nothing. `who` is a thread of the
// block or one of the groups below.

#include "runtime.h"

bool detecting;
Range ranges[MAX_RANGES];
u32 range_count;

constexpr u32 WHO_BITS = 11, WHO = (1u << WHO_BITS) - 1;
constexpr u32 LANES_OF_WAVE = 1024;  // + wave: several lanes of one wave
constexpr u32 SEVERAL_WAVES = 1040, SEVERAL_BLOCKS = 2047;
constexpr u32 LAST_STAMP = (1u << (32 - WHO_BITS)) - 1, STAMPS_OF_BLOCK = 1u << 16;

static u32 stamp = 1, launch_stamp = 1, block_stamp = 1;
static bool paused;  // the block ran out of stamps
static Range lds;
static Range* last_range = &lds;

// Pages come with use and are not reserved. Large pages where a buffer is big, but not so big that it must be sparse.
u32* make_cells(u64 bytes) {
    constexpr int MADV_HUGEPAGE = 14;
    u64 size = (bytes + 1) * 4;
    void* at = mmap(nullptr, size, 3, 0x4022, -1, 0);
    if ((i64)at == -1) return nullptr;
    if (size >= 4ul << 20 && size <= 1ul << 29) madvise(at, size, MADV_HUGEPAGE);
    return (u32*)at;
}

void free_cells(u32* cells, u64 bytes) {
    if (cells) munmap(cells, (bytes + 1) * 4);
}

static void clear(Range& range) {
    u64 bytes = range.high - range.low;
    free_cells(range.written, bytes);
    free_cells(range.read, bytes);
    free_cells(range.atomic, bytes);
    range.written = range.read = range.atomic = nullptr;
    if (!bytes) return;
    range.written = make_cells(bytes);
    range.read = make_cells(bytes);
}

void shadow_launch() {
    last_range = &lds;
    if (lds.low != unit.lds || lds.high != unit.lds_end || (lds.written != nullptr) != detecting) {
        u64 old = lds.high - lds.low;
        free_cells(lds.written, old);
        free_cells(lds.read, old);
        free_cells(lds.atomic, old);
        lds = {unit.lds, unit.lds_end, true, IN_LDS, nullptr, nullptr, nullptr};
        if (detecting) clear(lds);
    }
    if (!detecting) return;
    launch_stamp = ++stamp;
}

void shadow_block() {
    if (!detecting) return;
    paused = false;
    if (stamp > LAST_STAMP - STAMPS_OF_BLOCK) {
        clear(lds);
        for (u32 r = 0; r < range_count; ++r) clear(ranges[r]);
        stamp = launch_stamp = 1;
    }
    block_stamp = ++stamp;
}

// A barrier orders what came before it only for threads that waited for their LDS accesses.
void shadow_barrier() {
    if (!detecting) return;
    for (u32 t = 0; t < unit.threads; ++t)
        if (unit.unfenced[t]) return;
    if (stamp == LAST_STAMP) paused = true;
    else ++stamp;
}

// ---- conflicts

enum Conflict { NONE, SAME_WAVE, OTHER };

static Conflict conflict(u32 cell, u32 oldest, u32 me) {
    u32 when = cell >> WHO_BITS, who = cell & WHO;
    if (when < oldest) return NONE;
    if (when < block_stamp || who == SEVERAL_BLOCKS) return OTHER;
    if (when < stamp || who == me) return NONE;
    if (who < LANES_OF_WAVE) return who / WAVE == me / WAVE ? SAME_WAVE : OTHER;
    return who == LANES_OF_WAVE + me / WAVE ? SAME_WAVE : OTHER;
}

// The cell after `me` has joined those who read (or updated atomically) before.
static u32 joined(u32 cell, u32 oldest, u32 me) {
    u32 when = cell >> WHO_BITS, who = cell & WHO, mine = stamp << WHO_BITS | me;
    if (when < oldest) return mine;
    if (who == SEVERAL_BLOCKS) return cell;
    if (when < block_stamp) return stamp << WHO_BITS | SEVERAL_BLOCKS;
    if (when < stamp || who == me) return mine;
    u32 wave = me / WAVE;
    bool together = who < LANES_OF_WAVE ? who / WAVE == wave : who == LANES_OF_WAVE + wave;
    return stamp << WHO_BITS | (together ? LANES_OF_WAVE + wave : SEVERAL_WAVES);
}

// The most serious conflict of an access, and with whom.
struct Worst {
    Conflict kind;
    u32 who;
};

static void look(const u32* cells, u64 bytes, u32 oldest, u32 me, Worst& worst) {
    u32 last = 0;
    for (u64 b = 0; b < bytes; ++b) {
        if (cells[b] == last) continue;
        last = cells[b];
        Conflict found = conflict(last, oldest, me);
        if (found > worst.kind) worst = {found, (last >> WHO_BITS) < block_stamp ? SEVERAL_BLOCKS : last & WHO};
    }
}

static void join(u32* cells, u64 bytes, u32 oldest, u32 me) {
    u32 last = cells[0], next = joined(last, oldest, me);
    for (u64 b = 0; b < bytes; ++b) {
        if (cells[b] != last) {
            last = cells[b];
            next = joined(last, oldest, me);
        }
        cells[b] = next;
    }
}

static bool unwritten(const u32* cells, u64 bytes) {
    for (u64 b = 0; b < bytes; ++b)
        if (cells[b] >> WHO_BITS < block_stamp) return true;
    return false;
}

static void check_shadow(Range& range, u64 address, u64 bytes, Touch how, u64 site) {
    u64 at = address - range.low;
    u32 me = unit.current, oldest = range.place == IN_LDS ? block_stamp : launch_stamp;
    Access access = {address, (u32)bytes, how != READ};
    if (how == ATOMIC && !range.atomic && !(range.atomic = make_cells(range.high - range.low))) return;
    Worst worst = {NONE, 0};
    look(range.written + at, bytes, oldest, me, worst);
    if (how != READ) look(range.read + at, bytes, oldest, me, worst);
    if (how != ATOMIC && range.atomic) look(range.atomic + at, bytes, oldest, me, worst);
    // The lanes of one wave are in step in machine code: what they do to one place is in order.
    if (worst.kind == OTHER || (worst.kind == SAME_WAVE && !unit.machine))
        report(RACE, worst.kind == OTHER ? ERROR : WARNING, site, range.place, (i64)at, &access, worst.who);
    if (range.place == IN_LDS && how != WRITE && unwritten(range.written + at, bytes) &&
        (!range.atomic || unwritten(range.atomic + at, bytes)))
        report(LDS_UNINITIALISED, ERROR, site, IN_LDS, (i64)at, &access, 0);
    if (how == READ) join(range.read + at, bytes, oldest, me);
    else if (how == ATOMIC) join(range.atomic + at, bytes, oldest, me);
    else
        for (u64 b = 0; b < bytes; ++b) range.written[at + b] = stamp << WHO_BITS | me;
}

// Most accesses are reads and writes of 1 to 16 bytes whose cells all say the same, and nothing that matters.
// True when this was one and is done.
template <u32 BYTES, Touch HOW>
static inline bool check_quickly(Range& range, u64 address) {
    typedef u32 Cells __attribute__((ext_vector_type(BYTES), aligned(4)));
    if (range.atomic || range.place == IN_LDS) return false;
    u64 at = address - range.low;
    u32 floor = launch_stamp << WHO_BITS, mine = stamp << WHO_BITS | unit.current;
    Cells& written = *(Cells*)(range.written + at);
    Cells& read = *(Cells*)(range.read + at);
    if (__builtin_reduce_max(written) >= floor) return false;
    if (HOW == WRITE) {
        if (__builtin_reduce_max(read) >= floor) return false;
        written = (Cells)mine;
        return true;
    }
    u32 first = read[0];
    if (__builtin_reduce_or(read ^ (Cells)first)) return false;
    u32 next = joined(first, launch_stamp, unit.current);
    if (next != first) read = (Cells)next;
    return true;
}

// ---- ranges

static bool holds(const Range& range, u64 address, u64 bytes) {
    return address >= range.low && address <= range.high && bytes <= range.high - address;
}

static Range* range_of(u64 address, u64 bytes) {
    if (holds(*last_range, address, bytes)) return last_range;
    if (holds(lds, address, bytes)) return last_range = &lds;
    for (u32 r = 0; r < range_count; ++r)
        if (holds(ranges[r], address, bytes)) return last_range = &ranges[r];
    return nullptr;
}

// Name an address by the buffer that is nearest, so that a finding can say "4 bytes past the end of B".
void refuse_outside(u64 address, u64 bytes, Touch how, u64 site) {
    Access access = {address, (u32)bytes, how != READ};
    int place = NOWHERE;
    i64 offset = (i64)address;
    u64 nearest = ~0ul;
    for (u32 r = 0; r <= range_count; ++r) {
        const Range& range = r < range_count ? ranges[r] : lds;
        if (r == range_count && range.low == range.high) break;
        u64 distance = address < range.low ? range.low - address : address >= range.high ? address - range.high : 0;
        if (distance >= nearest) continue;
        nearest = distance;
        place = range.place;
        offset = (i64)(address - range.low);
    }
    report(OUT_OF_BOUNDS, ERROR, site, place, offset, &access, 0);
    give_up();
}

// The range that an access falls in, null when it needs no more checks. One that may not happen ends the run.
static inline Range* admit(u64 address, u64 bytes, Touch how, u64 site) {
    if (!unit.inside || !bytes) return nullptr;
    if (!unit.machine && address >= unit.stacks && address < unit.stacks_end) return nullptr;
    Range* range = range_of(address, bytes);
    if (!range) {
        bool constant = !unit.machine && address >= unit.image && address < unit.image_end && bytes <= unit.image_end - address;
        if (how == READ && constant) return nullptr;
        refuse_outside(address, bytes, how, site);
    }
    if (how != READ && !range->writable) {
        Access access = {address, (u32)bytes, true};
        report(READ_ONLY, ERROR, site, range->place, (i64)(address - range->low), &access, 0);
        give_up();
    }
    if (range->place == IN_LDS) unit.unfenced[unit.current] = true;
    return range;
}

void touch(u64 address, u64 bytes, Touch how, u64 site) {
    Range* range = admit(address, bytes, how, site);
    if (!range) return;
    if (!paused && range->written && range->read) check_shadow(*range, address, bytes, how, site);
    if (how != ATOMIC) counting_access(address, (u32)bytes, how == WRITE, range->place == IN_LDS, site);
}

// The cell of the first of some bytes that this launch has written, 0 when there is none.
static u32 written_now(const u32* cells, u64 at, u64 bytes) {
    for (u64 b = at; cells && b < at + bytes; ++b)
        if (cells[b] >> WHO_BITS >= launch_stamp) return cells[b];
    return 0;
}

void touch_scalar(u64 address, u64 bytes, u64 site) {
    touch(address, bytes, READ, site);
    if (!detecting) return;
    const Range& range = *range_of(address, bytes);
    u64 at = address - range.low;
    u32 cell = written_now(range.written, at, bytes);
    if (!cell) cell = written_now(range.atomic, at, bytes);
    if (!cell) return;
    Access access = {address, (u32)bytes, false};
    u32 who = cell >> WHO_BITS < block_stamp ? SEVERAL_BLOCKS : cell & WHO;
    report(STALE_SCALAR, ERROR, site, range.place, (i64)at, &access, who);
}

// An update of 8 or 16 bits swaps the aligned word around it, which may reach past the buffer's end: device memory
// comes in whole words. Only the part inside counts; the rest is written back as it was.
void touch_atomic(u64 address, u64 bytes, u64 site) {
    u64 end = address + bytes;
    if (address % bytes == 0 && bytes == 4)
        for (u32 r = 0; r < range_count; ++r) {
            if (address >= ranges[r].high || end <= ranges[r].low) continue;
            address = address > ranges[r].low ? address : ranges[r].low;
            end = end < ranges[r].high ? end : ranges[r].high;
            break;
        }
    touch(address, end - address, ATOMIC, site);
}

template <u32 BYTES, Touch HOW>
static inline void touch_sized(u64 address, u64 site) {
    Range* range = admit(address, BYTES, HOW, site);
    if (!range) return;
    if (!paused && range->written && range->read && !check_quickly<BYTES, HOW>(*range, address))
        check_shadow(*range, address, BYTES, HOW, site);
    if (counting) counting_access(address, BYTES, HOW == WRITE, range->place == IN_LDS, site);
}

template <Touch HOW>
static inline void touch_usual(u64 address, u64 bytes, u64 site) {
    switch (bytes) {
    case 1: return touch_sized<1, HOW>(address, site);
    case 2: return touch_sized<2, HOW>(address, site);
    case 4: return touch_sized<4, HOW>(address, site);
    case 8: return touch_sized<8, HOW>(address, site);
    case 16: return touch_sized<16, HOW>(address, site);
    default: return touch(address, bytes, HOW, site);
    }
}

void touch_plain(u64 address, u64 bytes, bool write, u64 site) {
    if (write) touch_usual<WRITE>(address, bytes, site);
    else touch_usual<READ>(address, bytes, site);
}

// ---- the functions that `-fsanitize=thread` makes the printed text call before each access

#define ACCESS(name, bytes, how) \
    EXPORT void __tsan_##name(const void* at) { touch_sized<bytes, how>((u64)at, CALLER); }
#define ACCESSES(bytes)                           \
    ACCESS(read##bytes, bytes, READ)              \
    ACCESS(write##bytes, bytes, WRITE)            \
    ACCESS(unaligned_read##bytes, bytes, READ)    \
    ACCESS(unaligned_write##bytes, bytes, WRITE)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

EXPORT void __tsan_init() {}
EXPORT void __tsan_func_entry(void*) {}
EXPORT void __tsan_func_exit() {}
EXPORT void __tsan_read_range(const void* at, u64 bytes) { touch((u64)at, bytes, READ, CALLER); }
EXPORT void __tsan_write_range(void* at, u64 bytes) { touch((u64)at, bytes, WRITE, CALLER); }

EXPORT void* __tsan_memset(void* to, int byte, u64 bytes) {
    touch((u64)to, bytes, WRITE, CALLER);
    return memset(to, byte, bytes);
}
EXPORT void* __tsan_memcpy(void* to, const void* from, u64 bytes) {
    touch((u64)from, bytes, READ, CALLER);
    touch((u64)to, bytes, WRITE, CALLER);
    return memcpy(to, from, bytes);
}
EXPORT void* __tsan_memmove(void* to, const void* from, u64 bytes) {
    touch((u64)from, bytes, READ, CALLER);
    touch((u64)to, bytes, WRITE, CALLER);
    return memmove(to, from, bytes);
}
