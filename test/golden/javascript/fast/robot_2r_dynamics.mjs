// Inverse dynamics of 'robot_2r': tau = ID(q, qd, qdd), the efforts that give a motion.
//
// Recursive Newton-Euler, fast style, written by urdf2dyn_ros 0.1.0.
// SI: rad, m, kg, s, N, N m. Efforts are positive along the axis: what the actuator must
// supply. Inputs must be finite: products with what is always zero are omitted.
// Rigid links alone: no friction, no rotors, no springs, no contact.
// Gravity (0, -9.81, 0) m/s^2 in the root frame.
// One call: 17 multiplications, 10 additions, 4 sines and cosines.
//
//     i  joint   type        moves  parent  q    effort  frame i: link's
//     1  joint1  continuous  link1  root    rad  N m     x y z
//     2  joint2  continuous  link2  1       rad  N m     x y z
// Self-test: node robot_2r_dynamics.mjs

const { cos, sin } = Math;

export const jointNames = ["joint1", "joint2"];

// Returns the efforts tau that a motion requires.
export function inverseDynamics(q, qd, qdd) {
    const q1 = q[0], q2 = q[1];
    const qd1 = qd[0], qd2 = qd[1];
    const qdd1 = qdd[0], qdd2 = qdd[1];

    // ==== Forward, root to tips: motion of each link, and what accelerates it ===================

    // ---- link 1 'link1', turned by joint 1 'joint1'
    const c1 = cos(q1);

    // ---- link 2 'link2', turned by joint 2 'joint2'
    const c2 = cos(q2);
    const s2 = sin(q2);
    const w2_z = qd1 + qd2;
    const wd2_z = qdd1 + qdd2;
    const N2_z = 15.0 * wd2_z + 5.0 * ((9.81 * c1 + 2.0 * qdd1) * c2 - (9.81 * sin(q1)
            - 2.0 * qd1 * qd1) * s2);

    // ==== Backward, tips to root: force f and moment n that each joint transmits ================

    // ---- link 1 'link1', turned by joint 1 'joint1'
    const n1_z = 38.6 * qdd1 + 127.53 * c1 + N2_z + 2.0 * (c2 * 5.0 * wd2_z
            - s2 * 5.0 * w2_z * w2_z);

    const tau = [];
    tau[0] = n1_z;                        // 1 [N m]
    tau[1] = N2_z;                        // 2 [N m]
    return tau;
}

const reference_q = [
    [0.35, 0.78],
    [0.61, -0.86],
    [-0.86, 0.36],
];
const reference_qd = [
    [1.16, 0.17],
    [-0.19, -1.0],
    [-1.0, 1.16],
];
const reference_qdd = [
    [1.03, -1.83],
    [-1.99, 0.62],
    [0.62, 1.0],
];
const expected_inverse_dynamics = [
    [167.14198500435336, 25.713400885261393],
    [43.2271944383838, 13.718067503237304],
    [198.87942395510254, 76.67072730027688],
];

function differences(name, found, expected) {
    return jointNames.map((joint, i) => [joint, found[i], expected[i]])
        .filter(([, a, b]) => !(Math.abs(a - b) <= 1e-9 * Math.max(1.0, Math.abs(b))))
        .map(([joint, a, b]) => `${name}, ${joint}: ${a} instead of ${b}`);
}

export function selfTest() {
    const wrong = [];
    for (let k = 0; k < reference_q.length; k++) {
        {   const tau = inverseDynamics(reference_q[k], reference_qd[k], reference_qdd[k]);
            wrong.push(...differences('inverseDynamics', tau, expected_inverse_dynamics[k]));
        }
    }
    return wrong;
}

if (typeof process !== 'undefined'
        && /(^|[\\/])robot_2r_dynamics\.mjs$/.test(process.argv?.[1] ?? '')) {
    const found = inverseDynamics(reference_q[0], reference_qd[0], reference_qdd[0]);
    console.log('inverseDynamics in the first reference state:');
    ['N m', 'N m'].forEach((unit, i) =>
        console.log(jointNames[i].padEnd(24),
            String(Number(found[i].toPrecision(9))), unit));
    const changed = [];
    const wrong = changed.length ? [] : selfTest();
    const verdict = wrong.length ? 'differs from the reference' : 'agrees with the reference';
    console.log((changed.length ? changed.map((name) =>
        `parameter ${name} was changed: the reference values do not apply`)
        : [verdict, ...wrong.map((line) => `    ${line}`)]).join('\n'));
    process.exitCode = wrong.length ? 1 : 0;
}
