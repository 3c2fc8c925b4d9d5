// The call of a launcher: its loops are bounded, and it can be left from wherever it is.

#include "runtime.h"

// The registers that a function keeps, the stack and the way back, as they were at the call; and the launcher.
struct Entered {
    u64 rbx, rbp, r12, r13, r14, r15, stack, back, launcher;
};
extern "C" Entered tl2hip_entered;
Entered tl2hip_entered;

// tl2hip_call takes what the launcher takes and goes on there: every register and the stack stay as they are.
// tl2hip_leave returns from that call in the launcher's place. A launcher has nothing to destroy on the way.
extern "C" [[noreturn]] void tl2hip_leave(int status);
__asm__(
    ".text\n.p2align 4\n.globl tl2hip_call\n.type tl2hip_call,@function\ntl2hip_call:\n"
    "leaq tl2hip_entered(%rip),%r11\n"
    "movq %rbx,(%r11)\nmovq %rbp,8(%r11)\nmovq %r12,16(%r11)\nmovq %r13,24(%r11)\nmovq %r14,32(%r11)\n"
    "movq %r15,40(%r11)\nmovq %rsp,48(%r11)\nmovq (%rsp),%r10\nmovq %r10,56(%r11)\njmpq *64(%r11)\n"
    ".size tl2hip_call,.-tl2hip_call\n"
    ".p2align 4\n.hidden tl2hip_leave\n.globl tl2hip_leave\n.type tl2hip_leave,@function\ntl2hip_leave:\n"
    "leaq tl2hip_entered(%rip),%r11\nmovl %edi,%eax\n"
    "movq (%r11),%rbx\nmovq 8(%r11),%rbp\nmovq 16(%r11),%r12\nmovq 24(%r11),%r13\nmovq 32(%r11),%r14\n"
    "movq 40(%r11),%r15\nmovq 48(%r11),%rsp\naddq $8,%rsp\njmpq *56(%r11)\n"
    ".size tl2hip_leave,.-tl2hip_leave\n");

void enter(u64 launcher) { tl2hip_entered.launcher = launcher; }

void report_endless(u64 site) {
    if (Finding* found = report(HANG, ERROR, site, NOWHERE, 0, nullptr, LAUNCHER)) found->count = unit.launched;
}

void leave_launcher(u64 site) {
    if (!unit.aborted) report_endless(site);
    unit.aborted = true;
    tl2hip_leave(LAUNCH_FAILURE);
}

void count_call(u64 site) {
    if (!unit.calls_left) leave_launcher(site);
    --unit.calls_left;
}
