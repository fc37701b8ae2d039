#include "robot_2r_dynamics.h"

#include <math.h>

const char *const robot_2r_joint_names[ROBOT_2R_JOINTS] = {"joint1", "joint2"};

// ==== Parameters, as in the URDF: change a line, run again, and the efforts follow ==============
// Those without influence are omitted.

// the root
static const double g_y = -9.81;                  // gravity in the root frame [m/s^2]

// link 1 'link1', turned by joint 1 'joint1'
static const double m1 = 3.0;                     // mass [kg]
static const double com1_x = 1.0, com1_y = 0.0;   // centre of mass in the link [m]
static const double I1_zz = 15.6;                 // inertia about the centre of mass [kg m^2]

// link 2 'link2', turned by joint 2 'joint2'
static const double m2 = 5.0;                     // mass [kg]
static const double com2_x = 1.0, com2_y = 0.0;   // centre of mass in the link [m]
static const double I2_zz = 10.0;                 // inertia about the centre of mass [kg m^2]
static const double p2_x = 2.0;                   // origin of joint 2 in frame 1 [m]


void robot_2r_inverse_dynamics(const double q[ROBOT_2R_JOINTS], const double qd[ROBOT_2R_JOINTS],
                               const double qdd[ROBOT_2R_JOINTS], double tau[ROBOT_2R_JOINTS])
{
    const double q1 = q[0], q2 = q[1];
    const double qd1 = qd[0], qd2 = qd[1];
    const double qdd1 = qdd[0], qdd2 = qdd[1];

    // ==== What follows from them, in the frames of the equations ================================
    // First moments h = m c of centres c; inertia about the origin J = I + m (c.c 1 - c c')

    const double h1_x = m1 * com1_x;
    const double h1_y = m1 * com1_y;
    const double J1_zz = I1_zz + m1 * (com1_x * com1_x + com1_y * com1_y);

    const double h2_x = m2 * com2_x;
    const double h2_y = m2 * com2_y;
    const double J2_zz = I2_zz + m2 * (com2_x * com2_x + com2_y * com2_y);

    // ==== Forward, root to tips: motion of each link, and what accelerates it ===================

    // ---- link 1 'link1', turned by joint 1 'joint1'
    // b1 = a0 + U0 p1 = (0, -g_y, 0)
    // R1: turn about z by q1
    const double c1 = cos(q1);
    const double s1 = sin(q1);
    // w1 = R1' w0 + qd1 z = (0, 0, qd1)
    // wd1 = R1' wd0 + qdd1 z + R1' w0 x qd1 z = (0, 0, qdd1)
    // a1 = R1' b1 = (a1_x, a1_y, 0)
    const double a1_x = -g_y * s1;
    const double a1_y = -g_y * c1;
    // ww1 = w1 w1'
    const double ww1_zz = qd1 * qd1;
    // U1 = [wd1]x + [w1]x [w1]x, U1_xx = -ww1_zz, U1_xy = -qdd1, U1_yx = qdd1, U1_yy = -ww1_zz
    // N1 = J1 wd1 + w1 x L1 + h1 x a1 = (_, _, N1_z)
    const double N1_z = J1_zz * qdd1 - h1_y * a1_x + h1_x * a1_y;

    // ---- link 2 'link2', turned by joint 2 'joint2'
    // b2 = a1 + U1 p2 = (b2_x, b2_y, 0)
    const double b2_x = a1_x - p2_x * ww1_zz;
    const double b2_y = a1_y + p2_x * qdd1;
    // R2: turn about z by q2
    const double c2 = cos(q2);
    const double s2 = sin(q2);
    // w2 = R2' w1 + qd2 z = (0, 0, w2_z)
    const double w2_z = qd1 + qd2;
    // wd2 = R2' wd1 + qdd2 z + R2' w1 x qd2 z = (0, 0, wd2_z)
    const double wd2_z = qdd1 + qdd2;
    // a2 = R2' b2 = (a2_x, a2_y, 0)
    const double a2_x = b2_x * c2 + b2_y * s2;
    const double a2_y = b2_y * c2 - b2_x * s2;
    // ww2 = w2 w2'
    const double ww2_zz = w2_z * w2_z;
    // U2 = [wd2]x + [w2]x [w2]x, U2_xx = -ww2_zz, U2_xy = -wd2_z, U2_yx = wd2_z, U2_yy = -ww2_zz
    // F2 = m2 a2 + U2 h2 = (F2_x, F2_y, 0)
    const double F2_x = m2 * a2_x - h2_x * ww2_zz - h2_y * wd2_z;
    const double F2_y = m2 * a2_y - h2_y * ww2_zz + h2_x * wd2_z;
    // N2 = J2 wd2 + w2 x L2 + h2 x a2 = (_, _, N2_z)
    const double N2_z = J2_zz * wd2_z - h2_y * a2_x + h2_x * a2_y;

    // ==== Backward, tips to root: force f and moment n that each joint transmits ================

    // ---- link 2 'link2', turned by joint 2 'joint2'
    // f2 = F2 = (F2_x, F2_y, 0)
    // n2 = N2 = (_, _, N2_z)
    // fj2 = R2 f2 = (_, fj2_y, 0)
    const double fj2_y = c2 * F2_y + s2 * F2_x;
    // nj2 = R2 n2 = (_, _, N2_z)
    // fp2 = fj2 = (_, fj2_y, 0)
    // np2 = nj2 + p2 x fp2 = (_, _, np2_z)
    const double np2_z = N2_z + p2_x * fj2_y;

    // ---- link 1 'link1', turned by joint 1 'joint1'
    // n1 = N1 + np2 = (_, _, n1_z)
    const double n1_z = N1_z + np2_z;
    // nj1 = R1 n1 = (_, _, n1_z)

    tau[0] = n1_z;                        // 1 [N m]
    tau[1] = N2_z;                        // 2 [N m]
}


