#include "robot_2r_dynamics.h"

#include <math.h>

const char *const robot_2r_joint_names[ROBOT_2R_JOINTS] = {"joint1", "joint2"};

// ==== Parameters, as in the URDF: change a line, run again, and the efforts follow ==============
// Those without influence are omitted.

// link 1 'link1', turned by joint 1 'joint1'
static const double m1 = 3.0;                     // mass [kg]
static const double com1_x = 1.0, com1_y = 0.0, com1_z = 0.0;  // centre of mass in the link [m]
// inertia about the centre of mass [kg m^2]
static const double I1_xx = 1.2, I1_yy = 15.6, I1_zz = 15.6;
// its products, entries of the tensor [kg m^2]
static const double I1_xy = 0.0, I1_xz = 0.0, I1_yz = 0.0;
static const double Fv1 = 2.0;                    // viscous friction [N m s/rad]
static const double Fc1 = 1.5;                    // Coulomb friction [N m]
static const double iw1 = 100.0;                  // 1 over the width of its sign [s/rad]
static const double Fs1 = 0.5;                    // what sticking takes more than sliding [N m]
// 1 over the Stribeck velocity squared [s^2/rad^2]
static const double iv1 = 400.0;
static const double Fo1 = 0.1;                    // offset of friction [N m]
static const double Im1 = 0.0001;                 // rotor's inertia [kg m^2]
static const double N1 = 50.0;                    // gear ratio [rad/rad]

// link 2 'link2', turned by joint 2 'joint2'
static const double m2 = 5.0;                     // mass [kg]
static const double com2_x = 1.0, com2_y = 0.0, com2_z = 0.0;  // centre of mass in the link [m]
// inertia about the centre of mass [kg m^2]
static const double I2_xx = 2.0, I2_yy = 10.0, I2_zz = 10.0;
// its products, entries of the tensor [kg m^2]
static const double I2_xy = 0.0, I2_xz = 0.0, I2_yz = 0.0;
static const double p2_x = 2.0;                   // origin of joint 2 in frame 1 [m]
static const double Ia2 = 0.2;                    // reflected inertia known as such [N m s^2/rad]
static const double ks2 = 30.0;                   // stiffness of the spring [N m/rad]
static const double qs2 = 0.4;                    // where it is slack [rad]


