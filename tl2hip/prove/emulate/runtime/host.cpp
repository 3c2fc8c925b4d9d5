// What Python calls, what stands for HIP's own functions, and what keeps a fault of a kernel from ending the process.

#include "runtime.h"

Findings findings;

Finding* report(Kind kind, Severity severity, u64 site, int place, i64 offset, const Access* access, u32 other) {
    if (!(site & MACHINE_SITE)) site = site >= unit.image && site < unit.image_end ? site - unit.image : 0;
    for (u32 f = 0; f < findings.count; ++f) {
        Finding& old = findings.items[f];
        if (old.kind == kind && old.severity == severity && old.site == site && old.place == place) {
            ++old.count;
            return &old;
        }
    }
    if (findings.count == MAX_FINDINGS) return nullptr;
    Finding& found = findings.items[findings.count++];
    found = {kind,   severity, site,  offset, place, access ? access->bytes : 0, unit.current, other,
             {unit.id[0], unit.id[1], unit.id[2]}, access && access->write,     1};
    return &found;
}

// ---- what was launched

struct Launched {
    const char* name;
    u64 count;
};
constexpr u32 MAX_LAUNCHED = 256;

struct Launches {
    u32 count;
    Launched items[MAX_LAUNCHED];
};
static Launches launches;

bool same_text(const char* a, const char* b) {
    while (*a && *a == *b) ++a, ++b;
    return *a == *b;
}

void note_launch(const char* name) {
    for (u32 l = 0; l < launches.count; ++l) {
        if (!same_text(launches.items[l].name, name)) continue;
        ++launches.items[l].count;
        return;
    }
    if (launches.count < MAX_LAUNCHED) launches.items[launches.count++] = {name, 1};
}

EXPORT const Launches* tl2hip_launches() { return &launches; }

// ---- faults of the processor

struct SignalAction {
    void (*handler)(int, void*, void*);
    u64 mask[16];
    int flags;
    void (*restorer)();
};
struct SignalStack {
    void* at;
    int flags;
    u64 bytes;
};
extern "C" int sigaction(int signal, const SignalAction* action, SignalAction* old);
extern "C" int sigaltstack(const SignalStack* stack, SignalStack* old);

struct Timer {
    i64 every_seconds, every_microseconds, first_seconds, first_microseconds;
};
extern "C" int setitimer(int which, const Timer* timer, Timer* old);
extern "C" u64 pthread_self();
extern "C" int pthread_kill(u64 thread, int signal);

constexpr int SIGNALS[] = {4, 7, 8, 11, 26};  // ILL, BUS, FPE, SEGV, VTALRM
constexpr int SIGNAL_COUNT = 5, SIGFPE = 8, SIGVTALRM = 26, ITIMER_VIRTUAL = 1;
constexpr int SA_SIGINFO_ONSTACK_NODEFER = 0x48000004;
static SignalAction old_actions[SIGNAL_COUNT];
static SignalStack old_stack;
static u8 signal_stack[64 * 1024];

static u32 ticks;
static u64 launched_by_half;

static void set_timer(u64 first, u64 every) {
    Timer timer = {(i64)(every / 1000000), (i64)(every % 1000000), (i64)(first / 1000000), (i64)(first % 1000000)};
    setitimer(ITIMER_VIRTUAL, &timer, nullptr);
}

// Half of the time is up, or all of it: then a kernel that ran all through the second half does not come to an end,
// or else the launcher does not. The timer counts the process: another thread may be the one that is told.
static void on_time(u64 at) {
    if (!unit.running) return;
    if (pthread_self() != unit.owner) {
        pthread_kill(unit.owner, SIGVTALRM);
        return;
    }
    if (!ticks++) {
        launched_by_half = unit.launched;
        return;
    }
    // It comes again soon, until it meets a kernel or the launcher and not a function between these.
    set_timer(100000, 100000);
    if (unit.inside) {
        u64 site = unit.machine ? unit.machine_site() : at + 1;
        if (unit.launched == launched_by_half) report(HANG, ERROR, site, NOWHERE, 0, nullptr, 0);
        else report_endless(unit.launch_site);
        give_up();
    }
    if (at >= unit.image && at < unit.image_end) leave_launcher(at + 1);
}

static void on_signal(int signal, void* info, void* context) {
    u64 address = *(u64*)((u8*)info + 16), at = *(u64*)((u8*)context + 168);  // siginfo.si_addr, ucontext RIP
    if (signal == SIGVTALRM) {
        on_time(at);
        return;
    }
    if (!unit.inside || pthread_self() != unit.owner) {
        // Not a kernel's fault: the process's own handler sees it when the instruction runs again.
        for (int s = 0; s < SIGNAL_COUNT; ++s) sigaction(SIGNALS[s], &old_actions[s], nullptr);
        return;
    }
    u64 site = unit.machine ? unit.machine_site() : at + 1;
    report(signal == SIGFPE ? UNDEFINED : CRASH, ERROR, site, NOWHERE, (i64)address, nullptr, 0);
    give_up();
}

static void catch_signals() {
    SignalStack stack = {signal_stack, 0, sizeof signal_stack};
    sigaltstack(&stack, &old_stack);
    SignalAction action = {on_signal, {}, SA_SIGINFO_ONSTACK_NODEFER, nullptr};
    for (int s = 0; s < SIGNAL_COUNT; ++s) sigaction(SIGNALS[s], &action, &old_actions[s]);
}

// A last tick of the timer may still be on its way to another thread: it must not end the process.
static void leave_signals() {
    SignalAction& tick = old_actions[SIGNAL_COUNT - 1];
    if (!tick.handler) tick.handler = (void (*)(int, void*, void*))1;  // SIG_IGN in place of SIG_DFL
    for (int s = 0; s < SIGNAL_COUNT; ++s) sigaction(SIGNALS[s], &old_actions[s], nullptr);
    sigaltstack(&old_stack, nullptr);
}

