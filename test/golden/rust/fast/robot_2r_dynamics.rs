//! Inverse dynamics of 'robot_2r': tau = ID(q, qd, qdd), the efforts that give a motion.
//!
//! Recursive Newton-Euler, fast style, written by urdf2dyn_ros 0.1.0.
//! SI: rad, m, kg, s, N, N m. Efforts are positive along the axis: what the actuator must
//! supply. Inputs must be finite: products with what is always zero are omitted.
//! Rigid links alone: no friction, no rotors, no springs, no contact.
//! Gravity (0, -9.81, 0) m/s^2 in the root frame.
//! One call: 17 multiplications, 10 additions, 4 sines and cosines.
//!
//!     i  joint   type        moves  parent  q    effort  frame i: link's
//!     1  joint1  continuous  link1  root    rad  N m     x y z
//!     2  joint2  continuous  link2  1       rad  N m     x y z
//! Self-test: rustc --test robot_2r_dynamics.rs && ./robot_2r_dynamics
#![allow(non_snake_case, non_upper_case_globals)]

pub const JOINTS: usize = 2;
pub const JOINT_NAMES: [&str; JOINTS] = ["joint1", "joint2"];

/// Returns the efforts tau that a motion requires.
pub fn inverse_dynamics(q: &[f64; JOINTS], qd: &[f64; JOINTS], qdd: &[f64; JOINTS])
    -> [f64; JOINTS]
{
    let q1 = q[0]; let q2 = q[1];
    let qd1 = qd[0]; let qd2 = qd[1];
    let qdd1 = qdd[0]; let qdd2 = qdd[1];

    // ==== Forward, root to tips: motion of each link, and what accelerates it ===================

    // ---- link 1 'link1', turned by joint 1 'joint1'
    let c1 = q1.cos();

    // ---- link 2 'link2', turned by joint 2 'joint2'
    let c2 = q2.cos();
    let s2 = q2.sin();
    let w2_z = qd1 + qd2;
    let wd2_z = qdd1 + qdd2;
    let N2_z = 15.0 * wd2_z + 5.0 * ((9.81 * c1 + 2.0 * qdd1) * c2 - (9.81 * q1.sin()
            - 2.0 * qd1 * qd1) * s2);

    // ==== Backward, tips to root: force f and moment n that each joint transmits ================

    // ---- link 1 'link1', turned by joint 1 'joint1'
    let n1_z = 38.6 * qdd1 + 127.53 * c1 + N2_z + 2.0 * (c2 * 5.0 * wd2_z
            - s2 * 5.0 * w2_z * w2_z);

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
        for k in 0..reference_q.len() {
            let found = inverse_dynamics(&reference_q[k], &reference_qd[k], &reference_qdd[k]);
            compare("inverse_dynamics", &found, &expected_inverse_dynamics[k]);
        }
    }
}
