#include <cstdio>
#include "@name_dynamics.hpp"
namespace model = @space;
using V = std::array<double, @width>;
static bool get(V &x)
{
    for (double &entry : x) if (std::scanf("%lf", &entry) != 1) return false;
    return true;
}
template <std::size_t n> static std::array<double, n> at(const V &state, std::size_t first)
{
    std::array<double, n> x{};
    for (std::size_t i = 0; i < n; i++) x[i] = state[first + i];
    return x;
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
    for (V state; get(state);) {
    @calls
    }
}
