//! Inverse dynamics of 'robot_2r': tau = ID(q, qd, qdd), the efforts that give a motion.
//!
//! Recursive Newton-Euler, readable style, written by urdf2dyn_ros 0.1.0.
//! SI: rad, m, kg, s, N, N m. Efforts are positive along the axis: what the actuator must
//! supply. Inputs must be finite: products with what is always zero are omitted.
//! Rigid links alone: no friction, no rotors, no springs, no contact.
//! Gravity (0, -9.81, 0) m/s^2 in the root frame.
//! Lengths of 0 and quarter turns of the URDF are folded in (`export --general`: nothing is).
//! One call: 25 multiplications, 17 additions, 4 sines and cosines.
//!
//!     i  joint   type        moves  parent  q    effort  frame i: link's
//!     1  joint1  continuous  link1  root    rad  N m     x y z
//!     2  joint2  continuous  link2  1       rad  N m     x y z
//!
//! Notation, after Khalil and Dombre (v x w: cross product, R': transpose of R, p: parent of i):
//!     frame i       on link i, origin on joint i, z along the joint's axis; the root frame is 0
//!     Ai, Ri        constant rotation from joint i to frame p; rotation of joint i, by qi about z
//!     pi            origin of joint i in frame p; bi: acceleration of frame p there, as ai
//!     ci, si        cosine and sine of qi
//!     wi, wdi       angular velocity and its derivative, in frame i; w0 = wd0 = 0
//!     ai            acceleration of the origin minus gravity, in frame i; a0 = -g
//!     Ui            Ui r = wdi x r + wi x (wi x r): acceleration of r relative to the origin
//!     mi, hi, Ji    mass, first moments (mass times centre), inertia about the origin, in frame i
//!     Fi, Ni        force and moment that accelerate link i by itself; Li = Ji wi
//!     fi, ni        force and moment that joint i transmits; fpi, npi: the same in frame p
//!     wji, .. nji   the same in the axes of joint i: before it turns, or turned back (fji, nji)
//!     = (.., _, ..) entries of a formula that are known; _ is one that is not needed
//! Self-test: rustc --test robot_2r_dynamics.rs && ./robot_2r_dynamics
#![allow(non_snake_case, non_upper_case_globals)]

pub const JOINTS: usize = 2;
pub const JOINT_NAMES: [&str; JOINTS] = ["joint1", "joint2"];

// ==== Parameters, as in the URDF: change a line, run again, and the efforts follow ==============
// Those without influence are omitted.

// the root
const g_y: f64 = -9.81;                           // gravity in the root frame [m/s^2]

// link 1 'link1', turned by joint 1 'joint1'
const m1: f64 = 3.0;                              // mass [kg]
const com1_x: f64 = 1.0; const com1_y: f64 = 0.0;  // centre of mass in the link [m]
const I1_zz: f64 = 15.6;                          // inertia about the centre of mass [kg m^2]

// link 2 'link2', turned by joint 2 'joint2'
const m2: f64 = 5.0;                              // mass [kg]
const com2_x: f64 = 1.0; const com2_y: f64 = 0.0;  // centre of mass in the link [m]
const I2_zz: f64 = 10.0;                          // inertia about the centre of mass [kg m^2]
const p2_x: f64 = 2.0;                            // origin of joint 2 in frame 1 [m]

// ==== What follows from them, in the frames of the equations ====================================
// First moments h = m c of centres c; inertia about the origin J = I + m (c.c 1 - c c')

const h1_x: f64 = m1 * com1_x;
const h1_y: f64 = m1 * com1_y;
const J1_zz: f64 = I1_zz + m1 * (com1_x * com1_x + com1_y * com1_y);

const h2_x: f64 = m2 * com2_x;
const h2_y: f64 = m2 * com2_y;
const J2_zz: f64 = I2_zz + m2 * (com2_x * com2_x + com2_y * com2_y);

