/*
 * Inverse dynamics of 'robot_2r': tau = ID(q, qd, qdd), the efforts that give a motion.
 *
 * Recursive Newton-Euler, fast style, written by urdf2dyn_ros 0.1.0.
 * SI: rad, m, kg, s, N, N m. Efforts are positive along the axis: what the actuator must
 * supply. Inputs must be finite: products with what is always zero are omitted.
 * Rigid links alone: no friction, no rotors, no springs, no contact.
 * Gravity (0, -9.81, 0) m/s^2 in the root frame.
 * One call: 17 multiplications, 10 additions, 4 sines and cosines.
 *
 *     i  joint   type        moves  parent  q    effort  frame i: link's
 *     1  joint1  continuous  link1  root    rad  N m     x y z
 *     2  joint2  continuous  link2  1       rad  N m     x y z
 * Self-test: c++ -std=c++17 -x c++ -DROBOT_2R_SELF_TEST robot_2r_dynamics.hpp -o self_test && ./self_test
 */
#ifndef ROBOT_2R_DYNAMICS_HPP
#define ROBOT_2R_DYNAMICS_HPP

#include <array>
#include <cfloat>
#include <cmath>
#include <cstddef>

namespace robot_2r_dynamics {

inline constexpr std::size_t joints = 2;
// UTF-8, in the order of all vectors
inline constexpr std::array<const char *, joints> joint_names{"joint1", "joint2"};

template <typename Scalar> using Vector = std::array<Scalar, joints>;
template <typename Scalar> using Matrix = std::array<Vector<Scalar>, joints>;

template <typename Scalar>
void sines_and_cosines(int n, const Scalar *angle, Scalar *sine, Scalar *cosine)
{
    using std::cos;
    using std::sin;
    for (int k = 0; k < n; k++) {
        sine[k] = sin(angle[k]);
        cosine[k] = cos(angle[k]);
    }
}

// Cody and Waite's reduction and the polynomials of fdlibm (Sun Microsystems), without a branch,
// so that compilers make vectors of the loop; wrong by 2.5 units in the last place at most.
// Beyond 2^17 rad, and for what is not finite, libm takes over.
// The arrays have room for a multiple of 2 angles. Of so short a loop clang makes no vectors.
#if defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))
typedef double angles
    __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));
#else
typedef double angles;
#endif

inline void sines_and_cosines(int n, const double *__restrict angle, double *__restrict sine,
                              double *__restrict cosine)
{
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(_M_FP_FAST) \
    || FLT_EVAL_METHOD != 0 || (defined(__GCC_IEC_559) && __GCC_IEC_559 == 0 \
        && (__GNUC__ < 12 || !defined(__arm__)))
    // the compiler may reorder sums, or rounds elsewhere: the steps below would go wrong
    for (int k = 0; k < n; k++) {
        sine[k] = std::sin(angle[k]);
        cosine[k] = std::cos(angle[k]);
    }
#else
#ifdef __clang__
#pragma clang fp reassociate(off)
#endif
#if defined(__x86_64__) || defined(__aarch64__) || defined(_M_X64)
    n = (n + 1) / 2 * 2;  // vectors alone, no angle by itself
#endif
    const double round = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
    for (int k = 0; k < n; k += int(sizeof(angles) / sizeof(double))) {
        const angles x = *reinterpret_cast<const angles *>(angle + k);
        const angles quarters = (x * 0.6366197723675814 + round) - round;
        const angles r = ((x - quarters * 1.5707963267341256)
                - quarters * 6.077100506303966e-11) - quarters * 2.0222662487959506e-21;
        const angles z = r * r, zz = z * z;
        const angles s = r + r * z * ((-0.16666666666666632 + z * 0.00833333333332249)
                + zz * ((-0.0001984126982985795 + z * 2.7557313707070068e-06)
                + zz * (-2.5050760253406863e-08 + z * 1.58969099521155e-10)));
        const angles c = 1.0 + z * (-0.5 + z * ((0.0416666666666666 + z * -0.001388888888887411)
                + zz * ((2.480158728947673e-05 + z * -2.7557314351390663e-07)
                + zz * (2.087572321298175e-09 + z * -1.1359647557788195e-11))));
        const angles turn = quarters - 4.0 * ((quarters * 0.25 + round) - round);  // -2 .. 2
        const angles square = turn * turn;
        // sine and cosine of the quarters: -1, 0 or 1; then those of the sum of two angles
        const angles odd = turn * ((4.0 - square) * 0.3333333333333333);
        const angles even = 1.0 - 0.5 * (square + odd * odd);
        *reinterpret_cast<angles *>(sine + k) = odd * c + even * s;
        *reinterpret_cast<angles *>(cosine + k) = even * c - odd * s;
    }
    double total = 0.0;
    for (int k = 0; k < n; k++) {
        total += std::fabs(angle[k]);
    }
    for (int k = 0; k < n && !(total <= 131072.0); k++) {
        if (!(std::fabs(angle[k]) <= 131072.0)) {
            sine[k] = std::sin(angle[k]);
            cosine[k] = std::cos(angle[k]);
        }
    }
#endif
}

