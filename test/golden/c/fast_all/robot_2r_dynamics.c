#include "robot_2r_dynamics.h"

#include <float.h>
#include <math.h>

const char *const robot_2r_joint_names[ROBOT_2R_JOINTS] = {"joint1", "joint2"};


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

static void sines_and_cosines(int n, const double *restrict angle, double *restrict sine,
                              double *restrict cosine)
{
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(_M_FP_FAST) \
    || FLT_EVAL_METHOD != 0 || (defined(__GCC_IEC_559) && __GCC_IEC_559 == 0 \
        && (__GNUC__ < 12 || !defined(__arm__)))
    // the compiler may reorder sums, or rounds elsewhere: the steps below would go wrong
    for (int k = 0; k < n; k++) {
        sine[k] = sin(angle[k]);
        cosine[k] = cos(angle[k]);
    }
#else
#ifdef __clang__
#pragma clang fp reassociate(off)
#endif
#if defined(__x86_64__) || defined(__aarch64__) || defined(_M_X64)
    n = (n + 1) / 2 * 2;  // vectors alone, no angle by itself
#endif
    const double round = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
    for (int k = 0; k < n; k += (int)(sizeof(angles) / sizeof(double))) {
        const angles x = *(const angles *)(angle + k);
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
        *(angles *)(sine + k) = odd * c + even * s;
        *(angles *)(cosine + k) = even * c - odd * s;
    }
    double total = 0.0;
    for (int k = 0; k < n; k++) {
        total += fabs(angle[k]);
    }
    for (int k = 0; k < n && !(total <= 131072.0); k++) {
        if (!(fabs(angle[k]) <= 131072.0)) {
            sine[k] = sin(angle[k]);
            cosine[k] = cos(angle[k]);
        }
    }
#endif
}


void robot_2r_inverse_dynamics(const double q[ROBOT_2R_JOINTS], const double qd[ROBOT_2R_JOINTS],
                               const double qdd[ROBOT_2R_JOINTS], double tau[ROBOT_2R_JOINTS])
{
    const double q1 = q[0], q2 = q[1];
    const double qd1 = qd[0], qd2 = qd[1];
    const double qdd1 = qdd[0], qdd2 = qdd[1];
    const double angle[2] = {q1, q2};
    double sine[2], cosine[2];
    sines_and_cosines(2, angle, sine, cosine);

    // ==== Forward, root to tips: motion of each link, and what accelerates it ===================

    // ---- link 1 'link1', turned by joint 1 'joint1'
    const double c1 = cosine[0];

    // ---- link 2 'link2', turned by joint 2 'joint2'
    const double c2 = cosine[1];
    const double s2 = sine[1];
    const double w2_z = qd1 + qd2;
    const double wd2_z = qdd1 + qdd2;
    const double N2_z = 15.0 * wd2_z + 5.0 * ((9.81 * c1 + 2.0 * qdd1) * c2 - (9.81 * sine[0]
            - 2.0 * qd1 * qd1) * s2);

    // ==== Backward, tips to root: force f and moment n that each joint transmits ================

    // ---- link 1 'link1', turned by joint 1 'joint1'
    const double n1_z = 38.6 * qdd1 + 127.53 * c1 + N2_z + 2.0 * (c2 * 5.0 * wd2_z
            - s2 * 5.0 * w2_z * w2_z);

    tau[0] = n1_z;                        // 1 [N m]
    tau[1] = N2_z;                        // 2 [N m]
}


void robot_2r_gravity(const double q[ROBOT_2R_JOINTS], double tau[ROBOT_2R_JOINTS])
{
    const double q1 = q[0], q2 = q[1];
    const double angle[2] = {q1, q2};
    double sine[2], cosine[2];
    sines_and_cosines(2, angle, sine, cosine);

    // ==== Forward, root to tips: motion of each link, and what accelerates it ===================

    // ---- link 1 'link1', turned by joint 1 'joint1'
    const double c1 = cosine[0];

    // ---- link 2 'link2', turned by joint 2 'joint2'
    const double N2_z = 5.0 * (9.81 * c1 * cosine[1] - 9.81 * sine[0] * sine[1]);

    // ==== Backward, tips to root: force f and moment n that each joint transmits ================

    // ---- link 1 'link1', turned by joint 1 'joint1'
    const double n1_z = 127.53 * c1 + N2_z;

    tau[0] = n1_z;                        // 1 [N m]
    tau[1] = N2_z;                        // 2 [N m]
}


