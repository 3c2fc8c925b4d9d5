// Threads as fibers: the switch, the order they run in, meetings of a wave, barriers of a block, and the launch.

#include "runtime.h"

Unit unit;

constexpr u64 STACK = 256 * 1024, GUARD = 4096;
constexpr int PROT_NONE = 0, PROT_READ_WRITE = 3, MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x4022;

// A worker is a stack that runs lanes one after the other; it is bound to a lane only while that lane waits.
static u64 stack_pointers[MAX_THREADS];
static u16 free_workers[MAX_THREADS];
static u32 free_count, made_count;
static u16 worker_of[MAX_THREADS];  // of a lane that has started
static u32 worker_now;
static u64 host_pointer;
static void (*body)(const void*);
static const void* body_arguments;

// Save the callee-saved registers and the stack pointer at *from, and go on at `to`. It ends in a jump: the processor
// predicts the returns above from the last fiber's calls, which are the same in this one.
extern "C" void tl2hip_switch(u64* from, u64 to);
__asm__(
    ".text\n.p2align 4\n.hidden tl2hip_switch\n.globl tl2hip_switch\n.type tl2hip_switch,@function\ntl2hip_switch:\n"
    "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
    "movq %rsp,(%rdi)\nmovq %rsi,%rsp\n"
    "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\npopq %rcx\njmpq *%rcx\n"
    ".size tl2hip_switch,.-tl2hip_switch\n");

static void work();

// Tops are staggered by a few cache lines: equal offsets in every stack would fight for the same cache sets.
static void reset_worker(u32 worker) {
    u64 top = unit.stacks + (worker + 1) * STACK - 64 - (worker % 61) * 192;
    u64* frame = (u64*)(top & ~63ul);
    frame[-1] = 0;  // the return address of work(), which never returns; the stack is 8 off 16 on entry
    frame[-2] = (u64)work;
    stack_pointers[worker] = (u64)(frame - 8);
}

static u32 take_worker() {
    if (free_count) return free_workers[--free_count];
    u32 worker = made_count++;
    mprotect((void*)(unit.stacks + worker * STACK + GUARD), STACK - GUARD, PROT_READ_WRITE);
    reset_worker(worker);
    return worker;
}

// True when the stacks are there; they are reserved once and their pages come with use.
static bool make_stacks() {
    if (unit.stacks) return true;
    u64 size = STACK * MAX_THREADS;
    void* at = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE_ANONYMOUS_NORESERVE, -1, 0);
    if ((i64)at == -1) return false;
    unit.stacks = (u64)at;
    unit.stacks_end = unit.stacks + size;
    return true;
}

static void to_host() {
    unit.inside = false;
    tl2hip_switch(&stack_pointers[worker_now], host_pointer);
}

void give_up() {
    unit.aborted = true;
    to_host();
    __builtin_unreachable();
}

static void forget_lanes() {
    for (u32 w = 0; w < made_count; ++w) {
        reset_worker(w);
        free_workers[w] = (u16)w;
    }
    free_count = made_count;
}

// The next lane of a wave that can run: not yet started ones first, in order. -1 when there is none.
static int runnable(u32 wave) {
    Lanes& w = unit.waves[wave];
    u64 mask = w.unstarted ? w.unstarted : w.ready;
    return mask ? (int)(wave * WAVE + __builtin_ctzl(mask)) : -1;
}

static void release_barrier() {
    for (u32 w = 0; w < unit.wave_count; ++w) {
        unit.waves[w].ready = unit.waves[w].at_barrier;
        unit.waves[w].at_barrier = 0;
    }
    unit.at_barrier = 0;
    shadow_barrier();
}

// The lane that goes on now; -1 when all have ended. Nothing that can run while lanes wait is a divergence.
static int next() {
    u32 mine = unit.current / WAVE;
    if (unit.waves[mine].unstarted) return (int)(mine * WAVE + __builtin_ctzl(unit.waves[mine].unstarted));
    for (u32 step = 0; step < unit.wave_count; ++step) {
        u32 wave = mine + step < unit.wave_count ? mine + step : mine + step - unit.wave_count;
        int lane = runnable(wave);
        if (lane >= 0) return lane;
    }
    if (!unit.alive) return -1;
    if (unit.at_barrier == unit.threads) {
        release_barrier();
        return runnable(0);
    }
    for (u32 w = 0; w < unit.wave_count; ++w) {
        Lanes& wave = unit.waves[w];
        u64 stuck = wave.waiting ? wave.waiting : wave.at_barrier;
        if (!stuck) continue;
        unit.current = w * WAVE + __builtin_ctzl(stuck);
        if (wave.waiting) report(DIVERGENT_WAVE, ERROR, wave.site, NOWHERE, 0, nullptr, 0);
        else report(DIVERGENT_BARRIER, ERROR, wave.site, NOWHERE, 0, nullptr, 0);
        break;
    }
    give_up();
}