// ---- one call of a launcher, from Python

struct Given {
    u64 low, high, writable;
};

// The address ranges of a library: its image and its LDS.
struct Image {
    u64 image, image_end, lds, lds_end;
};

// Make ready for a call of a launcher of a library by `tl2hip_call`: its buffers, whether accesses are checked, the
// processor seconds it may take, and the calls that it may make to HIP's functions. False when there are too many
// buffers.
EXPORT bool tl2hip_begin(u64 launcher, const Image* library, const Given* given, u32 count, bool detect, u32 seconds,
                         u64 calls) {
    if (count > MAX_RANGES) return false;
    detecting = detect;
    findings.count = 0;
    launches.count = 0;
    unit.aborted = false;
    unit.last_error = 0;
    unit.launched = 0;
    unit.calls_left = calls;
    unit.image = library->image;
    unit.image_end = library->image_end;
    unit.lds = library->lds;
    unit.lds_end = library->lds_end;
    range_count = count;
    for (u32 r = 0; r < count; ++r) {
        u64 bytes = given[r].high - given[r].low;
        ranges[r] = {given[r].low, given[r].high, given[r].writable != 0, (int)r, nullptr, nullptr, nullptr};
        if (!detect || !bytes) continue;
        ranges[r].written = make_cells(bytes);
        ranges[r].read = make_cells(bytes);
    }
    counting_reset();
    unit.owner = pthread_self();
    enter(launcher);
    catch_signals();
    ticks = 0;
    unit.running = true;
    set_timer(seconds * 500000ul, seconds * 500000ul);
    return true;
}

EXPORT void tl2hip_end() {
    set_timer(0, 0);
    unit.running = false;
    leave_signals();
    for (u32 r = 0; r < range_count; ++r) {
        u64 bytes = ranges[r].high - ranges[r].low;
        free_cells(ranges[r].written, bytes);
        free_cells(ranges[r].read, bytes);
        free_cells(ranges[r].atomic, bytes);
    }
    range_count = 0;
}

EXPORT const Findings* tl2hip_findings() { return &findings; }

// ---- HIP's functions for memory

enum { DEVICE_TO_HOST = 2 };

static bool may_touch(u64 address, u64 bytes, bool write, u64 site) {
    for (u32 r = 0; r < range_count; ++r) {
        const Range& range = ranges[r];
        if (address >= range.low && address <= range.high && bytes <= range.high - address)
            return range.writable || !write;
    }
    Access access = {address, (u32)bytes, write};
    report(OUT_OF_BOUNDS, ERROR, site, NOWHERE, (i64)address, &access, 0);
    return false;
}

EXPORT int hipMemsetAsync(void* to, int byte, u64 bytes, void*) {
    count_call(CALLER);
    if (unit.aborted) return LAUNCH_FAILURE;
    if (bytes && !may_touch((u64)to, bytes, true, CALLER)) return 1;
    memset(to, byte, bytes);
    return 0;
}

// Copies to the host only: `to` is the launcher's own memory.
EXPORT int hipMemcpyAsync(void* to, const void* from, u64 bytes, int kind, void*) {
    count_call(CALLER);
    if (unit.aborted) return LAUNCH_FAILURE;
    if (kind != DEVICE_TO_HOST) return 21;
    if (bytes && !may_touch((u64)from, bytes, false, CALLER)) return 1;
    memcpy(to, from, bytes);
    return 0;
}

EXPORT int hipStreamSynchronize(void*) { return unit.aborted ? LAUNCH_FAILURE : 0; }

EXPORT int hipMemcpyDtoDAsync(void* to, void* from, u64 bytes, void*) {
    count_call(CALLER);
    if (unit.aborted) return LAUNCH_FAILURE;
    if (bytes && !(may_touch((u64)to, bytes, true, CALLER) && may_touch((u64)from, bytes, false, CALLER))) return 1;
    memmove(to, from, bytes);
    return 0;
}

// ---- accesses that the printed text makes through a function

EXPORT void tl2hip_atomic_access(void* at, u32 bytes) {
    if (detecting) touch_atomic((u64)at, bytes, CALLER);
}

EXPORT u64 tl2hip_peek(const void* at, u32 bytes) {
    u64 bits = 0;
    memcpy(&bits, at, bytes);
    return bits;
}

EXPORT void tl2hip_poke(void* at, u32 bytes, u64 bits) { memcpy(at, &bits, bytes); }

// Bytes of a buffer access that are in range, in whole 32-bit pieces. As the GCN documents say, the vector offset is
// compared with what the scalar offset leaves of the records.
static u32 in_range(u32 records, u32 voffset, u32 soffset, u32 bytes) {
    u64 end = (u64)voffset + bytes;
    u64 room = records > soffset ? records - soffset : 0;
    return end <= room ? bytes : voffset < room ? (u32)(room - voffset) & ~3u : 0;
}

EXPORT void tl2hip_buffer_load(void* to, const void* base, u32 records, u32 voffset, u32 soffset, u32 bytes) {
    u32 good = in_range(records, voffset, soffset, bytes);
    const u8* from = (const u8*)base + voffset + soffset;
    memset(to, 0, bytes);
    if (detecting) touch((u64)from, good, READ, CALLER);
    memcpy(to, from, good);
}

EXPORT void tl2hip_buffer_store(const void* from, void* base, u32 records, u32 voffset, u32 soffset, u32 bytes) {
    u32 good = in_range(records, voffset, soffset, bytes);
    u8* to = (u8*)base + voffset + soffset;
    if (detecting) touch((u64)to, good, WRITE, CALLER);
    memcpy(to, from, good);
}