void robot_2r_bias(const double q[ROBOT_2R_JOINTS], const double qd[ROBOT_2R_JOINTS],
                   double tau[ROBOT_2R_JOINTS])
{
    const double q1 = q[0], q2 = q[1];
    const double qd1 = qd[0], qd2 = qd[1];
    const double angle[2] = {q1, q2};
    double sine[2], cosine[2];
    sines_and_cosines(2, angle, sine, cosine);

    // ==== Forward, root to tips: motion of each link, and what accelerates it ===================

    // ---- link 1 'link1', turned by joint 1 'joint1'
    const double c1 = cosine[0];

    // ---- link 2 'link2', turned by joint 2 'joint2'
    const double s2 = sine[1];
    const double w2_z = qd1 + qd2;
    const double N2_z = 5.0 * (9.81 * c1 * cosine[1] - (9.81 * sine[0] - 2.0 * qd1 * qd1) * s2);

    // ==== Backward, tips to root: force f and moment n that each joint transmits ================

    // ---- link 1 'link1', turned by joint 1 'joint1'
    const double n1_z = 127.53 * c1 + N2_z - 2.0 * s2 * 5.0 * w2_z * w2_z;

    tau[0] = n1_z;                        // 1 [N m]
    tau[1] = N2_z;                        // 2 [N m]
}


void robot_2r_mass_matrix(const double q[ROBOT_2R_JOINTS],
                          double M[ROBOT_2R_JOINTS][ROBOT_2R_JOINTS])
{
    const double q2 = q[1];
    const double angle[2] = {q2, q2};
    double sine[2], cosine[2];
    sines_and_cosines(1, angle, sine, cosine);

    // ==== Tips to root: moments of the mass of each link with what it carries ===================

    // ---- link 2 'link2', turned by joint 2 'joint2'
    const double c2 = cosine[0];

    // ---- link 1 'link1', turned by joint 1 'joint1'
    const double t2 = c2 * 13.0 * c2 + 1.0;
    const double t3 = 10.0 * c2;

    // ==== Columns: force and moment that a unit acceleration of one joint requires ==============

    // ---- joint 1 'joint1' accelerates by 1 rad/s^2
    const double n1_z_1 = t3 + t2 + t3 + 38.0 - t2 + 15.0 + 0.6000000000000014;
    M[0][0] = n1_z_1;

    // ---- joint 2 'joint2' accelerates by 1 rad/s^2
    const double np2_z_2 = 15.0 + t3;
    M[0][1] = np2_z_2;
    M[1][0] = np2_z_2;

    M[1][1] = 15.0;
}


