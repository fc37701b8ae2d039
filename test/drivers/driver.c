#include <stdio.h>
#include "@name_dynamics.h"
static int get(double *x)
{
    for (int i = 0; i < @width; i++) if (scanf("%lf", x + i) != 1) return 0;
    return 1;
}
static void put(const double *x, size_t n) { while (n--) printf("%.17g\n", *x++); }
int main(void)
{
    double state[@width];
    puts("====");
    for (int i = 0; i < @n; i++, puts(""))
        for (const char *c = @name_joint_names[i]; *c; c++) printf("%d ", (unsigned char)*c);
    while (get(state)) {
    @calls
    }
}
