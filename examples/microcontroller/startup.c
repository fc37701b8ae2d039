// What runs before main on a Cortex-M: the vector table, memory, and the unit for floating point.

#include <stdint.h>
#include <stdlib.h>

extern uint32_t data_load, data_begin, data_end, bss_begin, bss_end, stack_end;
extern void initialise_monitor_handles(void);   // newlib: output to the debugger, by semihosting
extern int main(void);

void reset(void)
{
    *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20;   // CPACR: full access to CP10 and CP11
    __asm volatile("dsb\n\tisb");
    for (uint32_t *from = &data_load, *to = &data_begin; to < &data_end;) {
        *to++ = *from++;
    }
    for (uint32_t *to = &bss_begin; to < &bss_end;) {
        *to++ = 0;
    }
    initialise_monitor_handles();
    exit(main());
}

static void fault(void)
{
    abort();   // the debugger, or QEMU, ends with an error
}

__attribute__((section(".vectors"), used))
static const void *const vectors[16] = {&stack_end, (void *)reset, (void *)fault, (void *)fault,
                                        (void *)fault, (void *)fault, (void *)fault};
