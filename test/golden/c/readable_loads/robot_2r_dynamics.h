/*
 * Inverse dynamics of 'robot_2r': tau, wrench = ID(q, qd, qdd, base_motion, external, payload),
 *     the efforts that give a motion.
 *
 * Recursive Newton-Euler, readable style, written by urdf2dyn_ros 0.1.0.
 * SI: rad, m, kg, s, N, N m. Efforts are positive along the axis: what the actuator must
 * supply. Inputs must be finite: products with what is always zero are omitted.
 * Rigid links with friction, rotors and springs at joints, external wrenches and a payload.
 * The root moves as base_motion says. Gravity is part of it: a0 is what an accelerometer at the
 *     origin of the root measures.
 * external: force and moment on a link by the environment, about its origin, in its axes.
 *     Entries 1 to 6: link 'link2'.
 * payload: a body that is fixed to link 'link2'.
 * Lengths of 0 and quarter turns of the URDF are folded in (`export --general`: nothing is).
 * One call: 174 multiplications, 160 additions, 4 sines and cosines, 2 hyperbolic tangents and
 *     exponentials.
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
 *     wi, wdi       angular velocity and its derivative, in frame i; w0, wd0 are inputs
 *     ai            acceleration of the origin minus gravity, in frame i; a0 is an input
 *     Ui            Ui r = wdi x r + wi x (wi x r): acceleration of r relative to the origin
 *     mi, hi, Ji    mass, first moments (mass times centre), inertia about the origin, in frame i
 *     Fi, Ni        force and moment that accelerate link i by itself; Li = Ji wi
 *     fi, ni        force and moment that joint i transmits; fpi, npi: the same in frame p
 *     wji, .. nji   the same in the axes of joint i: before it turns, or turned back (fji, nji)
 *     = (.., _, ..) entries of a formula that are known; _ is one that is not needed
 * Self-test: cc -DROBOT_2R_SELF_TEST robot_2r_dynamics.c -lm -o self_test && ./self_test
 */
#ifndef ROBOT_2R_DYNAMICS_H
#define ROBOT_2R_DYNAMICS_H

#define ROBOT_2R_JOINTS 2
#define ROBOT_2R_BASE_MOTION 9
#define ROBOT_2R_EXTERNAL 6
#define ROBOT_2R_PAYLOAD 10
#define ROBOT_2R_WRENCH 6

#ifdef __cplusplus
extern "C" {
#endif

/* UTF-8, in the order of all vectors */
extern const char *const robot_2r_joint_names[ROBOT_2R_JOINTS];

// inverse_dynamics: the efforts tau that a motion requires.
// base_motion, 9 entries: of the root, in its frame: angular velocity [rad/s], angular
//     acceleration [rad/s^2], acceleration of the origin minus gravity [m/s^2].
// external, 6 entries: for each link that the heading names, force [N] and moment [N m] on it by
//     the environment, about its origin, in its axes.
// payload, 10 entries: mass [kg], centre of mass [m] in the link, inertia about it [kg m^2]: xx,
//     xy, xz, yy, yz, zz.
// wrench, 6 entries: force [N] and moment [N m] that the world must apply at the origin of the
//     root, in its frame.
// Results: tau, wrench.
void robot_2r_inverse_dynamics(const double q[ROBOT_2R_JOINTS], const double qd[ROBOT_2R_JOINTS],
                               const double qdd[ROBOT_2R_JOINTS],
                               const double base_motion[ROBOT_2R_BASE_MOTION],
                               const double external[ROBOT_2R_EXTERNAL],
                               const double payload[ROBOT_2R_PAYLOAD], double tau[ROBOT_2R_JOINTS],
                               double wrench[ROBOT_2R_WRENCH]);

#ifdef __cplusplus
}
#endif

#endif