// Returns the efforts tau that a motion requires.
template <typename Scalar>
Vector<Scalar> inverse_dynamics(const Vector<Scalar> &q, const Vector<Scalar> &qd,
                                const Vector<Scalar> &qdd)
{
    const Scalar q1 = q[0], q2 = q[1];
    const Scalar qd1 = qd[0], qd2 = qd[1];
    const Scalar qdd1 = qdd[0], qdd2 = qdd[1];
    const Scalar angle[2] = {q1, q2};
    Scalar sine[2], cosine[2];
    sines_and_cosines(2, angle, sine, cosine);

    // ==== Forward, root to tips: motion of each link, and what accelerates it ===================

    // ---- link 1 'link1', turned by joint 1 'joint1'
    const Scalar c1 = cosine[0];

    // ---- link 2 'link2', turned by joint 2 'joint2'
    const Scalar c2 = cosine[1];
    const Scalar s2 = sine[1];
    const Scalar w2_z = qd1 + qd2;
    const Scalar wd2_z = qdd1 + qdd2;
    const Scalar N2_z = Scalar(15.0) * wd2_z + Scalar(5.0) * ((Scalar(9.81) * c1
            + Scalar(2.0) * qdd1) * c2 - (Scalar(9.81) * sine[0] - Scalar(2.0) * qd1 * qd1) * s2);

    // ==== Backward, tips to root: force f and moment n that each joint transmits ================

    // ---- link 1 'link1', turned by joint 1 'joint1'
    const Scalar n1_z = Scalar(38.6) * qdd1 + Scalar(127.53) * c1 + N2_z
            + Scalar(2.0) * (c2 * Scalar(5.0) * wd2_z - s2 * Scalar(5.0) * w2_z * w2_z);

    Vector<Scalar> tau;
    tau[0] = n1_z;                        // 1 [N m]
    tau[1] = N2_z;                        // 2 [N m]
    return tau;
}

}  // namespace robot_2r_dynamics

#ifdef ROBOT_2R_SELF_TEST
#include <cstdio>

using Row = robot_2r_dynamics::Vector<double>;
static const Row reference_q[] = {
    {0.35, 0.78},
    {0.61, -0.86},
    {-0.86, 0.36},
};
static const Row reference_qd[] = {
    {1.16, 0.17},
    {-0.19, -1.0},
    {-1.0, 1.16},
};
static const Row reference_qdd[] = {
    {1.03, -1.83},
    {-1.99, 0.62},
    {0.62, 1.0},
};
static const Row expected_inverse_dynamics[] = {
    {167.14198500435336, 25.713400885261393},
    {43.2271944383838, 13.718067503237304},
    {198.87942395510254, 76.67072730027688},
};

static int differs(const char *function, const Row &found, const Row &expected)
{
    int wrong = 0;
    for (std::size_t i = 0; i < found.size(); i++) {
        if (!(std::abs(found[i] - expected[i]) <= 1e-9 * std::fmax(1.0, std::abs(expected[i])))) {
            std::printf("%s, %s: %.17g instead of %.17g\n", function,
                        robot_2r_dynamics::joint_names[i], found[i], expected[i]);
            wrong = 1;
        }
    }
    return wrong;
}

int main()
{
    int wrong = 0;
    {   const auto found = robot_2r_dynamics::inverse_dynamics(reference_q[0], reference_qd[0],
                                                               reference_qdd[0]);
        std::puts("inverse_dynamics in the first reference state:");
        static const char *const units_tau[] = {"N m", "N m"};
        for (std::size_t i = 0; i < found.size(); i++) {
            std::printf("%-24s %.9g %s\n", robot_2r_dynamics::joint_names[i],
                        found[i], units_tau[i]);
        }
    }
    for (std::size_t k = 0; k < sizeof reference_q / sizeof reference_q[0]; k++) {
        {   const auto found = robot_2r_dynamics::inverse_dynamics(reference_q[k], reference_qd[k],
                                                                   reference_qdd[k]);
            wrong += differs("inverse_dynamics", found, expected_inverse_dynamics[k]);
        }
    }
    std::puts(wrong ? "differs from the reference" : "agrees with the reference");
    return wrong ? 1 : 0;
}
#endif

#endif