// Leave the lane that runs (it waits) and go on with another, or come straight back.
static void yield() {
    u32 me = unit.current, worker = worker_now;
    int lane = next();
    Lanes& wave = unit.waves[lane / WAVE];
    u64 bit = 1ul << lane % WAVE;
    unit.current = lane;
    if (wave.unstarted & bit) {
        worker_of[lane] = (u16)take_worker();
    } else {
        wave.ready &= ~bit;
        if ((u32)lane == me) return;
    }
    worker_now = worker_of[lane];
    tl2hip_switch(&stack_pointers[worker], stack_pointers[worker_now]);
}

static void finish_lane();

// What a worker does: run the current lane, then the next one, without a switch while lanes are left to start.
static void work() {
    for (;;) {
        unit.waves[unit.current / WAVE].unstarted &= ~(1ul << unit.current % WAVE);
        body(body_arguments);
        finish_lane();
        int lane = next();
        if (lane < 0) {
            free_workers[free_count++] = (u16)worker_now;
            to_host();
            continue;
        }
        unit.current = lane;
        Lanes& wave = unit.waves[lane / WAVE];
        u64 bit = 1ul << lane % WAVE;
        if (wave.unstarted & bit) {
            worker_of[lane] = (u16)worker_now;
            continue;
        }
        wave.ready &= ~bit;
        u32 worker = worker_now;
        free_workers[free_count++] = (u16)worker;
        worker_now = worker_of[lane];
        tl2hip_switch(&stack_pointers[worker], stack_pointers[worker_now]);
    }
}

static void hold_meeting(Lanes& wave) {
    u64 present = wave.waiting;
    wave.waiting = 0;
    wave.ready |= present;
    wave.meeting(wave, present);
}

static void finish_lane() {
    Lanes& wave = wave_now();
    wave.alive &= ~(1ul << lane_now());
    unit.alive--;
    if (wave.waiting && wave.waiting == wave.alive) hold_meeting(wave);
}

void meet(Meeting meeting, void* arguments, u64 site) {
    if (!unit.inside) return;
    Lanes& wave = wave_now();
    u64 bit = 1ul << lane_now();
    if (wave.at_barrier || (wave.waiting && (wave.site != site || wave.meeting != meeting))) {
        report(DIVERGENT_WAVE, ERROR, site, NOWHERE, 0, nullptr, 0);
        give_up();
    }
    wave.meeting = meeting;
    wave.site = site;
    wave.arguments[lane_now()] = arguments;
    wave.waiting |= bit;
    if (wave.waiting == wave.alive) {
        hold_meeting(wave);
        wave.ready &= ~bit;
        return;
    }
    yield();
}

// All lanes of a wave stand at one barrier; waves may stand at different ones, as the hardware counts waves.
static void barrier(u64 site) {
    if (!unit.inside) return;
    Lanes& wave = wave_now();
    if (wave.waiting || (wave.at_barrier && wave.site != site)) {
        report(DIVERGENT_BARRIER, ERROR, site, NOWHERE, 0, nullptr, 0);
        give_up();
    }
    wave.site = site;
    wave.at_barrier |= 1ul << lane_now();
    unit.at_barrier++;
    yield();
}

EXPORT void tl2hip_fence(int order) {
    if (unit.inside && order != __ATOMIC_ACQUIRE) unit.unfenced[unit.current] = false;
}

EXPORT void tl2hip_syncthreads() {
    tl2hip_fence(__ATOMIC_SEQ_CST);
    barrier(CALLER);
}

EXPORT void tl2hip_s_barrier() { barrier(CALLER); }

EXPORT unsigned tl2hip_thread(int axis) {
    u32 x = unit.block[0], y = unit.block[1], linear = unit.current;
    if (y * unit.block[2] == 1) return axis ? 0 : linear;
    return axis == 0 ? linear % x : axis == 1 ? linear / x % y : linear / (x * y);
}
EXPORT unsigned tl2hip_block(int axis) { return unit.id[axis]; }
EXPORT unsigned tl2hip_block_size(int axis) { return unit.block[axis]; }
EXPORT unsigned tl2hip_grid_size(int axis) { return unit.grid[axis]; }
EXPORT unsigned tl2hip_lane() { return lane_now(); }

