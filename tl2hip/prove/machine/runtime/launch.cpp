// A launch: the program's kernel by its name, its arguments, and its blocks one after the other.

#include "access.h"

Wave waves[MAX_WAVES];
Running running;
Constants constants[MAX_CONSTANTS];
u32 constant_count;

static const Kernel* kernels;
static u32 kernel_count, own_constants;

constexpr u32 MAX_ARGUMENTS = 4096;
static u8 arguments[MAX_ARGUMENTS] __attribute__((aligned(64)));
static u8 block_lds[65536] __attribute__((aligned(256)));

// The program that launches of the next call run; none after a call. False when it is larger than there is room for.
EXPORT bool tl2hip_program(const Kernel* given, u32 count, const Constants* ranges_of, u32 range_total) {
    if (range_total >= MAX_CONSTANTS) return false;
    for (u32 k = 0; k < count; ++k)
        if (given[k].arguments_bytes > MAX_ARGUMENTS || given[k].lds > sizeof block_lds) return false;
    kernels = given;
    kernel_count = count;
    own_constants = range_total;
    for (u32 k = 0; k < range_total; ++k) constants[k] = ranges_of[k];
    constant_count = range_total;
    running = {};
    return true;
}

// The sizes of what the executor and Python share, and the place of a late field of each, which must agree.
EXPORT void tl2hip_layout(u32* sizes) {
    const u32 own[] = {sizeof(Source), sizeof(Code), sizeof(Wave), sizeof(Facts), sizeof(Hidden), sizeof(Kernel)};
    const u32 places[] = {__builtin_offsetof(Source, bits), __builtin_offsetof(Code, high),
                          __builtin_offsetof(Wave, scc),    __builtin_offsetof(Facts, indexed),
                          __builtin_offsetof(Hidden, bytes), __builtin_offsetof(Kernel, scratch)};
    memcpy(sizes, own, sizeof own);
    memcpy(sizes + sizeof own / 4, places, sizeof places);
}

static u32 kernel_named(const char* name) {
    for (u32 k = 0; k < kernel_count; ++k)
        if (same_text(kernels[k].name, name)) return k;
    return kernel_count;
}

// Grids are made of whole blocks, begin at 0 and leave no remainder.
static u64 hidden_value(u32 kind) {
    if (kind < GROUP_SIZE) return unit.grid[kind - BLOCK_COUNT];
    if (kind < REMAINDER) return unit.block[kind - GROUP_SIZE];
    if (kind < GRID_DIMS) return 0;
    return unit.grid[2] * unit.block[2] > 1 ? 3 : unit.grid[1] * unit.block[1] > 1 ? 2 : 1;
}

static void write_arguments(const Kernel& kernel, const void* given) {
    memset(arguments, POISON, kernel.arguments_bytes);
    memcpy(arguments, given, kernel.given_bytes);
    for (u32 h = 0; h < kernel.hidden_count; ++h) {
        const Hidden& one = kernel.hidden[h];
        u64 value = hidden_value(one.kind);
        memcpy(arguments + one.offset, &value, one.bytes);
    }
    constants[own_constants] = {(u64)arguments, (u64)arguments + kernel.arguments_bytes};
    constant_count = own_constants + 1;
}

// What a wave finds in its registers; all else is poison.
static void start_wave(u32 number) {
    const Kernel& kernel = *running.kernel;
    Wave& w = waves[number];
    memset(w.s, POISON, sizeof w.s);
    memset(w.v, POISON, kernel.rows * sizeof w.v[0]);
    memset(w.v + AGPRS, POISON, kernel.accumulators * sizeof w.v[0]);
    w.set_pair(0, (u64)arguments);
    u32 next = 2;
    for (u32 axis = 0; axis < 3; ++axis)
        if (kernel.group_ids >> axis & 1) w.s[next++] = unit.id[axis];
    u32 x = unit.block[0], y = unit.block[1], lanes = unit.threads - number * WAVE;
    for (u32 lane = 0; lane < WAVE && lane < lanes; ++lane) {
        u32 thread = number * WAVE + lane;
        u32 id = thread % x;
        if (kernel.thread_ids >= 1) id |= thread / x % y << 10;
        if (kernel.thread_ids >= 2) id |= thread / (x * y) << 20;
        w.v[0][lane] = id;
    }
    w.set_pair(EXEC, lanes >= WAVE ? ~0ul : (1ul << lanes) - 1);
    w.at = 0;
    w.number = number;
    w.scc = 0;
    w.state = RUNS;
    w.lds_bytes = kernel.lds;
}

static void run_grid(const void*) {
    const u32* grid = unit.grid;
    u64 number = 0, blocks = (u64)grid[0] * grid[1] * grid[2];
    if (tracing) trace_among(blocks);
    for (unit.id[2] = 0; unit.id[2] < grid[2]; ++unit.id[2])
        for (unit.id[1] = 0; unit.id[1] < grid[1]; ++unit.id[1])
            for (unit.id[0] = 0; unit.id[0] < grid[0]; ++unit.id[0], ++number) {
                if (trace_leaves_out(number) || lines_leave_out(number)) continue;
                lines_block(number);
                counting_block(number, blocks);
                memset(unit.unfenced, 0, unit.threads);
                memset(block_lds, POISON, running.kernel->lds);
                shadow_block();
                if (running.kernel->scratch) scratch_block();
                for (u32 w = 0; w < unit.wave_count; ++w) start_wave(w);
                run_waves();
                counting_block_done();
                trace_block_done();
                lines_block_done(number);
            }
    unit.current = 0;
}

static u64 site_now() { return running.code ? site_of(*running.code) : unit.launch_site; }

static void refuse_launch(u64 site, int error) {
    report(INVALID_LAUNCH, ERROR, site, NOWHERE, 0, nullptr, 0);
    unit.last_error = error;
}

EXPORT void tl2hip_launch_machine(const char* name, const void* given, u32 bytes, const u32* grid, const u32* block,
                                  u32 lds, u64 site) {
    count_call(site);
    if (unit.aborted) return;
    unit.launch_site = site;
    ++unit.launched;
    u32 number = kernel_named(name);
    if (number == kernel_count) return refuse_launch(site, 98);
    const Kernel& kernel = kernels[number];
    u32 threads = block[0] * block[1] * block[2];
    if (int wrong = check_sizes(grid, block, lds)) return refuse_launch(site, wrong);
    if (threads > kernel.most_threads || bytes != kernel.given_bytes) return refuse_launch(site, 9);
    note_launch(name);
    trace_launch(name);
    if (trace_passes_over()) return;
    memcpy(unit.grid, grid, sizeof unit.grid);
    memcpy(unit.block, block, sizeof unit.block);
    unit.threads = threads;
    unit.wave_count = (threads + WAVE - 1) / WAVE;
    unit.lds = (u64)block_lds;
    unit.lds_end = unit.lds + kernel.lds;
    unit.machine = true;
    unit.machine_site = site_now;
    running = {&kernel, number, kernel.code};
    write_arguments(kernel, given);
    shadow_launch();
    if (!scratch_launch(kernel.scratch, unit.wave_count)) return refuse_launch(site, 2);
    u32 mode = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(IEEE_MODE);
    bool ran = run_alone(run_grid, nullptr);
    __builtin_ia32_ldmxcsr(mode);
    if (!ran) return refuse_launch(site, 2);
    if (!unit.aborted) return;
    counting_block_done();
    unit.last_error = LAUNCH_FAILURE;
}
