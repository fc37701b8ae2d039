#include <cstdio>
#include "@name_dynamics.hpp"
namespace model = @space;
using V = model::Vector<double>;
static bool get(V &x)
{
    for (double &entry : x) if (std::scanf("%lf", &entry) != 1) return false;
    return true;
}
static void put(double x) { std::printf("%.17g\n", x); }
template <typename T> static void put(const T &x) { for (const auto &entry : x) put(entry); }
int main()
{
    std::puts("====");
    for (const char *name : model::joint_names) {
        for (; *name; name++) std::printf("%d ", static_cast<unsigned char>(*name));
        std::puts("");
    }
    for (V q, qd, qdd; get(q) && get(qd) && get(qdd);) {
    @calls
    }
}
