// Which lines of memory the blocks of a round read: each block's own, those of the blocks of one XCD, those of all.
//
// A line is counted once for each block, each XCD and the round that reads it, however often it does. Lines that are
// only written are not counted: they come from nowhere.

#include "access.h"

constexpr u32 XCDS = 8, L2_LINE = 128;

// What Python reads, in the layout of lines.py.
struct Round {
    u64 asked[XCDS], behind[XCDS], all;  // lines that blocks read, those of each block for itself; of an XCD; of all
    u8 ended, cut, no_room;              // `cut`: waves were ended that had executed enough
    u32 bytes;                           // of this record
};
// Of one line: the number of the last block that read it, and a bit for each XCD.
struct Line {
    u32 block;
    u32 xcds;
};

bool reading_lines;
static Round read_by;
static u64 first_block, last_block;
static u32 most_steps, xcd, block_now;
static bool cut_now;
static Line* lines;
static u64 line_bytes, line_of[MAX_RANGES];  // of the table; where the lines of a range begin in it

EXPORT const Round* tl2hip_round() {
    read_by.bytes = sizeof(Round);
    return &read_by;
}

void lines_forget() { read_by = {}; }

void lines_end() {
    if (lines) munmap(lines, line_bytes);
    lines = nullptr;
    reading_lines = false;
}

void lines_launch(u64 first, u64 count, u32 steps) {
    u64 total = 0;
    for (u32 k = 0; k < range_count; ++k) {
        line_of[k] = total - ranges[k].low / L2_LINE;
        total += ranges[k].high / L2_LINE - ranges[k].low / L2_LINE + 1;
    }
    line_bytes = (total + 1) * sizeof(Line);
    void* at = mmap(nullptr, line_bytes, 3, 0x4022, -1, 0);
    lines = (i64)at == -1 ? nullptr : (Line*)at;
    first_block = first;
    last_block = first + count - 1;
    most_steps = steps;
    block_now = 0;
    reading_lines = true;
}

bool lines_leave_out(u64 block) { return reading_lines && (block < first_block || block > last_block); }

void lines_block(u64 block) {
    if (!reading_lines) return;
    xcd = (u32)(block % XCDS);
    ++block_now;
    cut_now = false;
}

void lines_block_done(u64 block) {
    if (!reading_lines || block != last_block) return;
    read_by.ended = true;
    lines_end();
    give_up();  // no other block is of interest
}

bool lines_cut() { return reading_lines && cut_now; }

static void read_line(Line& line) {
    if (line.block == block_now) return;
    line.block = block_now;
    ++read_by.asked[xcd];
    read_by.all += !line.xcds;
    read_by.behind[xcd] += !(line.xcds >> xcd & 1);
    line.xcds |= 1u << xcd;
}

void lines_read(u64 address, u32 bytes) {
    static u32 last;
    for (u32 tried = 0; tried < range_count; ++tried) {
        if (last >= range_count) last = 0;
        const Range& range = ranges[last];
        if (address >= range.low && address < range.high) {
            const u64 end = (address + bytes - 1) / L2_LINE;
            for (u64 one = address / L2_LINE; one <= end; ++one) read_line(lines[line_of[last] + one]);
            return;
        }
        ++last;
    }
}

void run_reading(Wave& w, const Code* code) {
    if (!lines) {
        read_by.no_room = true;
        give_up();
    }
    static u32 done_of[MAX_WAVES];
    u32& done = done_of[w.number];
    if (!w.at) done = 0;
    for (; w.state == RUNS; ++done) {
        if (done == most_steps) {
            read_by.cut = cut_now = true;
            w.state = ENDED;
            return;
        }
        const Code& c = code[w.at++];
        running.code = &c;
        c.run(w, c);
    }
}
