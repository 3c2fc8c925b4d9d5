// Updates of global memory: lane after lane, in the order of lanes. With sc0 the old value is given.

#include "access.h"

template <class T, class Combine>
static inline void update(Wave& w, const Code& c, Combine combine) {
    Addresses at;
    take_addresses(w, c, at);
    u64 exec = w.exec();
    each_lane(exec, [&](u32 lane) { check_update(w, lane, at.of[lane], sizeof(T), site_of(c)); });
    each_lane(exec, [&](u32 lane) {
        T old, made;
        memcpy(&old, (const void*)at.of[lane], sizeof(T));
        made = combine(old, lane_value<T>(w, c.b, lane), lane);
        memcpy((void*)at.of[lane], &made, sizeof(T));
        if (c.d.kind == ROW) set_lane_value<T>(w, c.d, lane, old);
    });
}

#define UPDATE(name, type, formula)                                                                        \
    INSTRUCTION(global_atomic_##name) {                                                                    \
        update<type>(w, c, [&](type a, [[maybe_unused]] type b, u32) -> type { return (type)(formula); }); \
    }                                                                                                      \
    INSTRUCTION(flat_atomic_##name) { global_atomic_##name(w, c); }

UPDATE(add, u32, a + b)
UPDATE(add_x2, u64, a + b)
UPDATE(sub, u32, a - b)
UPDATE(sub_x2, u64, a - b)
UPDATE(smin, i32, b < a ? b : a)
UPDATE(smin_x2, i64, b < a ? b : a)
UPDATE(umin, u32, b < a ? b : a)
UPDATE(umin_x2, u64, b < a ? b : a)
UPDATE(smax, i32, b > a ? b : a)
UPDATE(smax_x2, i64, b > a ? b : a)
UPDATE(umax, u32, b > a ? b : a)
UPDATE(umax_x2, u64, b > a ? b : a)
UPDATE(and, u32, a & b)
UPDATE(and_x2, u64, a & b)
UPDATE(or, u32, a | b)
UPDATE(or_x2, u64, a | b)
UPDATE(xor, u32, a ^ b)
UPDATE(xor_x2, u64, a ^ b)
UPDATE(swap, u32, b)
UPDATE(swap_x2, u64, b)
UPDATE(add_f32, f32, a + b)
UPDATE(add_f64, f64, a + b)
UPDATE(min_f64, f64, a != a ? b : b < a ? b : a)
UPDATE(max_f64, f64, a != a ? b : b > a ? b : a)
#undef UPDATE

// The first half of the data is stored, the second one compared.
template <class T>
static inline void compare_and_swap(Wave& w, const Code& c) {
    Source compared = c.b;
    compared.first += sizeof(T) / 4;
    update<T>(w, c, [&](T a, T b, u32 lane) -> T { return a == lane_value<T>(w, compared, lane) ? b : a; });
}

INSTRUCTION(global_atomic_cmpswap) { compare_and_swap<u32>(w, c); }
INSTRUCTION(global_atomic_cmpswap_x2) { compare_and_swap<u64>(w, c); }
INSTRUCTION(flat_atomic_cmpswap) { compare_and_swap<u32>(w, c); }
INSTRUCTION(flat_atomic_cmpswap_x2) { compare_and_swap<u64>(w, c); }
