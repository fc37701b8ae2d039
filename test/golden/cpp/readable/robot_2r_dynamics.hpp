/*
 * Inverse dynamics of 'robot_2r': tau = ID(q, qd, qdd), the efforts that give a motion.
 *
 * Recursive Newton-Euler, readable style, written by urdf2dyn_ros 0.1.0.
 * SI: rad, m, kg, s, N, N m. Efforts are positive along the axis: what the actuator must
 * supply. Inputs must be finite: products with what is always zero are omitted.
 * Rigid links alone: no friction, no rotors, no springs, no contact.
 * Gravity (0, -9.81, 0) m/s^2 in the root frame.
 * Lengths of 0 and quarter turns of the URDF are folded in (`export --general`: nothing is).
 * One call: 25 multiplications, 17 additions, 4 sines and cosines.
 *
 *     i  joint   type        moves  parent  q    effort  frame i: link's
 *     1  joint1  continuous  link1  root    rad  N m     x y z
 *     2  joint2  continuous  link2  1       rad  N m     x y z
 *
 * Notation, after Khalil and Dombre (v x w: cross product, R': transpose of R, p: parent of i):
 *     frame i       on link i, origin on joint i, z along the joint's axis; the root frame is 0
 *     Ai, Ri        constant rotation from joint i to frame p; rotation of joint i, by qi about z
 *     pi            origin of joint i in frame p; bi: acceleration of frame p there, as ai
 *     ci, si        cosine and sine of qi
 *     wi, wdi       angular velocity and its derivative, in frame i; w0 = wd0 = 0
 *     ai            acceleration of the origin minus gravity, in frame i; a0 = -g
 *     Ui            Ui r = wdi x r + wi x (wi x r): acceleration of r relative to the origin
 *     mi, hi, Ji    mass, first moments (mass times centre), inertia about the origin, in frame i
 *     Fi, Ni        force and moment that accelerate link i by itself; Li = Ji wi
 *     fi, ni        force and moment that joint i transmits; fpi, npi: the same in frame p
 *     wji, .. nji   the same in the axes of joint i: before it turns, or turned back (fji, nji)
 *     = (.., _, ..) entries of a formula that are known; _ is one that is not needed
 * Self-test: c++ -std=c++17 -x c++ -DROBOT_2R_SELF_TEST robot_2r_dynamics.hpp -o self_test && ./self_test
 */
#ifndef ROBOT_2R_DYNAMICS_HPP
#define ROBOT_2R_DYNAMICS_HPP

#include <array>
#include <cmath>
#include <cstddef>

