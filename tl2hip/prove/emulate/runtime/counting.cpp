// Bank conflicts and coalescing: accesses of a wave's lanes at one place, the n-th time each, are one instruction.
//
// Every block of a small grid is counted, else a spread of BLOCKS of them, and of each place and wave the first
// TIMES instructions of a block: enough for a pattern, and memory stays flat.

#include "runtime.h"

constexpr u32 MAX_SITES = 512, TIMES = 16, BLOCKS = 8, HASH = 2048;
constexpr u32 BANKS = 32, REQUEST = 64, LINE = 128;

// What Python reads: sums over the counted instructions of one place in the text.
struct Count {
    u64 site;
    u32 bytes, write, lds;
    u64 instructions, lanes;
    u64 cost, ideal;  // LDS: clocks of the bank model and without conflicts; global: 64-byte requests, and fewest
    u64 lines;        // global: 128-byte lines
};
struct Counts {
    u32 count, dropped;  // dropped: places past MAX_SITES
    Count items[MAX_SITES];
};

static Counts counts;
static u64 site_addresses[MAX_SITES];
static u16 site_hash[HASH];  // number of the site plus one
static u8 times[MAX_SITES][MAX_THREADS];
static LaneAddresses* instructions;  // [site][wave][time], pages come with use
bool counting;
static bool used[MAX_SITES];

static LaneAddresses& instruction(u32 site, u32 wave, u32 time) {
    return instructions[((u64)site * MAX_WAVES + wave) * TIMES + time];
}

void counting_reset() {
    memset(&counts, 0, sizeof counts);
    memset(site_hash, 0, sizeof site_hash);
    counting = false;
}

void counting_block(u64 number, u64 blocks) {
    counting = detecting && (blocks <= BLOCKS || number % (blocks / BLOCKS) == 0);
    if (!counting || instructions) return;
    void* at = mmap(nullptr, sizeof(LaneAddresses) * MAX_SITES * MAX_WAVES * TIMES, 3, 0x4022, -1, 0);
    instructions = (i64)at == -1 ? nullptr : (LaneAddresses*)at;
    counting = instructions != nullptr;
}

static int site_number(u64 site, u32 bytes, bool write, bool lds) {
    u64 key = site << 2 | (u64)write << 1 | (u64)lds;
    u32 slot = (u32)((key * 0x9E3779B97F4A7C15ul) >> 53);
    for (; site_hash[slot]; slot = (slot + 1) % HASH) {
        u32 number = site_hash[slot] - 1;
        if (site_addresses[number] == key) return (int)number;
    }
    if (counts.count == MAX_SITES) {
        ++counts.dropped;
        return -1;
    }
    u32 number = counts.count++;
    site_addresses[number] = key;
    site_hash[slot] = (u16)(number + 1);
    counts.items[number] = {place_of(site), bytes, write, lds, 0, 0, 0, 0, 0};
    return (int)number;
}

void counting_access(u64 address, u32 bytes, bool write, bool lds, u64 site) {
    if (!counting) return;
    int number = site_number(site, bytes, write, lds);
    if (number < 0) return;
    u8& time = times[number][unit.current];
    if (time == TIMES) return;
    LaneAddresses& made = instruction(number, unit.current / WAVE, time++);
    made.present |= 1ul << lane_now();
    made.address[lane_now()] = address;
    used[number] = true;
}

// Clocks of lanes served together: the most different 32-bit words that one bank must give. A word that is updated is
// given to one lane at a time.
static u32 phase_clocks(const LaneAddresses& made, u64 lanes, u32 bytes, bool update) {
    u64 words[BANKS][WAVE];
    u32 depth[BANKS] = {}, most = 0;
    for (; lanes; lanes &= lanes - 1) {
        u64 first = made.address[__builtin_ctzl(lanes)] / 4;
        for (u32 w = 0; w < (bytes + 3) / 4; ++w) {
            u32 bank = (first + w) % BANKS, seen = update ? depth[bank] : 0;
            while (seen < depth[bank] && words[bank][seen] != first + w) ++seen;
            if (seen == depth[bank]) words[bank][depth[bank]++] = first + w;
            if (depth[bank] > most) most = depth[bank];
        }
    }
    return most;
}

// Lanes 0-3 and 20-23 are read together, and so on (measured on MI300: ROCm blog "LDS bank conflict", tingqli/pyhip).
constexpr u32 READ_B128[4] = {0x00F0000F, 0x000F00F0, 0xF0000F00, 0x0F00F000};

static u64 phase_lanes(u32 bytes, bool write, u32 phase) {
    if (bytes <= 4) return 0xFFFFFFFFul << 32 * phase;
    if (bytes <= 8) return 0xFFFFul << 16 * phase;
    if (write) return 0xFFul << 8 * phase;
    return (u64)READ_B128[phase % 4] << 32 * (phase / 4);
}

u32 bank_clocks(const LaneAddresses& made, u32 bytes, Touch how, u32& phases) {
    u32 possible = bytes <= 4 ? 2 : bytes <= 8 ? 4 : 8, clocks = 0;
    phases = 0;
    for (u32 phase = 0; phase < possible; ++phase) {
        u64 lanes = made.present & phase_lanes(bytes, how != READ, phase);
        if (!lanes) continue;
        clocks += phase_clocks(made, lanes, bytes, how == ATOMIC);
        ++phases;
    }
    return clocks;
}

static void count_lds(Count& count, const LaneAddresses& made) {
    u32 phases;
    count.cost += bank_clocks(made, count.bytes, count.write ? WRITE : READ, phases);
    count.ideal += phases;
}

u32 distinct_pieces(const LaneAddresses& made, u32 bytes, u32 unit_bytes) {
    u64 seen[WAVE * 2];
    u32 found = 0;
    for (u64 left = made.present; left; left &= left - 1) {
        u64 at = made.address[__builtin_ctzl(left)];
        for (u64 piece = at / unit_bytes; piece <= (at + bytes - 1) / unit_bytes; ++piece) {
            u32 s = found;
            while (s > 0 && seen[s - 1] != piece) --s;
            if (s == 0 && found < WAVE * 2) seen[found++] = piece;
        }
    }
    return found;
}

// The fewest requests are those of the same lanes side by side; lanes with one address count once.
static void count_global(Count& count, const LaneAddresses& made) {
    if (count.bytes > 16) return;
    u32 places = distinct_pieces(made, 1, 1);
    count.cost += distinct_pieces(made, count.bytes, REQUEST);
    count.ideal += (places * count.bytes + REQUEST - 1) / REQUEST;
    count.lines += distinct_pieces(made, count.bytes, LINE);
}

void counting_block_done() {
    if (!counting) return;
    for (u32 site = 0; site < counts.count; ++site) {
        if (!used[site]) continue;
        used[site] = false;
        Count& count = counts.items[site];
        for (u32 wave = 0; wave < unit.wave_count; ++wave)
            for (u32 time = 0; time < TIMES; ++time) {
                LaneAddresses& made = instruction(site, wave, time);
                if (!made.present) break;
                ++count.instructions;
                count.lanes += __builtin_popcountl(made.present);
                if (count.lds) count_lds(count, made);
                else count_global(count, made);
                made.present = 0;
            }
        memset(times[site], 0, unit.threads);
    }
    counting = false;
}

EXPORT const Counts* tl2hip_counts() { return &counts; }