/// Returns the efforts tau that a motion requires.
pub fn inverse_dynamics(q: &[f64; JOINTS], qd: &[f64; JOINTS], qdd: &[f64; JOINTS])
    -> [f64; JOINTS]
{
    let q1 = q[0]; let q2 = q[1];
    let qd1 = qd[0]; let qd2 = qd[1];
    let qdd1 = qdd[0]; let qdd2 = qdd[1];

    // ==== Forward, root to tips: motion of each link, and what accelerates it ===================

    // ---- link 1 'link1', turned by joint 1 'joint1'
    // b1 = a0 + U0 p1 = (0, -g_y, 0)
    // R1: turn about z by q1
    let c1 = q1.cos();
    let s1 = q1.sin();
    // w1 = R1' w0 + qd1 z = (0, 0, qd1)
    // wd1 = R1' wd0 + qdd1 z + R1' w0 x qd1 z = (0, 0, qdd1)
    // a1 = R1' b1 = (a1_x, a1_y, 0)
    let a1_x = -g_y * s1;
    let a1_y = -g_y * c1;
    // ww1 = w1 w1'
    let ww1_zz = qd1 * qd1;
    // U1 = [wd1]x + [w1]x [w1]x, U1_xx = -ww1_zz, U1_xy = -qdd1, U1_yx = qdd1, U1_yy = -ww1_zz
    // N1 = J1 wd1 + w1 x L1 + h1 x a1 = (_, _, N1_z)
    let N1_z = J1_zz * qdd1 - h1_y * a1_x + h1_x * a1_y;

    // ---- link 2 'link2', turned by joint 2 'joint2'
    // b2 = a1 + U1 p2 = (b2_x, b2_y, 0)
    let b2_x = a1_x - p2_x * ww1_zz;
    let b2_y = a1_y + p2_x * qdd1;
    // R2: turn about z by q2
    let c2 = q2.cos();
    let s2 = q2.sin();
    // w2 = R2' w1 + qd2 z = (0, 0, w2_z)
    let w2_z = qd1 + qd2;
    // wd2 = R2' wd1 + qdd2 z + R2' w1 x qd2 z = (0, 0, wd2_z)
    let wd2_z = qdd1 + qdd2;
    // a2 = R2' b2 = (a2_x, a2_y, 0)
    let a2_x = b2_x * c2 + b2_y * s2;
    let a2_y = b2_y * c2 - b2_x * s2;
    // ww2 = w2 w2'
    let ww2_zz = w2_z * w2_z;
    // U2 = [wd2]x + [w2]x [w2]x, U2_xx = -ww2_zz, U2_xy = -wd2_z, U2_yx = wd2_z, U2_yy = -ww2_zz
    // F2 = m2 a2 + U2 h2 = (F2_x, F2_y, 0)
    let F2_x = m2 * a2_x - h2_x * ww2_zz - h2_y * wd2_z;
    let F2_y = m2 * a2_y - h2_y * ww2_zz + h2_x * wd2_z;
    // N2 = J2 wd2 + w2 x L2 + h2 x a2 = (_, _, N2_z)
    let N2_z = J2_zz * wd2_z - h2_y * a2_x + h2_x * a2_y;

    // ==== Backward, tips to root: force f and moment n that each joint transmits ================

    // ---- link 2 'link2', turned by joint 2 'joint2'
    // f2 = F2 = (F2_x, F2_y, 0)
    // n2 = N2 = (_, _, N2_z)
    // fj2 = R2 f2 = (_, fj2_y, 0)
    let fj2_y = c2 * F2_y + s2 * F2_x;
    // nj2 = R2 n2 = (_, _, N2_z)
    // fp2 = fj2 = (_, fj2_y, 0)
    // np2 = nj2 + p2 x fp2 = (_, _, np2_z)
    let np2_z = N2_z + p2_x * fj2_y;

    // ---- link 1 'link1', turned by joint 1 'joint1'
    // n1 = N1 + np2 = (_, _, n1_z)
    let n1_z = N1_z + np2_z;
    // nj1 = R1 n1 = (_, _, n1_z)

    let mut tau = [0.0; JOINTS];
    tau[0] = n1_z;                        // 1 [N m]
    tau[1] = N2_z;                        // 2 [N m]
    tau
}

#[cfg(test)]
mod tests {
    use super::*;

    const reference_q: &[[f64; JOINTS]] = &[
        [0.35, 0.78],
        [0.61, -0.86],
        [-0.86, 0.36],
    ];
    const reference_qd: &[[f64; JOINTS]] = &[
        [1.16, 0.17],
        [-0.19, -1.0],
        [-1.0, 1.16],
    ];
    const reference_qdd: &[[f64; JOINTS]] = &[
        [1.03, -1.83],
        [-1.99, 0.62],
        [0.62, 1.0],
    ];
    const expected_inverse_dynamics: &[[f64; JOINTS]] = &[
        [167.14198500435336, 25.713400885261393],
        [43.2271944383838, 13.718067503237304],
        [198.87942395510254, 76.67072730027688],
    ];

    fn compare(function: &str, found: &[f64; JOINTS], expected: &[f64; JOINTS]) {
        for ((name, a), b) in JOINT_NAMES.iter().zip(found).zip(expected) {
            assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0),
                    "{}, {}: {} instead of {}", function, name, a, b);
        }
    }

    // of a test that passes, what println! prints is not shown
    fn said(line: &str) {
        use std::io::Write;
        writeln!(std::io::stdout(), "{}", line).unwrap();
    }

    #[test]
    fn agrees_with_the_reference() {
        let found = inverse_dynamics(&reference_q[0], &reference_qd[0], &reference_qdd[0]);
        said("\ninverse_dynamics in the first reference state:");
        let units = ["N m", "N m"];
        for ((name, entry), unit) in JOINT_NAMES.iter().zip(found).zip(units) {
            said(&format!("{:24} {:.6} {}", name, entry, unit));
        }
        let parameters = [
            ("g_y", g_y, -9.81), ("m1", m1, 3.0), ("com1_x", com1_x, 1.0), ("com1_y", com1_y, 0.0),
            ("I1_zz", I1_zz, 15.6), ("m2", m2, 5.0), ("com2_x", com2_x, 1.0),
            ("com2_y", com2_y, 0.0), ("I2_zz", I2_zz, 10.0), ("p2_x", p2_x, 2.0)
        ];
        let changed = parameters.iter().filter(|(_, value, exported)| value != exported);
        for (name, _, _) in changed.clone() {
            said(&format!("parameter {} was changed: the reference values do not apply", name));
        }
        if changed.count() > 0 {
            return;
        }
        for k in 0..reference_q.len() {
            let found = inverse_dynamics(&reference_q[k], &reference_qd[k], &reference_qdd[k]);
            compare("inverse_dynamics", &found, &expected_inverse_dynamics[k]);
        }
    }
}