static void run_block() {
    for (u32 w = 0; w < unit.wave_count; ++w) {
        u32 lanes = unit.threads - w * WAVE;
        u64 all = lanes >= WAVE ? ~0ul : (1ul << lanes) - 1;
        Lanes& wave = unit.waves[w];
        wave.unstarted = wave.alive = all;
        wave.ready = wave.waiting = wave.at_barrier = 0;
    }
    unit.alive = unit.threads;
    unit.at_barrier = 0;
    unit.current = 0;
    memset(unit.unfenced, 0, unit.threads);
    if (unit.lds_end > unit.lds) memset((void*)unit.lds, POISON, unit.lds_end - unit.lds);
    shadow_block();
    worker_of[0] = (u16)(worker_now = take_worker());
    unit.inside = true;
    tl2hip_switch(&host_pointer, stack_pointers[worker_now]);
    unit.inside = false;
}

// Code of the library (offsets in its image) and the block sizes that it was compiled for.
struct Limit {
    u64 low, high, least, most;
};
static const Limit* limits;
static u32 limit_count;

EXPORT void tl2hip_limits(const Limit* given, u32 count) {
    limits = given;
    limit_count = count;
}

int check_sizes(const u32* grid, const u32* block, u32 lds) {
    u64 threads = (u64)block[0] * block[1] * block[2];
    if (!threads || threads > MAX_THREADS) return 9;
    if (!grid[0] || !grid[1] || !grid[2] || grid[0] > 0x7FFFFFFFu || grid[1] > 65535 || grid[2] > 65535) return 9;
    return lds ? 1 : 0;  // dynamic LDS is not emulated
}

static int check_launch(u64 kernel, const u32* grid, const u32* block, u32 lds) {
    u64 threads = (u64)block[0] * block[1] * block[2];
    for (u32 l = 0; l < limit_count; ++l)
        if (kernel >= limits[l].low && kernel < limits[l].high && (threads < limits[l].least || threads > limits[l].most))
            return 9;
    return check_sizes(grid, block, lds);
}

bool run_alone(void (*what)(const void*), const void* arguments) {
    if (!make_stacks()) return false;
    memset(unit.waves, 0, sizeof unit.waves);
    unit.waves[0].unstarted = unit.waves[0].alive = unit.alive = 1;
    unit.current = 0;
    body = what;
    body_arguments = arguments;
    worker_of[0] = (u16)(worker_now = take_worker());
    unit.inside = true;
    tl2hip_switch(&host_pointer, stack_pointers[worker_now]);
    unit.inside = false;
    if (unit.aborted) forget_lanes();
    return true;
}

static void run_grid() {
    const u32* grid = unit.grid;
    u64 number = 0, blocks = (u64)grid[0] * grid[1] * grid[2];
    for (unit.id[2] = 0; unit.id[2] < grid[2]; ++unit.id[2])
        for (unit.id[1] = 0; unit.id[1] < grid[1]; ++unit.id[1])
            for (unit.id[0] = 0; unit.id[0] < grid[0]; ++unit.id[0], ++number) {
                counting_block(number, blocks);
                run_block();
                counting_block_done();
                if (unit.aborted) {
                    forget_lanes();
                    unit.last_error = LAUNCH_FAILURE;
                    return;
                }
            }
}

EXPORT void tl2hip_launch(u64 kernel, const char* name, void (*call)(const void*), const void* arguments,
                          const u32* grid, const u32* block, u32 lds, u64 site) {
    count_call(site);
    if (unit.aborted) return;
    unit.launch_site = site;
    ++unit.launched;
    int wrong = check_launch(kernel - unit.image, grid, block, lds);
    if (wrong || !make_stacks()) {
        report(INVALID_LAUNCH, ERROR, site, NOWHERE, 0, nullptr, 0);
        unit.last_error = wrong ? wrong : 2;
        return;
    }
    note_launch(name);
    memcpy(unit.grid, grid, sizeof unit.grid);
    memcpy(unit.block, block, sizeof unit.block);
    unit.threads = block[0] * block[1] * block[2];
    unit.wave_count = (unit.threads + WAVE - 1) / WAVE;
    body = call;
    body_arguments = arguments;
    shadow_launch();
    // Whatever the process has set, kernels get the device's mode.
    u32 mode = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(IEEE_MODE);
    run_grid();
    __builtin_ia32_ldmxcsr(mode);
}

EXPORT int hipGetLastError() {
    int error = unit.last_error;
    if (!unit.aborted) unit.last_error = 0;
    return error;
}