namespace robot_2r_dynamics {

inline constexpr std::size_t joints = 2;
// UTF-8, in the order of all vectors
inline constexpr std::array<const char *, joints> joint_names{"joint1", "joint2"};

template <typename Scalar> using Vector = std::array<Scalar, joints>;
template <typename Scalar> using Matrix = std::array<Vector<Scalar>, joints>;

namespace parameters {

// ==== Parameters, as in the URDF: change a line, run again, and the efforts follow ==============
// Those without influence are omitted.

// the root
inline constexpr double g_y = -9.81;              // gravity in the root frame [m/s^2]

// link 1 'link1', turned by joint 1 'joint1'
inline constexpr double m1 = 3.0;                 // mass [kg]
inline constexpr double com1_x = 1.0, com1_y = 0.0;  // centre of mass in the link [m]
inline constexpr double I1_zz = 15.6;             // inertia about the centre of mass [kg m^2]

// link 2 'link2', turned by joint 2 'joint2'
inline constexpr double m2 = 5.0;                 // mass [kg]
inline constexpr double com2_x = 1.0, com2_y = 0.0;  // centre of mass in the link [m]
inline constexpr double I2_zz = 10.0;             // inertia about the centre of mass [kg m^2]
inline constexpr double p2_x = 2.0;               // origin of joint 2 in frame 1 [m]

// ==== What follows from them, in the frames of the equations ====================================
// First moments h = m c of centres c; inertia about the origin J = I + m (c.c 1 - c c')

inline constexpr double h1_x = m1 * com1_x;
inline constexpr double h1_y = m1 * com1_y;
inline constexpr double J1_zz = I1_zz + m1 * (com1_x * com1_x + com1_y * com1_y);

inline constexpr double h2_x = m2 * com2_x;
inline constexpr double h2_y = m2 * com2_y;
inline constexpr double J2_zz = I2_zz + m2 * (com2_x * com2_x + com2_y * com2_y);

}  // namespace parameters

// Returns the efforts tau that a motion requires.
template <typename Scalar>
Vector<Scalar> inverse_dynamics(const Vector<Scalar> &q, const Vector<Scalar> &qd,
                                const Vector<Scalar> &qdd)
{
    using std::cos;
    using std::sin;
    const Scalar q1 = q[0], q2 = q[1];
    const Scalar qd1 = qd[0], qd2 = qd[1];
    const Scalar qdd1 = qdd[0], qdd2 = qdd[1];
    const Scalar g_y = Scalar(parameters::g_y), m2 = Scalar(parameters::m2),
                 p2_x = Scalar(parameters::p2_x), h1_x = Scalar(parameters::h1_x),
                 h1_y = Scalar(parameters::h1_y), J1_zz = Scalar(parameters::J1_zz),
                 h2_x = Scalar(parameters::h2_x), h2_y = Scalar(parameters::h2_y),
                 J2_zz = Scalar(parameters::J2_zz);

    // ==== Forward, root to tips: motion of each link, and what accelerates it ===================

    // ---- link 1 'link1', turned by joint 1 'joint1'
    // b1 = a0 + U0 p1 = (0, -g_y, 0)
    // R1: turn about z by q1
    const Scalar c1 = cos(q1);
    const Scalar s1 = sin(q1);
    // w1 = R1' w0 + qd1 z = (0, 0, qd1)
    // wd1 = R1' wd0 + qdd1 z + R1' w0 x qd1 z = (0, 0, qdd1)
    // a1 = R1' b1 = (a1_x, a1_y, 0)
    const Scalar a1_x = -g_y * s1;
    const Scalar a1_y = -g_y * c1;
    // ww1 = w1 w1'
    const Scalar ww1_zz = qd1 * qd1;
    // U1 = [wd1]x + [w1]x [w1]x, U1_xx = -ww1_zz, U1_xy = -qdd1, U1_yx = qdd1, U1_yy = -ww1_zz
    // N1 = J1 wd1 + w1 x L1 + h1 x a1 = (_, _, N1_z)
    const Scalar N1_z = J1_zz * qdd1 - h1_y * a1_x + h1_x * a1_y;

    // ---- link 2 'link2', turned by joint 2 'joint2'
    // b2 = a1 + U1 p2 = (b2_x, b2_y, 0)
    const Scalar b2_x = a1_x - p2_x * ww1_zz;
    const Scalar b2_y = a1_y + p2_x * qdd1;
    // R2: turn about z by q2
    const Scalar c2 = cos(q2);
    const Scalar s2 = sin(q2);
    // w2 = R2' w1 + qd2 z = (0, 0, w2_z)
    const Scalar w2_z = qd1 + qd2;
    // wd2 = R2' wd1 + qdd2 z + R2' w1 x qd2 z = (0, 0, wd2_z)
    const Scalar wd2_z = qdd1 + qdd2;
    // a2 = R2' b2 = (a2_x, a2_y, 0)
    const Scalar a2_x = b2_x * c2 + b2_y * s2;
    const Scalar a2_y = b2_y * c2 - b2_x * s2;
    // ww2 = w2 w2'
    const Scalar ww2_zz = w2_z * w2_z;
    // U2 = [wd2]x + [w2]x [w2]x, U2_xx = -ww2_zz, U2_xy = -wd2_z, U2_yx = wd2_z, U2_yy = -ww2_zz
    // F2 = m2 a2 + U2 h2 = (F2_x, F2_y, 0)
    const Scalar F2_x = m2 * a2_x - h2_x * ww2_zz - h2_y * wd2_z;
    const Scalar F2_y = m2 * a2_y - h2_y * ww2_zz + h2_x * wd2_z;
    // N2 = J2 wd2 + w2 x L2 + h2 x a2 = (_, _, N2_z)
    const Scalar N2_z = J2_zz * wd2_z - h2_y * a2_x + h2_x * a2_y;

    // ==== Backward, tips to root: force f and moment n that each joint transmits ================

    // ---- link 2 'link2', turned by joint 2 'joint2'
    // f2 = F2 = (F2_x, F2_y, 0)
    // n2 = N2 = (_, _, N2_z)
    // fj2 = R2 f2 = (_, fj2_y, 0)
    const Scalar fj2_y = c2 * F2_y + s2 * F2_x;
    // nj2 = R2 n2 = (_, _, N2_z)
    // fp2 = fj2 = (_, fj2_y, 0)
    // np2 = nj2 + p2 x fp2 = (_, _, np2_z)
    const Scalar np2_z = N2_z + p2_x * fj2_y;

    // ---- link 1 'link1', turned by joint 1 'joint1'
    // n1 = N1 + np2 = (_, _, n1_z)
    const Scalar n1_z = N1_z + np2_z;
    // nj1 = R1 n1 = (_, _, n1_z)

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
    const struct { const char *name; double value, exported; } parameters[] = {
        {"g_y", robot_2r_dynamics::parameters::g_y, -9.81},
        {"m1", robot_2r_dynamics::parameters::m1, 3.0},
        {"com1_x", robot_2r_dynamics::parameters::com1_x, 1.0},
        {"com1_y", robot_2r_dynamics::parameters::com1_y, 0.0},
        {"I1_zz", robot_2r_dynamics::parameters::I1_zz, 15.6},
        {"m2", robot_2r_dynamics::parameters::m2, 5.0},
        {"com2_x", robot_2r_dynamics::parameters::com2_x, 1.0},
        {"com2_y", robot_2r_dynamics::parameters::com2_y, 0.0},
        {"I2_zz", robot_2r_dynamics::parameters::I2_zz, 10.0},
        {"p2_x", robot_2r_dynamics::parameters::p2_x, 2.0}
    };
    bool changed = false;
    for (const auto &parameter : parameters) {
        if (parameter.value != parameter.exported) {
            std::printf("parameter %s was changed: the reference values do not apply\n",
                        parameter.name);
            changed = true;
        }
    }
    if (changed) {
        return 0;
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