#ifdef ROBOT_2R_SELF_TEST
#include <stdio.h>
static const double reference_q[][ROBOT_2R_JOINTS] = {
    {0.35, 0.78},
    {0.61, -0.86},
    {-0.86, 0.36},
};
static const double reference_qd[][ROBOT_2R_JOINTS] = {
    {1.16, 0.17},
    {-0.19, -1.0},
    {-1.0, 1.16},
};
static const double reference_qdd[][ROBOT_2R_JOINTS] = {
    {1.03, -1.83},
    {-1.99, 0.62},
    {0.62, 1.0},
};
static const double expected_inverse_dynamics[][ROBOT_2R_JOINTS] = {
    {167.14198500435336, 25.713400885261393},
    {43.2271944383838, 13.718067503237304},
    {198.87942395510254, 76.67072730027688},
};

static int differs(const char *function, const double *found, const double *expected)
{
    int wrong = 0;
    for (int i = 0; i < ROBOT_2R_JOINTS; i++) {
        if (!(fabs(found[i] - expected[i]) <= 1e-9 * fmax(1.0, fabs(expected[i])))) {
            printf("%s, %s: %.17g instead of %.17g\n", function, robot_2r_joint_names[i],
                   found[i], expected[i]);
            wrong = 1;
        }
    }
    return wrong;
}

int main(void)
{
    int wrong = 0;
    {   double tau[ROBOT_2R_JOINTS];
        robot_2r_inverse_dynamics(reference_q[0], reference_qd[0], reference_qdd[0], tau);
        puts("inverse_dynamics in the first reference state:");
        static const char *const units_tau[] = {"N m", "N m"};
        for (int i = 0; i < ROBOT_2R_JOINTS; i++) {
            printf("%-24s %.9g %s\n", robot_2r_joint_names[i], tau[i], units_tau[i]);
        }
    }
    const struct { const char *name; double value, exported; } parameters[] = {
        {"g_y", g_y, -9.81}, {"m1", m1, 3.0}, {"com1_x", com1_x, 1.0}, {"com1_y", com1_y, 0.0},
        {"I1_zz", I1_zz, 15.6}, {"m2", m2, 5.0}, {"com2_x", com2_x, 1.0}, {"com2_y", com2_y, 0.0},
        {"I2_zz", I2_zz, 10.0}, {"p2_x", p2_x, 2.0}
    };
    int changed = 0;
    for (size_t k = 0; k < sizeof parameters / sizeof parameters[0]; k++) {
        if (parameters[k].value != parameters[k].exported) {
            printf("parameter %s was changed: the reference values do not apply\n",
                   parameters[k].name);
            changed = 1;
        }
    }
    if (changed) {
        return 0;
    }
    for (size_t k = 0; k < sizeof reference_q / sizeof reference_q[0]; k++) {
        {   double tau[ROBOT_2R_JOINTS];
            robot_2r_inverse_dynamics(reference_q[k], reference_qd[k], reference_qdd[k], tau);
            wrong += differs("inverse_dynamics", tau, expected_inverse_dynamics[k]);
        }
    }
    puts(wrong ? "differs from the reference" : "agrees with the reference");
    return wrong ? 1 : 0;
}
#endif