void robot_2r_dynamics(const double q[ROBOT_2R_JOINTS], const double qd[ROBOT_2R_JOINTS],
                       const double qdd[ROBOT_2R_JOINTS], double tau[ROBOT_2R_JOINTS],
                       double tau_gravity[ROBOT_2R_JOINTS], double tau_bias[ROBOT_2R_JOINTS],
                       double M[ROBOT_2R_JOINTS][ROBOT_2R_JOINTS])
{
    const double q1 = q[0], q2 = q[1];
    const double qd1 = qd[0], qd2 = qd[1];
    const double qdd1 = qdd[0], qdd2 = qdd[1];
    const double angle[2] = {q1, q2};
    double sine[2], cosine[2];
    sines_and_cosines(2, angle, sine, cosine);

    // ==== Forward, root to tips: motion of each link, and what accelerates it ===================

    // ---- link 1 'link1', turned by joint 1 'joint1'
    const double c1 = cosine[0];
    const double a1_x = 9.81 * sine[0];
    const double a1_y = 9.81 * c1;
    const double N1_z_gravity = 127.53 * c1;

    // ---- link 2 'link2', turned by joint 2 'joint2'
    const double c2 = cosine[1];
    const double s2 = sine[1];
    const double w2_z = qd1 + qd2;
    const double wd2_z = qdd1 + qdd2;
    const double t9 = (a1_x - 2.0 * qd1 * qd1) * s2;
    const double N2_z = 15.0 * wd2_z + 5.0 * ((a1_y + 2.0 * qdd1) * c2 - t9);

    // ==== Backward, tips to root: force f and moment n that each joint transmits ================

    // ---- link 2 'link2', turned by joint 2 'joint2'
    const double fj2_y_bias = -s2 * 5.0 * w2_z * w2_z;

    // ---- link 1 'link1', turned by joint 1 'joint1'
    const double n1_z = 38.6 * qdd1 + N1_z_gravity + N2_z + 2.0 * (c2 * 5.0 * wd2_z + fj2_y_bias);

    // ==== Gravity. Forward, root to tips: motion of each link, and what accelerates it ==========

    // ---- link 2 'link2', turned by joint 2 'joint2'
    const double t13 = a1_y * c2;
    const double N2_z_gravity = 5.0 * (t13 - a1_x * s2);

    // ==== Gravity. Backward, tips to root: force f and moment n that each joint transmits =======

    // ---- link 1 'link1', turned by joint 1 'joint1'
    const double n1_z_gravity = N1_z_gravity + N2_z_gravity;

    // ==== Bias. Forward, root to tips: motion of each link, and what accelerates it =============

    // ---- link 2 'link2', turned by joint 2 'joint2'
    const double N2_z_bias = -5.0 * (t9 - t13);

    // ==== Bias. Backward, tips to root: force f and moment n that each joint transmits ==========

    // ---- link 1 'link1', turned by joint 1 'joint1'
    const double n1_z_bias = N1_z_gravity + N2_z_bias + 2.0 * fj2_y_bias;

    // ==== Tips to root: moments of the mass of each link with what it carries ===================

    // ---- link 1 'link1', turned by joint 1 'joint1'
    const double t18 = c2 * 13.0 * c2 + 1.0;
    const double t19 = 10.0 * c2;

    // ==== Columns: force and moment that a unit acceleration of one joint requires ==============

    // ---- joint 1 'joint1' accelerates by 1 rad/s^2
    const double n1_z_1 = 38.0 + t19 + t18 + t19 + 0.6000000000000014 + 15.0 - t18;
    M[0][0] = n1_z_1;

    // ---- joint 2 'joint2' accelerates by 1 rad/s^2
    const double np2_z_2 = 15.0 + t19;
    M[0][1] = np2_z_2;
    M[1][0] = np2_z_2;

    tau[0] = n1_z;                        // 1 [N m]
    tau[1] = N2_z;                        // 2 [N m]
    tau_gravity[0] = n1_z_gravity;        // 1 [N m]
    tau_gravity[1] = N2_z_gravity;        // 2 [N m]
    tau_bias[0] = n1_z_bias;              // 1 [N m]
    tau_bias[1] = N2_z_bias;              // 2 [N m]
    M[1][1] = 15.0;
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
static const double expected_gravity[][ROBOT_2R_JOINTS] = {
    {140.72586564840043, 20.92766357897421},
    {152.05486600074113, 47.52515428490713},
    {126.2507749756843, 43.04542466072278},
};
static const double expected_bias[][ROBOT_2R_JOINTS] = {
    {137.74888386692513, 30.390991443734933},
    {162.51309336869593, 47.25157311970193},
    {129.68333510471678, 46.56816699347368},
};
static const double expected_mass_matrix[][ROBOT_2R_JOINTS] = {
    {29.39310113742824, -4.677590558473543},
    {-119.28589893031216, -33.53350561646464},
    {69.19608885038575, 30.1025603068032},
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

static void times(double M[ROBOT_2R_JOINTS][ROBOT_2R_JOINTS], const double *x, double *product)
{
    for (int i = 0; i < ROBOT_2R_JOINTS; i++) {
        product[i] = 0.0;
        for (int j = 0; j < ROBOT_2R_JOINTS; j++) {
            product[i] += M[i][j] * x[j];
        }
    }
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
    for (size_t k = 0; k < sizeof reference_q / sizeof reference_q[0]; k++) {
        {   double tau[ROBOT_2R_JOINTS];
            robot_2r_inverse_dynamics(reference_q[k], reference_qd[k], reference_qdd[k], tau);
            wrong += differs("inverse_dynamics", tau, expected_inverse_dynamics[k]);
        }
        {   double tau[ROBOT_2R_JOINTS];
            robot_2r_gravity(reference_q[k], tau);
            wrong += differs("gravity", tau, expected_gravity[k]);
        }
        {   double tau[ROBOT_2R_JOINTS];
            robot_2r_bias(reference_q[k], reference_qd[k], tau);
            wrong += differs("bias", tau, expected_bias[k]);
        }
        {   double M[ROBOT_2R_JOINTS][ROBOT_2R_JOINTS], product[ROBOT_2R_JOINTS];
            robot_2r_mass_matrix(reference_q[k], M);
            times(M, reference_qdd[k], product);
            wrong += differs("mass_matrix", product, expected_mass_matrix[k]);
        }
        {   double tau[ROBOT_2R_JOINTS], tau_gravity[ROBOT_2R_JOINTS], tau_bias[ROBOT_2R_JOINTS],
                   M[ROBOT_2R_JOINTS][ROBOT_2R_JOINTS], product[ROBOT_2R_JOINTS];
            robot_2r_dynamics(reference_q[k], reference_qd[k], reference_qdd[k], tau, tau_gravity,
                              tau_bias, M);
            wrong += differs("dynamics, tau", tau, expected_inverse_dynamics[k]);
            wrong += differs("dynamics, tau_gravity", tau_gravity, expected_gravity[k]);
            wrong += differs("dynamics, tau_bias", tau_bias, expected_bias[k]);
            times(M, reference_qdd[k], product);
            wrong += differs("dynamics, M", product, expected_mass_matrix[k]);
        }
    }
    puts(wrong ? "differs from the reference" : "agrees with the reference");
    return wrong ? 1 : 0;
}
#endif
