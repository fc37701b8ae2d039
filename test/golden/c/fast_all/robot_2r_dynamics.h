/*
 * Dynamics of 'robot_2r': tau = ID(q, qd, qdd) = M(q) qdd + bias(q, qd).
 *
 * Recursive Newton-Euler, fast style, written by urdf2dyn_ros 0.1.0.
 * SI: rad, m, kg, s, N, N m. Efforts are positive along the axis: what the actuator must
 * supply. Inputs must be finite: products with what is always zero are omitted.
 * Rigid links alone: no friction, no rotors, no springs, no contact.
 * Gravity (0, -9.81, 0) m/s^2 in the root frame.
 * One call of inverse_dynamics: 17 multiplications, 10 additions, 4 sines and cosines.
 * One call of gravity: 6 multiplications, 2 additions, 4 sines and cosines.
 * One call of bias: 12 multiplications, 5 additions, 4 sines and cosines.
 * One call of mass_matrix: 3 multiplications, 8 additions, 1 sine or cosine.
 * One call of dynamics: 25 multiplications, 23 additions, 4 sines and cosines.
 *
 *     i  joint   type        moves  parent  q    effort  frame i: link's
 *     1  joint1  continuous  link1  root    rad  N m     x y z
 *     2  joint2  continuous  link2  1       rad  N m     x y z
 * Self-test: cc -DROBOT_2R_SELF_TEST robot_2r_dynamics.c -lm -o self_test && ./self_test
 */
#ifndef ROBOT_2R_DYNAMICS_H
#define ROBOT_2R_DYNAMICS_H

#define ROBOT_2R_JOINTS 2

#ifdef __cplusplus
extern "C" {
#endif

/* UTF-8, in the order of all vectors */
extern const char *const robot_2r_joint_names[ROBOT_2R_JOINTS];

// inverse_dynamics: the efforts tau that a motion requires.
void robot_2r_inverse_dynamics(const double q[ROBOT_2R_JOINTS], const double qd[ROBOT_2R_JOINTS],
                               const double qdd[ROBOT_2R_JOINTS], double tau[ROBOT_2R_JOINTS]);

// gravity: the efforts tau that hold the robot still.
void robot_2r_gravity(const double q[ROBOT_2R_JOINTS], double tau[ROBOT_2R_JOINTS]);

// bias: the efforts tau of a motion without accelerations: Coriolis, centrifugal and gravity.
void robot_2r_bias(const double q[ROBOT_2R_JOINTS], const double qd[ROBOT_2R_JOINTS],
                   double tau[ROBOT_2R_JOINTS]);

// mass_matrix: the symmetric matrix M of tau = M(q) qdd + bias(q, qd).
void robot_2r_mass_matrix(const double q[ROBOT_2R_JOINTS],
                          double M[ROBOT_2R_JOINTS][ROBOT_2R_JOINTS]);

// dynamics: what inverse_dynamics, gravity, bias and mass_matrix return, shared work done once.
// Results: tau, tau_gravity, tau_bias, M.
void robot_2r_dynamics(const double q[ROBOT_2R_JOINTS], const double qd[ROBOT_2R_JOINTS],
                       const double qdd[ROBOT_2R_JOINTS], double tau[ROBOT_2R_JOINTS],
                       double tau_gravity[ROBOT_2R_JOINTS], double tau_bias[ROBOT_2R_JOINTS],
                       double M[ROBOT_2R_JOINTS][ROBOT_2R_JOINTS]);

#ifdef __cplusplus
}
#endif

#endif
