// Runs the self-test of an exported robot, and counts the instructions and the stack of a call.

#include <stdint.h>
#include <stdio.h>
#include "robot_dynamics.h"

enum { CALLS = 200, LOOPS = 1000000, PAINTED = 4096 };

static volatile uint32_t *const systick = (uint32_t *)0xE000E010;
static real q[ROBOT_JOINTS], qd[ROBOT_JOINTS], qdd[ROBOT_JOINTS], tau[ROBOT_JOINTS];

int robot_self_test(void);   // main of the exported file, under another name

// Returns the time in ticks: 24 bits, downwards.
static uint32_t now(void)
{
    return systick[2];
}

static uint32_t since(uint32_t begin)
{
    return (begin - now()) & 0xFFFFFFu;
}

// Runs two instructions for each loop.
__attribute__((noinline)) static void spin(uint32_t loops)
{
    __asm volatile("1: subs %0, #1\n\tbne 1b" : "+r"(loops) : : "cc");
}

__attribute__((noinline)) static void call(void)
{
    robot_inverse_dynamics(q, qd, qdd, tau);
}

// Returns how many bytes below its own frame a call uses: those that lose their colour.
__attribute__((noinline)) static int stack_of_a_call(void)
{
    volatile uint32_t *top;
    __asm volatile("mov %0, sp" : "=r"(top));
    for (int i = 1; i <= PAINTED; i++) {
        top[-i] = 0xC0104ED5u;
    }
    call();
    int used = PAINTED;
    while (used > 0 && top[-used] == 0xC0104ED5u) {
        used--;
    }
    return 4 * used;
}

int main(void)
{
    systick[1] = 0xFFFFFF;
    systick[0] = 5;   // on, with the clock of the processor
    uint32_t begin = now();
    spin(LOOPS);
    const double instructions_a_tick = 2.0 * LOOPS / since(begin);
    begin = now();
    for (int k = 0; k < CALLS; k++) {
        for (int i = 0; i < ROBOT_JOINTS; i++) {
            q[i] = (real)(k * (i + 1) % 13) * (real)0.25 - (real)1.5;
            qd[i] = (real)(k % 7) - (real)3;
            qdd[i] = (real)(k % 5);
        }
        call();
    }
    const uint32_t with = since(begin);
    begin = now();
    for (int k = 0; k < CALLS; k++) {
        for (int i = 0; i < ROBOT_JOINTS; i++) {
            q[i] = (real)(k * (i + 1) % 13) * (real)0.25 - (real)1.5;
            qd[i] = (real)(k % 7) - (real)3;
            qdd[i] = (real)(k % 5);
        }
    }
    const uint32_t without = since(begin);
    printf("instructions %.0f\nstack %d\n", (with - without) * instructions_a_tick / CALLS,
           stack_of_a_call());
    return robot_self_test();
}
