#include <cstdio>
#include "@name_dynamics.hpp"

struct Dual {   // a number and its derivative
    double value, slope;
    Dual() = default;
    explicit Dual(double x, double dx = 0.0) : value(x), slope(dx) {}
};
static Dual operator-(const Dual &a) { return Dual(-a.value, -a.slope); }
static Dual operator+(const Dual &a, const Dual &b) { return Dual(a.value + b.value, a.slope + b.slope); }
static Dual operator-(const Dual &a, const Dual &b) { return Dual(a.value - b.value, a.slope - b.slope); }
static Dual operator*(const Dual &a, const Dual &b)
{
    return Dual(a.value * b.value, a.slope * b.value + a.value * b.slope);
}
static Dual sin(const Dual &a) { return Dual(std::sin(a.value), std::cos(a.value) * a.slope); }
static Dual cos(const Dual &a) { return Dual(std::cos(a.value), -std::sin(a.value) * a.slope); }
static Dual tanh(const Dual &a)
{
    const double y = std::tanh(a.value);
    return Dual(y, (1.0 - y * y) * a.slope);
}
static Dual exp(const Dual &a) { return Dual(std::exp(a.value), std::exp(a.value) * a.slope); }
static Dual abs(const Dual &a) { return a.value < 0.0 ? -a : a; }

static double slope(const Dual &a) { return a.slope; }
static double slope(float a) { return double(a); }

template <typename Scalar> static void show(const Scalar *, Scalar (*read)(double, double))
{
    namespace model = @space;
    model::Vector<Scalar> q, qd, qdd;
    for (std::size_t i = 0; i < model::joints; i++) {
        const double x = double(i);
        q[i] = read(0.3 + x, 0.7 - x);
        qd[i] = read(1.0 - x, 0.2 + x);
        qdd[i] = read(0.5 * x, 1.1);
    }
    const auto all = model::dynamics(q, qd, qdd);
    for (const auto &row : {all.tau, model::inverse_dynamics(q, qd, qdd), all.tau_gravity,
                            model::gravity(q), all.tau_bias, model::bias(q, qd), all.M[0],
                            model::mass_matrix(q)[0]})
        for (const auto &entry : row) std::printf("%.17g\n", slope(entry));
}

int main()
{
    show<Dual>(nullptr, [](double x, double dx) { return Dual(x, dx); });
    show<float>(nullptr, [](double x, double) { return static_cast<float>(x); });
}