void robot_2r_inverse_dynamics(const double q[ROBOT_2R_JOINTS], const double qd[ROBOT_2R_JOINTS],
                               const double qdd[ROBOT_2R_JOINTS],
                               const double base_motion[ROBOT_2R_BASE_MOTION],
                               const double external[ROBOT_2R_EXTERNAL],
                               const double payload[ROBOT_2R_PAYLOAD], double tau[ROBOT_2R_JOINTS],
                               double wrench[ROBOT_2R_WRENCH])
{
    const double q1 = q[0], q2 = q[1];
    const double qd1 = qd[0], qd2 = qd[1];
    const double qdd1 = qdd[0], qdd2 = qdd[1];
    const double w0_x = base_motion[0], w0_y = base_motion[1], w0_z = base_motion[2],
                 wd0_x = base_motion[3], wd0_y = base_motion[4], wd0_z = base_motion[5],
                 a0_x = base_motion[6], a0_y = base_motion[7], a0_z = base_motion[8];
    const double Fe1_x = external[0], Fe1_y = external[1], Fe1_z = external[2],
                 Ne1_x = external[3], Ne1_y = external[4], Ne1_z = external[5];
    const double mp = payload[0], cp_x = payload[1], cp_y = payload[2], cp_z = payload[3],
                 Ip_xx = payload[4], Ip_xy = payload[5], Ip_xz = payload[6], Ip_yy = payload[7],
                 Ip_yz = payload[8], Ip_zz = payload[9];

    // ==== What follows from them, in the frames of the equations ================================
    // First moments h = m c of centres c; inertia about the origin J = I + m (c.c 1 - c c')

    const double h1_x = m1 * com1_x;
    const double h1_y = m1 * com1_y;
    const double h1_z = m1 * com1_z;
    const double J1_xx = I1_xx + m1 * (com1_y * com1_y + com1_z * com1_z);
    const double J1_xy = I1_xy - m1 * com1_x * com1_y;
    const double J1_xz = I1_xz - m1 * com1_x * com1_z;
    const double J1_yy = I1_yy + m1 * (com1_x * com1_x + com1_z * com1_z);
    const double J1_yz = I1_yz - m1 * com1_y * com1_z;
    const double J1_zz = I1_zz + m1 * (com1_x * com1_x + com1_y * com1_y);
    const double Ic1 = Im1 * N1;
    const double Ir1 = N1 * Ic1;

    const double h2_x = m2 * com2_x;
    const double h2_y = m2 * com2_y;
    const double h2_z = m2 * com2_z;
    const double J2_xx = I2_xx + m2 * (com2_y * com2_y + com2_z * com2_z);
    const double J2_xy = I2_xy - m2 * com2_x * com2_y;
    const double J2_xz = I2_xz - m2 * com2_x * com2_z;
    const double J2_yy = I2_yy + m2 * (com2_x * com2_x + com2_z * com2_z);
    const double J2_yz = I2_yz - m2 * com2_y * com2_z;
    const double J2_zz = I2_zz + m2 * (com2_x * com2_x + com2_y * com2_y);

    // ==== Loads on the links, in their frames ===================================================

    // ---- link 2 'link2', turned by joint 2 'joint2'
    // mt2, ht2, Jt2: mass, first moments, inertia of link 2 with its payload
    const double t21 = cp_x * cp_x;
    const double t22 = cp_y * cp_y;
    const double t23 = cp_z * cp_z;
    const double mt2 = m2 + mp;
    const double ht2_x = h2_x + mp * cp_x;
    const double ht2_y = h2_y + mp * cp_y;
    const double ht2_z = h2_z + mp * cp_z;
    const double Jt2_xx = J2_xx + Ip_xx + mp * (t22 + t23);
    const double Jt2_xy = J2_xy + Ip_xy - mp * cp_x * cp_y;
    const double Jt2_xz = J2_xz + Ip_xz - mp * cp_x * cp_z;
    const double Jt2_yy = J2_yy + Ip_yy + mp * (t21 + t23);
    const double Jt2_yz = J2_yz + Ip_yz - mp * cp_y * cp_z;
    const double Jt2_zz = J2_zz + Ip_zz + mp * (t21 + t22);

    // ==== Forward, root to tips: motion of each link, and what accelerates it ===================

    // ---- link 1 'link1', turned by joint 1 'joint1'
    // b1 = a0 + U0 p1 = (a0_x, a0_y, a0_z)
    // R1: turn about z by q1
    const double c1 = cos(q1);
    const double s1 = sin(q1);
    // w1 = R1' w0 + qd1 z
    const double w1_x = w0_x * c1 + w0_y * s1;
    const double w1_y = w0_y * c1 - w0_x * s1;
    const double w1_z = qd1 + w0_z;
    // wd1 = R1' wd0 + qdd1 z + R1' w0 x qd1 z
    const double wd1_x = wd0_x * c1 + wd0_y * s1 + qd1 * w1_y;
    const double wd1_y = wd0_y * c1 - wd0_x * s1 - qd1 * w1_x;
    const double wd1_z = qdd1 + wd0_z;
    // a1 = R1' b1 = (a1_x, a1_y, a0_z)
    const double a1_x = a0_x * c1 + a0_y * s1;
    const double a1_y = a0_y * c1 - a0_x * s1;
    // ww1 = w1 w1'
    const double ww1_xx = w1_x * w1_x;
    const double ww1_yy = w1_y * w1_y;
    const double ww1_zz = w1_z * w1_z;
    const double ww1_xy = w1_x * w1_y;
    const double ww1_xz = w1_x * w1_z;
    const double ww1_yz = w1_y * w1_z;
    // U1 = [wd1]x + [w1]x [w1]x
    const double U1_xx = -(ww1_yy + ww1_zz);
    const double U1_xy = ww1_xy - wd1_z;
    const double U1_xz = wd1_y + ww1_xz;
    const double U1_yx = wd1_z + ww1_xy;
    const double U1_yy = -(ww1_xx + ww1_zz);
    const double U1_yz = ww1_yz - wd1_x;
    const double U1_zx = ww1_xz - wd1_y;
    const double U1_zy = wd1_x + ww1_yz;
    const double U1_zz = -(ww1_xx + ww1_yy);
    // F1 = m1 a1 + U1 h1
    const double F1_x = m1 * a1_x + h1_x * U1_xx + h1_y * U1_xy + h1_z * U1_xz;
    const double F1_y = m1 * a1_y + h1_x * U1_yx + h1_y * U1_yy + h1_z * U1_yz;
    const double F1_z = m1 * a0_z + h1_x * U1_zx + h1_y * U1_zy + h1_z * U1_zz;
    // L1 = J1 w1
    const double L1_x = J1_xx * w1_x + J1_xy * w1_y + J1_xz * w1_z;
    const double L1_y = J1_xy * w1_x + J1_yy * w1_y + J1_yz * w1_z;
    const double L1_z = J1_xz * w1_x + J1_yz * w1_y + J1_zz * w1_z;
    // N1 = J1 wd1 + w1 x L1 + h1 x a1
    const double N1_x = J1_xx * wd1_x + J1_xy * wd1_y + J1_xz * wd1_z + w1_y * L1_z - w1_z * L1_y
            + h1_y * a0_z - h1_z * a1_y;
    const double N1_y = J1_xy * wd1_x + J1_yy * wd1_y + J1_yz * wd1_z + w1_z * L1_x - w1_x * L1_z
            + h1_z * a1_x - h1_x * a0_z;
    const double N1_z = J1_xz * wd1_x + J1_yz * wd1_y + J1_zz * wd1_z + w1_x * L1_y - w1_y * L1_x
            + h1_x * a1_y - h1_y * a1_x;

    // ---- link 2 'link2', turned by joint 2 'joint2'
    // b2 = a1 + U1 p2
    const double b2_x = a1_x + p2_x * U1_xx;
    const double b2_y = a1_y + p2_x * U1_yx;
    const double b2_z = a0_z + p2_x * U1_zx;
    // R2: turn about z by q2
    const double c2 = cos(q2);
    const double s2 = sin(q2);
    // w2 = R2' w1 + qd2 z
    const double w2_x = w1_x * c2 + w1_y * s2;
    const double w2_y = w1_y * c2 - w1_x * s2;
    const double w2_z = qd2 + w1_z;
    // wd2 = R2' wd1 + qdd2 z + R2' w1 x qd2 z
    const double wd2_x = wd1_x * c2 + wd1_y * s2 + qd2 * w2_y;
    const double wd2_y = wd1_y * c2 - wd1_x * s2 - qd2 * w2_x;
    const double wd2_z = qdd2 + wd1_z;
    // a2 = R2' b2 = (a2_x, a2_y, b2_z)
    const double a2_x = b2_x * c2 + b2_y * s2;
    const double a2_y = b2_y * c2 - b2_x * s2;
    // ww2 = w2 w2'
    const double ww2_xx = w2_x * w2_x;
    const double ww2_yy = w2_y * w2_y;
    const double ww2_zz = w2_z * w2_z;
    const double ww2_xy = w2_x * w2_y;
    const double ww2_xz = w2_x * w2_z;
    const double ww2_yz = w2_y * w2_z;
    // U2 = [wd2]x + [w2]x [w2]x
    const double U2_xx = -(ww2_yy + ww2_zz);
    const double U2_xy = ww2_xy - wd2_z;
    const double U2_xz = wd2_y + ww2_xz;
    const double U2_yx = wd2_z + ww2_xy;
    const double U2_yy = -(ww2_xx + ww2_zz);
    const double U2_yz = ww2_yz - wd2_x;
    const double U2_zx = ww2_xz - wd2_y;
    const double U2_zy = wd2_x + ww2_yz;
    const double U2_zz = -(ww2_xx + ww2_yy);
    // F2 = mt2 a2 + U2 ht2
    const double F2_x = mt2 * a2_x + ht2_x * U2_xx + ht2_y * U2_xy + ht2_z * U2_xz;
    const double F2_y = mt2 * a2_y + ht2_x * U2_yx + ht2_y * U2_yy + ht2_z * U2_yz;
    const double F2_z = mt2 * b2_z + ht2_x * U2_zx + ht2_y * U2_zy + ht2_z * U2_zz;
    // L2 = Jt2 w2
    const double L2_x = Jt2_xx * w2_x + Jt2_xy * w2_y + Jt2_xz * w2_z;
    const double L2_y = Jt2_xy * w2_x + Jt2_yy * w2_y + Jt2_yz * w2_z;
    const double L2_z = Jt2_xz * w2_x + Jt2_yz * w2_y + Jt2_zz * w2_z;
    // N2 = Jt2 wd2 + w2 x L2 + ht2 x a2
    const double N2_x = Jt2_xx * wd2_x + Jt2_xy * wd2_y + Jt2_xz * wd2_z + w2_y * L2_z
            - w2_z * L2_y + ht2_y * b2_z - ht2_z * a2_y;
    const double N2_y = Jt2_xy * wd2_x + Jt2_yy * wd2_y + Jt2_yz * wd2_z + w2_z * L2_x
            - w2_x * L2_z + ht2_z * a2_x - ht2_x * b2_z;
    const double N2_z = Jt2_xz * wd2_x + Jt2_yz * wd2_y + Jt2_zz * wd2_z + w2_x * L2_y
            - w2_y * L2_x + ht2_x * a2_y - ht2_y * a2_x;

    // ==== Backward, tips to root: force f and moment n that each joint transmits ================

    // ---- link 2 'link2', turned by joint 2 'joint2'
    // f2 = F2 - fe2
    const double f2_x = F2_x - Fe1_x;
    const double f2_y = F2_y - Fe1_y;
    const double f2_z = F2_z - Fe1_z;
    // n2 = N2 - ne2
    const double n2_x = N2_x - Ne1_x;
    const double n2_y = N2_y - Ne1_y;
    const double n2_z = N2_z - Ne1_z;
    // fj2 = R2 f2 = (fj2_x, fj2_y, f2_z)
    const double fj2_x = c2 * f2_x - s2 * f2_y;
    const double fj2_y = c2 * f2_y + s2 * f2_x;
    // nj2 = R2 n2 = (nj2_x, nj2_y, n2_z)
    const double nj2_x = c2 * n2_x - s2 * n2_y;
    const double nj2_y = c2 * n2_y + s2 * n2_x;
    // rotor2 = Ia2 qdd2
    const double rotor2 = Ia2 * qdd2;
    // spring2 = ks2 (q2 - qs2)
    const double spring2 = -ks2 * (qs2 - q2);
    // tau2 = n2_z + rotor2 + spring2
    const double tau2 = n2_z + rotor2 + spring2;
    // fp2 = fj2 = (fj2_x, fj2_y, f2_z)
    // np2 = nj2 + p2 x fp2 = (nj2_x, np2_y, np2_z)
    const double np2_y = nj2_y - p2_x * f2_z;
    const double np2_z = n2_z + p2_x * fj2_y;

    // ---- link 1 'link1', turned by joint 1 'joint1'
    // f1 = F1 + fp2
    const double f1_x = F1_x + fj2_x;
    const double f1_y = F1_y + fj2_y;
    const double f1_z = F1_z + f2_z;
    // n1 = N1 + np2
    const double n1_x = N1_x + nj2_x;
    const double n1_y = N1_y + np2_y;
    const double n1_z = N1_z + np2_z;
    // fj1 = R1 f1 = (fj1_x, fj1_y, f1_z)
    const double fj1_x = c1 * f1_x - s1 * f1_y;
    const double fj1_y = c1 * f1_y + s1 * f1_x;
    // nj1 = R1 n1 = (nj1_x, nj1_y, n1_z)
    const double nj1_x = c1 * n1_x - s1 * n1_y;
    const double nj1_y = c1 * n1_y + s1 * n1_x;
    // nr1 = nj1 + Ic1 (qdd1 z + w0 x qd1 z)
    const double t130 = Ic1 * qd1;
    const double nr1_x = nj1_x + w0_y * t130;
    const double nr1_y = nj1_y - w0_x * t130;
    const double nr1_z = n1_z + Ic1 * qdd1;
    // friction1 = Fv1 qd1 + (Fc1 + Fs1 exp(-iv1 qd1^2)) tanh(iw1 qd1) + Fo1
    const double friction1 = Fo1 + Fv1 * qd1 + tanh(iw1 * qd1) * (Fc1
            + Fs1 * exp(-iv1 * qd1 * qd1));
    // rotor1 = Ir1 qdd1 + Ic1 wd0_z
    const double rotor1 = Ir1 * qdd1 + Ic1 * wd0_z;
    // tau1 = n1_z + friction1 + rotor1
    const double tau1 = n1_z + friction1 + rotor1;
    // fp1 = fj1 = (fj1_x, fj1_y, f1_z)
    // np1 = nr1 + p1 x fp1 = (nr1_x, nr1_y, nr1_z)

    // ---- the root
    // f0 = fp1 = (fj1_x, fj1_y, f1_z)
    // n0 = np1 = (nr1_x, nr1_y, nr1_z)

    tau[0] = tau1;                        // 1 [N m]
    tau[1] = tau2;                        // 2 [N m]
    wrench[0] = fj1_x;                    // force x [N]
    wrench[1] = fj1_y;                    // force y [N]
    wrench[2] = f1_z;                     // force z [N]
    wrench[3] = nr1_x;                    // moment x [N m]
    wrench[4] = nr1_y;                    // moment y [N m]
    wrench[5] = nr1_z;                    // moment z [N m]
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
static const double reference_base_motion[][ROBOT_2R_BASE_MOTION] = {
    {0.97, 1.01, -1.23, -0.7, 1.41, 0.33, -1.49, 0.05, 1.48},
    {0.64, -1.5, 0.61, 0.99, -1.43, 0.2, 1.27, -1.26, -0.22},
    {-1.5, 0.99, 0.19, -1.23, 1.46, -0.71, -0.51, 1.39, -1.34},
};
static const double reference_external[][ROBOT_2R_EXTERNAL] = {
    {7.57, -3.54, -6.66, 5.26, 5.3, -6.62},
    {-5.5, -2.99, 7.99, -3.66, -4.95, 7.78},
    {-2.99, 7.53, -7.04, 1.85, 4.57, -7.94},
};
static const double reference_payload[][ROBOT_2R_PAYLOAD] = {
    {0.5, 0.02, -0.03, 0.05, 0.004, 0.001, -0.0005, 0.005, 0.0008, 0.003},
    {0.5, 0.02, -0.03, 0.05, 0.004, 0.001, -0.0005, 0.005, 0.0008, 0.003},
    {0.5, 0.02, -0.03, 0.05, 0.004, 0.001, -0.0005, 0.005, 0.0008, 0.003},
};
static const double expected_inverse_dynamics[][ROBOT_2R_JOINTS] = {
    {99.75802789356537, 27.7041367809926},
    {-159.2196575124393, -113.1402185611884},
    {60.78463711925529, 32.24805916569302},
};
static const double expected_inverse_dynamics_wrench[][ROBOT_2R_WRENCH] = {
    {-30.05308213324798, 18.098833947086995, 19.795565793208816, 28.351960939090578,
     -43.50558648434235, 95.58402789356536},
    {-17.157412147150637, -54.87369800244862, 10.21563733829326, 33.052531755433954,
     -39.206213512043696, -156.95310724467194},
    {-4.492046238108221, 23.461484956062865, 31.07886323287054, -87.51316835058948,
     -69.18251017915078, 64.03628711925529},
};
static const char *const wrench_names[] = {"force x", "force y", "force z", "moment x", "moment y",
                                           "moment z"};

static int differs(const char *function, const char *const *names, int size,
                   const double *found, const double *expected)
{
    int wrong = 0;
    for (int i = 0; i < size; i++) {
        if (!(fabs(found[i] - expected[i]) <= 1e-9 * fmax(1.0, fabs(expected[i])))) {
            printf("%s, %s: %.17g instead of %.17g\n", function, names[i],
                   found[i], expected[i]);
            wrong = 1;
        }
    }
    return wrong;
}

int main(void)
{
    int wrong = 0;
    {   double tau[ROBOT_2R_JOINTS], wrench[ROBOT_2R_WRENCH];
        robot_2r_inverse_dynamics(reference_q[0], reference_qd[0], reference_qdd[0],
                                  reference_base_motion[0], reference_external[0],
                                  reference_payload[0], tau, wrench);
        puts("inverse_dynamics in the first reference state:");
        static const char *const units_tau[] = {"N m", "N m"};
        for (int i = 0; i < ROBOT_2R_JOINTS; i++) {
            printf("%-24s %.9g %s\n", robot_2r_joint_names[i], tau[i], units_tau[i]);
        }
        static const char *const units_wrench[] = {"N", "N", "N", "N m", "N m", "N m"};
        for (int i = 0; i < ROBOT_2R_WRENCH; i++) {
            printf("%-24s %.9g %s\n", wrench_names[i], wrench[i], units_wrench[i]);
        }
    }
    const struct { const char *name; double value, exported; } parameters[] = {
        {"m1", m1, 3.0}, {"com1_x", com1_x, 1.0}, {"com1_y", com1_y, 0.0}, {"com1_z", com1_z, 0.0},
        {"I1_xx", I1_xx, 1.2}, {"I1_yy", I1_yy, 15.6}, {"I1_zz", I1_zz, 15.6},
        {"I1_xy", I1_xy, 0.0}, {"I1_xz", I1_xz, 0.0}, {"I1_yz", I1_yz, 0.0}, {"Fv1", Fv1, 2.0},
        {"Fc1", Fc1, 1.5}, {"iw1", iw1, 100.0}, {"Fs1", Fs1, 0.5}, {"iv1", iv1, 400.0},
        {"Fo1", Fo1, 0.1}, {"Im1", Im1, 0.0001}, {"N1", N1, 50.0}, {"m2", m2, 5.0},
        {"com2_x", com2_x, 1.0}, {"com2_y", com2_y, 0.0}, {"com2_z", com2_z, 0.0},
        {"I2_xx", I2_xx, 2.0}, {"I2_yy", I2_yy, 10.0}, {"I2_zz", I2_zz, 10.0},
        {"I2_xy", I2_xy, 0.0}, {"I2_xz", I2_xz, 0.0}, {"I2_yz", I2_yz, 0.0}, {"p2_x", p2_x, 2.0},
        {"Ia2", Ia2, 0.2}, {"ks2", ks2, 30.0}, {"qs2", qs2, 0.4}
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
        {   double tau[ROBOT_2R_JOINTS], wrench[ROBOT_2R_WRENCH];
            robot_2r_inverse_dynamics(reference_q[k], reference_qd[k], reference_qdd[k],
                                      reference_base_motion[k], reference_external[k],
                                      reference_payload[k], tau, wrench);
            wrong += differs("inverse_dynamics", robot_2r_joint_names, ROBOT_2R_JOINTS, tau,
                             expected_inverse_dynamics[k]);
            wrong += differs("inverse_dynamics", wrench_names, ROBOT_2R_WRENCH, wrench,
                             expected_inverse_dynamics_wrench[k]);
        }
    }
    puts(wrong ? "differs from the reference" : "agrees with the reference");
    return wrong ? 1 : 0;
}
#endif
